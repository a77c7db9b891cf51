# DOCA GPUNetIO: kernels of the emulated GPU share memory with the CPU, and send and receive frames
# (tests/host/cuda/gpunetio*.cu). Runs only on the plain build, as dpacu does.

bats_require_minimum_version 1.5.0
load ../host/setup

setup_file() {
    local l=$DPAKIT_BUILD/lib
    cd "$BATS_FILE_TMPDIR"
    dpacu -O2 -I"$DPAKIT_BUILD/include/doca" "$BATS_TEST_DIRNAME/../host/cuda/gpunetio.cu" -o memory -L"$l" \
        -ldoca_gpunetio -ldoca_common -Xlinker -rpath -Xlinker "$l" &
    dpacu -O2 -I"$DPAKIT_BUILD/include/doca" "$BATS_TEST_DIRNAME/../host/cuda/gpunetio_eth.cu" -o frames -L"$l" \
        -ldoca_gpunetio -ldoca_eth -ldoca_flow -ldoca_common -Xlinker -rpath -Xlinker "$l"
    wait $!
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
    [[ $output == *"doca_gpu_create: no GPU has the PCI address 0000:01:00.0 (DOCA_ERROR_NOT_FOUND)"* ]]
    [[ $output == *"doca_gpu_semaphore_get_status: this is GPU memory (DOCA_GPU_MEM_TYPE_GPU): the CPU cannot read or write it"* ]]
}

@test "kernels send and receive frames in every scope, at their time, and by the CPU's doorbell" {
    run -0 "$programs/frames"
    [ "${lines[-1]}" = good ]
    [[ $output == *"key 0x"*" is unknown: no memory was registered with it"* ]]
}

@test "one worker and one core suffice" {
    DPAKIT_GPU_WORKERS=1 taskset -c "$(taskset -pc $$ | sed 's/.*[ ,-]//')" "$programs/frames"
}

@test "the library has what its header declares, and no more" {
    local list=$BATS_TEST_DIRNAME/../host/doca_gpunetio.txt
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_gpunetio.so" | awk '$2 == "T" { print $3 }' | LC_ALL=C sort | diff "$list" -
    { echo '#include <doca_gpunetio.h>'; sed 's/.*/void *const p_& = (void *)\&&;/' "$list"; } >names.c
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" names.c
}
