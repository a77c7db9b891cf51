# DOCA GPUNetIO: kernels of the emulated GPU share memory with the CPU, send and receive frames and
# messages, post to queue pairs of DOCA Verbs, and copy memory by DMA (tests/host/cuda/gpunetio*.cu). Runs only on the plain build, as dpacu does.

bats_require_minimum_version 1.5.0
load ../host/setup

compile() { # SOURCE PROGRAM LIBRARY...; with $sanitizer
    local l=$DPAKIT_BUILD/lib
    dpacu -O2 ${sanitizer:+-fsanitize=$sanitizer} -I"$DPAKIT_BUILD/include/doca" "$BATS_TEST_DIRNAME/../host/cuda/$1.cu" -o "$2" -L"$l" -ldoca_gpunetio \
        "${@:3}" -ldoca_common -Xlinker -rpath -Xlinker "$l"
}

# Compiles all programs of this file here.
compile_programs() {
    compile gpunetio memory &
    compile gpunetio_dma copies -ldoca_dma &
    compile gpunetio_rdma messages -ldoca_rdma &
    compile gpunetio_verbs queue_pairs -ldoca_verbs -libverbs &
    compile gpunetio_eth frames -ldoca_eth -ldoca_flow
    wait
}

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    compile_programs
    make_devices "$BATS_FILE_TMPDIR/devices"
    dpadev wire mlx5_0 loop
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    programs=$BATS_FILE_TMPDIR
}

@test "kernels and the CPU share memory and pass items of semaphores" {
    run -0 --separate-stderr "$programs/memory"
    [ "$output" = good ]
    DPAKIT_GPU_WORKERS=1 "$programs/memory"
}

@test "the CPU cannot read memory of the GPU, and is told so" {
    run ! "$programs/memory" reads
    [[ $output == *"the CPU reads or writes address "*": this is GPU memory, which only kernels and copies reach"* ]]
}

@test "failures of calls are explained" {
    run -0 "$programs/memory"
    [[ $output == *"doca_gpu_create: no GPU has the PCI address 0000:01:00.0; the emulated GPU has 0000:e5:00.0 (DPAKIT_GPU_PCI) (DOCA_ERROR_NOT_FOUND)"* ]]
    [[ $output == *"doca_gpu_semaphore_get_status: this is GPU memory (DOCA_GPU_MEM_TYPE_GPU): the CPU cannot read or write it"* ]]
}

@test "kernels send and receive frames in every scope, at their time, by the CPU's doorbell, and with events for the CPU" {
    run -0 "$programs/frames"
    [ "${lines[-1]}" = good ]
    [[ $output == *"key 0x"*" is unknown: no memory was registered with it"* ]]
}

@test "a receive queue of 65,536 places gets more frames than it holds, in their order" {
    run -0 --separate-stderr "$programs/frames" large
    [ "$output" = good ]
}

@test "one worker and one core suffice" {
    DPAKIT_GPU_WORKERS=1 taskset -c "$(taskset -pc $$ | sed 's/.*[ ,-]//')" "$programs/frames"
}

@test "kernels copy memory by DMA, and a copy that fails is explained" {
    run -0 "$programs/copies"
    [ "${lines[-1]}" = good ]
    [[ $output == *"doca_gpu_dev_dma_memcpy: copy of 256 bytes"*"out of range: key 0x"* ]]
    DPAKIT_GPU_WORKERS=1 taskset -c "$(taskset -pc $$ | sed 's/.*[ ,-]//')" "$programs/copies"
}

@test "kernels write, read, send and receive by RDMA, and an operation that fails is explained" {
    run -0 "$programs/messages"
    [ "${lines[-1]}" = good ]
    [[ $output == *"RDMA: operation "*" of connection 0 failed: write of 4 bytes"*"out of range"* ]]
    DPAKIT_GPU_WORKERS=1 taskset -c "$(taskset -pc $$ | sed 's/.*[ ,-]//')" "$programs/messages"
}

@test "kernels post to the rings of queue pairs, by functions and by stores of their own" {
    run -0 "$programs/queue_pairs"
    [ "${lines[-1]}" = good ]
    [[ $output == *"is in the error state: WQE "*"write of 8 bytes"*"out of range"* ]]
    [[ $output == *" blocks posted in a ring of 128"* ]]
    [[ $output == *"doca_gpu_verbs_export_qp: the rings of the queue pair begin at 0x"*", not at 0x"* ]]
    DPAKIT_GPU_WORKERS=1 taskset -c "$(taskset -pc $$ | sed 's/.*[ ,-]//')" "$programs/queue_pairs"
}

@test "kernels and functions of device headers have no data races" {
    export sanitizer=thread DPAKIT_GPU_CHECK=end
    compile_programs
    for program in memory copies messages queue_pairs frames; do
        run -0 "./$program"
        [ "${lines[-1]}" = good ]
        [[ $output != *"data race"* && $output != *"races are not found"* ]]
    done
}

@test "kernels and functions of device headers have no errors of memory, and no undefined behaviour" {
    export sanitizer=address,undefined ASAN_OPTIONS=detect_leaks=0
    compile gpunetio_rdma messages -ldoca_rdma &
    compile gpunetio_verbs queue_pairs -ldoca_verbs -libverbs &
    compile gpunetio_eth frames -ldoca_eth -ldoca_flow
    wait
    for program in messages queue_pairs frames; do
        run -0 "./$program"
        [ "${lines[-1]}" = good ]
        [[ $output != *Sanitizer* && $output != *"runtime error"* ]]
    done
}

@test "the library has what its header declares, and no more" {
    local list=$BATS_TEST_DIRNAME/../host/doca_gpunetio.txt
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_gpunetio.so" | awk '$2 == "T" { print $3 }' | LC_ALL=C sort | diff "$list" -
    { echo '#include <doca_gpunetio.h>'; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >names.c
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" names.c
}
