# Debian's package mstflint, unchanged, with an emulated device as its card (dpadev exec): version 4.21 of Debian 12, and
# 4.31 of Debian 13.
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/bytes.bash"

db=/usr/share/mstflint/mlxconfig_dbs/mlxconfig_host.db

setup_file() { make_world; }
setup() {
    command -v mstconfig >/dev/null || skip "no mstflint here"
    version=$(mstconfig --version | grep -oE '4\.[0-9]+' | head -n 1)
    enter_world
    unset LD_PRELOAD
}

# theirs WORD...: mstconfig on the emulated card. ours WORD...: mlxconfig-lite with the same TLVs.
theirs() { dpadev exec mlx5_0 -- mstconfig -d 03:00.0 "$@"; }
ours() { mlxconfig-lite -b "$db" -d mlx5_0 "$@"; }

# value NAME: as each of the two shows it.
value() {
    ours query "$1" | awk -v name="$1" '$1 == name { print $2 }' >ours
    theirs query "$1" | awk -v name="$1" '$1 == name { print $2 }' >theirs
    cmp ours theirs && cat ours
}

# The database of 4.21 knows one flag of four.
known_flags() {
    if grep -aq disable_override "$db"; then cat; else sed '/<disable_override>\|<keep_same_priority>\|<per_tlv_priority>/d'; fi
}

# protect XML: the owner sets this TLV.
protect() {
    [ -e claimed ] || mlxconfig-lite -d mlx5_0 apply claim.bin >/dev/null
    touch claimed
    { identity_xml True | known_flags && echo "$1</config>"; } >protect.xml
    mlxconfig-lite -b "$db" -p owner.pem -u "$owner_uuid" create_conf protect.xml protect.bin >/dev/null
    mlxconfig-lite -d mlx5_0 apply protect.bin >/dev/null
}

memic() { # OVR_EN RD_EN
    echo "<nv_memic_conf ovr_en='$1' rd_en='$2' writer_id='0'>
        <memic_size_limit>0x0</memic_size_limit><log_memic_bar_size>3</log_memic_bar_size>
        <memic_atomic>0x0</memic_atomic>$(
        ! grep -aq memic_atomic_endianness "$db" || echo '<memic_atomic_endianness>0x0</memic_atomic_endianness>')</nv_memic_conf>"
}

@test "query shows what the device has, and nothing that mlxconfig-lite lacks" {
    theirs query >out
    grep -qE '^Device type: +BlueField3 *$' out
    grep -qE '^Name: +900-9D3B6-00CV-A_Ax *$' out
    grep -qE '^Description: +Emulated BlueField-3 B3220 function \(dpakit\) *$' out
    ours query >ours
    # (mlxconfig-lite breaks the line of PCI_ATOMIC_MODE; 4.31 prints a mask also as a number.)
    awk '$1 != "PCI_ATOMIC_MODE" && $2 ~ /\(|^[0-9]|Array/ && $1 ~ /^[A-Z0-9_]+$/ { print $1, $2 }' out |
        sed 's/ \(0x[0-9a-f]*\)([0-9]*)$/ \1/' | sort >theirs.txt
    [ "$(wc -l <theirs.txt)" -gt 250 ]
    awk '$1 ~ /^[A-Z0-9_]+$/ { print $1, $2 }' ours | sort >ours.txt
    [ -z "$(comm -23 theirs.txt ours.txt)" ] || { comm -23 theirs.txt ours.txt; false; }
}

@test "set changes the next boot; -e query shows three views" {
    theirs -y set MEMIC_ATOMIC=1 USER_PROGRAMMABLE_CC=1 >out
    grep -q 'Applying... Done!' out
    theirs -e query MEMIC_ATOMIC | grep -qE '^\* +MEMIC_ATOMIC +DEVICE_DEFAULT\(0\) +DEVICE_DEFAULT\(0\) +MEMIC_ATOMIC_DISABLE\(1\)'
    [ "$(value USER_PROGRAMMABLE_CC)" = 'True(1)' ]
    dpadev reset mlx5_0 >/dev/null
    theirs -e query MEMIC_ATOMIC | grep -qE '^\* +MEMIC_ATOMIC +DEVICE_DEFAULT\(0\) +MEMIC_ATOMIC_DISABLE\(1\) +MEMIC_ATOMIC_DISABLE\(1\)'
    dpadev log mlx5_0 | grep -q 'mstconfig  set  OK  nv_memic_conf set by writer 9'
}

