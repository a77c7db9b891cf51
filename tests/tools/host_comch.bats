# DOCA comch: clients, servers, producers and consumers (tests/host/comch_*cases.c).

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

# Nothing is left of it.
teardown() {
    ! compgen -G "$DPAKIT_DEVICES/mlx5_0/comch-*"
}

@test "messages arrive whole and in order" {
    case_ok messages_arrive_whole_and_in_order
}

@test "the smaller size counts" {
    case_ok the_smaller_size_counts
}

@test "sends wait for a slow peer" {
    case_ok sends_wait_for_a_slow_peer
}

@test "names find servers" {
    case_ok names_find_servers
    grep -q 'there is a server "name" already' <<<"$output"
    grep -q 'there is no server "nam"' <<<"$output"
    grep -q 'comch server "name": servers are for programs of the DPU (DPAKIT_SIDE=dpu)' <<<"$output"
    grep -q 'comch client "name": clients are for programs of the host (DPAKIT_SIDE=host)' <<<"$output"
    grep -q 'comch server "name": it needs a representor of its device' <<<"$output"
}

@test "clients come and go" {
    case_ok clients_come_and_go
}

@test "connections count" {
    case_ok connections_count
}

@test "engines sleep" {
    case_ok engines_sleep
}

@test "consumers take what producers send" {
    case_ok consumers_take_what_producers_send
}

@test "lists and immediate data are sent" {
    case_ok lists_and_immediate_data_are_sent
}

@test "messages that do not fit fail alone" {
    case_ok messages_that_do_not_fit_fail_alone
}

@test "messages that are given up fail" {
    case_ok messages_that_are_given_up_fail
}

@test "consumers expire" {
    case_ok consumers_expire
}

@test "threads have producers and consumers of their own" {
    case_ok threads_have_producers_and_consumers_of_their_own
}

@test "clients are killed" {
    case_ok clients_are_killed
}

@test "servers are killed" {
    case_ok servers_are_killed
}

@test "all tasks of a dead peer end" {
    case_ok all_tasks_of_a_dead_peer_end
}

@test "strange callers are sent away" {
    case_ok strange_callers_are_sent_away
}

@test "silent callers are in nobody's way" {
    case_ok silent_callers_are_in_nobodys_way
}

@test "every documented function is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_comch.txt t=$BATS_TEST_TMPDIR
    sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_comch.so" | awk '$2 == "T" {print $3}' | sort | diff "$list" -
    { printf '#include <doca_comch_%s.h>\n' producer consumer msgq; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}
