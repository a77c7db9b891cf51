# DOCA comch: message queues between CPU and DPA (tests/host/msgq_*.c). DPAKIT_KILLS=300: so many DPAs fail.
# cases: msgq_cases.c

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    dpacc_sample "$here/msgq_dev.c" "$t" cases msgq_app
    link_sample "$t/cases" "$t/cases_program.a" "$here/msgq_world.c" "$here/msgq_cases.c"
    link_sample "$t/life_cases" "$t/cases_program.a" "$here/msgq_world.c" "$here/msgq_life_cases.c"
    make_devices "$t/devices"
}


@test "nothing stays of queues" {
    case_ok nothing_stays_of_queues life_cases
}

@test "a dpa that fails is noticed" {
    case_ok a_dpa_that_fails_is_noticed life_cases
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
}

@test "order is kept" {
    case_ok order_is_kept life_cases
}
