# Sourced by tests of rates, with await.bash: a program that writes by RDMA, and what dpadev stats prints.

need_perftest() {
    command -v ib_write_bw >/dev/null || skip "no ib_write_bw: package perftest"
    [[ ${TEST_HOST_CFLAGS-} != *-fsanitize=* ]] || skip "perftest is not built with a sanitizer"
}

# A program that writes 64 KiB again and again, to another one, for as many seconds: $client.
traffic() { # SECONDS
    local port=$((10000 + RANDOM % 20000))
    local words=(env "LD_LIBRARY_PATH=$DPAKIT_BUILD/lib" ib_write_bw -d mlx5_0 -F -p "$port" -s 65536 -D "$1")
    in_background "${words[@]}" >server 2>&1
    await listens $! "$port"
    in_background "${words[@]}" 127.0.0.1 >client 2>&1
    # shellcheck disable=SC2034 # of the tests
    client=$!
}

# MiB a second that the client had on the average.
average() {
    awk '/^ *65536/ {print int($4)}' client
}

seen() { # JQ
    dpadev stats --json mlx5_0 2>/dev/null | jq -e ".congestion_control | $1" >/dev/null 2>&1
}