@test "integers, enums, arrays and ports" {
    theirs -y set MEMIC_BAR_SIZE=5 LINK_TYPE_P1=ETH LINK_TYPE_P2=IB 'HOST_CHAINING_DESCRIPTORS[1..2]=7' >out
    [ "$(value MEMIC_BAR_SIZE)" = 5 ]
    [ "$(value LINK_TYPE_P1)" = 'ETH(2)' ]
    [ "$(value LINK_TYPE_P2)" = 'IB(1)' ]
    [ "$(value 'HOST_CHAINING_DESCRIPTORS[0]')" = 0 ]
    [ "$(value 'HOST_CHAINING_DESCRIPTORS[1]')" = 7 ]
    [ "$(value 'HOST_CHAINING_DESCRIPTORS[2]')" = 7 ]
    dpadev log mlx5_0 | grep -q 'nv_vpi_link_type of port 2 set by writer 9'
}

@test "a range of an array may name elements again, a single element may not" {
    local words
    for words in 'HOST_CHAINING_DESCRIPTORS[1]=1 HOST_CHAINING_DESCRIPTORS[0..2]=2' \
        'HOST_CHAINING_DESCRIPTORS[0..2]=3 HOST_CHAINING_DESCRIPTORS[1..2]=4'; do
        # shellcheck disable=SC2086
        theirs -y set $words >out
        theirs query 'HOST_CHAINING_DESCRIPTORS[0..2]' | grep -E '^ +HOST' >theirs.txt
        theirs -y reset >out
        # shellcheck disable=SC2086
        ours -y set $words >out
        theirs query 'HOST_CHAINING_DESCRIPTORS[0..2]' | grep -E '^ +HOST' | cmp - theirs.txt
    done
    ! theirs -y set 'HOST_CHAINING_DESCRIPTORS[0..2]=2' 'HOST_CHAINING_DESCRIPTORS[1]=1' >out || false
    run ours -y set 'HOST_CHAINING_DESCRIPTORS[0..2]=2' 'HOST_CHAINING_DESCRIPTORS[1]=1'
    [ "$status" -eq 2 ] && [ "$output" = '-E- HOST_CHAINING_DESCRIPTORS[1] is set twice' ] || { echo "$output"; false; }
}

@test "each sees what the other has set" {
    ours -y set MEMIC_BAR_SIZE=4 LINK_TYPE_P2=2 >out
    [ "$(value MEMIC_BAR_SIZE)" = 4 ]
    [ "$(value LINK_TYPE_P2)" = 'ETH(2)' ]
    theirs -y set MEMIC_BAR_SIZE=6 >out
    [ "$(value MEMIC_BAR_SIZE)" = 6 ]
}

@test "the answer no changes nothing" {
    run theirs set MEMIC_BAR_SIZE=4 <<<n
    [ "$(value MEMIC_BAR_SIZE)" = 0 ]
    ! dpadev log mlx5_0 | grep -q mstconfig || false
}

@test "reset removes what users have set, and nothing else" {
    protect "$(memic 1 1)"
    theirs -y set MEMIC_BAR_SIZE=5 LINK_TYPE_P1=ETH >out
    theirs -y reset >out
    grep -q 'Applying... Done!' out
    [ "$(value MEMIC_BAR_SIZE)" = 3 ]
    [ "$(value LINK_TYPE_P1)" = 0 ]
}

