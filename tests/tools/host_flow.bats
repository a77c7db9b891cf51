# Receivers and actions of flow steering (tests/host/flexio_flow_cases.c).
# cases: flexio_flow_cases.c

load ../host/setup

setup_file() {
    build_queues flexio_flow_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "receivers spread frames" {
    case_ok receivers_spread_frames
    grep -q -e '^-E- mlx5dv_dr_rule_create: the receiver of the action was destroyed' <<<"$output"
    reported 'MODIFY_TIR: tirn' 'change nothing but the hash' 'INVERTED_XOR8'
}

@test "commands that are wrong are refused with the reason" {
    case_ok commands_that_are_wrong_are_refused
    reported 'a command of 1 bytes' 'CREATE_RQT: the device has no receive queue' 'cut off' \
        'more than rqt_max_size' 'list_q_type' 'MODIFY_RQT: rqtn' 'the command 0x901' \
        'CREATE_TIR: the device has no table' 'no such disp_type' 'tls_en' 'INVERTED_XOR8' \
        'no such rx_hash_fn' 'rx_hash_field_selector_inner' 'rx_hash_field_selector_outer' \
        'mlx5dv_devx_general_cmd: command 0x700: emulated devices have no such general command'
}

@test "rules tag, count and change frames" {
    case_ok rules_tag_count_and_change_frames
    grep -q -e '^-E- mlx5dv_dr_rule_create: the counter of the action was destroyed' <<<"$output"
}

@test "copies of an array are reformatted" {
    case_ok copies_of_an_array_are_reformatted
    grep -q -e '^-E- mlx5dv_dr_action_create_dest_array: a reformat is not a packet_reformat' <<<"$output"
}

@test "actions that cannot be are refused with the reason" {
    case_ok actions_that_cannot_be_are_refused
    reported 'has 1 counters, none 1' 'has 8 counters, none 8' 'bulk_log_size' 'no flow counters' 'flow_counter_id' 'cut off' \
        'no room for the counters' 'dump_to_memory' 'IN_SMAC_47_16' 'TCP_SPORT has 16' 'no flags 0x2' \
        '0 bytes, not 8' 'L2_TO_L2_TUNNEL is not for NIC_RX' 'L2_TUNNEL_TO_L2 is not for NIC_TX' \
        'L2_TUNNEL_TO_L2 has no data' '13 bytes of headers' 'have L3_TUNNEL_TO_L2' \
        'have L2_TO_L3_TUNNEL' 'after a destination' 'more than 16 changes' \
        'for another kind of domain' 'tag is for NIC_RX'
}

@test "other functions of libmlx5 are refused with their name" {
    case_ok other_functions_are_refused
    reported mlx5dv_dump_dr_{domain,table,matcher,rule} mlx5dv_devx_obj_query_async \
        mlx5dv_devx_create_{cmd_comp,event_channel} mlx5dv_devx_umem_reg_ex \
        mlx5dv_dr_action_create_dest_ib_port
}
