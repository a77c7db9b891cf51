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

# Nothing is left of it.
teardown() {
    ! compgen -G "$DPAKIT_DEVICES/mlx5_0/comch-*"
}

@test "names find servers" {
    case_ok names_find_servers
    grep -q 'there is a server "name" already' <<<"$output"
    grep -q 'there is no server "nam"' <<<"$output"
    grep -q 'comch server "name": servers are for programs of the DPU (DPAKIT_SIDE=dpu)' <<<"$output"
    grep -q 'comch client "name": clients are for programs of the host (DPAKIT_SIDE=host)' <<<"$output"
    grep -q 'comch server "name": it needs a representor of its device' <<<"$output"
}

@test "every documented function is declared and exported" {
    local list=$BATS_TEST_DIRNAME/../host/doca_comch.txt t=$BATS_TEST_TMPDIR
    sort -u "$list" | diff - "$list"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_comch.so" | awk '$2 == "T" {print $3}' | sort | diff "$list" -
    { printf '#include <doca_comch_%s.h>\n' producer consumer msgq; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}