@test "backup, set_raw and get_raw" {
    theirs -y set MEMIC_BAR_SIZE=5 LINK_TYPE_P1=ETH >out
    theirs -f all.raw backup >out
    [ "$(grep -v '^%' all.raw)" = $'MLNX_RAW_TLV_FILE\n0x03090004 0x00000006 0x00000000 0x00000005 \n0x03090004 0x01010012 0x00000000 0x00000008 ' ] || { cat all.raw; false; }
    theirs -y reset >out
    theirs -y -f all.raw set_raw >out
    grep -q 'Applying... Done!' out
    [ "$(value MEMIC_BAR_SIZE)" = 5 ]
    [ "$(value LINK_TYPE_P1)" = 'ETH(2)' ]
    theirs -f all.raw get_raw | sed -n '/^Raw TLV/,$p' >theirs.txt
    mlxconfig-lite -d mlx5_0 -f all.raw get_raw | sed -n '/^Raw TLV/,$p' | cmp - theirs.txt
    mlxconfig-lite -d mlx5_0 -y -f all.raw set_raw >out # a file of theirs is one of ours
}

# signed_memic KEY UUID: memic.bin, of NVIDIA's identity, the only one that this version applies.
signed_memic() {
    { identity_xml True | known_flags | sed 's/nv_file_id_vendor/nv_file_id_mlnx/' &&
        memic 0 1 && echo "</config>"; } >memic.xml
    mlxconfig-lite -b "$db" -p "$1" -u "$2" create_conf memic.xml memic.bin >/dev/null
}

@test "apply brings a signed file to the device, which checks it" {
    signed_memic nvidia.pem "$(<nvidia.uuid)"
    theirs apply memic.bin | grep -q 'Done!'
    theirs query MEMIC_BAR_SIZE | grep -qE '^ +MEMIC_BAR_SIZE +3 *$'
    dpadev log mlx5_0 | grep -q 'mstconfig  apply  OK'
    flip memic.bin 500
    run theirs apply memic.bin
    [ "$status" -ne 0 ]
    [[ $output == *'Rejected authentication'* ]] || { echo "$output"; false; }
    dpadev log mlx5_0 | grep -q 'mstconfig  apply  REJECTED_AUTH_FAILED'
    signed_memic owner.pem "$owner_uuid"
    run theirs apply memic.bin
    [ "$status" -ne 0 ]
    dpadev log mlx5_0 | grep -q 'mstconfig  apply  REJECTED_UNKNOWN_KEY'
}

@test "there is nothing to back up on a new device" {
    run theirs -f all.raw backup
    [ "$status" -ne 0 ]
    [[ $output == *'NV data area may be empty, nothing to backup.'* ]]
}

@test "what the owner protects is refused by the card" {
    protect "$(memic 0 1)"
    run theirs -y set MEMIC_BAR_SIZE=5
    [ "$status" -ne 0 ]
    [[ $output == *'Failed to set nv_memic_conf settings The configuration is rejected'* ]] || { echo "$output"; false; }
    theirs query MEMIC_BAR_SIZE | grep -qE '^ +MEMIC_BAR_SIZE +3 *$'
    dpadev log mlx5_0 | grep -q 'mstconfig  set  READ_ONLY  nv_memic_conf set by writer 9'
    ! ours -y set MEMIC_BAR_SIZE=5 || false
}

@test "what the owner hides is shown as zeros, and cannot be replaced" {
    protect "$(memic 1 0)"
    theirs query MEMIC_BAR_SIZE | grep -qE '^ +MEMIC_BAR_SIZE +0 *$'
    run theirs -y set MEMIC_BAR_SIZE=5
    [ "$status" -ne 0 ]
    [[ $output == *'The configuration is rejected'* ]] || { echo "$output"; false; }
    theirs -f all.raw backup >out 2>&1 || true
    ! grep -q 0x00000006 all.raw || false
}

@test "raw TLVs of the owner's key and of debuggers are refused" {
    for raw in '0x03090020 0x0000019c 0x00000000 0 0 0 0x10001 1 2 3 4' \
        '0x03090004 0x00d9a001 0x00000000 0x40000000'; do
        printf 'MLNX_RAW_TLV_FILE\n%s\n' "$raw" >bad.raw
        run theirs -y -f bad.raw set_raw
        [ "$status" -ne 0 ] || { echo "$raw: $output"; false; }
    done
    ! theirs -f none.raw backup >out || false
}

