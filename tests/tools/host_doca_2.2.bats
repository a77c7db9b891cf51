# A program of DOCA 2.2 (tests/host/doca2_2_core.c) with its headers; host_doca.bats has the programs of the DPA.

bats_require_minimum_version 1.5.0
load ../host/setup

@test "devices, memory, events and the log have the names of DOCA 2.2" {
    cd "$BATS_TEST_TMPDIR"
    make_devices "$PWD/devices"
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -DDOCA_ALLOW_EXPERIMENTAL_API -I"$DPAKIT_BUILD/include/doca-2.2" \
        "$BATS_TEST_DIRNAME/../host/doca2_2_core.c" -o core -L"$DPAKIT_BUILD/lib" -ldoca_common -Wl,-rpath,"$DPAKIT_BUILD/lib"
    run --separate-stderr ./core
    echo "$output $stderr"
    [ "$status" -eq 0 ]
    [ "$output" = "DOCA 2.2.1" ]
}

@test "each header of DOCA 2.2 compiles alone, in C and in C++" {
    local h
    for h in "$DPAKIT_BUILD"/include/doca-2.2/*.h; do
        case $h in *_dev_* | *_dev.h) [ "${h##*/}" = doca_dev.h ] || continue ;; esac
        echo "#include <${h##*/}>" >"$BATS_TEST_TMPDIR/alone.c"
        gcc -fsyntax-only -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include/doca-2.2" "$BATS_TEST_TMPDIR/alone.c"
        g++ -fsyntax-only -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include/doca-2.2" -x c++ "$BATS_TEST_TMPDIR/alone.c"
    done
}
