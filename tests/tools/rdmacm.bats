# Our librdmacm.so.1 comes before the system's: a connection manager for emulated devices, with
# the programs of Debian's rdmacm-utils and perftest.

load ../helpers/verbs_programs

rdmacm_setup() {
    utils
    device mlx5_0
    mkdir -m 700 run
    export XDG_RUNTIME_DIR=$PWD/run
}

# Here the client's options name first the address and then the port.
pair_by() { # OPTION PROGRAM [OPTION ...]
    local before=$1 port server
    shift
    meet "$@"
    # shellcheck disable=SC2086
    ours timeout 60 "${client:-$1}" $before 127.0.0.1 "${@:2}" -p "$port" >client 2>&1 || { cat client server; return 1; }
    wait "$server" || { cat client server; return 1; }
}

@test "rping runs between two processes, by IPv4 and by IPv6, and checks what it reads" {
    rdmacm_setup
    local port server
    for address in 127.0.0.1 ::1; do
        meet rping -s -a $address -C 20 -V
        ours timeout 60 rping -c -a $address -C 20 -V -v -p "$port" >client 2>&1 || { cat client server; return 1; }
        wait "$server"
        [ "$(grep -c 'ping data: rdma-ping' client)" -eq 20 ]
    done
}

@test "ucmatose, rdma_client and rdma_xclient talk to their servers" {
    rdmacm_setup
    pair_by -s ucmatose -c 10 -C 5 -S 4000
    grep -q 'return status 0' client
    client=rdma_client pair_by -s rdma_server
    grep -q 'end 0' client
    client=rdma_xclient pair_by -s rdma_xserver
    grep -q 'end 0' client
}

@test "perftest connects with -R, for bandwidth and for latency" {
    rdmacm_setup
    for test in "ib_write_bw -q 4" "ib_send_lat -e" ib_read_lat "ib_atomic_bw"; do
        # shellcheck disable=SC2086
        pair $test -R -d mlx5_0 -F -n 100
        grep -qE '^ *[0-9]+ +[0-9]+ +[0-9.]+' client
    done
}

@test "udaddy and perftest -R ask for the numbers of datagrams, and send them" {
    rdmacm_setup
    for options in "" "-C 50 -S 1000 -c 3"; do # its port is always the same
        # shellcheck disable=SC2086
        in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" udaddy $options >server 2>&1
        server=$!
        until grep -q "@dpakit-sidr-.*-7174-" /proc/net/unix || ! kill -0 "$server" 2>/dev/null; do sleep 0.05; done
        # shellcheck disable=SC2086
        until ours timeout 60 udaddy -s 127.0.0.1 $options >client 2>&1 || ! grep -q 'UNREACHABLE, error: 1' client ||
            ! kill -0 "$server" 2>/dev/null; do sleep 0.05; done
        grep -q 'return status 0' client || { cat client server; return 1; }
        wait "$server"
    done
    pair ib_send_bw -c UD -R -d mlx5_0 -F -n 100 -s 1024
    grep -qE '^ *1024 +100 +[0-9.]+' client
}

@test "cmtime makes a hundred connections" {
    rdmacm_setup
    local port server
    meet cmtime
    ours timeout 60 cmtime -s 127.0.0.1 -p "$port" | tee client
    grep -q '^disconnect' client
}

@test "a server that is killed ends its client, which says so, twenty times" {
    rdmacm_setup
    local port server client
    for ((i = 0; i < 20; i++)); do
        meet rping -s
        in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" rping -c -a 127.0.0.1 -p "$port" >client 2>&1
        client=$!
        sleep "0.0$((i % 10))"
        kill -9 "$server"
        wait "$server" || true
        for ((tenth = 0; tenth < 300; tenth++)); do
            kill -0 "$client" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$client" 2>/dev/null || true
        code=0
        wait "$client" || code=$?
        case $code in 134 | 137 | 139) cat client; return 1 ;; esac # SIGABRT, still there, SIGSEGV
    done
    ! grep "@dpakit-cm-.*-$port-" /proc/net/unix || false
}

@test "a missing listener, a remote address and unsupported calls are reported as on a card" {
    rdmacm_setup
    ours rping -c -a 127.0.0.1 -p 1 >said 2>&1 || true
    cat said
    grep -q 'RDMA_CM_EVENT_REJECTED, error 8' said
    ours rping -c -a 192.0.2.1 -p 1 >said 2>&1 || true
    cat said
    grep -q 'RDMA_CM_EVENT_ADDR_ERROR, error -19' said
    run ours rstream -s 127.0.0.1
    [[ $output == *"rsocket failed: Operation not supported"* ]]
}

@test "without an emulated device, and where the system's is asked for, nothing changes" {
    utils
    for program in "rping -c -a 127.0.0.1" "ucmatose -s 127.0.0.1"; do
        # shellcheck disable=SC2086
        { $program >theirs 2>&1 || true; DPAKIT_RDMA_CM=system ours $program >mine 2>&1 || true; }
        cmp theirs mine
    done
    run ours rping -c -a 127.0.0.1
    [ "$status" -ne 0 ]
    [[ $output == *"No such device"* ]]
}
