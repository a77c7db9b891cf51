# The examples, from source to output, with the command lines of their READMEs.
source "$BATS_TEST_DIRNAME/../helpers/device.bash"
source "$BATS_TEST_DIRNAME/../helpers/readme.bash"

# Two are built once, with the commands of their READMEs: hello with all that create does. Ours compile without warnings.
setup_file() {
    local example
    for example in hello flexio_rpc; do
        mkdir "$BATS_FILE_TMPDIR/$example"
        BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR/$example paste_readme "$example"
        printf '%s\n' "$output" >"$BATS_FILE_TMPDIR/$example.out"
        [ -n "${ready_build:-}" ] || ready_build "$BATS_FILE_TMPDIR/build"
    done
    enter_examples
    cd "$hello"
    # shellcheck disable=SC2086
    gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$BATS_TEST_DIRNAME/../host/guide_hello.c" -o guide_hello \
        dpa_program.a libdoca_dpa.a -I"$DPAKIT_BUILD/include/doca-2.2/" \
        -DDOCA_ALLOW_EXPERIMENTAL_API -L"$DPAKIT_BUILD/lib" -ldoca_common \
        -L"$DPAKIT_BUILD/lib" -lflexio -lstdc++ -libverbs -lmlx5
    gcc -Wall -Wextra -Werror -fsyntax-only hello_world.c -I"$DPAKIT_BUILD/include/doca-2.2/" -DDOCA_ALLOW_EXPERIMENTAL_API
    gcc -Wall -Wextra -Werror -fsyntax-only -DDEV_APP_NAME=flexio_rpc_app "$rpc/host/flexio_rpc.c" -I"$DPAKIT_BUILD/include"
}

enter_examples() {
    hello=$(echo "$BATS_FILE_TMPDIR"/hello/tmp.*) rpc=$(echo "$BATS_FILE_TMPDIR"/flexio_rpc/tmp.*)
    export DPAKIT_DEVICES=$hello/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

setup() {
    enter_examples
    cd "$BATS_TEST_TMPDIR"
}

@test "every example is in the list" {
    local examples=$BATS_TEST_DIRNAME/../../examples folder
    for folder in "$examples"/*/README.md; do
        folder=$(basename "${folder%/*}")
        grep -qF "[$folder]($folder/README.md)" "$examples/README.md" || { echo "$folder"; false; }
    done
}

@test "hello: the steps in the guide's order, with the kernel's line" {
    run "$hello"/hello_world mlx5_0
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(grep -cE '^/ ?[0-9]+/Hello World$' <<<"$output")" -eq 1 ]
    diff <(grep -- '---->' <<<"$output") - <<'TEXT'
----> Open DOCA device
----> Create DOCA DPA context
----> Create DOCA Sync event
----> Launch hello_world_kernel
----> Waiting for hello_world_kernel to finish
----> Destroy DOCA Sync event
----> Destroy DOCA DPA context
----> Destroy DOCA device
----> DONE!
TEXT
}

@test "hello: the guide's own sequence of calls compiles and runs" {
    run "$hello"/guide_hello mlx5_0
    echo "$output"
    [ "$status" -eq 0 ]
    grep -qE '^/ ?[0-9]+/Hello World$' <<<"$output"
    [ "${lines[-1]}" = "DONE!" ]
}

@test "hello: a device that is not there fails with its name" {
    run "$hello"/hello_world mlx5_7
    echo "$output"
    [ "$status" -eq 1 ]
    grep -qx 'mlx5_7: Not found' <<<"$output"
    [ "$(grep -c 'DONE' <<<"$output")" -eq 0 ]
}

@test "hello: wrong usage exits with 2" {
    run "$hello"/hello_world
    [ "$status" -eq 2 ]
}

@test "hello: ten at once on one device" {
    local i
    for i in 0 1 2 3 4 5 6 7 8 9; do
        "$hello"/hello_world mlx5_0 >"$BATS_TEST_TMPDIR/$i" 2>&1 &
    done
    wait
    [ "$(cat "$BATS_TEST_TMPDIR"/? | grep -c '/Hello World$')" -eq 10 ]
    [ "$(cat "$BATS_TEST_TMPDIR"/? | grep -c 'DONE!$')" -eq 10 ]
}

@test "flexio_rpc: the sum comes from the DPA" {
    run "$rpc"/flexio_rpc mlx5_0 44 55
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 5 ]
    [ "${lines[0]}" = "Welcome to 'Flex IO RPC' sample" ]
    [ "${lines[1]}" = "Registered on device mlx5_0" ]
    grep -qE '^/ ?[0-9]+/Calculate: 44 \+ 55 = 99$' <<<"${lines[2]}"
    [ "${lines[3]}" = "Result: 99" ]
    [ "${lines[4]}" = "Flex IO RPC sample is done" ]
}

@test "flexio_rpc: 64-bit numbers, and the sum wraps" {
    run "$rpc"/flexio_rpc mlx5_0 0xffffffffffffffff 3
    [ "$status" -eq 0 ]
    [ "${lines[3]}" = "Result: 2" ]
}

@test "flexio_rpc: a device that is not there fails with its name" {
    run "$rpc"/flexio_rpc mlx5_7 1 2
    [ "$status" -eq 1 ]
    grep -qx 'No device mlx5_7' <<<"$output"
}

@test "flexio_rpc: an argument that is not a number is wrong usage" {
    for bad in "" x 1x -1 99999999999999999999; do
        run "$rpc"/flexio_rpc mlx5_0 "$bad" 2
        [ "$status" -eq 2 ]
    done
    run "$rpc"/flexio_rpc mlx5_0 1
    [ "$status" -eq 2 ]
}

@test "hello: the commands of the README work" {
    grep -q '/Hello World$' "$BATS_FILE_TMPDIR/hello.out"
}

@test "pcc: an algorithm that is tried, judged and compared" {
    paste_readme pcc
    [ "$(grep -cx '"ok"' <<<"$output")" -eq 2 ]
    [ "$(jq '.runs | length' "$BATS_TEST_TMPDIR"/tmp.*/compared/summary.json)" -eq 4 ]
    # The judge names the faults, and fails.
    cd "$BATS_TEST_TMPDIR"/tmp.*
    QUEUE=1000 FAIRNESS=0.9999 run ./ci.sh aimd.a incast:senders=8 judged
    echo "$output"
    [ "$status" -eq 5 ]
    grep -qE 'FAILED: fairness 0[.0-9]+, not 0.9999; queue p99 [0-9]+ bytes, not 1000' <<<"$output"
    # The line ends.
    QUEUE=1000 ./ci.sh aimd.a incast:senders=8 judged 2>judged.txt || [ "$(wc -l <judged.txt)" -eq 1 ]
}

