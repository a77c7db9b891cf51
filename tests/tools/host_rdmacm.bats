# Connections (tests/host/rdmacm_cases.c, rdmacm_rule_cases.c, rdmacm_death_cases.c), linked as programs of
# librdmacm are.
# cases: rdmacm_cases.c rdmacm_rule_cases.c:rule_cases rdmacm_death_cases.c:death_cases

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR
    local name
    for name in cases rule_cases death_cases; do
        # shellcheck disable=SC2086
        gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$here/rdmacm_$name.c" -o "$t/$name" \
            -L"$DPAKIT_BUILD/lib" -lrdmacm -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    done
    make_devices "$BATS_FILE_TMPDIR/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

setup() {
    mkdir -m 700 "$BATS_TEST_TMPDIR/run"
    export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run
}
