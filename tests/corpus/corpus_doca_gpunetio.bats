# Samples of DOCA GPUNetIO, compiled by dpacu: kernels of the emulated GPU send and receive frames of a port,
# messages of a peer, post to queue pairs of DOCA Verbs, and copy memory. The samples end by a signal, except the one that waits ten seconds at its end, which runs beside the others.
# Runs only on the plain build, as dpacu does.

bats_require_minimum_version 1.5.0
load ../host/setup

gpu=e5:00.0 nic=03:00.0

# The folder of a sample, in the release that has such kernels.
source_of() { # SAMPLE
    local release
    for release in "${DPAKIT_CORPUS-/nowhere}"/doca-samples-*/; do
        source=${release%/}/samples/doca_gpunetio/gpunetio_$1
        ! grep -Eqs 'doca_gpu_dev_(eth|dma|rdma|verbs|rdma_verbs)_' "$source"/device/*.cu || return 0
    done
    return 1
}

# build_sample SAMPLE FILE...: with more files of the folder above, what its meson.build says, by the compilers themselves.
build_sample() { # SAMPLE FILE...
    local lib=$DPAKIT_BUILD/lib source release more=("${@:2}")
    source_of "$1" || return 0
    release=${source%/samples/*}
    more=("${more[@]/#/$source/../}")
    # A static function of this file has the name of another one in common.h, so no compiler takes it as it is.
    case $1 in rdma_verbs_*)
        sed 's/align_up_uint32/align_up_here/g' "$source/../rdma_verbs_common.c" >"$1_common.c"
        more+=("$1_common.c")
        ;;
    esac
    local options=(-w -O1 -DDOCA_ALLOW_EXPERIMENTAL_API -I"$DPAKIT_BUILD/include/doca" -I"$source" -I"$source/.." -I"$release/samples" -I"$release"
        -I"$release/applications/common" -Iolder)
    dpacu -c "${options[@]}" "$source/device/gpunetio_$1_kernel.cu" -o "$1.o"
    gcc "${options[@]}" -I"$DPAKIT_BUILD/include/dpakit-cuda" "$source"/*.c "$source"/host/*.c "${more[@]}" "$release/samples/common.c" \
        "$release/applications/common/utils.c" "$1.o" -o "$1" -L"$lib" -ldoca_gpunetio -ldoca_eth -ldoca_flow -ldoca_dma -ldoca_rdma \
        -ldoca_verbs -ldoca_argp -ldoca_common -libverbs -L"$lib/dpakit/cuda" -lcudart -lcuda -Wl,-rpath,"$lib:$lib/dpakit/cuda" -pthread
}

verbs=(write_bw write_lat put_bw get_bw put_signal_bw put_signal_lat put_counter_bw put_counter_lat twosided_bw)

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    # The driver's interface, of which the samples need nothing.
    mkdir older
    [ -e "$DPAKIT_BUILD/include/dpakit-cuda/cuda.h" ] || echo '#include <cuda_runtime.h>' >older/cuda.h
    build_sample send_wait_time
    make_devices "$BATS_FILE_TMPDIR/devices"
    dpadev wire mlx5_1 "pcap:,$BATS_FILE_TMPDIR/waited.pcap"
    if [ -x send_wait_time ]; then
        ./send_wait_time -g $gpu -n "$(pci_of mlx5_1)" -t 5000000 >waited.log 2>&1 3>&- &
        echo $! >waits
    fi
    local builds=() build
    for build in "${verbs[@]}"; do build_sample "verbs_$build" verbs_common.c verbs_high_level.c; done &
    builds+=($!)
    for build in write_bw write_lat onesided_bw twosided; do build_sample "rdma_verbs_$build"; done &
    builds+=($!)
    build_sample simple_receive &
    builds+=($!)
    build_sample dma_memcpy &
    builds+=($!)
    build_sample rdma_client_server_write rdma_common.c &
    builds+=($!)
    build_sample simple_send
    for build in "${builds[@]}"; do wait "$build"; done
}

teardown_file() {
    [ ! -e "$BATS_FILE_TMPDIR/waits" ] || kill "$(<"$BATS_FILE_TMPDIR/waits")" 2>/dev/null || true
}

setup() {
    cd "$BATS_TEST_TMPDIR"
}

teardown() {
    [ -z "${program-}" ] || kill "$program" 2>/dev/null || true
}

pci_of() { # DEVICE
    dpadev show "$1" --json | jq -r .pci_address
}

# start SAMPLE ARGUMENT...: runs it in the background as $program; its output goes to `log`.
start() {
    [ -x "$BATS_FILE_TMPDIR/$1" ] || skip "no sample gpunetio_$1 for these kernels: DPAKIT_CORPUS=FOLDER"
    "$BATS_FILE_TMPDIR/$1" -g $gpu -n $nic "${@:2}" >log 2>&1 3>&- &
    program=$!
}

# await COMMAND...: until it is true, or the program has ended.
await() {
    until "$@"; do
        kill -0 "$program" 2>/dev/null || { cat log; return 1; }
        sleep 0.05
    done
}

# The program ends after a signal, and says that it succeeded.
end() {
    kill -TERM "$program" 2>/dev/null || :
    wait "$program"
    program=
    cat log
    grep -q 'Sample finished successfully' log
}

# sent_nothing_since PACKETS TICKS: the kernel has polled for half a second since then, and the port has sent nothing.
sent_nothing_since() {
    [ "$(ticks)" -ge $(($2 + 50)) ] && ! counted tx_packets $(($1 + 1))
}

# As end. The threads of this kernel look one by one whether they must end, on a GPU too: if one has ended and another
# waits for the completion of its packet, the kernel waits for ever. Then the program is killed.
end_sender() {
    local packets ticks
    kill -TERM "$program"
    while kill -0 "$program" 2>/dev/null; do
        packets=$(dpadev stats mlx5_0 --json | jq .port.tx_packets)
        ticks=$(ticks) || break
        while kill -0 "$program" 2>/dev/null && counted tx_packets "$packets" && [ "$(ticks)" -lt $((ticks + 50)) ]; do
            sleep 0.05
        done 2>/dev/null
        ! sent_nothing_since "$packets" "$ticks" 2>/dev/null || { kill -KILL "$program"; wait "$program" || :; program=; return 0; }
    done
    end
}

counted() { # COUNTER NUMBER: of mlx5_0
    [ "$(dpadev stats mlx5_0 --json | jq ".port.$1")" -ge "$2" ]
}

# Ticks of the processor that the threads of the program have had, but its first, which waits for the signal.
ticks() {
    local all
    all=$(cat "/proc/$program"/task/*/stat | sed 's/.*) //' | awk '{ s += $12 + $13 } END { print s + 0 }')
    echo $((all - $(sed 's/.*) //' "/proc/$program/task/$program/stat" | awk '{ print $12 + $13 }')))
}

