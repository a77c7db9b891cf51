# Receivers and actions of flow steering (tests/host/flexio_flow_cases.c).

load ../host/setup

setup_file() {
    build_queues flexio_flow_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "receivers spread frames" {
    case_ok receivers_spread_frames
    grep -q -e '^-E- mlx5dv_dr_rule_create: the receiver of the action was destroyed' <<<"$output"
}

@test "commands that are wrong are refused with the reason" {
    case_ok commands_that_are_wrong_are_refused
    local reason
    for reason in 'a command of 1 bytes' 'CREATE_RQT: the device has no receive queue' 'cut off' \
        'more than rqt_max_size' 'list_q_type' 'MODIFY_RQT: rqtn' 'the command 0x901' \
        'CREATE_TIR: the device has no table' 'no such disp_type' 'tls_en' 'INVERTED_XOR8' \
        'no such rx_hash_fn' 'rx_hash_field_selector_inner' 'rx_hash_field_selector_outer' \
        'mlx5dv_devx_general_cmd: emulated devices do not have the command 0x500'; do
        echo "want: $reason"
        grep -q -e "^-E- .*$reason" <<<"$output"
    done
}
