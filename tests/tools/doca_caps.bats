# doca_caps: devices, representors and libraries as DOCA sees them.

load ../helpers/device

bats_require_minimum_version 1.5.0

setup_file() {
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device mlx5_0
    new_device bf0 --pair
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
}

# value NAME: prints its value in the listing in `out`.
value() { awk -v name="$1" '$1 == name { print $2; exit }' out; }

@test "devices are those of dpadev, with their addresses and names" {
    doca_caps --list-devs >out 2>err
    [ ! -s err ]
    [ "$(sed -n 's/^PCI: //p' out)" = "$(dpadev show --json mlx5_0 | jq -r .pci_address)
$(dpadev show --json mlx5_1 | jq -r .pci_address)" ]
    [ "$(awk '$1 == "ibdev_name" { print $2 }' out | xargs)" = "mlx5_0 mlx5_1" ]
    [ "$(value pci_func_type)" = PF ]
    [[ $(value mac_addr) =~ ^([0-9a-f]{2}:){5}[0-9a-f]{2}$ ]]
    [ "$(value ipv4_addr) $(value ipv6_addr)" = "0.0.0.0 ::" ]
}

@test "--pci-addr chooses a device, with and without its domain" {
    for address in 0000:03:00.1 03:00.1; do
        doca_caps --list-devs --pci-addr "$address" >out
        [ "$(value ibdev_name)" = mlx5_1 ]
        [ "$(grep -c ^PCI out)" -eq 1 ]
    done
    for address in 0000:04:00.0 nonsense; do
        run -1 doca_caps -p "$address"
        [ "$output" = "-E- no device at PCI address $address" ]
    done
}

@test "only the DPU sees a representor of a host function" {
    doca_caps --list-rep-devs >out
    [ "$(cat out)" = $'PCI: 0000:03:00.0\nPCI: 0000:03:00.1' ]
    DPAKIT_SIDE=dpu doca_caps --list-rep-devs -p 03:00.1 >out
    [ "$(value vuid)" = "$(DPAKIT_SIDE=dpu dpadev show --json bf0 | jq -r '.pair.representors[0].vuid')" ]
    [ "$(value iface_name) $(value hotplug) $(value pci_func_type)" = "pf1hpf no PF" ]
}

@test "libraries list their capabilities, which follow the configuration of the device" {
    doca_caps -p 03:00.0 >out 2>err
    [ "$(grep -c . out)" -gt 60 ]
    for name in mmap_export_pci task_memcpy task_send sync_event_task_get dpa; do [ "$(value $name)" = supported ] || { echo "$name"; false; }; done
    [ "$(value task_memcpy_max_buf_size)" = 2097152 ]
    [ "$(value sync_event_export_to_gpu)" = unsupported ]
    # Each name appears once in its library, without the names that all libraries have.
    [ -z "$(awk '/^\t[^\t]/ { library = $1 } /^\t\t/ { print library, $1 }' out | sort | uniq -d)" ]
    ! grep -qE 'cap_|doca_|_is_|_get_max|_supported' out
    # A device with one side has no channel to another side; a card with two sides has a channel.
    [ "$(value server) $(value client)" = "unsupported unsupported" ]
    doca_caps -p 03:00.1 >out 2>err
    [ "$(value server) $(value client)" = "unsupported supported" ]
    DPAKIT_SIDE=dpu doca_caps -p 03:00.1 >out 2>err
    [ "$(value server)" = supported ]
}

@test "limits of emulated functions are a block of their own" {
    DPAKIT_SIDE=dpu doca_caps -p 03:00.1 --lib devemu >out
    [ "$(sed -n 2p out)" = $'\tdevemu_pci' ]
    [ "$(grep -c $'^\t\t' out)" -eq 36 ]
    [ "$(value type_max_bars) $(value max_types) $(value bar_db_region_identify_by_data)" = "6 32 supported" ]
    doca_caps -p 03:00.0 -b devemu >out # it emulates nothing
    [ "$(value type_max_bars) $(value max_types) $(value bar_db_region_identify_by_data)" = "0 0 unsupported" ]
}

@test "congestion control: unsupported is an answer and no error, and supported when it is turned on" {
    cp -a "$DPAKIT_DEVICES" devices
    export DPAKIT_DEVICES=$PWD/devices
    doca_caps -p 03:00.0 >out 2>err
    grep -qP '^\t\tpcc +unsupported$' out
    [ ! -s err ]
    mlxconfig-lite -y -d mlx5_0 set USER_PROGRAMMABLE_CC=1
    dpadev reset mlx5_0
    doca_caps -p 03:00.0 >out 2>err
    grep -qP '^\t\tpcc +supported$' out
    [ ! -s err ]
}

@test "every function of capabilities that takes a device alone is listed, or has its reason here" {
    # Functions about a context, or with further arguments, do not answer for a device. Names of older releases.
    others='doca_(dma_cap_get_max_num_tasks|pcc_cap_get_num_probe_format_slots|rdma_cap_transport_type_is_supported|rdma_cap_get_gid|rdma_srq_cap_get_max_shared_recv_queue_size|rdma_srq_cap_task_receive_get_max_dst_buf_list_len|devemu_pci_cap_type_is_(hotplug|mgmt|bar_mem_type)_supported|eth_[rt]xq_cap_is_type_supported|eth_txq_cap_get_max_burst_size|eth_txq_cap_get_wait_on_time_offload_supported|mmap_advise_cap_task_cache_invalidate_is_supported|sync_event_cap_is_export_to_dpu_supported|sync_event_cap_task_wait_gt_is_supported)'
    cat "$BATS_TEST_DIRNAME"/../../include/doca/*.h | grep -oE '\bdoca_[a-z0-9_]*_cap_[a-z0-9_]+\(' | tr -d '(' | sort -u |
        grep -vxE "$others" >declared
    grep -oE 'doca_[a-z0-9_]*_cap_[a-z0-9_]+' "$BATS_TEST_DIRNAME/../../tools/doca_caps/caps.c" | sort -u >listed
    grep -vxFf declared listed >unknown || true
    grep -vxFf listed declared >missing || true
    cat unknown missing
    [ "$(wc -l <listed)" -gt 60 ] && [ ! -s missing ]
}

@test "libraries, and those that are not there" {
    doca_caps --list-libs >out
    ! grep -q 'not installed' out
    [ "$(awk '{ print $1 }' out | sort)" = "$(cd "$DPAKIT_BUILD/lib" && ls libdoca_*.so | sed 's/^libdoca_//; s/\.so$//' | sort)" ]
    mkdir -p tree/bin tree/lib
    cp "$DPAKIT_BUILD/bin/doca_caps" tree/bin
    tree/bin/doca_caps --list-libs >out
    [ "$(grep -c 'not installed$' out)" -eq "$(wc -l <out)" ]
    run -1 tree/bin/doca_caps
    [ "$output" = "-E- the library libdoca_common.so.2 is not installed" ]
}

@test "a single library can be asked, and loggers are listed" {
    doca_caps -p 03:00.0 -b dma >out 2>err
    [ ! -s err ]
    [ "$(grep -P '^\t[^\t]' out | xargs)" = dma ]
    [ "$(value task_memcpy)" = supported ]
    [ "$(grep -c . out)" -eq 5 ]
    run -2 doca_caps --lib nothing
    [ "$output" = "-E- no library nothing; doca_caps --list-libs has them" ]
    [ "$(doca_caps --list-loggers)" = DOCA ]
}

@test "if devices cannot be listed, the reason is printed once" {
    echo >file
    export DPAKIT_DEVICES=$PWD/file
    for command in doca_caps "doca_caps --list-devs"; do
        run -1 $command
        [ "$output" = "-E- $PWD/file: Not a directory" ]
    done
}

@test "without a device there is no error, and the version is DOCA's" {
    DPAKIT_DEVICES=$PWD/none doca_caps --list-devs >out 2>err
    [ ! -s out ]
    [ "$(cat err)" = "-W- no emulated device: make one with dpadev create mlx5_0" ]
    [[ $(doca_caps -v) == "doca_caps $(cat "$DPAKIT_BUILD/share/dpakit/VERSION") "* ]]
}