@test "crash: the commands of the README work" {
    command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"
    paste_readme crash
    grep -qE '^-E- flexio_process_call: thread 0: load access fault at address 0x40, pc .*\(value_of\+0x[0-9a-f]+, .*crash_dev.c:15\)$' <<<"$output"
    grep -qx 'The DPA process has failed' <<<"$output"
    grep -qE '^#0 .*value_of .*crash_dev.c:15$' <<<"$output"
    grep -qE '^#1 .* in sum_list .*crash_dev.c:22$' <<<"$output"
    grep -qx '$1 = 4' <<<"$output"
    [ "$(grep -c '^warning' <<<"$output")" -eq 0 ]
}

@test "vscode: tasks, GDB and clangd do what the README says" {
    command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"
    paste_readme vscode
    [ "$(grep -cx 'result: 10 (0xa)' <<<"$output")" -eq 2 ]
    grep -qx '$1 = 3' <<<"$output"
    ! command -v clangd || grep -q 'All checks completed, 0 errors' <<<"$output"
    # launch.json starts a task that exists, and so does each task that another task waits for.
    local folder=$BATS_TEST_DIRNAME/../../examples/vscode/.vscode
    jq -e --slurpfile tasks "$folder/tasks.json" '.configurations | all(.preLaunchTask as $t | any($tasks[0].tasks[]; .label == $t))' "$folder/launch.json"
    jq -e '[.tasks[].label] as $all | [.tasks[].dependsOn // [] | .[]] - $all == []' "$folder/tasks.json"
    jq -e . "$folder/settings.json"
}

@test "flexio_rpc: the commands of the README work" {
    grep -qx 'Result: 99' "$BATS_FILE_TMPDIR/flexio_rpc.out"
}

# Build systems read the compilers' options from the environment.
with_host_flags() {
    export CFLAGS=${TEST_HOST_CFLAGS:-} CXXFLAGS=${TEST_HOST_CFLAGS:-} LDFLAGS=${TEST_HOST_CFLAGS:-}
}

