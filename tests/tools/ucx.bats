# UCX and Open MPI over UCX, as Debian has them, on an emulated device. Neither knows of dpakit.

load ../helpers/verbs_programs

# TLS is what UCX has for one transport: rc_v is rc_verbs, connected by ud_verbs.
ucx_setup() { # PROGRAM PACKAGE [TLS]
    utils
    command -v "$1" >/dev/null || skip "no $1: package $2"
    device mlx5_0
    mkdir -m 700 run
    export XDG_RUNTIME_DIR=$PWD/run UCX_NET_DEVICES=mlx5_0:1 UCX_TLS=${3:-all}
}

# ucx_perftest, without a launcher of MPI. Where Debian builds it with MPI, it expects one if nobody sits at a terminal.
perftest() {
    local plain=()
    ! ucx_perftest -h 2>&1 | grep -q -e '^ *-P ' || plain=(-P 0)
    pair ucx_perftest "${plain[@]}" "$@"
}

# Each message size of each operation, then operations of 8 bytes. Both ends read the same files.
write_batches() { # LARGE COUNT: bytes and number of the largest messages
    printf '%s -t %s\n' tag tag_lat am ucp_am_bw put ucp_put_lat get ucp_get >operations
    printf '%s -s %s -w 1 -n %s\n' small 1 100 middle 65536 20 large "$1" "$2" >sizes
    printf '%s -t %s -s 8 -w 1 -n 100\n' add ucp_add fadd ucp_fadd swap ucp_swap cswap ucp_cswap >atomics
}

# Every line of the table has a latency and a rate.
measure() { # LINES OPTION ...
    local lines=$1
    shift
    perftest "$@"
    peer_options=
    [ "$(grep -cE '^[a-z]+,([a-z]+,)? *[0-9]+,[0-9.]+,' client)" -eq "$lines" ] || { cat client server; return 1; }
}

@test "ucx_info finds the port with both transports" {
    ucx_setup ucx_info ucx-utils
    ours ucx_info -d >found 2>said
    for transport in rc_verbs ud_verbs; do grep -A1 "Transport: $transport" found | grep -q 'Device: mlx5_0:1'; done
    grep -A30 'Transport: rc_verbs' found | grep -q 'atomic_cswap: 64 bit'
    # UCX 1.13 asks each device for it, and uses verbs then. UCX 1.18 does not ask.
    sed '/^-E- mlx5dv_devx_create_event_channel: emulated devices do not have it$/d' said >more
    diff /dev/null more
}

@test "without an emulated device UCX finds none" {
    ucx_setup ucx_info ucx-utils
    rm -r devices/mlx5_0
    ours ucx_info -d >found 2>said
    ! grep -q 'mlx5' found said
}

@test "ucx_perftest sends, puts, gets and counts by connections" {
    ucx_setup ucx_perftest ucx-utils rc_v
    write_batches 4194304 3
    measure 12 -f -v -b operations -b sizes
    measure 4 -f -v -b atomics
}

@test "ucx_perftest sends, puts, gets and counts by datagrams" {
    ucx_setup ucx_perftest ucx-utils ud_verbs
    write_batches 4194304 1
    measure 12 -f -v -b operations -b sizes
    measure 4 -f -v -b atomics
}

@test "UCX has as many work requests on their way as it wants" {
    ucx_setup ucx_perftest ucx-utils rc_v
    export UCX_RC_VERBS_TX_QUEUE_LEN=4096 UCX_RC_VERBS_TX_CQ_LEN=8192 UCX_RC_VERBS_TX_CQ_MODERATION=1024 \
        UCX_RC_VERBS_RX_QUEUE_LEN=8192
    perftest -t ucp_put_bw -s 8 -n 10000 -w 1
    grep -q '^Final: ' client
    perftest -t tag_bw -s 4096 -n 10000 -w 1
    grep -q '^Final: ' client
}

# ---- Open MPI ----

mpi_setup() { # TLS
    command -v mpicc >/dev/null || skip "no mpicc: packages openmpi-bin, libopenmpi-dev"
    ucx_setup mpirun openmpi-bin "$1"
    mpicc -O1 -Wall -Wextra "$BATS_TEST_DIRNAME/../host/mpi_ranks.c" -o ranks
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # Sockets of Open MPI's own have short names.
    export OMPI_MCA_orte_tmpdir_base=$BATS_FILE_TMPDIR
}

# UCX's own races: two ends that connect at the same time (its issues 6040 and 8743), and a message of a datagram that its
# thread takes for the address of a peer (3849). They need more processes than processors.
is_race() {
    grep -q 'ud_ep.c:.* Assertion .*ep->dest_ep_id\|ud_ep.c:.* Assertion .*acked_psn\|libucp.*ucp_address_unpack' said
}

ranks() { # COUNT
    local until=$((SECONDS + 100))
    while [ "$SECONDS" -lt "$until" ]; do
        ! ours timeout $((until - SECONDS)) mpirun --oversubscribe --bind-to none -np "$1" -mca pml ucx ./ranks >said 2>&1 ||
            break
        is_race || break
    done
    grep -qx "$1 ranks: sum $(($1 * ($1 - 1) / 2))" said || { cat said; return 1; }
}

@test "ranks of MPI send by UCX, by connections and by datagrams" {
    mpi_setup rc_v,self
    ranks 4
    grep -e '^-[EW]-' said | sort -u >errors
    echo '-E- mlx5dv_devx_create_event_channel: emulated devices do not have it' | diff - errors
    UCX_TLS=ud_verbs,self ranks 2
}

@test "eight ranks of MPI connect each with each" {
    mpi_setup rc_v,self
    ranks 8
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }

@test "the other ranks of MPI end with an error when one is killed" {
    mpi_setup rc_v,self
    in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" mpirun --oversubscribe --bind-to none -np 3 -mca pml ucx \
        ./ranks forever >said 2>&1
    mpirun=$!
    await grep -q '^3 ranks' said
    local -a processes
    mapfile -t processes < <(pgrep -P "$mpirun" -x ranks)
    [ "${#processes[@]}" -eq 3 ]
    kill -9 "${processes[1]}"
    code=0
    wait "$mpirun" || code=$?
    [ "$code" -eq 137 ] || { cat said; return 1; }
    tr '\n' ' ' <said | grep -q 'exited on signal 9 (Killed)' || { cat said; return 1; } # Open MPI 5 breaks the line
    for process in "${processes[@]}"; do await is_gone "$process"; done
}
