# Samples of DOCA Device Emulation, built and run as they are: programs of the DPU, and those of the host
# with libdpakit-vfio.so before them.
setup_file() {
    load corpus.bash
    make_corpus
    make_samples doca_devemu/devemu_pci_device_{hotplug,list,{db,msix,dma,stateful_region}/dpu}:dpu \
        doca_devemu/devemu_pci_device_{db,msix,dma,stateful_region}/host doca_devemu/devemu_vfs_{list_devices,device_hotplug_unplug}:dpu
}
setup() {
    load corpus.bash
}
teardown() {
    # shellcheck disable=SC2046
    [ -z "$(jobs -p)" ] || kill $(jobs -p) 2>/dev/null || true
}

on_dpu() { # PROGRAM ARGUMENT...
    DPAKIT_SIDE=dpu in_opt stdbuf -oL "$@"
}

# env sets it for the program alone, not for what in_opt is made of.
on_host() { # PROGRAM ARGUMENT...
    in_opt env LD_PRELOAD="$DPAKIT_BUILD/lib/libdpakit-vfio.so" stdbuf -oL "$@"
}

await() { # FILE TEXT: of a program in the background, $!
    until grep -qF -- "$2" "$1"; do
        kill -0 $! || { cat "$1"; return 1; }
        sleep 0.1
    done
}

# Plugs a function in: its VUID is $vuid, its address on the host $address, its group $group.
plug() {
    use_sample doca_devemu/devemu_pci_device_hotplug
    dpu=$program
    run on_dpu "$dpu" -p 03:00.0
    echo "$output"
    [ "$status" -eq 0 ]
    says 'Hotplug state changed to DOCA_DEVEMU_PCI_HP_STATE_POWER_ON' 'Sample finished successfully'
    vuid=$(sed -n 's/.*The new emulated device VUID: //p' <<<"$output")
    hotplug=$dpu
    use_sample doca_devemu/devemu_pci_device_list
    dpu=$program
    run on_dpu "$dpu" -p 03:00.0
    echo "$output"
    [ "$status" -eq 0 ]
    says "VUID:	$vuid"
    address=$(grep -A1 "VUID:	$vuid" <<<"$output" | sed -n 's/.*PCI:	//p')
    group=$(basename "$(LD_PRELOAD=$DPAKIT_BUILD/lib/libdpakit-vfio.so readlink "/sys/bus/pci/devices/$address/iommu_group")")
}

unplug() {
    run on_dpu "$hotplug" -p 03:00.0 -u "$vuid"
    echo "$output"
    [ "$status" -eq 0 ]
    says 'Hotplug state changed to DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF' 'Sample finished successfully'
}

@test "devemu_pci_device_hotplug and devemu_pci_device_list" {
    plug
    unplug
    # Built by its own meson.build, as the README says.
    build_sample doca_devemu/devemu_pci_device_list -Dc_args="-DDOCA_ARCH_DPU $CFLAGS"
    run on_dpu "$program" -p 03:00.0
    says 'Found a total of 0 emulated devices'
}

@test "devemu_pci_device_db" {
    local log=$BATS_TEST_TMPDIR/dpu.log
    plug
    use_sample doca_devemu/devemu_pci_device_db/dpu
    dpu=$program
    use_sample doca_devemu/devemu_pci_device_db/host
    host=$program
    on_dpu "$dpu" -p 03:00.0 -u "$vuid" -r 0 -i 5 >"$log" 2>&1 &
    await "$log" 'Listening on DB with ID 5'
    on_host "$host" -p "$address" -g "$group" -r 0 -d 5 -w 17
    await "$log" 'Received Doorbell value is 17'
    on_host "$host" -p "$address" -g "$group" -r 0 -d 5 -w 4242
    await "$log" 'Received Doorbell value is 4242'
    kill -INT "$(pgrep -P $! || echo $!)"
    wait $! || true
    cat "$log"
    grep -q 'Sample finished successfully' "$log"
    unplug
}

