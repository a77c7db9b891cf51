# Flow steering of emulated devices (tests/host/flexio_steering_cases.c).
# cases: flexio_steering_cases.c

load ../host/setup

setup_file() {
    build_queues flexio_steering_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "sent frames pass tables of the FDB" {
    case_ok sent_frames_pass_tables_of_the_fdb
    DPAKIT_PACKETS_SENT=$BATS_TEST_TMPDIR/out case_ok sent_frames_pass_tables_of_the_fdb
    # the header of a capture, and two frames of 60 bytes: the third went back to the device
    [ "$(stat -c %s "$BATS_TEST_TMPDIR/out")" -eq $((24 + 2 * (16 + 60))) ]
}

@test "unsupported calls are refused with their name" {
    case_ok what_cannot_be_done_is_refused
    reported 'no domain 77' 'match outer_headers.l4_type' 'match misc_parameters.gre_key' \
        'match inner_headers.ethertype' 'criteria 0x80' 'not the FDB' 'no vport 3' 'root table' \
        'for another kind of domain' 'dest_devx_tir is for NIC_RX' 'after a destination' \
        'lack this action' 'bits of outer_headers.smac' '63 bytes' \
        'lack a destination.s kind' '9 destinations' 'destination is for another domain' \
        '0x0000 is not a type of VLAN tags' 'mlx5dv_dr_action_create_modify_header: 4 bytes'
}

@test "no rule leads to a queue that is gone" {
    case_ok no_rule_leads_to_a_queue_that_is_gone
    grep -q -e '^-E- mlx5dv_dr_rule_create: the receive queue of the action was destroyed' <<<"$output"
}
