# DOCA Verbs: what is declared. Its functions are tried in every state by host_doca_matrix.bats, its data paths by
# tests/corpus/corpus_doca_verbs.bats.

@test "every function is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_verbs.txt t=$BATS_TEST_TMPDIR
    LC_ALL=C sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_verbs.so" | awk '$2 == "T" {print $3}' | LC_ALL=C sort | diff "$list" -
    { echo '#include <doca_verbs_bridge.h>'; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}