@test "another user of the device is not in the way, and no card of this machine is seen" {
    mkdir other && DPAKIT_DEVICES=$PWD/other new_mini
    DPAKIT_DEVICES=$PWD/other dpadev exec mlx5_7 -- sh -c 'ls /sys/bus/pci/devices' >list
    [ "$(<list)" = $'0000:00:01.0\n0000:03:00.0' ] || { cat list; false; }
    run theirs -d 05:00.0 query
    [ "$status" -ne 0 ]
}
new_mini() { dpadev create mlx5_7 --nvidia-key "$test_keys/owner.pub" --nvidia-key-uuid "$(<"$test_keys/owner.uuid")" >/dev/null; }

# asked: the registers of a trace, with the method.
asked() { cut -d' ' -f1,2 "$1" | sort -u | tr '\n' ,; }

@test "mstflint query shows the firmware and the PSID" {
    IFS=. read -r major minor sub <"$BATS_TEST_DIRNAME/../../VERSION"
    dpadev exec --trace trace mlx5_0 -- mstflint -d 03:00.0 query >out
    grep -qE "^FW Version: +$major\.$minor\.$(printf %04d "$sub")\$" out || { cat out; false; }
    grep -qE "^PSID: +$(dpadev show mlx5_0 | sed -n 's/.*PSID: *//p')\$" out || { cat out; false; }
    case $version in
    4.21) wanted='GET MCAM,GET MCC,GET MCQI,GET MCQS,GET MGIR,GET MQIS,GET NVDA,' ;;
    *) wanted='GET 0x402d,GET MCAM,GET MCQI,GET MCQS,GET MGIR,GET MQIS,GET NVDA,' ;;
    esac
    [ "$(asked trace)" = "$wanted" ] || { cat trace; false; }
}

@test "the registers that mstconfig asks for are those of this version" {
    dpadev exec --trace trace mlx5_0 -- mstconfig -d 03:00.0 -e query USER_PROGRAMMABLE_CC >out
    dpadev exec --trace trace mlx5_0 -- mstconfig -d 03:00.0 -y set USER_PROGRAMMABLE_CC=1 >out
    dpadev exec --trace trace mlx5_0 -- mstconfig -d 03:00.0 -y reset >out
    [ "$(asked trace)" = 'GET MGIR,GET MQIS,GET NVDA,GET NVGC,GET NVQC,SET MFRL,SET NVDA,SET NVIA,' ] || { cat trace; false; }
}

# bridge WORD...: setpci on the bridge above the card, whose link control is at CAP_EXP+10.
bridge() { dpadev exec mlx5_0 -- setpci -s 0000:00:01.0 "$@"; }

@test "mstfwreset resets the card, and next-boot values become current" {
    command -v setpci >/dev/null || skip "no package pciutils"
    [[ $(lscpu) != *'Hypervisor vendor'* ]] || skip "mstfwreset refuses virtual machines that name their hypervisor"
    theirs -y set USER_PROGRAMMABLE_CC=1 >out
    # The tool compares the uptimes before and after: on a slow machine that takes long after the boot, it says "failed".
    dpadev exec --trace trace mlx5_0 -- mstfwreset -d 03:00.0 -y --pci_link_downtime 0 reset >out 2>&1 ||
        grep -q '^-E- Firmware reset failed' out || { cat out trace; false; }
    case $version in
    4.21) # takes the link down and up
        grep -qE '^-I- Resetting PCI +-Done' out
        wanted='GET MFRL,GET MCAM,SET MFRL,SET 0x5050,GET MGIR,'
        ;;
    *) # asks the card and its driver for all
        grep -q '^-I- FW was loaded successfully' out
        wanted='GET MFRL,GET MGIR,GET MCAM,GET MROQ,GET MGIR,GET DTOR,SET MFRL,GET MGIR,'
        ;;
    esac
    theirs -e query USER_PROGRAMMABLE_CC | grep -qE '^\* +USER_PROGRAMMABLE_CC +False\(0\) +True\(1\) +True\(1\)'
    [ "$(dpadev log mlx5_0 | grep -c ' boot ')" = 1 ]
    [ "$(cut -d' ' -f1,2 trace | uniq | tr '\n' ,)" = "$wanted" ] || { cat trace; false; }
}