@test "meson: the commands of the README work" {
    with_host_flags
    paste_readme meson
    grep -qx 32 <<<"$output"
}

@test "cmake: the commands of the README work" {
    with_host_flags
    paste_readme cmake
    grep -qx '9592 primes below 100000' <<<"$output"
}

@test "flexio_window: the commands of the README give its output" {
    paste_readme flexio_window
    diff - <(tail -3 <<<"$output") <<'TEXT'
Before: 1 2 3 4 5 6 7 8
After:  0 1 4 9 16 25 36 49
The DPA saw a sum of 36
TEXT
}

@test "packet_swap: the commands of the README swap every packet once, and what it is called with" {
    paste_readme packet_swap
    diff - <(tail -4 <<<"$output" | sed 's:^/ *[0-9]*/::') <<'TEXT'
Packet 39: 60 bytes
Packet 40: 60 bytes
40 packets sent back
fromMetoThem packet 40
TEXT
    cd "$BATS_TEST_TMPDIR"/tmp.*
    echo | ./packet_swap mlx5_0 --nic-mode | grep -x '0 packets sent back'
    for wrong in '' '--what mlx5_0' 'mlx5_0 0' 'mlx5_0 3x' 'mlx5_0 1 2'; do
        run ./packet_swap $wrong
        [ "$status" -eq 2 ]
        [[ $output == usage:* ]]
    done
}

@test "reflector: the commands of the README send every packet back once" {
    paste_readme reflector
    grep -qx '200000 packets sent back by 128 threads' <<<"$output"
    grep -q ': 200000 frames, 200000 came back; [0-9]* a second$' <<<"$output"
    ! grep -q twice <<<"$output"
    # No packet is lost between the queues and the wire, and all counters agree.
    DPAKIT_DEVICES=$(echo "$BATS_TEST_TMPDIR"/tmp.*/reflector/devices) run dpadev stats mlx5_0 --json
    echo "$output"
    [ "$(sed '/"queues"/,$d' <<<"$output" | grep -c '_packets.*:.200000,$')" -eq 4 ]
    [ "$(sed '/"queues"/,$d' <<<"$output" | grep -A 20 drops | grep -c ':.[1-9]')" -eq 0 ]
}

@test "nat: the commands of the README change addresses, ports and checksums, out and back" {
    paste_readme nat
    diff - <(tail -3 <<<"$output") <<'TEXT'
2 packets handled
 203   0 113   1 198  51 100   7  78  32   0  53
 198  51 100   7  10   0   0   2   0  53  15 160
TEXT
    # Both packets, with the checksums that a sender would have computed.
    local sent
    sent=$(od -An -v -tx1 "$BATS_TEST_TMPDIR"/tmp.*/nat/out.pcap | tr -d ' \n')
    [ "${sent:80:108}" = 636c69656e74676174657761080045000028000140004011d487cb007101c63364074e2000350014cf6957686f2061726520796f753f ]
    [ "${sent:232}" = 636c69656e7467617465776108004500002e0001400040110682c63364070a00000200350fa0001a4ec04920616d206e756d62657220736576656e2e ]
}

@test "flow_monitor: the commands of the README count every packet in its flow" {
    paste_readme flow_monitor
    diff - <(sed 's:^/ *[0-9]*/::' <<<"$output" | grep -v '^Device\|^-W-') <<'TEXT'
198.18.0.0:1024 > 198.19.0.1:9, protocol 17: 2500 packets, 250000 bytes
198.18.0.1:1025 > 198.19.0.1:9, protocol 17: 2500 packets, 250000 bytes
198.18.0.2:1026 > 198.19.0.1:9, protocol 17: 2500 packets, 250000 bytes
198.18.0.3:1027 > 198.19.0.1:9, protocol 17: 2500 packets, 250000 bytes
10000 packets of 4 flows
TEXT
}

@test "vxlan_decap: the commands of the README send what was in VXLAN" {
    paste_readme vxlan_decap
    diff - <(tail -4 <<<"$output" | sed 's/ *$//') <<'TEXT'
3 of 4 packets were VXLAN
insideinsidEa frame in a frame
insideinsidEin a tagged one
insideinsidEin one of IPv6
TEXT
}

@test "flexio_multithread: the commands of the README give its output, on one unit too" {
    DPAKIT_EUS=1 paste_readme flexio_multithread
    diff - <(tail -6 <<<"$output") <<'TEXT'
25 cells by 8 workers
  16  17  18  19  20
  46  47  48  49  50
  76  77  78  79  80
 106 107 108 109 110
 136 137 138 139 140
TEXT
}

