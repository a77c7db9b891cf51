# DOCA comch: clients, servers, producers and consumers (tests/host/comch_*cases.c).
# cases: comch_cases.c comch_death_cases.c comch_pipe_cases.c
# not by themselves: be_a_client

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" \
        "$here"/comch_*.c -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" -ldoca_comch -ldoca_common -pthread \
        -Wl,-rpath,"$DPAKIT_BUILD/lib"
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device mlx5_0 --pair
}

setup() {
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    cp -a "$BATS_FILE_TMPDIR/devices" "$DPAKIT_DEVICES"
}

# No file of a killed process is left.
teardown() {
    ! compgen -G "$DPAKIT_DEVICES/mlx5_0/comch-*"
}

@test "names find servers" {
    case_ok names_find_servers
    grep -q 'there is a server "name" already' <<<"$output"
    grep -q 'there is no server "nam"' <<<"$output"
    grep -q 'comch server "name": servers are for programs of the DPU (DPAKIT_SIDE=dpu)' <<<"$output"
    grep -q 'comch client "name": clients are for host programs (DPAKIT_SIDE=host)' <<<"$output"
    grep -q 'comch server "name": it needs a representor of its device' <<<"$output"
    reported 'doca_comch_client_create: the name of the server does not have 1 to 120 bytes (DOCA_ERROR_INVALID_VALUE)'
}

@test "messages that do not fit fail alone" {
    case_ok messages_that_do_not_fit_fail_alone
    reported 'a task failed: .*(DOCA_ERROR_INVALID_VALUE)' \
        'receive from producer 1: the message has data, and the receive has no buffer (DOCA_ERROR_INVALID_VALUE)'
}

@test "messages that are given up fail" {
    case_ok messages_that_are_given_up_fail
    reported 'a task failed: send to consumer 1: the producer was stopped after [0-9]* of 2097152 bytes (DOCA_ERROR_BAD_STATE)' \
        'a task failed: receive from producer 1: the peer gave up the message after [1-9][0-9]* bytes (DOCA_ERROR_IO_FAILED)' \
        'its map permits no local write (doca_mmap_set_permissions) (DOCA_ERROR_NOT_PERMITTED)'
}

@test "lists and immediate data are sent" {
    case_ok lists_and_immediate_data_are_sent
    reported 'doca_task_submit: send to consumer 1: 9 bytes of immediate data, and the consumer takes 8 (doca_comch_consumer_set_imm_data_len) (DOCA_ERROR_INVALID_VALUE)' \
        'doca_task_submit: send to consumer 1: neither data nor immediate data' \
        'doca_task_submit: send to consumer 6: the peer has no consumer of that number, or has stopped it (DOCA_ERROR_NOT_FOUND)'
}

@test "consumers expire" {
    case_ok consumers_expire
    reported 'doca_task_submit: send to consumer 1: the peer has no consumer of that number, or has stopped it' \
        'a task failed: receive: the peer is gone, or the connection has ended (DOCA_ERROR_CONNECTION_RESET)' \
        'doca_ctx_start: the connection has ended, or the peer is gone (DOCA_ERROR_NOT_CONNECTED)'
}

@test "sends wait for a slow peer" {
    case_ok sends_wait_for_a_slow_peer
    reported 'a task failed: comch "slow": the context was stopped before the message was sent (DOCA_ERROR_BAD_STATE)' \
        'doca_comch_client_task_send_alloc_init: all 64 tasks of this type exist, or memory is exhausted (DOCA_ERROR_NO_MEMORY)'
}

@test "all tasks of a dead peer end" {
    case_ok all_tasks_of_a_dead_peer_end
    reported 'a task failed: send to consumer 1: the peer is gone, or the connection has ended (DOCA_ERROR_CONNECTION_RESET)'
}

@test "the smaller size counts" {
    case_ok the_smaller_size_counts
    reported 'doca_comch_server_set_max_msg_size: 4081 is not within 1 to 4080 (DOCA_ERROR_INVALID_VALUE)' \
        'doca_comch_server_set_max_msg_size: the context is running, and must be idle (DOCA_ERROR_BAD_STATE)' \
        'doca_comch_client_task_send_alloc_init: comch "small": a message of 101 bytes; the two sides agreed on 1 to 100'
}

@test "clients come and go" {
    case_ok clients_come_and_go
    reported 'doca_comch_connection_set_user_data: an argument is NULL, or an object was destroyed or is of another kind' \
        'doca_comch_server_disconnect: an argument is NULL'
}

@test "connections count" {
    case_ok connections_count
    reported 'doca_comch_connection_get_counter: there is no counter 0' \
        'doca_comch_connection_update_info: the connection has ended, or the peer is gone (DOCA_ERROR_CONNECTION_ABORTED)'
}

@test "every documented function is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_comch.txt t=$BATS_TEST_TMPDIR
    sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_comch.so" | awk '$2 == "T" {print $3}' |
        grep -vE '^doca_(cc|comm_channel)_' | sort | diff "$list" -
    { printf '#include <doca_comch_%s.h>\n' producer consumer msgq; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}