# The kernel has polled since now: it is the one thread that never sleeps.
worked_since() { # TICKS
    [ "$(ticks)" -ge $(($1 + 3)) ]
}

receives() { # SCOPE
    dpadev wire mlx5_0 generate:5000,200
    local before
    before=$(dpadev stats mlx5_0 --json | jq .port.rx_packets)
    start simple_receive -e "$1"
    await counted rx_packets $((before + 5000))
    await worked_since "$(ticks)"
    end
    grep -qx 'Exiting from simple receive sample. Total number of received packets: 5000' log
}

@test "simple_receive counts all packets, as a thread" { receives 0; }
@test "simple_receive counts all packets, as a warp" { receives 1; }
@test "simple_receive counts all packets, as a block" { receives 2; }

sends() { # ARGUMENT...
    dpadev wire mlx5_0 none
    local before
    before=$(dpadev stats mlx5_0 --json | jq .port.tx_packets)
    start simple_send -s 100 -t 64 "$@"
    await counted tx_packets $((before + 500))
    end_sender
}

@test "simple_send, one block" { sends -q 0; }
@test "simple_send, two blocks that share a queue, as threads" { sends -q 1 -e 0; }
@test "simple_send, two blocks that share a queue, as warps" { sends -q 1 -e 1; }
@test "simple_send, two blocks that share a queue, as blocks" { sends -q 1 -e 2; }
@test "simple_send, with doorbells of the CPU" { sends -q 1 -e 2 -p 1; }