@test "message_streams: the commands of the README give its output" {
    paste_readme message_streams
    diff <(sed -n '/^-- /,/^```$/{/^```$/d;p}' "$BATS_TEST_DIRNAME/../../examples/message_streams/README.md") \
        <(sed -n '/^-- /,$p' <<<"$output")
}

@test "ping_pong: the commands of the README work" {
    paste_readme ping_pong
    grep -qE '^100 rounds, [0-9.]+ us each$' <<<"$output"
}

@test "initiator_target: the commands of the README work" {
    paste_readme initiator_target
    [ "$(grep -cE '\] message [0-3] of connection [01]: 1[0-3]$' <<<"$output")" -eq 8 ]
    [ "$(grep -cx 'initiator: 4 messages sent' <<<"$output")" -eq 2 ]
    [ "$(grep -cx 'target: 4 messages, all as they were sent' <<<"$output")" -eq 2 ]
}

@test "dma_local_copy: the commands of the README copy the text" {
    command -v meson >/dev/null || skip 'meson is not installed'
    export CFLAGS=${TEST_HOST_CFLAGS:-} LDFLAGS=${TEST_HOST_CFLAGS:-}
    paste_readme dma_local_copy
    [[ ${lines[-1]} == *'[local_copy] Copied: by DMA' ]]
    local program
    program=$(echo "$BATS_TEST_TMPDIR"/tmp.*/build/doca_dma_local_copy)
    DPAKIT_DEVICES=${program%/build/*}/devices
    run "$program" -p 0b:00.0
    [ "$status" -eq 1 ]
    [[ $output == *'A device at 0b:00.0 with DMA: '* ]]
    run "$program" -p "$(printf '0%.0s' {1..100})"
    [ "$status" -eq 1 ]
    [[ $output == *'--pci-addr: at most '* ]]
}

meson_readme() {
    command -v meson >/dev/null || skip 'meson is not installed'
    export CFLAGS=${TEST_HOST_CFLAGS:-} LDFLAGS=${TEST_HOST_CFLAGS:-}
    paste_readme "$1"
    programs=$(echo "$BATS_TEST_TMPDIR"/tmp.*/"$1"/build)
    export DPAKIT_DEVICES=${programs%/*/build}/devices
}

@test "comch_ctrl_path: the commands of the README say both texts" {
    meson_readme comch_ctrl_path
    [ "$(grep -c 'on_message\] Received: from the DPU$' <<<"$output")" -eq 1 ]
    [ "$(grep -c 'on_message\] Received: from the host$' <<<"$output")" -eq 1 ]
    [[ ${lines[-1]} == *'The client has gone' ]]
    run "$programs/doca_comch_ctrl_path_client" -p 0b:00.0
    [ "$status" -eq 1 ]
    [[ $output == *'There is no device 0b:00.0'* ]]
    run "$programs/doca_comch_ctrl_path_server"
    [ "$status" -eq 1 ]
    [[ $output == *'There is no representor 03:00.0: '* ]]
    run "$programs/doca_comch_ctrl_path_client" -t "$(printf '%5000s')"
    [ "$status" -eq 1 ]
    [[ $output == *'--text: at most 4080 bytes'* ]]
}

@test "rdma_send_receive: the commands of the README say the text" {
    meson_readme rdma_send_receive
    [[ ${lines[-1]} == *'on_end] Received: some text' ]]
    [[ $output == *'main] Sent: some text'* ]]
    run "$programs/doca_rdma_send" -d mlx5_0 -ld "$BATS_TEST_TMPDIR/x" -re nowhere </dev/null
    [ "$status" -eq 1 ]
    [[ $output == *'nowhere: there is no description of the other side'* ]]
    run "$programs/doca_rdma_receive" -d mlx5_0 -ld nowhere/x </dev/null
    [ "$status" -eq 1 ]
    [[ $output == *'nowhere/x: the description cannot be written'* ]]
}

@test "eth_send_receive: the commands of the README send a frame" {
    meson_readme eth_send_receive
    [[ ${lines[-1]} == *'on_end] Received a frame of 1514 bytes from '* ]]
    run "$programs/doca_eth_txq_send_ethernet_frames" -m 06:00
    [ "$status" -eq 1 ]
    [[ $output == *"--mac-addr: '06:00' is not six bytes"* ]]
}
