# Exported memory handles of UCX (runtime/api/memh), between processes (tests/host/memh_cases.c).
# cases: memh_cases.c

load ../host/setup

setup_file() {
    export reason=
    pkg-config --atleast-version=1.16 ucx 2>/dev/null || reason="no libucx-dev of version 1.16 or later, which has exported memory handles"
    [[ $DPAKIT_BUILD != */sanitize* && $DPAKIT_BUILD != */tsan* ]] || reason="UCX carries no sanitizer"
    [ -z "$reason" ] || return 0
    gcc -std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" \
        "$BATS_TEST_DIRNAME/../host/memh_cases.c" -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" -lucp -lucs -ldoca_urom \
        -ldoca_common -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

setup() {
    [ -z "$reason" ] || skip "$reason"
    cd "$BATS_TEST_TMPDIR"
    export UCX_TLS=tcp,self UCX_MEM_EVENTS=n # as in host_rdmo.bats
}

@test "memory of another process is read and written" { case_ok memory_is_read_and_written; }
@test "what is outside of the memory is refused" { case_ok what_is_outside_is_refused; }
@test "exporters that unmap, end, or run another program are told" { case_ok ended_exporters_are_told; }
@test "wrong handles are refused" { case_ok wrong_handles_are_refused; }
