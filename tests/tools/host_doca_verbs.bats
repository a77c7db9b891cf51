# DOCA Verbs: what is declared, and shared receive queues (tests/host/doca_verbs_cases.c, verbs_dpa_cases.c). Its functions are tried in
# every state by host_doca_matrix.bats, its other data paths by tests/corpus/corpus_doca_dpa.bats.
# cases: verbs_dpa_cases.c

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    make_devices "$t/devices"
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" \
        "$here/doca_verbs_cases.c" -o "$t/cpu" -L"$DPAKIT_BUILD/lib" \
        -ldoca_verbs -ldoca_common -libverbs -Wl,-rpath,"$DPAKIT_BUILD/lib"
    dpacc_sample "$here/verbs_dpa_dev.c" "$t" cases verbs_test_app
    link_sample "$t/cases" "$t/cases_program.a" "$here/verbs_dpa_cases.c"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

@test "every function is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_verbs.txt t=$BATS_TEST_TMPDIR
    LC_ALL=C sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_verbs.so" | awk '$2 == "T" {print $3}' | LC_ALL=C sort | diff "$list" -
    { echo '#include <doca_verbs_bridge.h>'; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}

@test "a full queue takes no more" {
    "$BATS_FILE_TMPDIR/cpu" a_full_queue_takes_no_more
}

@test "a shared queue takes inline data" {
    "$BATS_FILE_TMPDIR/cpu" a_shared_queue_takes_inline_data
}

@test "features that only cards have are refused with a message" {
    "$BATS_FILE_TMPDIR/cpu" what_only_cards_have_is_not_made
}

@test "a channel reports completions" {
    "$BATS_FILE_TMPDIR/cpu" a_channel_tells_of_completions
}

@test "a context reports errors" {
    "$BATS_FILE_TMPDIR/cpu" a_context_tells_of_errors
}

@test "queues of Ethernet are for the DPA" {
    "$BATS_FILE_TMPDIR/cpu" queues_of_ethernet_are_for_the_dpa
}

@test "unsupported calls are refused" {
    "$BATS_FILE_TMPDIR/cpu" what_there_is_not_is_refused
}

@test "queues return their properties" {
    "$BATS_FILE_TMPDIR/cpu" queues_tell_what_they_are
}

@test "changes of queue pairs are those of libibverbs" {
    "$BATS_FILE_TMPDIR/cpu" changes_are_those_of_libibverbs
}

@test "wrong posts to a shared queue of the DPA fault" {
    case_ok a_post_of_the_other_type_faults
    reported 'Verbs: a shared receive queue of the other type'
    case_ok an_acknowledgement_of_nothing_faults
    reported 'Verbs: no receive of that count has ended'
    case_ok an_acknowledgement_of_a_contiguous_queue_faults
    reported 'Verbs: no receive of that count has ended'
}
