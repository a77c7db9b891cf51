# DOCA 2.2: libdoca_common and libdoca_dpa, a host program's view (tests/host/doca_cases.c).
# cases: doca_cases.c

load ../host/setup

HEADERS="doca_error doca_log doca_argp doca_dev doca_sync_event doca_dpa"

setup_file() {
    build_cases doca
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "a fault ends the wait and only its context, with the story on stderr" {
    case_ok a_fault_ends_the_wait_and_only_its_context
    grep -q '^-E- doca_sync_event_wait_gt: .*load.*0x8' <<<"$output"
}

@test "an event works between start and stop" {
    case_ok an_event_works_between_start_and_stop
    reported 'doca_sync_event_get: the event is not started, or was stopped (DOCA_ERROR_BAD_STATE)' \
        'doca_sync_event_update_set: the event is not started' \
        'doca_sync_event_update_add: the event is not started' \
        'doca_sync_event_wait_gt: the event is not started' \
        'doca_sync_event_stop: the event is not started (DOCA_ERROR_BAD_STATE)' \
        'doca_sync_event_start: the event is started already (DOCA_ERROR_BAD_STATE)' \
        'doca_sync_event_add_publisher_location_cpu: the event is started, and must not be'
}

@test "event functions check their arguments" {
    case_ok event_functions_check_their_arguments
    reported 'doca_sync_event_create: an argument is NULL' 'doca_sync_event_destroy: an argument' \
        'doca_sync_event_start: an argument' 'doca_sync_event_stop: an argument' \
        'doca_sync_event_add_publisher_location_cpu: an argument' \
        'doca_sync_event_add_subscriber_location_dpa: an argument' \
        'doca_sync_event_get_dpa_handle: an argument' 'doca_sync_event_get: an argument' \
        'doca_sync_event_wait_gt: no event can fulfil this: value 0xf*, mask 0xf*'
}

@test "a side has one dpa context" {
    case_ok a_side_has_one_dpa_context
    reported 'doca_sync_event_add_publisher_location_dpa: the event has another location of that kind already'
}

@test "an event outlives its context" {
    case_ok an_event_outlives_its_context
    reported 'doca_sync_event_wait_gt: nothing updates the event: its DPA context is not started'
}

@test "messages are on stdout before destroy returns" {
    case_ok messages_are_out_before_destroy_returns
    [ "$(sed 's:^/[ 0-9][0-9]/:/NN/:' <<<"$output" | tr '\n' ' ')" = "/NN/0 /NN/1 /NN/2 destroyed " ]
}

@test "an unsigned program is refused by a device with authentication" {
    mkdir "$BATS_TEST_TMPDIR/locked"
    make_locked_device "$BATS_TEST_TMPDIR/locked"
    case_ok an_unsigned_program_is_refused
    [ "${#lines[@]}" -eq 1 ]
    grep -q '^-E- program test_app refused: UNSIGNED' <<<"$output"
}

@test "every header is valid C11 and C++17, alone, twice, with all others and the DPA's" {
    for h in $HEADERS; do
        {
            printf '#include <%s.h>\n' "$h" "$h"
            printf '#include <%s.h>\n' $HEADERS doca_dpa_dev doca_dpa_dev_sync_event
            printf '#include <libflexio/flexio.h>\n#include <libflexio-dev/flexio_dev.h>\n'
        } >"$BATS_TEST_TMPDIR/$h.c"
        for experimental in "" -DDOCA_ALLOW_EXPERIMENTAL_API; do
            gcc -std=c11 -Wall -Wextra -Wpedantic -Werror $experimental -I"$DPAKIT_BUILD/include" \
                -I"$DPAKIT_BUILD/include/doca-2.2" -fsyntax-only "$BATS_TEST_TMPDIR/$h.c"
            g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror $experimental \
                -I"$DPAKIT_BUILD/include" -I"$DPAKIT_BUILD/include/doca-2.2" -fsyntax-only -x c++ \
                "$BATS_TEST_TMPDIR/$h.c"
        done
    done
}

@test "the libraries have every function that the headers of all generations declare" {
    local i=$DPAKIT_BUILD/include l=$DPAKIT_BUILD/lib
    # shellcheck disable=SC2046
    declared doca_ $(ls "$i"/doca/*.h "$i"/doca-2.[25]/*.h | grep -v 'doca_dpa_dev\|doca_pcc_\(np_\)\?dev') |
        grep -vx 'doca_version\|doca_gpu_rdma_verbs_cpu_proxy_progress\|doca_eth_rxq_.*_metadata_array_get_metadata' | # which are inline
        grep -vx 'doca_flow_pipe_rm_entry\|doca_flow_query_entry\|doca_flow_query_pipe_miss' \
            >"$BATS_TEST_TMPDIR/declared" # whose symbols have the names of later releases
    {
        nm -D --defined-only "$l"/libdoca_*.so
        nm --defined-only "$l/libdoca_dpa.a"
    } | awk '$2 == "T" && $3 ~ /^doca_/ {sub(/_v2_[0-9]+$/, "", $3); print $3}' | sort -u \
        >"$BATS_TEST_TMPDIR/defined"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/declared")" -ge 100 ]
    diff "$BATS_TEST_TMPDIR/declared" "$BATS_TEST_TMPDIR/defined"
}

# They lack only the functions that the program implements.
@test "the device libraries of congestion control have what their headers declare" {
    local i=$DPAKIT_BUILD/include/doca l=$DPAKIT_BUILD/lib role
    for role in "" np_; do
        {
            cat "$i/doca_pcc_${role}dev.h" "$i"/doca_pcc_dev_{common,services}.h
            [ -n "$role" ] || cat "$i/doca_pcc_dev_algo_access.h"
        } | grep -v '^ \*\|^/\*' | grep -o 'doca_pcc_[a-z0-9_]*(' | tr -d '(' | grep -v '_user_' | sort -u >"$BATS_TEST_TMPDIR/declared"
        "${DPA_NM:-llvm-nm}" --defined-only "$l/libdoca_pcc_${role}dev.a" |
            awk '$2 == "T" && $3 ~ /^doca_/ {print $3}' | sort -u >"$BATS_TEST_TMPDIR/defined"
        # those of the events and packets are inline
        grep -vxFf <(grep -ho '^doca_pcc_[a-z0-9_]*(\|^FORCE_INLINE.*doca_pcc_[a-z0-9_]*(' "$i/doca_pcc_np_dev.h" |
            grep -o 'doca_pcc_[a-z0-9_]*(' | tr -d '(' | grep get_ | grep -v max_response) \
            "$BATS_TEST_TMPDIR/declared" >"$BATS_TEST_TMPDIR/outside"
        [ "$(wc -l <"$BATS_TEST_TMPDIR/outside")" -ge 10 ]
        diff "$BATS_TEST_TMPDIR/outside" "$BATS_TEST_TMPDIR/defined"
    done
}

# Includes every header, then declares again what programs call, with the values of enumerations.
redeclare() { # PROTOTYPES INCLUDE-DIRECTORY COMPILER...
    local i=$DPAKIT_BUILD/include
    {
        (cd "$i/$2" && ls) | sed '/\.cuh$/d; s/.*/#include <&>/'
        # The names are declared.
        printf '#ifdef __cplusplus\n#define DECLARED(f) namespace declared { using ::f; }\n'
        printf '#define VALUE(name, value) static_assert(name == value, #name)\n'
        printf '#else\n#define DECLARED(f) enum { has_##f = sizeof(&f) };\n'
        printf '#define VALUE(name, value) _Static_assert(name == value, #name)\n#endif\n'
        sed -n 's/^[a-z].*[ *]\(doca_[a-zA-Z0-9_]*\)(.*/DECLARED(\1)/p' \
            "$BATS_TEST_DIRNAME/../host/prototypes_$1.inc"
        printf '#ifdef __cplusplus\nextern "C" {\n#endif\n#include "prototypes_%s.inc"\n' "$1"
        printf '#ifdef __cplusplus\n}\n#endif\n'
    } >"$BATS_TEST_TMPDIR/redeclared"
    "${@:3}" -fsyntax-only -Wall -Wextra -Werror -I"$i/$2" -I"$i/doca" -I"$i" \
        -I"$BATS_TEST_DIRNAME/../host" "$BATS_TEST_TMPDIR/redeclared"
}

@test "every prototype that programs rely on is the headers'" {
    local p h=$BATS_TEST_DIRNAME/../host
    for p in "$h"/prototypes_{2.2,2.5,3}_*.inc "$h"/prototypes_2.[25].inc; do
        p=$(basename "$p" .inc) p=${p#prototypes_}
        local dir=doca-${p%_*}
        [[ $p == 3* ]] && dir=doca
        redeclare "$p" "$dir" gcc -x c
        redeclare "$p" "$dir" g++ -x c++
    done
}

# No published declaration was found of those in without_prototype.txt, as they are here.
@test "every function of DOCA 3 has a prototype to be held to" {
    local p names t=$BATS_TEST_TMPDIR h=$BATS_TEST_DIRNAME/../host
    for p in "$h"/prototypes_3_*.inc; do
        names=$(basename "$p" .inc) names=$h/doca_${names#prototypes_3_}.txt
        grep -o 'doca_[a-zA-Z0-9_]*(' "$p" | tr -d '(' | LC_ALL=C sort -u >"$t/with"
        [ ! -e "$names" ] || LC_ALL=C comm -23 "$names" "$t/with"
    done | LC_ALL=C sort >"$t/without"
    diff "$h/without_prototype.txt" "$t/without"
}

# Each is one of several functions with the same name: a pointer to it has the expected type.
@test "names that differ in DOCA 2.7 to 2.9 exist beside those of DOCA 3" {
    local i=$DPAKIT_BUILD/include t=$BATS_TEST_TMPDIR h=$BATS_TEST_DIRNAME/../host
    pointers() { sed -n 's/^\([a-z].*[ *]\)\(doca_[a-zA-Z0-9_]*\)\((.*)\);/extern \1(*const p_\2)\3; \1(*const p_\2)\3 = \2;/p' "$1"; }
    { echo '#include <doca_dpa_dev_rdma.h>' && pointers "$h/prototypes_2.7_dev.inc"; } >"$t/dev.c"
    [ "$(grep -c '^extern' "$t/dev.c")" -eq 18 ]
    "${DPA_CLANG:-clang}" --target=riscv64-unknown-elf -ffreestanding -fsyntax-only -Wall -Wextra -Werror \
        -I"$i/doca" "$t/dev.c"
    { echo '#include <doca_rdma.h>' && pointers "$h/prototypes_2.7.inc"; } >"$t/host.cc"
    g++ -fsyntax-only -Wall -Wextra -Werror -I"$i/doca" "$t/host.cc"
}

@test "functions that later DOCA declares differently have a symbol of each generation" {
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_common.so" >"$BATS_TEST_TMPDIR/symbols"
    for f in doca_dpa_create doca_dpa_mem_alloc doca_dpa_mem_free; do
        grep -q " T ${f}_v2_2\$" "$BATS_TEST_TMPDIR/symbols"
        grep -q " T $f\$" "$BATS_TEST_TMPDIR/symbols"
    done
}

@test "a C++ host program calls C kernels" {
    cat >"$BATS_TEST_TMPDIR/t.cpp" <<'CPP'
#include <doca_dpa.h>
extern "C" {
extern doca_dpa_app_t test_app;
doca_dpa_func_t append;
}
int main()
{
    return doca_dpa_create(nullptr, test_app, nullptr, 0) == DOCA_ERROR_INVALID_VALUE && &append ? 0 : 1;
}
CPP
    # shellcheck disable=SC2086
    g++ -std=c++17 -Wall -Wextra ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca-2.2" \
        -c "$BATS_TEST_TMPDIR/t.cpp" -o "$BATS_TEST_TMPDIR/t.o"
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} "-DDEVICE_ELF=\"$BATS_FILE_TMPDIR/device.elf\"" \
        -I"$DPAKIT_BUILD/include" -c "$BATS_TEST_DIRNAME/../host/app.c" -o "$BATS_TEST_TMPDIR/app.o"
    # shellcheck disable=SC2086
    g++ ${TEST_HOST_CFLAGS:-} "$BATS_TEST_TMPDIR/t.o" "$BATS_TEST_TMPDIR/app.o" \
        "$DPAKIT_BUILD/lib/libdoca_dpa.a" -o "$BATS_TEST_TMPDIR/t" -L"$DPAKIT_BUILD/lib" \
        -ldoca_common -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
    "$BATS_TEST_TMPDIR/t"
}
