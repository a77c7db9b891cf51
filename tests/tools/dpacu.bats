# dpacu and the emulated GPU: CUDA programs are compiled, run, and fail with a reason.
# Runs only on the plain build: clang's CUDA front end and fibers are not for sanitizers.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for program in compute threads streams faults ptx groups; do
        dpacu -O2 "$BATS_TEST_DIRNAME/../host/cuda/$program.cu" -o "$program" &
        compilers+=" $!"
    done
    for compiler in $compilers; do wait "$compiler"; done
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    programs=$BATS_FILE_TMPDIR
}

@test "ten compute kernels give the results of the same in C" {
    run -0 "$programs/compute"
    [ "$(wc -l <<<"$output")" -eq 10 ]
}

@test "ten compute kernels give the same results on one worker and on five" {
    DPAKIT_GPU_WORKERS=1 "$programs/compute"
    DPAKIT_GPU_WORKERS=5 "$programs/compute"
}

@test "threads know their places, vote, shuffle, poll and change memory atomically" {
    run -0 "$programs/threads"
    [ "${lines[0]}" = "-9 1 q 2.25 text     7% 10000000000" ]
    [ "${lines[1]}" = good ]
    DPAKIT_GPU_WORKERS=1 "$programs/threads"
}

@test "streams keep their order, and kernels of two streams run at once" {
    run -0 "$programs/streams"
    [ "$output" = good ]
    DPAKIT_GPU_WORKERS=1 "$programs/streams"
}

@test "the driver API and the runtime have one GPU" {
    cat >steps.cu <<'END'
__device__ unsigned step;
extern "C" __global__ void add_step(unsigned *at, unsigned more) { atomicAdd(at, step + more); }
END
    dpacu -shared -Xcompiler -fPIC steps.cu -o steps.so
    dpacu "$BATS_TEST_DIRNAME/../host/cuda/driver.cu" -lcuda -o driver
    run -0 --separate-stderr ./driver steps.so
    [ "$output" = good ]
    [[ $stderr == *"nowhere.so: No such file"*"cuModuleLoadData: the emulated GPU runs code of dpacu"* ]]
}

@test "the driver API serves C, through pkg-config and by dlopen" {
    export PKG_CONFIG_PATH=$DPAKIT_BUILD/lib/pkgconfig
    printf '#include <cuda.h>\nint main(void) { int n = 0; return cuInit(0) || cuDeviceGetCount(&n) || n != 1; }\n' >c.c
    # shellcheck disable=SC2046
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror c.c -o c $(pkg-config --cflags --libs cuda)
    ./c
    cat >open.c <<'END'
#include <dlfcn.h>
int main(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : 0;
    return !init || init(0) || !dlsym(library, "cuMemAlloc_v2");
}
END
    gcc open.c -o open
    LD_LIBRARY_PATH=$DPAKIT_BUILD/lib/dpakit/cuda ./open
}

# Prints the number of the line with this comment.
line_of() { grep -n "/\* $1 \*/" "$BATS_TEST_DIRNAME/../host/cuda/faults.cu" | cut -d: -f1; }
after_reset='after reset: cudaSuccess'

@test "a fault names kernel, block, thread and line" {
    run -0 "$programs/faults" write
    [[ ${lines[0]} == "dpakit: GPU: kernel touch(int*), block (1,0,0), thread "*"faults.cu:$(line_of WRITES): writes address 0x10"* ]]
    [ "${lines[1]}" = "synchronize: cudaErrorIllegalAddress" ]
    [ "${lines[2]}" = "malloc: cudaErrorIllegalAddress" ]
    [ "${lines[3]}" = "$after_reset" ]
    run -0 "$programs/faults" read
    [[ ${lines[0]} == *"kernel touch_later("*"), block (0,0,0), thread (7,0,0), "*"faults.cu:$(line_of READS): reads address 0xc"* ]]
}

