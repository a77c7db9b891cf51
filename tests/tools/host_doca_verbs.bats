# DOCA Verbs: what is declared, and shared receive queues (tests/host/doca_verbs_cases.c). Its functions are tried in
# every state by host_doca_matrix.bats, its other data paths by tests/corpus/corpus_doca_verbs.bats.

load ../host/setup

@test "every function is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_verbs.txt t=$BATS_TEST_TMPDIR
    LC_ALL=C sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_verbs.so" | awk '$2 == "T" {print $3}' | LC_ALL=C sort | diff "$list" -
    { echo '#include <doca_verbs_bridge.h>'; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}

@test "a shared queue takes inline data" {
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" \
        "$BATS_TEST_DIRNAME/../host/doca_verbs_cases.c" -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" \
        -ldoca_verbs -ldoca_common -libverbs -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$BATS_TEST_TMPDIR/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    LD_LIBRARY_PATH=$DPAKIT_BUILD/lib case_ok a_shared_queue_takes_inline_data
}