@test "while the link of the bridge is disabled, nobody answers" {
    command -v setpci >/dev/null || skip "no package pciutils"
    bridge CAP_EXP+10.w=10
    [ "$(dpadev exec mlx5_0 -- setpci -s 03:00.0 0.l)" = ffffffff ]
    run theirs query USER_PROGRAMMABLE_CC
    [ "$status" -ne 0 ]
    dpadev exec mlx5_0 -- mstreg -d 03:00.0 --reg_name MFRL --set reset_trigger=0x8 -y >out 2>&1 && false
    bridge CAP_EXP+10.w=0
    [ "$(dpadev exec mlx5_0 -- setpci -s 03:00.0 0.l)" = a2dc15b3 ]
    ! dpadev log mlx5_0 | grep ' boot ' || false
    dpadev exec mlx5_0 -- mstreg -d 03:00.0 --reg_name MFRL --set reset_trigger=0x8 -y >out
    bridge CAP_EXP+10.w=10
    bridge CAP_EXP+10.w=0
    dpadev log mlx5_0 | grep -q 'setpci  boot  OK'
}

@test "exec says what is wrong" {
    run dpadev exec mlx5_9 -- mstconfig --version
    [ "$status" -eq 1 ] && [[ $output == '-E- '*mlx5_9* ]]
    run dpadev exec mlx5_0 -- ./no-such-tool
    [ "$status" -eq 1 ] && [[ $output == '-E- ./no-such-tool: No such file or directory' ]] || { echo "$output"; false; }
    run dpadev exec -b claim.xml mlx5_0 -- mstconfig --version
    [ "$status" -eq 1 ] && [[ $output == '-E- claim.xml: '* ]]
    run dpadev exec mlx5_0
    [ "$status" -eq 2 ]
}

@test "a reset by the driver boots at once; with other owners the card waits for its link" {
    command -v setpci >/dev/null || skip "no package pciutils"
    local start
    boots() { dpadev log mlx5_0 | grep -c ' boot '; }
    mfrl() { dpadev exec mlx5_0 -- mstreg -d 03:00.0 --reg_id 0x9028 --reg_len 8 "$@"; }
    # Bits 29 and 30 are the owner: the tool (0), the driver (1), the firmware (2). Bit 3 is the reset of the link.
    mfrl --set '0x4.29:2=1,0x4.0:8=8' -y >out || { cat out; false; }
    [ "$(boots)" = 1 ]
    for start in 0 2; do
        mfrl --set "0x4.29:2=$start,0x4.0:8=8" -y >out || { cat out; false; }
        mfrl --get | grep -iE '0x00000004 +\| +0x..*8..08' || { mfrl --get; false; } # it waits: state 8
        bridge CAP_EXP+10.w=10
        bridge CAP_EXP+10.w=0
    done
    [ "$(boots)" = 3 ]
    for bad in '0x4.29:2=3,0x4.0:8=8' '0x4.21:3=1,0x4.0:8=8' '0x4.0:8=1'; do # no such owner; method; trigger
        ! mfrl --set "$bad" -y >out || { cat out; false; }
    done
    [ "$(boots)" = 3 ]
}

@test "newer tools take the card by fwctl" {
    case $version in 4.21) skip "4.21 does not know fwctl" ;; esac
    by_fwctl() { dpadev exec --trace trace mlx5_0 -- mstconfig -d fwctl0 "$@"; }
    by_fwctl -y set MEMIC_BAR_SIZE=2 >out
    [ "$(value MEMIC_BAR_SIZE)" = 2 ]
    by_fwctl query MEMIC_BAR_SIZE | grep -qE '^ +MEMIC_BAR_SIZE +2 *$'
    grep -q '^GET MGIR 776 0$' trace
    by_fwctl -y reset >out
    [ "$(value MEMIC_BAR_SIZE)" = 0 ]
    dpadev exec mlx5_0 -- mstflint -d fwctl0 query | grep -qE "^PSID: +$(dpadev show mlx5_0 | sed -n 's/.*PSID: *//p')\$"
    ! dpadev exec mlx5_0 -- mstreg -d fwctl0 --reg_id 0x5009 --reg_len 8 --get >out 2>&1 || false
    bridge CAP_EXP+10.w=10
    ! by_fwctl query MEMIC_BAR_SIZE >out 2>&1 || false
}

