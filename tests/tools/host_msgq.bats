# DOCA comch: message queues between CPU and DPA (tests/host/msgq_*.c). DPAKIT_KILLS=300: so many DPAs fail.
# cases: msgq_cases.c msgq_life_cases.c:life_cases

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc_sample "$here/msgq_dev.c" "$t" cases msgq_app
    link_sample "$t/cases" "$t/cases_program.a" "$here/msgq_world.c" "$here/msgq_cases.c"
    link_sample "$t/life_cases" "$t/cases_program.a" "$here/msgq_world.c" "$here/msgq_life_cases.c"
    make_devices "$t/devices"
}


@test "too many receives are a fault" {
    case_ok too_many_receives_are_a_fault life_cases
    grep -q "comch: more receives than the consumer may have" <<<"$output"
}

@test "foreign handles are a fault" {
    case_ok foreign_handles_are_a_fault life_cases
}

@test "a full completion ends the process" {
    case_ok a_full_completion_ends_the_process life_cases
    grep -q "a completion queue of 2 elements is full" <<<"$output"
}

@test "a stopped context takes its ends along" {
    case_ok a_stopped_context_takes_its_ends_along life_cases
    reported 'doca_ctx_start: the DPA context is not started, or has failed (DOCA_ERROR_BAD_STATE)' \
        'doca_comch_consumer_completion_start: the DPA context is not started, or was stopped (DOCA_ERROR_BAD_STATE)'
}

@test "order is kept" {
    case_ok order_is_kept life_cases
    reported 'doca_comch_msgq_consumer_create: the queue is not started (DOCA_ERROR_BAD_STATE)' \
        'doca_comch_msgq_stop: producers or consumers of the queue exist (destroy them before) (DOCA_ERROR_IN_USE)' \
        'doca_comch_msgq_destroy: other objects or tasks use the object' \
        'doca_comch_msgq_set_max_num_consumers: the queue is started, and must not be' \
        'doca_comch_msgq_set_max_num_consumers: 65 is not within 1 to 64' \
        'doca_comch_consumer_completion_stop: running consumers use the completion' \
        'doca_comch_consumer_completion_set_max_num_recv: the completion is started, and must not be' \
        'doca_comch_consumer_completion_set_imm_data_len: 33 is not within 0 to 32' \
        'doca_comch_consumer_set_completion: the consumer is running, and must be idle' \
        'doca_comch_producer_get_dpa_handle: the producer is idle, and has a handle while it is running on the DPA'
}

@test "sends that cannot arrive fail" {
    case_ok sends_that_cannot_arrive_fail
    reported 'send of DPA code: the queue has no consumer 2, or it was stopped (DOCA_ERROR_NOT_FOUND)' \
        'send of DPA code: 33 bytes of immediate data to consumer 1, which takes 32'
}

@test "copies come before messages" {
    case_ok copies_come_before_messages
    reported 'send of DPA code: copy of 4096 bytes from 0x[0-9a-f]* to 0x[0-9a-f]*: out of range: .*, the access ends 1 byte after the end (DOCA_ERROR_NOT_PERMITTED)'
}
