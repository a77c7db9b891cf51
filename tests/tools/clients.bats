# RDMA programs of other projects, as Debian packages them, between two processes: fio, libfabric, qperf, and
# rdma-core's own tests. None of them knows of dpakit.

load ../helpers/verbs_programs

clients_setup() { # PROGRAM PACKAGE
    utils
    command -v "$1" >/dev/null || skip "no $1: package $2"
    device mlx5_0
    mkdir -m 700 run
    export XDG_RUNTIME_DIR=$PWD/run
}

# Starts a server at a free port, $port; its process is $server. Its options end with that of the port.
serve() { # PROGRAM [OPTION ...] PORT_OPTION
    while :; do
        port=$((10000 + RANDOM % 20000))
        in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" "${@:1:$#-1}" "${@: -1}$port" >server 2>&1
        server=$!
        await listens "$server" "$port"
        kill -0 "$server" 2>/dev/null || ! grep -qi 'in use\|bind\|listen' server || continue
        break
    done
}

# cpu PID: processor time of the process, in hundredths of a second
cpu() { awk '{ print $14 + $15 }' "/proc/$1/stat" 2>/dev/null || echo 0; }

# Each end maps two channels: one for its own requests, one for those of the peer.
has_channels() { ! kill -0 "$1" 2>/dev/null || [ "$(grep -c 'memfd:dpakit-ring' "/proc/$1/maps")" -ge 2 ]; }

works_since() { ! kill -0 "$1" 2>/dev/null || [ "$(cpu "$1")" -ge $(($2 + 5)) ]; }

# Data flows between the processes, which do nothing else when they are connected.
flows() { # PID PID
    local process
    for process; do await has_channels "$process"; done
    for process; do await works_since "$process" "$(cpu "$process")"; done
}

# Both ends succeed, or their output is shown.
call() { # PROGRAM [OPTION ...]
    ours timeout 100 "$@" >client 2>&1 || { cat client server; return 1; }
    wait "$server" || { cat client server; return 1; }
}

# ---- fio ----

# fio does not wait for a receiver. So the receiver posts more receives than the sender has messages.
job=(fio --name=job --ioengine=rdma --thread)

# Runs both ends of a copy until the server ends; $at_server and $at_client are then their exit codes. fio asks for
# no retry when its peer has no receive (rnr_retry_count is 0). A server that gets no processor while its 32 receives
# are used up posts no others: the client's send fails as with a card, and both ends then wait for ever. Such a run
# says nothing of us. It is ended and done again.
copy_ends() { # VERB BLOCK SIZE SERVER_OPTIONS [CLIENT_OPTION ...]
    local tries=0 until=$((SECONDS + 100))
    while [ $((++tries)) -le 5 ] || [ "$SECONDS" -lt "$until" ]; do
        # shellcheck disable=SC2086
        serve "${job[@]}" --iodepth=32 --rw=read --bs="$2" --size="$3" $4 --port=
        in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" "${job[@]}" --iodepth=4 --rw=write --verb="$1" \
            --hostname=127.0.0.1 --port="$port" --bs="$2" --size="$3" "${@:5}" >client 2>&1
        client=$!
        await fio_ends
        if ! grep -q 'cq completion status 13(RNR' client; then
            at_server=0 at_client=0
            wait "$server" || at_server=$?
            [ "$at_server" -eq 0 ] || kill -9 "$client" 2>/dev/null || :
            wait "$client" || at_client=$?
            return
        fi
        kill -9 "$server" "$client" 2>/dev/null || :
        wait "$server" || :
        wait "$client" || :
        echo "try $tries: the server had no processor"
    done
    return 1
}

fio_ends() { ! kill -0 "$server" 2>/dev/null || grep -q 'cq completion status 13(RNR' client; }

copy() { # VERB BLOCK SIZE [OPTION ...]
    { copy_ends "$1" "$2" "$3" "${*:4}" "${@:4}" && [ "$at_server$at_client" = 00 ] && grep -q 'err= 0' client &&
        grep -q 'err= 0' server && ! grep 'cq completion status' client server; } || { cat client server; return 1; }
}

@test "fio writes, reads and sends blocks of all sizes" {
    clients_setup fio fio
    for verb in write read send; do
        for sizes in "4k 256k" "1m 8m"; do
            # shellcheck disable=SC2086
            copy $verb $sizes
            grep -qE "WRITE: .*io=[1-9]" client
        done
    done
}

@test "fio finds what it sent, by its sums, and finds another sum wrong" {
    clients_setup fio fio
    copy send 64k 4m --verify=crc32c --do_verify=0
    grep -q 'READ: .*io=4096KiB' server
    copy_ends send 64k 4m --verify=md5 --verify=crc32c --do_verify=0
    [ "$at_server" -eq 1 ]
    grep -q 'verify type mismatch' server
}

@test "fio learns that its peer was killed, or does not exist" {
    clients_setup fio fio
    serve "${job[@]}" --rw=read --bs=64k --size=100g --port=
    in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" "${job[@]}" --rw=write --verb=write \
        --hostname=127.0.0.1 --port="$port" --bs=64k --size=100g --status-interval=1 >client 2>&1
    client=$!
    await grep -q 'WRITE: ' client
    kill -9 "$server"
    await grep -q 'cq completion status 12' client # then it waits for ever, as fio does
    kill -0 "$client"
    run ours timeout 60 "${job[@]}" --rw=write --verb=write --hostname=127.0.0.1 --port=1 --bs=4k --size=4k
    [[ $output == *"event is RDMA_CM_EVENT_REJECTED instead"* ]]
}

# ---- libfabric ----

@test "fi_pingpong sends by connections, by messages over them and by datagrams, and checks the data" {
    clients_setup fi_pingpong libfabric-bin
    for provider in "-p verbs -e msg" "-p verbs;ofi_rxm -e rdm" "-p verbs -e dgram"; do
        # shellcheck disable=SC2086
        serve fi_pingpong $provider -I 20 -c -B
        # The end that finishes first may flush the last receive of the other, which then reports this.
        # shellcheck disable=SC2086
        ours timeout 100 fi_pingpong $provider -I 20 -c -P "$port" 127.0.0.1 >client 2>&1 ||
            grep -q 'cq_readerr: Work Request Flushed Error' client || { cat client server; return 1; }
        case $provider in *dgram) largest=1k ;; *) largest=1m ;; esac
        grep -qE "^$largest +20 +=20 " client || { cat client server; return 1; }
        wait "$server" || grep -q 'cq_readerr: Work Request Flushed Error' server || { cat client server; return 1; }
    done
}

