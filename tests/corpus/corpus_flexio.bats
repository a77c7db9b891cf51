# FlexIO's samples: their own build.sh, in a copy of the folder, as it writes there.
setup_file() {
    load corpus.bash
    make_corpus
    [ -z "$corpus_reason" ] || return 0
    local folder=$BATS_FILE_TMPDIR/samples
    cp -r "$DPAKIT_CORPUS"/flexio-samples-* "$folder" 2>/dev/null || return 0
    chmod -R u+w "$folder" # the corpus may be read-only
    # The guide's line, and the option of examples/packet_processor/README.md; the check takes no words before the name of
    # the compiler.
    (cd "$folder" && CC=gcc in_opt ./build.sh --check-compatibility --rebuild --allow-warnings) >"$BATS_FILE_TMPDIR/build.log" 2>&1 || :
}
setup() {
    load corpus.bash
    source "$BATS_TEST_DIRNAME/../helpers/network.bash"
    [ -z "$corpus_reason" ] || skip "$corpus_reason"
    export built=$BATS_FILE_TMPDIR/samples/build
    [ -d "${built%/build}" ] || skip "no flexio-samples in $DPAKIT_CORPUS"
}

@test "the samples build without a warning, and their check of compatibility passes" {
    cat "$BATS_FILE_TMPDIR/build.log"
    grep -q 'BUILD IS SUCCESSFULLY FINISHED' "$BATS_FILE_TMPDIR/build.log"
    ! grep -i 'warning:' "$BATS_FILE_TMPDIR/build.log" || false
    grep -q 'Compatible check passed' "$BATS_FILE_TMPDIR/build.log"
}

@test "flexio_rpc" {
    run in_opt timeout 60 "$built/flexio_rpc/host/flexio_rpc" mlx5_0 12 30
    echo "$output"
    [ "$status" -eq 0 ]
    says 'Result: 42'
}

# A capture (pcap) of frames as the sample's README has scapy send them: 65 bytes, to
# 52:54:00:79:db:d3, from 02:42:7e:7f:eb:02, the text after 42 bytes.
capture() { # FRAMES
    local i
    printf '\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0'
    for ((i = 0; i < $1; i++)); do
        printf '\0\0\0\0\0\0\0\0\x41\0\0\0\x41\0\0\0'
        printf '\x52\x54\0\x79\xdb\xd3\x02\x42\x7e\x7f\xeb\x02\x08\0'
        printf '\0%.0s' {1..28}
        printf '===============12345678'
    done
}

# More frames than its queues have places; it waits for Enter, which comes when all are sent.
processes_packets() { # OPTION...
    local in=$BATS_TEST_TMPDIR/in.pcap out=$BATS_TEST_TMPDIR/out.pcap log=$BATS_TEST_TMPDIR/log
    capture 200 >"$in"
    [ "$(stat -c %s "$in")" -eq $((24 + 200 * 81)) ]
    mkfifo "$BATS_TEST_TMPDIR/enter"
    DPAKIT_PACKETS=$in DPAKIT_PACKETS_SENT=$out in_opt timeout 100 \
        "$built/packet_processor/host/flexio_packet_processor" mlx5_0 "$@" \
        <"$BATS_TEST_TMPDIR/enter" >"$log" 2>&1 &
    exec 5>"$BATS_TEST_TMPDIR/enter"
    local waited=0
    until grep -q 'Process packet: 199$' "$log" || [ $((waited++)) -gt 400 ]; do
        sleep 0.1
    done
    echo >&5
    exec 5>&-
    wait $! || { cat "$log"; return 1; }
    [ "$(stat -c %s "$out")" -eq $((24 + 200 * 81)) ]
    # The addresses are swapped, the text is another one, counted in its first character.
    [ "$(tail -c 65 "$out" | head -c 12 | od -An -tx1 | tr -d ' ')" = 02427e7feb0252540079dbd3 ]
    [ "$(tail -c 23 "$out" | tr '\0' .)" = "8 Event demo***********" ]
    [ "$(grep -aoc 'Event demo' "$out")" -ge 1 ]
}

@test "packet_processor, where a rule takes what it sends to the wire" {
    processes_packets
}

@test "packet_processor --nic-mode" {
    processes_packets --nic-mode
}

# What the README has scapy send, from the other end of a cable: the answer has the addresses swapped and another text.
processes_from_cable() { # OPTION...
    cd "$BATS_TEST_TMPDIR"
    DPAKIT_DEVICES=$PWD/devices
    new_device mlx5_0
    dpadev wire mlx5_0 veth:v0
    hex 525400 79dbd3 02427e7feb02 0800 45000033 00010000 40117cb7 7f000001 7f000001 \
        00350035 001f42c6 3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d 3132333435363738 >frame
    mkfifo enter
    in_opt timeout 100 "$built/packet_processor/host/flexio_packet_processor" mlx5_0 "$@" <enter >log 2>&1 &
    exec 5>enter
    "$DPAKIT_BUILD/obj/tests/helpers/ether_peer" v1 300 <frame >answer || { cat log; return 1; }
    echo >&5
    wait $! || { cat log; return 1; }
    ! grep -e '^-[EW]-' log || return 1
    [ "$(head -c 14 answer | od -An -tx1 | tr -d ' ')" = 02427e7feb0252540079dbd30800 ]
    cmp <(head -c 42 frame | tail -c +15) <(head -c 42 answer | tail -c +15)
    tail -c 23 answer | grep -aqx '[0-9a-f] Event demo\*\*\*\*\*\*\*\*\*\*\*'
}

@test "packet_processor on a veth pair" {
    need_network
    in_network processes_from_cable
    grep -q '^300 of 300 answered' <<<"$output"
}

@test "packet_processor --nic-mode on a veth pair" {
    need_network
    in_network processes_from_cable --nic-mode
    grep -q '^300 of 300 answered' <<<"$output"
}

@test "packet_processor: the commands of the README of examples/packet_processor work" {
    [ "$(id -u)" -eq 0 ] && unshare -n true || skip 'tcpdump needs root, not that of a user namespace'
    PATH=/usr/bin:$PATH # another python3 that comes first does not have Debian's packages
    python3 -c 'import scapy.all' 2>/dev/null || skip 'no scapy (Debian: python3-scapy)'
    command -v tcpdump >/dev/null || skip 'no tcpdump'
    cd "$BATS_TEST_TMPDIR"
    # Its build is that of setup_file.
    sed -n '/^```sh$/,/^```$/p' "$BATS_TEST_DIRNAME/../../examples/packet_processor/README.md" | grep -v '^```' >all
    grep -vxF '(cd samples && ./build.sh --allow-warnings) >build.log' all >commands
    [ "$(wc -l <all)" -eq $(($(wc -l <commands) + 1)) ]
    [ -z "${TEST_HOST_CFLAGS-}" ] || sed -i 's/^sleep 5 /sleep 30 /' commands # all is slower with sanitizers
    export SAMPLES=${built%/build} TMPDIR=$PWD
    run unshare -n "$BATS_TEST_DIRNAME/in_opt" "$BATS_FILE_TMPDIR/root/opt" bash -e commands
    echo "$output"
    [ "$status" -eq 0 ]
    grep -q ' 02:42:7e:7f:eb:02 > 52:54:00:79:db:d3, ethertype IPv4 (0x0800), length 65: ' <<<"$output"
    grep -q ' 52:54:00:79:db:d3 > 02:42:7e:7f:eb:02, ethertype IPv4 (0x0800), length 65: ' <<<"$output"
    grep -qF 'ent.demo********' <<<"$output"
}
