# nvcc as build systems know it: dpacu under this name in a folder that is arranged as a CUDA toolkit.
# Runs only on the plain build: clang's CUDA front end and fibers are not for sanitizers.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    unset CUDA_HOME CUDA_ROOT CUDACXX CUDAHOSTCXX NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS NVCC_CCBIN
    export CCACHE_DISABLE=1
}

# Puts the toolkit of $1 in front.
use() {
    export CUDA_PATH=$1 PATH=$1/bin:$PATH
}

# A program of three sources: one calls the device function of another, the third is C.
sources() {
    cat >k.cu <<'END'
__device__ int twice(int x);
__global__ void set(int *at) { *at = twice(HALF); }
extern "C" int run(void)
{
    int *at, out;
    cudaMallocManaged((void **)&at, 4);
    set<<<1, 1>>>(at);
    cudaDeviceSynchronize();
    out = *at;
    cudaFree(at);
    return out;
}
END
    echo '__device__ int twice(int x) { return 2 * x; }' >twice.cu
    cat >main.c <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
int run(void);
int main(void)
{
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess)
        return 1;
    printf("%d %d\n", n, run());
    return 0;
}
END
}

@test "Meson builds a program in C and CUDA with the toolkit of install-compat" {
    command -v meson >/dev/null || skip "no meson"
    sources
    "$BATS_TEST_DIRNAME/../../packaging/install-compat" "$DPAKIT_BUILD" '' "$PWD/root" 3
    use "$PWD/root/cuda"
    [ -z "$(find root/cuda -xtype l)" ]
    cat >meson.build <<'END'
project('one', 'C', 'CPP', 'CUDA', default_options: ['buildtype=release'], meson_version: '>= 0.61.2')
cuda_dep = dependency('cuda', version: '>= 12-1', modules: ['cudart'])
cuda_version = cuda_dep.version()
find_program('nvlink')
add_project_arguments('-gencode', 'arch=compute_80,code=sm_80', '-gencode', 'arch=compute_90,code=sm_90', language: 'cuda')
add_project_arguments('-forward-unknown-to-host-compiler', '-rdc=true', '-DHALF=21', language: 'cuda')
add_project_link_arguments('-gencode=arch=compute_80,code=sm_80', language: 'cuda')
whole = declare_dependency(compile_args: '-Wl,--whole-archive', link_args: ['-L' + meson.current_build_dir(), '-lm'])
executable('one', 'k.cu', 'twice.cu', 'main.c', c_args: '-Wno-missing-braces', dependencies: [cuda_dep, whole, dependency('zlib')])
END
    meson setup b
    ninja -C b
    [ "$(b/one)" = "1 42" ]
    # Without the language CUDA the same dependency serves C.
    mkdir c
    printf '#include <cuda_runtime.h>\nint main(void) { int n; return cudaGetDeviceCount(&n); }\n' >c/c.c
    printf '%s\n' "project('c', 'c')" "executable('c', 'c.c', dependencies: dependency('cuda', modules: ['cudart']))" >c/meson.build
    meson setup cb c
    ninja -C cb
    LD_LIBRARY_PATH=$CUDA_PATH/lib64 cb/c
}

@test "CMake's language CUDA compiles, links device code, and finds the toolkit" {
    command -v cmake >/dev/null || skip "no cmake"
    sources
    use "$DPAKIT_BUILD/lib/dpakit/cuda"
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(one C CXX CUDA)
find_package(CUDAToolkit 12 REQUIRED)
add_library(kernels STATIC k.cu twice.cu)
set_target_properties(kernels PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_STANDARD 17)
target_compile_definitions(kernels PRIVATE HALF=21)
target_compile_options(kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -Xcompiler=-Wall>)
add_executable(one main.c)
target_link_libraries(one kernels CUDA::cudart)
END
    cmake -G Ninja -B b
    cmake --build b --verbose >said
    [ "$(b/one)" = "1 42" ]
    grep -q -- -dlink said
}

@test "nvcc -v tells its folders, and its version" {
    use "$DPAKIT_BUILD/lib/dpakit/cuda"
    run -0 nvcc --version
    [[ $output == *"nvcc: NVIDIA (R) Cuda compiler driver"*"release 12.4, V12.4.0" ]]
    run -1 nvcc -v __absent
    [[ $output == *"#\$ TOP=$CUDA_PATH"*"-E- __absent: No such file"* ]]
    [ "$(nvcc --list-gpu-arch | head -1) $(nvcc -code-ls | head -1)" = "compute_50 sm_50" ]
}

@test "options files, unknown options and options of the environment are read as nvcc's" {
    printf '#include "n.h"\nint main() { return N - 7 + M; }\n' >a.cu
    mkdir 'a b'
    echo '#define N 7' >'a b/n.h'
    printf -- "-I\"a b\" -optf more # a comment\n" >words
    echo -DM=0 >more
    dpacu --options-file words a.cu --run -o a
    ./a
    run -2 dpacu -optf words -fno-plt -c a.cu
    [[ $output == *"unknown option -fno-plt"* ]]
    NVCC_PREPEND_FLAGS="-optf words" NVCC_APPEND_FLAGS="-forward-unknown-to-host-compiler -dryrun" run -0 dpacu \
        -march=x86-64 -Wl,-z,now -fPIC -m64 -O2 -Xcompiler -g,-Wall -Xlinker=-Wl,-O1 -x cu a.cu
    [[ $output == *--cuda-host-only*" -march=x86-64 -Wl,-z,now -fPIC -g -Wall "*" -Wl,-O1 "* ]]
    echo '-optf self' >self
    run -2 dpacu -optf self a.cu
    [[ $output == *"self: more than 8 files in each other" ]]
    run -2 dpacu -optf none a.cu
    [[ $output == *"none: No such file"* ]]
    run -2 dpacu -ptx a.cu
    [[ $output == *"makes no PTX"* ]]
    run -2 dpacu -default-stream per-thread a.cu
    [[ $output == *"only the legacy default stream" ]]
}

@test "pkg-config's cudart serves host code alone" {
    export PKG_CONFIG_PATH=$DPAKIT_BUILD/lib/pkgconfig
    printf '#include <cuda_runtime.h>\nint main(void) { int n; return cudaGetDeviceCount(&n) || n != 1; }\n' >c.c
    # shellcheck disable=SC2046
    gcc -Wall -Wextra -Werror c.c -o c $(pkg-config --cflags --libs cudart)
    ./c
    [ "$(pkg-config --modversion cudart)" = 12.4 ]
}
