# Samples of DOCA RDMA: two programs each, on one device of this machine. They meet by the connection
# manager, or by descriptors in files: each has a folder of its own, as on two machines, for it removes
# all the files when it ends. The files are copied to the other one, then an enter key is pressed.
setup_file() {
    load corpus.bash
    make_corpus
    make_samples doca_rdma/rdma_{receive,{send,receive}_immediate,multi_conn_{send,receive}} \
        doca_rdma/rdma_{read,write,write_immediate,sync_event}_{requester,responder}
}
setup() {
    load corpus.bash
    cd "$BATS_TEST_TMPDIR"
    declare -gA keys pids # by the names of programs: where their enter keys go, and their processes
}
teardown() {
    local name
    for name in "${!pids[@]}"; do
        ! kill "${pids[$name]}" 2>/dev/null || cat "$name.log"
    done
}

use_both() { # REQUESTER RESPONDER
    use_sample "doca_rdma/$1"
    requester=$program
    use_sample "doca_rdma/$2"
    responder=$program
}

start() { # NAME PROGRAM ARGUMENT...
    local name=$1 fd
    shift
    rm -rf "$name" "$name.keys" && mkdir "$name" && mkfifo "$name.keys"
    exec {fd}<>"$name.keys"
    keys[$name]=$fd
    in_opt env -C "$name" timeout 60 "$@" -d mlx5_0 <"$name.keys" >"$name.log" 2>&1 3>&- &
    pids[$name]=$!
}

enter() { # NAME...
    local name
    for name; do printf '\n' >&"${keys[$name]}"; done
}

# Until a command succeeds, while a program runs.
await() { # NAME COMMAND...
    local name=$1
    shift
    until "$@" 2>/dev/null; do
        kill -0 "${pids[$name]}" || { cat "$name.log"; return 1; }
        sleep 0.1
    done
}

# A program ends, says that it succeeded, and says the lines.
ends() { # NAME LINE...
    local name=$1 status=0
    shift
    wait "${pids[$name]}" || status=$?
    output=$(<"$name.log")
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output != *'[ERR]'* ]]
    says "$@" 'Sample finished successfully'
}

# What a program has written comes to the other one.
carry() { # FROM TO FILE...
    local from=$1 to=$2 file
    shift 2
    for file; do
        await "$from" test -s "$from/$file"
        cp "$from/$file" "$to/"
    done
}

# Both get what the other one wrote, and read it now.
meet() { # FILE_OF_REQUESTER FILE_OF_RESPONDER...
    carry requester responder "$1"
    shift
    carry responder requester "$@"
    enter responder requester
}

@test "messages: rdma_send and rdma_receive" {
    build_sample doca_rdma/rdma_send # by its own meson.build, as the README says
    requester=$program
    use_sample doca_rdma/rdma_receive
    responder=$program
    start responder "$responder" -ld b -re a
    start requester "$requester" -ld a -re b -s 'by files'
    meet a b
    enter requester
    ends requester
    ends responder 'Got from sender: "by files"'
    # By each kind of address.
    for address in 'ipv4 127.0.0.1' 'ipv6 ::1' 'gid fe80::1'; do
        start responder "$responder" -cm
        await responder grep -q 'Server calling' responder.log
        start requester "$requester" -cm -sat "${address% *}" -sa "${address#* }" -s "by $address"
        enter requester
        ends requester
        ends responder "Got from sender: \"by $address\""
    done
}

@test "messages with an immediate: rdma_send_immediate and rdma_receive_immediate" {
    use_both rdma_send_immediate rdma_receive_immediate
    start responder "$responder" -ld b -re a
    start requester "$requester" -ld a -re b -s 'and a number'
    meet a b
    enter requester
    ends requester
    ends responder 'Got from sender: "and a number" with immediate: 43981'
}

@test "many connections: rdma_multi_conn_send and rdma_multi_conn_receive" {
    local i
    use_both rdma_multi_conn_send rdma_multi_conn_receive
    start responder "$responder" -ld b -re a -nc 4
    start requester "$requester" -ld a -re b -s 'each' -nc 4
    for i in 0 1 2 3; do
        meet "a-000$i" "b-000$i"
    done
    enter requester
    ends requester
    ends responder 'Got from sender: "each"'
    [ "$(grep -c 'Got from sender: "each"' responder.log)" -eq 4 ]
    # One server, and four clients.
    start responder "$responder" -cm -nc 4
    await responder grep -q 'Server calling' responder.log
    for i in 0 1 2 3; do
        start "client$i" "$requester" -cm -sa 127.0.0.1 -s "$i"
    done
    for i in 0 1 2 3; do
        enter "client$i"
    done
    ends responder 'Got from sender: "0"' 'Got from sender: "3"'
    for i in 0 1 2 3; do
        ends "client$i"
    done
}

@test "reads: rdma_read_requester and rdma_read_responder" {
    use_both rdma_read_requester rdma_read_responder
    start responder "$responder" -ld b -re a -m m -r 'by files'
    start requester "$requester" -ld a -re b -m m
    meet a b m
    ends requester 'Read from responder: "by files"'
    enter responder
    ends responder
    start responder "$responder" -cm -r 'by address'
    await responder grep -q 'Server calling' responder.log
    start requester "$requester" -cm -sa 127.0.0.1
    await requester grep -q 'Negotiation receive task' requester.log
    enter responder
    ends requester 'Read from responder: "by address"'
    enter responder
    ends responder
}

@test "writes: rdma_write_requester and rdma_write_responder" {
    use_both rdma_write_requester rdma_write_responder
    start responder "$responder" -ld b -re a -m m
    start requester "$requester" -ld a -re b -m m -w 'by files'
    meet a b m
    ends requester
    enter responder
    ends responder 'Requester has written: "by files"'
    start responder "$responder" -cm
    await responder grep -q 'Server calling' responder.log
    start requester "$requester" -cm -sa 127.0.0.1 -w 'by address'
    await requester grep -q 'Negotiation receive task' requester.log
    enter responder
    ends requester
    enter responder
    ends responder 'Requester has written: "by address"'
}

@test "writes with an immediate: rdma_write_immediate_requester and rdma_write_immediate_responder" {
    use_both rdma_write_immediate_requester rdma_write_immediate_responder
    start responder "$responder" -ld b -re a -m m
    start requester "$requester" -ld a -re b -m m -w 'and a number'
    meet a b m
    enter requester
    ends requester
    ends responder 'Requester has written: "and a number" with immediate data: 43981'
}

@test "events: rdma_sync_event_requester and rdma_sync_event_responder" {
    use_both rdma_sync_event_requester rdma_sync_event_responder
    start responder "$responder" -ld b -re a -m m
    start requester "$requester" -ld a -re b -m m
    meet a b m
    ends requester 'Remote sync event has been notified for completion successfully'
    ends responder
    start responder "$responder" -cm
    await responder grep -q 'Server calling' responder.log
    start requester "$requester" -cm -sa 127.0.0.1
    await requester grep -q 'Negotiation receive task' requester.log
    enter responder
    ends requester 'Remote sync event has been notified for completion successfully'
    ends responder
}
