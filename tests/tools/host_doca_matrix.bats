# Every public function of libdoca_common, libdoca_dpa, libdoca_argp, libdoca_rdma, libdoca_dma,
# libdoca_comch, libdoca_pcc, libdoca_eth, libdoca_flow, libdoca_verbs and libdoca_devemu, of both
# generations (from libdoca_rdma on: of 3.x; other files have doca_cc, doca_comm_channel and doca_bufpool), with objects that are none and in every state (tests/host/matrix.c). Rows come from the headers. After a change of what functions return:
#   make test TESTS=host_doca_matrix, and take over the file that the failed test names.

load ../host/setup

# One generation is enough for a sanitizer: most functions of older generations are the same code.
generations='3 2.5 2.2'
[ "${DPAKIT_BUILD##*/}" = build ] || generations=3

# The rows of one generation: functions that the headers declare and the libraries export. SUFFIX: only
# functions whose symbols have this suffix.
matrix_rows() { # DIRECTORY SUFFIX INCLUDE-OPTION...
    local d=$1 suffix=$2 l=$DPAKIT_BUILD/lib
    shift 2
    mkdir -p "$d"
    {
        nm -D --defined-only "$l/libdoca_common.so" "$l/libdoca_argp.so" "$l/libdoca_rdma.so" "$l/libdoca_dma.so" \
            "$l/libdoca_comch.so" "$l/libdoca_pcc.so" "$l/libdoca_eth.so" "$l/libdoca_flow.so" "$l/libdoca_verbs.so" \
            "$l/libdoca_devemu.so"
        nm --defined-only "$l/libdoca_dpa.a"
    } | awk -v s="$suffix$" '$2 == "T" && $3 ~ /^doca_/ && $3 !~ /^doca_(cc|comm_channel|bufpool)_/ && $3 ~ s {sub(/_v2_[0-9]+$/, "", $3); print $3}' | sort -u >"$d/names"
    echo '#include "matrix_world.h"' | gcc -E -P "$@" -I"$BATS_TEST_DIRNAME/../host" -x c - |
        awk -v NAMES="$d/names" -f "$BATS_TEST_DIRNAME/../helpers/prototypes.awk" >"$d/rows.inc"
    grep -o '^{"doca_[a-z0-9_]*' "$d/rows.inc" | cut -c3- | sort >"$d/rows"
}

setup_file() {
    local t=$BATS_FILE_TMPDIR i=$DPAKIT_BUILD/include here=$BATS_TEST_DIRNAME/../host
    # On the DPU's side, which has representors.
    export DPAKIT_DEVICES=$t/devices DPAKIT_SIDE=dpu
    new_device mlx5_0 --pair
    new_device mlx5_1 --pair
    let_run_pcc mlx5_0
    dpacc_sample "$here/doca3_dev.c" "$t" matrix dpa_test_app
    pcc_program "$t/rp.a"
    matrix_rows "$t/3" "" -I"$i/doca" -I"$i"
    # host_doca_2.5.bats has the functions that differ only in the oldest release of this generation.
    local later="-DDOCA_VERSION_MAJOR=2 -DDOCA_VERSION_MINOR=10 -DDOCA_VERSION_PATCH=0 -DDOCA_VERSION_STRING=__FILE__"
    # shellcheck disable=SC2086
    matrix_rows "$t/2.5" 'doca_buf_arr_[a-z_]*_v2_5' $later -I"$i/doca-2.5" -I"$i"
    matrix_rows "$t/2.2" "" -I"$i/doca-2.2" -I"$i/doca" -I"$i"
    link_sample "$t/3/cases" "$t/matrix_program.a" -I"$t/3" \
        "$here"/matrix*.c "$t/rp.a" -ldoca_pcc -ldoca_devemu
    [ "$generations" != 3 ] || return 0
    TEST_HOST_CFLAGS="${TEST_HOST_CFLAGS:-} $later -I$i/doca-2.5" link_sample "$t/2.5/cases" "$t/matrix_program.a" -I"$t/2.5" \
        "$here"/matrix*.c "$t/rp.a" -ldoca_pcc -ldoca_devemu
    TEST_HOST_CFLAGS="${TEST_HOST_CFLAGS:-} -I$i/doca-2.2" link_sample "$t/2.2/cases" "$t/matrix_program.a" -I"$t/2.2" \
        "$here"/matrix.c "$here"/matrix_world.c "$here"/matrix_arguments.c "$here"/matrix_event.c
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Each failure has one line in the log of the SDK, and in earlier generations, some of whose functions call those
# of generation 3, never two.
all_told() { # GENERATION
    if [ "$1" = 3 ]; then
        ! grep . lines
    else
        ! grep -v ': 0 lines$' lines
    fi
}

@test "every function of the libraries has a row in one generation" {
    cd "$BATS_FILE_TMPDIR"
    # Only the headers of 2.5 and 2.6 have these; host_doca_2.5.bats builds programs of that time.
    local older='doca_eth_.xq_(get_.*_supported|estimate_packet_buffer_size|get_pkt_buffer_size|set_pkt_buffer)'
    older+='|doca_eth_txq_get_max_lso_msg_size|doca_devemu_pci_type_get_name|doca_rdma_srq_.*|doca_rdma_create_with_srq'
    older+='|doca_log_backend_create_with_buffer(_sdk)?'
    sort -u 3/rows 2.2/rows | diff <(grep -vxE "$older" 3/names) -
    [ "$(wc -l <3/rows)" -ge 206 ]
}

@test "objects that are NULL, foreign, of another kind or destroyed are refused" {
    local g
    for g in $generations; do
        : >lines
        MATRIX_LINES=lines run "$BATS_FILE_TMPDIR/$g/cases" refused
        echo "$output"
        [ "$status" -eq 0 ]
        all_told $g
    done
}

# new: the context is not started; idle: other objects are not; running; twice: called twice while
# running; stopped: all but the context; faulted: a kernel did; halted: the context was stopped under
# the others; gone: destroyed.
@test "every state has the result that is written down" {
    local g
    for g in $generations; do
        : >lines
        MATRIX_LINES=lines "$BATS_FILE_TMPDIR/$g/cases" states >"$BATS_TEST_TMPDIR/$g" 2>"$BATS_TEST_TMPDIR/err" </dev/null ||
            { cat "$BATS_TEST_TMPDIR/err"; false; }
        grep '^doca_[a-z0-9_]* ' "$BATS_TEST_TMPDIR/$g" >"$BATS_TEST_TMPDIR/states_$g.txt"
        diff "$BATS_TEST_DIRNAME/../host/states_$g.txt" "$BATS_TEST_TMPDIR/states_$g.txt" ||
            { echo "what they return now: $BATS_TEST_TMPDIR/states_$g.txt"; false; }
        all_told $g
    done
    # Emulated functions ended with their test worlds.
    [ -z "$(ls "$DPAKIT_DEVICES/mlx5_0/pci")" ]
}