# link WORD...: mstlink on the emulated card, without colors. NAME of its table: the value.
link() { dpadev exec --trace trace mlx5_0 -- mstlink -d 03:00.0 "$@" | sed 's/\x1b\[[0-9]*m//g' >link; }
field() { sed -n "s/^$1 *: //p" link; }

@test "mstlink shows the link, its speed and its cable" {
    link -m
    [ "$(field State)" = Active ] && [ "$(field 'Physical state')" = LinkUp ] && [ "$(field Speed)" = 100G ] &&
        [ "$(field Width)" = 4x ] && [ "$(field Recommendation)" = 'No issue was observed' ] || { cat link; false; }
    [ "$(field 'Vendor Name')" = dpakit ] && [ "$(field 'Vendor Part Number')" = loop ] || { cat link; false; }
    # What each version asks.
    cut -d' ' -f2 trace | sort -u | tr '\n' ' ' >asked
    case $version in
    4.21) [ "$(<asked)" = '0x5064 PAOS PDDR PMAOS PMLP PPAOS PTYS SLRG ' ] ;;
    *) [ "$(<asked)" = '0x5064 0x5075 MGIR PAOS PDDR PMAOS PMLP PPAOS PTYS SLTP ' ] ;;
    esac || { cat asked; false; }
    dpadev wire mlx5_0 none >/dev/null
    link
    [ "$(field State)" = Polling ] && [ "$(field Speed)" = N/A ] &&
        [ "$(field 'Status Opcode')" = 1024 ] && [ "$(field Recommendation)" = 'Cable is unplugged' ] || { cat link; false; }
}

@test "mstreg reads registers by name, and what they refuse is said" {
    local name field value options
    reg() { dpadev exec mlx5_0 -- mstreg -d 03:00.0 --reg_name "$@" >reg 2>&1; }
    while read -r name field value options; do
        # shellcheck disable=SC2086
        reg "$name" --get $options && grep -qF "$field " reg &&
            [ "$(awk -v field="$field" '$1 == field { print $3 }' reg)" = "$value" ] || { echo "$name"; cat reg; false; }
    done <<'EOF'
MGIR device_id 0x0000a2dc
MFRL reset_trigger 0x00000008
MNVQC support_wr 0x00000001 -i type=0x111
MCAM mng_feature_cap_mask[3] 0x00080000 -i access_reg_group=0,feature_group=0
MTRC_CAP trace_owner 0x00000000
PTYS data_rate_oper 0x000003e8 -i local_port=1,proto_mask=4,lp_msb=0,port_type=0
PAOS oper_status 0x00000001 -i local_port=1,swid=0,lp_msb=0
PAOS oper_status 0x00000002 -i local_port=2,swid=0,lp_msb=0
PMAOS oper_status 0x00000002 -i module=1,slot_index=0
PCAM feature_cap_mask[3] 0x00002000 -i access_reg_group=0,feature_group=0
MDSR status 0x00000003
EOF
    ! reg PAOS --get -i local_port=3,swid=0,lp_msb=0 || false
    grep -q 'Bad parameter' reg || { cat reg; false; }
    ! reg PCAM --set access_reg_group=0 -i access_reg_group=0,feature_group=0 -y || false
    grep -q 'Method not supported' reg || { cat reg; false; }
}

@test "mstvpd shows what the card is" {
    dpadev exec mlx5_0 -- mstvpd 03:00.0 >vpd # it checks the sum
    dpadev show --json mlx5_0 >show
    [ "$(sed -n 's/^PN: *//p' vpd)" = 900-9D3B6-00CV-A_Ax ] || { cat vpd; false; }
    [ -n "$(sed -n 's/^SN: *//p' vpd)" ] && grep -q "\"$(sed -n 's/^SN: *//p' vpd)" show || { cat vpd show; false; }
    grep -qE '^ID: +Emulated BlueField-3 B3220 function \(dpakit\)$' vpd
}

@test "Debian's mstconfig makes no files of XML" {
    run mstconfig create_conf claim.xml made.bin
    [ "$status" -ne 0 ]
    [[ $output == *'the tool was not compiled against libxml2'* ]] || { echo "$output"; false; }
}