@test "threads that wait for different things are found, with their lines" {
    run -0 "$programs/faults" diverge
    [[ $output == *"10 threads from 0 to 9, "*"faults.cu:$(line_of SOME): waits for ever at __syncthreads, where 10 of 32 threads are"* ]]
    [[ $output == *"22 threads from 10 to 31, "*"faults.cu:$(line_of OTHERS): waits for ever at a function of a warp"* ]]
    [[ $output == *"synchronize: cudaErrorLaunchFailure"*"$after_reset"* ]]
}

@test "assertions, traps and full stacks end the kernel" {
    run -0 "$programs/faults" assert
    [[ $output == *"thread (3,0,0), "*"faults.cu:$(line_of ASSERTS): "*"assertion \`threadIdx.x != 3 || n == 0' failed"* ]]
    [[ $output == *"synchronize: cudaErrorAssert"*"$after_reset"* ]]
    run -0 "$programs/faults" trap
    [[ $output == *"thread (2,0,0), "*"faults.cu:$(line_of TRAPS): __trap()"*"synchronize: cudaErrorLaunchFailure"* ]]
    run -0 "$programs/faults" recurse
    [[ $output == *"the thread's stack of "*" bytes is too small"*"synchronize: cudaErrorHardwareStackError"*"$after_reset"* ]]
}

