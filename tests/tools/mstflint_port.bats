# NVIDIA's own tools set registers of a port (mstreg and mstlink of Debian's package mstflint), and other programs see
# what they have set.
source "$BATS_TEST_DIRNAME/../helpers/device.bash"
source "$BATS_TEST_DIRNAME/../helpers/await.bash"
source "$BATS_TEST_DIRNAME/../helpers/packet_swap.bash"

setup_file() {
    DPAKIT_DEVICES=$BATS_FILE_TMPDIR new_device mlx5_0
    cd "$BATS_FILE_TMPDIR"
    build_packet_swap
}

setup() {
    command -v mstreg >/dev/null || skip "no mstflint here"
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    mkdir devices
    cp -a "$BATS_FILE_TMPDIR/mlx5_0" devices/
    unset LD_PRELOAD
}

teardown() { end_background; }

# reg NAME WORD...: mstreg on port 1. link WORD...: mstlink, without colors. field NAME: from mstlink's table.
reg() { dpadev exec --trace trace mlx5_0 -- mstreg -d 03:00.0 --reg_name "$@" >reg 2>&1; }
set_port() { reg "$1" -i "${3:-local_port=1,lp_msb=0}" --set "$2" -y || { cat reg; false; }; } # REGISTER FIELDS [INDEX]
link() { dpadev exec --trace trace mlx5_0 -- mstlink -d 03:00.0 --yes "$@" | sed 's/\x1b\[[0-9]*m//g' >link; }
field() { sed -n "s/^$1 *: //p" link; }

# of_verbs NAME: what Debian's ibv_devinfo shows.
of_verbs() { LD_LIBRARY_PATH=$DPAKIT_BUILD/lib ibv_devinfo -v -d mlx5_0 2>&1 | sed -n "s/^[[:space:]]*$1:[[:space:]]*//p"; }
has_verbs() { [ "${DPAKIT_BUILD##*/}" = build ] && command -v ibv_devinfo >/dev/null; }

# dropped REASON: how many frames the port has dropped for this.
dropped() { dpadev stats mlx5_0 | sed -n "s/^dropped: $1 *//p"; }

has_dropped() { [[ $(dropped "$2") == $1 ]]; } # COUNT REASON
has_received() { [ "$(dpadev stats mlx5_0 | awk '/^received by queues/ { print $4 }')" -gt "$1" ]; } # MORE THAN

# swapped COUNT SIZE DROPS REASON: COUNT frames of SIZE bytes arrive, and DROPS are dropped. Prints how many were sent back.
swapped() {
    mkfifo enter && exec 9<>enter
    dpadev wire mlx5_0 "generate:$1,$2,1" >/dev/null
    in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" "$BATS_FILE_TMPDIR/packet_swap" mlx5_0 <enter >swapped 2>&1
    await has_dropped "$3" "$4"
    echo >&9
    wait "${started[-1]}"
    exec 9>&-
    sed -n 's/ packets sent back$//p' swapped
}

@test "a port that mstlink takes down passes no frames, and other programs see it" {
    link -a DN
    link
    [ "$(field State)" = Disable ] && [ "$(field Speed)" = N/A ] && [ "$(field 'Status Opcode')" = 1 ] &&
        [ "$(field Recommendation)" = 'The port is closed by command (PAOS)' ] || { cat link; false; }
    ! has_verbs || [ "$(of_verbs state)" = 'PORT_DOWN (1)' ]
    dpadev show mlx5_0 | grep -qx '|-- Port: disabled'
    [ "$(swapped 20 60 20 wire_down)" = 0 ] || { cat swapped; false; }
    link -a UP
    link
    [ "$(field State)" = Active ] && [ "$(field Speed)" = 100G ] || { cat link; false; }
    ! has_verbs || [ "$(of_verbs state)" = 'PORT_ACTIVE (4)' ]
    dpadev log mlx5_0 | grep -q 'mstlink  port  OK  port disabled by PAOS'
    dpadev log mlx5_0 | grep -q 'mstlink  port  OK  port enabled by PAOS'
}

@test "a program that runs obeys a register at once" {
    mkfifo enter && exec 9<>enter
    dpadev wire mlx5_0 generate:1000000,60,1,2000 >/dev/null
    in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" "$BATS_FILE_TMPDIR/packet_swap" mlx5_0 <enter >swapped 2>&1
    await has_received 0
    set_port PMAOS admin_status=2,ase=1 module=0,slot_index=0
    await has_dropped '[1-9]*' wire_down
    set_port PMAOS admin_status=1,ase=1 module=0,slot_index=0
    await has_received "$(dpadev stats mlx5_0 | awk '/^received by queues/ { print $4 }')"
    exec 9>&-
}

@test "the speed that mstlink or mstreg chooses is that of the link" {
    link -s 25G,10G
    link
    [ "$(field Speed)" = 25G ] && [ "$(field Width)" = 1x ] || { cat link; false; }
    if has_verbs; then
        [ "$(of_verbs active_width)" = '1X (1)' ]
        [ "$(of_verbs active_speed)" = '25.0 Gbps (32)' ]
    fi
    set_port PTYS ext_eth_proto_admin=0x80 local_port=1,lp_msb=0,proto_mask=4,port_type=0
    link
    [ "$(field Speed)" = 50G ] && [ "$(field Width)" = 2x ] || { cat link; false; }
    set_port PMTU admin_mtu=1522 local_port=1,lp_msb=0,i_e=0
    dpadev show mlx5_0 | grep -qx '|-- Port: 50 Gb/s, MTU 1522'
    dpadev show --json mlx5_0 | jq -e '.port == {enabled: true, mbps: 50000, mtu: 1522, loopback: false}'
    ! link -s 100G_2X || grep -q 'not supported by Device' link
    dpadev reset mlx5_0 >/dev/null
    link
    [ "$(field Speed)" = 100G ] || { cat link; false; }
    ! dpadev show mlx5_0 | grep 'Port:' || false
}