@test "simple_send's frames are those of the sample" {
    dpadev wire mlx5_0 "pcap:,$PWD/sent.pcap"
    before=$(dpadev stats mlx5_0 --json | jq .port.tx_packets)
    start simple_send -s 100 -t 32 -q 0
    await counted tx_packets $((before + 64))
    end_sender
    od -An -v -tx1 -w116 -j24 -N$((32 * 116)) sent.pcap | cut -c49- | sort | uniq -c >frames
    [ "$(wc -l <frames)" -eq 1 ]
    grep -q '^ *32  10 11 12 13 14 15 20 21 22 23 24 25 08 00 00 00' frames
}

# Server and client have a network of their own, since the server's port is fixed.
meet() { # OPTION...
    local sample=$BATS_FILE_TMPDIR/rdma_client_server_write
    [ -x "$sample" ] || skip "no sample gpunetio_rdma_client_server_write for these kernels: DPAKIT_CORPUS=FOLDER"
    unshare -rn ip link set lo up || skip 'no network namespaces for this user'
    timeout 100 unshare -rn bash -euc '
        ip link set lo up
        "$0" -d mlx5_0 -gpu "$1" $2 >server.log 2>&1 &
        until ss -Htln "sport = 2000" | grep -q .; do
            kill -0 $!
            sleep 0.05
        done
        "$0" -d mlx5_0 -gpu "$1" -c 127.0.0.1 $3 >client.log 2>&1
        wait $!' "$sample" $gpu "$@" 3>&- || { cat server.log client.log; return 1; }
    cat server.log client.log
    [ "$(grep -h 'Sample finished successfully' server.log client.log | wc -l)" -eq 2 ]
}

# Lines of the server: the bytes that the client has written, and the receives. Two threads of the client post at once:
# either may be the first. Sends, in odd buffers, go into receives in their order; writes have a place.
has_all() { # CONNECTIONS
    local i values bytes
    for i in 0 1 2 3; do
        bytes='offset 0: 2222 [|] offset 128: 3333'
        [ $((i % 2)) -eq 0 ] || bytes="($bytes|offset 0: 3333 [|] offset 128: 2222)"
        [ "$(grep -cE "Buffer $i -> $bytes" server.log)" -eq "$1" ]
        values="($i and $((i + 1))|$((i + 1)) and $i)"
        [ "$(grep -cE "RDMA Recv 2 ops completed with immediate values $values!" server.log)" -eq "$1" ]
    done
}

@test "rdma_client_server_write: kernels of two processes write and send" {
    meet '' ''
    has_all 1
    grep -q 'Client posted and completed 4 RDMA commits on connection 0' client.log
}

@test "rdma_client_server_write, with two connections of the connection manager" {
    meet -cm '-cm -sa 127.0.0.1'
    has_all 2
    grep -q 'Server - Connection 2 is established' server.log
}

# posts SAMPLE OPTION...: server and client, as of meet. A server that does not end by itself gets a signal after its client.
posts() {
    local sample=$BATS_FILE_TMPDIR/$1 signal=
    [ -x "$sample" ] || skip "no sample gpunetio_$1: DPAKIT_CORPUS=FOLDER"
    unshare -rn ip link set lo up || skip 'no network namespaces for this user'
    case $1 in *_bw) [ "$1" = verbs_twosided_bw ] || signal=INT ;; esac
    timeout 100 unshare -rn bash -euc '
        ip link set lo up
        "$0" -d mlx5_0 -g "$1" ${*:3} >server.log 2>&1 &
        until ss -Htln "sport = 2000" | grep -q .; do
            kill -0 $!
            sleep 0.05
        done
        "$0" -d mlx5_0 -g "$1" -c 127.0.0.1 ${*:3} >client.log 2>&1
        [ -z "$2" ] || kill -"$2" $!
        wait $!' "$sample" $gpu "$signal" "${@:2}" 3>&- || { cat server.log client.log; return 1; }
    cat server.log client.log
    [ "$(grep -h 'Sample finished successfully' server.log client.log | wc -l)" -eq 2 ]
    ! grep -h 'Error CQE\|Validation error' server.log client.log
}