@test "launches and copies that cannot be are refused, and nothing is lost" {
    run -0 --separate-stderr "$programs/faults"
    [ "$output" = "1025 threads: cudaErrorInvalidConfiguration
launch bounds: cudaErrorLaunchOutOfResources
no block: cudaErrorInvalidConfiguration
shared memory: cudaErrorInvalidValue
shared memory with opt-in: cudaSuccess
too much opt-in: cudaErrorInvalidValue
freed stream: cudaErrorInvalidResourceHandle
huge: cudaErrorMemoryAllocation
copy outside: cudaErrorInvalidValue
at the end: cudaSuccess" ]
    [[ $stderr == *"1025 x 1 x 1 threads in a block, at most 1024"*"49153 bytes of shared memory in a block, at most 49152"* ]]
}

@test "objects are compiled apart and linked by another compiler" {
    echo '__global__ void set(int *at) { *at = 7; }
void launch(int *at) { set<<<1, 1>>>(at); }' >set.cu
    echo '#include <cuda_runtime.h>
#include <stdio.h>
void launch(int *);
int main() { int *at; cudaMallocManaged(&at, 4); launch(at); cudaDeviceSynchronize(); printf("%d\n", *at); }' >main.cpp
    dpacu -c set.cu main.cpp
    g++ set.o main.o -o set -L"$DPAKIT_BUILD/lib/dpakit/cuda" -Wl,-rpath,"$DPAKIT_BUILD/lib/dpakit/cuda" -lcudart
    [ "$(./set)" = 7 ]
}

@test "device functions of other objects need -rdc=true" {
    echo 'extern __device__ int base; __device__ int twice(int);
__global__ void set(int *at) { *at = twice(base); }
#include <stdio.h>
int main() { int *at; cudaMallocManaged(&at, 4); set<<<1, 1>>>(at); cudaDeviceSynchronize(); printf("%d\n", *at); }' >a.cu
    echo '__device__ int base = 21; __device__ int twice(int x) { return 2 * x; }' >b.cu
    run -1 dpacu a.cu b.cu -o both
    [[ $output == "-E- "*"is not defined for the device; with -rdc=true (or -dc) it may be in another source"* ]]
    dpacu -rdc=true a.cu b.cu -o both
    [ "$(./both)" = 42 ]
    dpacu -dc a.cu b.cu
    dpacu a.o b.o -o both
    [ "$(./both)" = 42 ]
}

@test "inline PTX loads, stores, orders, counts and copies as its instructions say" {
    run -0 "$programs/ptx"
    [ "$output" = good ]
    DPAKIT_GPU_WORKERS=1 "$programs/ptx"
}

@test "atomic variables lose nothing, and groups know their threads" {
    run -0 "$programs/groups"
    [ "$output" = good ]
    dpacu -O0 "$BATS_TEST_DIRNAME/../host/cuda/groups.cu" -o groups
    [ "$(DPAKIT_GPU_WORKERS=1 ./groups)" = good ]
    printf '#include <cuda/atomic>\nint main() { int x = 41; cuda::atomic_ref<int> r(x); cuda::atomic<char> c{0}; return ++r == 42 ? c.load() : 1; }\n' >host.cpp
    g++ -std=c++17 -Wall -Wextra -Werror -I"$DPAKIT_BUILD/include/dpakit-cuda" host.cpp -o host
    ./host
}

@test "registers in PTX may have one '%', as nvcc takes them, and two" {
    cat >timer.cu <<'END'
#include <stdio.h>
#define TIME(t) asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t))
__global__ void k(unsigned long long *t)
{
    unsigned lane;
    TIME(t[0]);
    asm volatile(R"(mov.u64 %0, %%globaltimer;)" : "=l"(t[1]));
    __asm__("mov.u32 %0, %laneid;" : "=r"(lane) : : "memory");
    t[2] = lane + sizeof(":%laneid(");
}
int main()
{
    unsigned long long *t;
    cudaMallocManaged(&t, 24);
    k<<<1, 1>>>(t);
    cudaDeviceSynchronize();
    printf("%d %llu\n", t[0] > 1 && t[1] >= t[0], t[2]);
}
END
    dpacu timer.cu -o timer
    [ "$(./timer)" = "1 10" ]
}

@test "PTX that is not known is refused with its line and its instruction" {
    printf '__global__ void k(unsigned x)\n{\n    asm("membar.gl;");\n    asm("sin.approx.f32 %%0,\\n %%0;" : "+r"(x));\n}\n' >p.cu
    run -1 dpacu -c p.cu
    [ "$output" = '-E- p.cu:4: inline PTX "sin.approx.f32 $0, $0": this instruction is not supported' ]
    [ ! -e p.o ]
}

@test "a diagnostic of both compilations is printed once" {
    printf '#warning twice\n__global__ void k() { nothing(); }\n' >twice.cu
    run -1 dpacu -c twice.cu
    [ "$(grep -c 'twice.cu:2:.*error' <<<"$output")" -eq 1 ]
    [ "$(grep -c 'twice.cu:1:.*warning' <<<"$output")" -eq 1 ]
    [ "$(grep -c ' generated' <<<"$output")" -eq 1 ]
}

@test "wrong uses, errors of the source and dependencies are as of other compilers" {
    run -2 dpacu
    [[ $output == "-E- no input; "* ]]
    run -2 dpacu x.cu -arch=sm_7
    [[ $output == *"-arch: sm_7 is not sm_50 to sm_130" ]]
    run -1 dpacu absent.cu -c
    [ "$output" = "-E- absent.cu: No such file or directory" ]
    echo '__global__ int k() { return nothing; }' >bad.cu
    run -1 dpacu bad.cu -c
    [[ $output == *"bad.cu:1:"*error* ]]
    [ ! -e bad.o ]
    printf '#ifdef __CUDA_ARCH__\nenum { N = __CUDA_ARCH__ };\n#else\nenum { N };\n#endif\n' >n.h
    printf '#include "n.h"\n__global__ void k(int *p) { *p = N; }\nint main() {}\n' >k.cu
    dpacu k.cu -c -MD -gencode=arch=compute_90,code=sm_90 -Xcompiler=-Wall,-fPIC
    grep -q '^k.o: .*k.cu' k.d
    grep -q 'n.h' k.d
    run -0 dpacu --dryrun k.cu -o k
    [[ $output == *"--cuda-device-only"*"--cuda-host-only"* ]]
    [ ! -e k ]
}

@test "a command is handed over to another nvcc" {
    mkdir -p cuda/bin
    printf '#!/bin/sh\necho "nvcc $*"\n' >cuda/bin/nvcc
    chmod +x cuda/bin/nvcc
    [ "$(dpacu --cuda-path=cuda -c k.cu --other)" = "nvcc -c k.cu --other" ]
    run -2 dpacu --cuda-path nowhere -c k.cu
    [[ $output == "-E- nowhere/bin/nvcc: No such file"* ]]
}
