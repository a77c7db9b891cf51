# The core under ThreadSanitizer: code that is rewritten, mapped and unmapped while harts run it.

@test "the core and its memory have no data race" {
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only: it is built with a sanitizer of its own, and loads the translator of the build"
    top=$BATS_TEST_DIRNAME/../..
    cd "$BATS_TEST_TMPDIR"
    for t in test_rv64_run test_rv64_memory; do
        # shellcheck disable=SC2046  # a list of options
        gcc -std=gnu11 -D_GNU_SOURCE -DDPK_VERSION='"of this test"' -O1 -g -fsanitize=thread -Wno-tsan \
            -I"$top/lib" -I"$top/runtime" "$top"/{runtime/engine/rv64,runtime/engine/jit,lib/base}/*.c "$top/tests/unit/$t.c" \
            -o $t $(pkg-config --libs cmocka libcrypto uuid) -pthread
        ./$t >log 2>&1 || { cat log; false; }
        [ "$(grep -c 'ThreadSanitizer' log)" -eq 0 ] || { cat log; false; }
    done
}