# The sample has compared all bytes.
validated() {
    cat server.log client.log | grep -iq 'validation successfull'
}

@test "verbs_write_bw: kernels write WQEs, and the server gets all bytes" { posts verbs_write_bw; validated; }
@test "verbs_write_bw, with doorbells of the CPU" { posts verbs_write_bw -n 1; validated; }
@test "verbs_write_lat" { posts verbs_write_lat -i 256; }
@test "verbs_put_bw, as threads" { posts verbs_put_bw; validated; }
@test "verbs_put_bw, as warps" { posts verbs_put_bw -e 1; validated; }
@test "verbs_get_bw, as threads" { posts verbs_get_bw; validated; }
@test "verbs_get_bw, as warps" { posts verbs_get_bw -e 1; validated; }
@test "verbs_put_signal_bw, as threads" { posts verbs_put_signal_bw; validated; }
@test "verbs_put_signal_bw, as warps" { posts verbs_put_signal_bw -e 1; validated; }
@test "verbs_put_signal_lat" { posts verbs_put_signal_lat -i 256; }
@test "verbs_put_counter_bw: the companion counts what is complete" { posts verbs_put_counter_bw; validated; }
@test "verbs_put_counter_bw, as warps, with doorbells of the CPU" { posts verbs_put_counter_bw -e 1 -n 1; validated; }
@test "verbs_put_counter_lat" { posts verbs_put_counter_lat -i 256; }
@test "verbs_twosided_bw, as threads" { posts verbs_twosided_bw; validated; }
@test "verbs_twosided_bw, as warps" { posts verbs_twosided_bw -e 1; validated; }

@test "rdma_verbs_write_bw" { posts rdma_verbs_write_bw; validated; }
@test "rdma_verbs_write_lat" { posts rdma_verbs_write_lat -i 256; }
@test "rdma_verbs_onesided_bw, as threads" { posts rdma_verbs_onesided_bw; validated; }
@test "rdma_verbs_onesided_bw, as warps" { posts rdma_verbs_onesided_bw -e 1; validated; }
@test "rdma_verbs_twosided" { posts rdma_verbs_twosided -i 64; }

@test "dma_memcpy copies a text to the GPU and another one back" {
    start dma_memcpy
    wait "$program"
    program=
    cat log
    grep -qx 'CUDA KERNEL INFO: The GPU destination buffer value after the memcpy: This is a sample piece of text from CPU ' log
    grep -qx 'CPU received message from GPU: This is a sample piece of text from GPU' log
    grep -q 'with dmabuf mode' log
    grep -q 'Sample finished successfully' log
}

@test "send_wait_time sends eight bursts of 32" {
    [ -e "$BATS_FILE_TMPDIR/waits" ] || skip "no sample gpunetio_send_wait_time for these kernels: DPAKIT_CORPUS=FOLDER"
    cd "$BATS_FILE_TMPDIR"
    while kill -0 "$(<waits)" 2>/dev/null; do sleep 0.1; done
    cat waited.log
    grep -q 'Wait on time supported mode: Native' waited.log
    grep -q 'Sample finished successfully' waited.log
    [ "$(stat -c %s waited.pcap)" -eq $((24 + 256 * (16 + 1024))) ]
    for i in 0 1 100 255; do
        [ "$(dd if=waited.pcap bs=1 skip=$((24 + i * 1040 + 30)) count=64 status=none | tr -d '\0')" = "Sent from DOCA GPUNetIO $i" ]
    done
}
