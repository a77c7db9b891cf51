# DOCA RDMA and its device library, with a device program of dpacc (tests/host/doca3_rdma_cases.c).
# cases: doca3_rdma_cm_cases.c doca3_bridge_cases.c doca3_rdma_task_cases.c doca3_rdma_cases.c

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "memory of peers is used as permitted" {
    case_ok memory_of_peers_is_used_as_permitted
    grep -q '^-W- RDMA: operation 0 of connection 0 failed: write of 8 bytes at 0x[0-9a-f]* of the peer: key 0x[0-9a-f]* allows no remote write$' <<<"$output"
}

@test "memory is used through its devices" {
    case_ok memory_is_used_through_its_devices
    grep -q ' failed: write of 8 bytes: 8 bytes at 0x[0-9a-f]*: key 0x[0-9a-f]* is of another protection domain or device$' <<<"$output"
    grep -q ' failed: write of 8 bytes at 0x[0-9a-f]* of the peer: key 0x[0-9a-f]* is of another protection' <<<"$output"
}

@test "peers signal events" {
    case_ok peers_signal_events
    grep -q ' failed: addition to an event: there is no such event for peers$' <<<"$output"
}

@test "tasks send and receive" {
    case_ok tasks_send_and_receive
    reported "doca_rdma: a task failed: send of 24 bytes: the peer's receive has 16 bytes" \
        'doca_rdma: a task failed: receive: send of 24 bytes: the receive has 16 bytes'
}

@test "messages without a receive are given up" {
    case_ok messages_without_a_receive_are_given_up
    reported 'a task failed: send of 0 bytes: the peer has posted no receive'
}

@test "tasks that cannot be done fail" {
    case_ok tasks_that_cannot_be_done_fail
    reported "a task failed: write of 8 bytes at 0x[0-9a-f]* of the peer: the peer's queue pair permits no remote write"
}

@test "peers that die are noticed" {
    "$BATS_FILE_TMPDIR/cases" peers_that_die_are_noticed 3>&- &
    local listener=$! caller
    "$BATS_FILE_TMPDIR/cases" a_caller_hangs >"$BATS_TEST_TMPDIR/caller" 3>&- &
    caller=$!
    until grep -q connected "$BATS_TEST_TMPDIR/caller"; do kill -0 $caller && sleep 0.01; done
    sleep 0.1 # the listener submits its send
    kill -9 $caller
    wait $listener
}

# Except functions that DOCA 2.5 to 2.9 has under other names, its shared receive queues, and the bridge, which is not a device
# function.
@test "every function of DOCA RDMA is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_rdma.txt t=$BATS_TEST_TMPDIR l=$DPAKIT_BUILD/lib
    LC_ALL=C sort -u "$list" | diff - "$list"
    { nm -D --defined-only "$l/libdoca_rdma.so" | awk '$2 == "T" {print $3}' | grep -vE '_single$|_v2_(5|10)$|_result_length$|_srq(_|$)'
      nm -D --defined-only "$l/libdoca_common.so" | awk '$2 == "T" && $3 ~ /^doca_rdma_/ {print $3}'; } |
        LC_ALL=C sort | diff "$list" -
    { printf '#include <doca_rdma.h>\n#include <doca_rdma_bridge.h>\n'
      sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}