@test "frames longer than the MTU of the port are dropped" {
    set_port PMTU admin_mtu=1000 local_port=1,lp_msb=0,i_e=0
    [ "$(swapped 20 1500 20 too_long)" = 0 ] || { cat swapped; false; }
    ! has_verbs || [ "$(of_verbs active_mtu)" = '512 (2)' ]
    ! set_port PMTU admin_mtu=20 local_port=1,lp_msb=0,i_e=0 >/dev/null || false
    grep -q 'Bad parameter' reg || { cat reg; false; }
    [ "$(tail -n 1 trace)" = 'SET PMTU 16 7 MTU 20 is not 90 to 9238, or not of both directions' ] || { cat trace; false; }
}

@test "a port in loopback needs no cable" {
    dpadev wire mlx5_0 none >/dev/null
    link -l PH
    link
    [ "$(field State)" = Active ] && [ "$(field 'Loopback Mode')" = 'PHY Local Loopback' ] || { cat link; false; }
    link -l NO
    link
    [ "$(field State)" = Polling ] || { cat link; false; }
}

@test "error correction is chosen and shown" {
    link
    [ "$(field FEC)" = 'Standard RS-FEC - RS(528,514)' ] || { cat link; false; }
    link -k NF
    link --show_fec
    [ "$(field FEC)" = 'No FEC' ] || { cat link; false; }
    grep -qE '^FEC Capability 25G +: 0x7 ' link || { cat link; false; }
}

@test "mstlink and mstreg show the counters of dpadev stats, and clear them" {
    local index=local_port=1,lp_msb=0,swid=0,pnat=0,port_type=0,prio_tc=0,grp_profile=0
    mkfifo enter && exec 9<>enter
    dpadev wire mlx5_0 generate:50,60,1 >/dev/null
    in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" "$BATS_FILE_TMPDIR/packet_swap" mlx5_0 <enter >swapped 2>&1
    await has_received 49
    echo >&9
    wait "${started[-1]}"
    exec 9>&-
    reg PPCNT --get -i "$index,grp=0"
    grep -qE '^a_frames_received_ok_low .*0x00000032' reg && grep -qE '^a_octets_received_ok_low .*0x00000bb8' reg || { cat reg; false; }
    link -c
    [ "$(field 'Raw Physical BER')" = 15E-255 ] || { cat link; false; }
    link --pc
    dpadev stats mlx5_0 | grep -qE '^received from the wire +0 +0$'
    reg PPCNT --get -i "$index,grp=0"
    grep -qE '^a_frames_received_ok_low .*0x00000000' reg || { cat reg; false; }
}

@test "mstreg sets fourteen registers, and reads what it has set" {
    local name index fields field value
    while read -r name index fields field value; do
        [ "$index" != - ] && index="-i $index" || index=
        # shellcheck disable=SC2086
        reg "$name" $index --set "$fields" -y || { echo "set $name"; cat reg; false; }
        # shellcheck disable=SC2086
        reg "$name" $index --get && [ "$(awk -v field="$field" '$1 == field { print $3 }' reg)" = "$value" ] || { echo "get $name"; cat reg; false; }
    done <<'EOF'
PAOS local_port=1,lp_msb=0,swid=0 admin_status=2,ase=1 admin_status 0x00000002
PMAOS module=0,slot_index=0 admin_status=2,ase=1 oper_status 0x00000004
PTYS local_port=1,lp_msb=0,proto_mask=4,port_type=0 ext_eth_proto_admin=0x40 eth_proto_admin 0x08000000
PMTU local_port=1,lp_msb=0,i_e=0 admin_mtu=1522 oper_mtu 0x000005f2
PPLR local_port=1,lp_msb=0,port_type=0 lb_en=2 lb_en 0x00000002
PPLM local_port=1,lp_msb=0,pnat=0,port_type=0 fec_override_admin_25g=2 fec_override_admin_25g 0x00000002
PPCNT local_port=1,lp_msb=0,swid=0,pnat=0,port_type=0,prio_tc=0,grp_profile=0,grp=0x12 clr=1 link_down_events 0x00000000
PFCC local_port=1,lp_msb=0,pnat=0,dcbx_operation_type=0 pptx=1,pprx=1 aptx 0x00000001
PPTB local_port=1,lp_msb=0,mm=0 prio3buff=5,pm=8 prio3buff 0x00000005
QPTS local_port=1,lp_msb=0 trust_state=2 trust_state 0x00000002
QTCT local_port=1,lp_msb=0,switch_prio=3,operation_type=0 tclass=6 tclass 0x00000006
QETCR local_port=1,operation_type=0 group_1=0,g_1=1,bw_allocation_0=30,b_0=1,bw_allocation_1=70,b_1=1 bw_allocation_1 0x00000046
ROCE_ACCL - roce_adp_retrans_field_select=1,roce_adp_retrans_en=1 roce_adp_retrans_en 0x00000001
MLCR - led_type=0,local_port=1,beacon_duration=0xffff beacon_remain 0x0000ffff
EOF
    [ "$(dpadev log mlx5_0 | grep 'mstreg  port  OK' | cut -d' ' -f 5- | sort -u | wc -l)" = 14 ] || { dpadev log mlx5_0; false; }
    dpadev reset mlx5_0 >/dev/null
    reg QPTS --get -i local_port=1,lp_msb=0
    grep -qE '^trust_state .*0x00000001' reg || { cat reg; false; }
}