@test "devemu_pci_device_msix" {
    local log=$BATS_TEST_TMPDIR/host.log
    plug
    use_sample doca_devemu/devemu_pci_device_msix/dpu
    dpu=$program
    use_sample doca_devemu/devemu_pci_device_msix/host
    host=$program
    on_host "$host" -p "$address" -g "$group" >"$log" 2>&1 &
    await "$log" 'Listening on all MSI-X vectors'
    run on_dpu "$dpu" -p 03:00.0 -u "$vuid" -x 3
    echo "$output"
    [ "$status" -eq 0 ]
    says 'MSI-X raised successfully'
    await "$log" 'Event received for MSI-X vector index 3 new value 1'
    kill -INT "$(pgrep -P $! || echo $!)"
    wait $! || true
    grep -q 'Sample finished successfully' "$log"
    unplug
}

@test "devemu_pci_device_dma" {
    local log=$BATS_TEST_TMPDIR/host.log
    plug
    use_sample doca_devemu/devemu_pci_device_dma/dpu
    dpu=$program
    use_sample doca_devemu/devemu_pci_device_dma/host
    host=$program
    run on_dpu "$dpu" -p 03:00.0 -u "$vuid" -a 0x1000000 -w "nobody maps it yet"
    echo "$output"
    [ "$status" -ne 0 ]
    says 'Failed to DMA read data from host' 'Sample finished with errors'
    on_host "$host" -p "$address" -g "$group" -w "hello from the host" >"$log" 2>&1 &
    await "$log" 'Write to DMA memory: hello from the host'
    run on_dpu "$dpu" -p 03:00.0 -d mlx5_0 -u "$vuid" -a 0x1000000 -w "hello from the DPU"
    echo "$output"
    [ "$status" -eq 0 ]
    says 'DMA memory copied from host: hello from the host' 'DMA memory copied to host: hello from the DPU' \
        'Sample finished successfully'
    wait $!
    cat "$log"
    grep -q 'Read new data from DPU: hello from the DPU' "$log"
    grep -q 'Sample finished successfully' "$log"
    unplug
}

@test "devemu_pci_device_stateful_region" {
    local log=$BATS_TEST_TMPDIR/dpu.log
    plug
    use_sample doca_devemu/devemu_pci_device_stateful_region/dpu
    dpu=$program
    use_sample doca_devemu/devemu_pci_device_stateful_region/host
    host=$program
    on_dpu "$dpu" -p 03:00.0 -u "$vuid" >"$log" 2>&1 &
    await "$log" 'to stop sample'
    on_host "$host" -p "$address" -g "$group" -r 0 -w "hello from the host"
    await "$log" 'Host wrote to stateful region'
    await "$log" 'hello from the h'
    kill -INT "$(pgrep -P $! || echo $!)"
    wait $! || true
    cat "$log"
    grep -q 'Sample finished successfully' "$log"
    unplug
}

@test "devemu_vfs_list_devices" {
    use_sample doca_devemu/devemu_vfs_list_devices
    run on_dpu "$program" -p 03:00.0
    echo "$output"
    [ "$status" -eq 0 ]
    says 'Sample finished successfully'
}

@test "devemu_vfs_device_hotplug_unplug" {
    local log=$BATS_TEST_TMPDIR/log
    use_sample doca_devemu/devemu_vfs_device_hotplug_unplug
    on_dpu "$program" -p 03:00.0 >"$log" 2>&1 &
    await "$log" 'Press ([ctrl] + c) to unplug device'
    await "$log" 'DOCA_DEVEMU_PCI_HP_STATE_POWER_ON'
    kill -INT "$(pgrep -P $! || echo $!)"
    wait $! || true
    cat "$log"
    grep -q 'DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF' "$log"
    grep -q 'Sample finished successfully' "$log"
}