@test "fi_pingpong learns that its peer was killed" {
    clients_setup fi_pingpong libfabric-bin
    # As on a card, only messages on their way fail. If the client has none, and waits for an answer, it waits
    # forever, since it does not look at its events. Then the next server is killed at another moment.
    for _ in {1..10}; do
        serve fi_pingpong -p verbs -e msg -I 100000000 -S 4096 -B
        in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" fi_pingpong -p verbs -e msg -I 100000000 -S 4096 \
            -P "$port" 127.0.0.1 >client 2>&1
        client=$!
        flows "$server" "$client"
        kill -9 "$server"
        for _ in {1..200}; do
            kill -0 "$client" 2>/dev/null || break
            sleep 0.1
        done
        ! kill -9 "$client" 2>/dev/null || continue
        break
    done
    code=0
    wait "$client" || code=$?
    cat client
    grep -q cq_readerr client
    [ "$code" -ne 0 ] && [ "$code" -lt 128 ]
}

# libfabric hides connections below messages from programs. So its server continues to wait for the next client.
@test "ofi_rxm learns that its peer was killed" {
    clients_setup fi_pingpong libfabric-bin
    FI_LOG_LEVEL=info serve fi_pingpong -p "verbs;ofi_rxm" -e rdm -I 100000000 -S 4096 -B
    in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" fi_pingpong -p "verbs;ofi_rxm" -e rdm -I 100000000 -S 4096 \
        -P "$port" 127.0.0.1 >client 2>&1
    client=$!
    await grep -q 'rxm_process_connreq' server
    flows "$server" "$client"
    kill -9 "$client"
    for _ in {1..100}; do
        ! grep -q 'rxm_process_shutdown' server || break
        sleep 0.1
    done
    kill -9 "$server" || true
    grep -q 'rxm_process_shutdown' server || { tail -20 server; return 1; }
}

# ---- qperf ----

qperf_serve() {
    while :; do
        port=$((10000 + RANDOM % 20000))
        in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" qperf -lp "$port" >server 2>&1
        server=$!
        await listens "$server" "$port"
        kill -0 "$server" 2>/dev/null || continue
        break
    done
}

@test "qperf measures connections that the connection manager makes" {
    clients_setup qperf qperf
    qperf_serve
    for test in rc_lat rc_bi_bw rc_rdma_read_bw rc_rdma_write_lat ver_rc_compare_swap ver_rc_fetch_add; do
        ours timeout 60 qperf -lp "$port" -cm 1 -t 1 127.0.0.1 $test >client 2>&1 || { cat client server; return 1; }
        grep -qE '(latency|bw|msg_rate) += +[0-9.]+ ' client || { cat client; return 1; }
    done
    # It names peers by their LID, which Ethernet does not have.
    run ours timeout 60 qperf -lp "$port" -i mlx5_0 -t 1 127.0.0.1 rc_lat
    [ "$status" -ne 0 ]
}

# ---- rdma-core's own tests, by pyverbs ----

@test "rdma-core's tests pass, or say what there is not" {
    utils
    local tests=${RDMA_CORE_TESTS:-/usr/share/doc/rdma-core/tests}
    [ -d "$tests" ] && /usr/bin/python3 -c 'import pyverbs.device' 2>/dev/null || skip "no tests of rdma-core: package python3-pyverbs"
    device mlx5_0
    mkdir -m 700 run
    export XDG_RUNTIME_DIR=$PWD/run
    cp -r "$tests" tests
    gunzip -f tests/*.gz 2>/dev/null || true
    # Without the tests of objects that another process imports: a device has no descriptor for them.
    local -a all=(addr atomic cq cq_events cqex device fork mr odp pd parent_domain qp qpex rdmacm relaxed_ordering
        mlx5_dm_ops mlx5_devx mlx5_uar mlx5_pp mlx5_cq)
    ours timeout 300 /usr/bin/python3 tests/run_tests.py --dev mlx5_0 -v "${all[@]/#/tests.test_}" >said 2>&1 ||
        { cat said; return 1; }
    # Lines are not compared: a queue pair prints its error state between a name and its "ok".
    local ran skipped
    ran=$(sed -n 's/^Ran \([0-9]*\) tests* in .*/\1/p' said)
    skipped=$(sed -n 's/^OK (skipped=\([0-9]*\))$/\1/p' said)
    [ "$((ran - skipped))" -ge 70 ] || { cat said; return 1; }
}
