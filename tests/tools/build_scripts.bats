# Our build scripts for NVIDIA's tree. They have the steps of DOCA's and FlexIO's samples, and use only
# the paths of `make install-compat`.

bats_require_minimum_version 1.5.0

load ../helpers/profiles

setup() {
    cd "$BATS_TEST_TMPDIR"
    here=$BATS_TEST_DIRNAME/../..
    samples=$BATS_TEST_DIRNAME/../host/samples
    export DPAKIT_DEVICES=$PWD/devices
    root=$BATS_FILE_TMPDIR/opt/mellanox
    tools=$root/doca/tools
    # shellcheck disable=SC2086
    hostcc="gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-}"
}

setup_file() {
    "$BATS_TEST_DIRNAME/../../packaging/install-compat" "$DPAKIT_BUILD" '' \
        "$BATS_FILE_TMPDIR/opt/mellanox" 3
    "$BATS_TEST_DIRNAME/../../packaging/system-compat" '' "$BATS_FILE_TMPDIR/opt/mellanox"
}

# Does the steps of the build script of DOCA's DPA samples with a device source.
build_dpacc_sample() { # BUILD-DIR DEVICE.c NAME MCPU LIBDIR YAML
    local dir=$1/$3/device/build_dpacc include=$root/doca/include
    rm -rf "$dir"
    mkdir -p "$dir"
    "$tools/dpa-app-attributes2blob" "$6" "$dir/$3.blob"
    "$tools/dpacc" "$2" -o "$dir/$3_program.a" -mcpu="$4" -hostcc=gcc \
        -hostcc-options="-Wno-deprecated-declarations -Werror -Wall -Wextra -DFLEXIO_ALLOW_EXPERIMENTAL_API" \
        --devicecc-options="-Wno-deprecated-declarations -Werror -Wall -Wextra -DFLEXIO_DEV_ALLOW_EXPERIMENTAL_API -O2" \
        --app-name="dpa_sample_app" \
        -device-libs="-L$5 -ldoca_dpa_dev -ldoca_dpa_dev_comm -ldoca_dpa_dev_verbs" \
        -flto -I"$include" --dpa-proc-attr="$dir/$3.blob"
}

@test "DOCA 3: a sample is built, linked through pkg-config, and runs" {
    source_profiles "$root"
    printf ' Feature_list:' >attributes.yaml
    build_dpacc_sample "$PWD/build" "$samples/kernel_launch_dev.c" kernel_launch \
        nv-dpa-bf3,nv-dpa-cx7,nv-dpa-cx8,nv-dpa-cx9 "$(pkg-config --variable=libdir doca-dpa)" \
        attributes.yaml
    # shellcheck disable=SC2046
    $hostcc -D DOCA_ALLOW_EXPERIMENTAL_API "$samples/kernel_launch.c" "$samples/dpa_common.c" \
        build/kernel_launch/device/build_dpacc/kernel_launch_program.a -o kernel_launch \
        $(pkg-config --cflags --libs doca-common doca-dpa doca-rdma doca-argp libflexio) -pthread
    "$tools/dpadev" create mlx5_0
    env -u LD_LIBRARY_PATH ./kernel_launch | tee printed
    grep -q 'Hello from kernel$' printed
    readelf -SW kernel_launch | grep -q '\.dpa_proc_attr_dpa_sample_app'
}

@test "build files that name the libraries of a DPU's Arm cores work here, too" {
    local arm=$root/doca/lib/aarch64-linux-gnu
    cat >kernel.c <<'END'
#include <doca_dpa_dev.h>
__dpa_global__ void kernel(void) { DOCA_DPA_DEV_LOG_INFO("from a DPU's build file\n"); }
END
    cat >main.c <<'END'
#include <doca_dpa.h>
extern struct doca_dpa_app *arm_app;
int main(void)
{
    struct doca_dpa *dpa;
    return doca_dpa_create(NULL, &dpa) != DOCA_ERROR_INVALID_VALUE || !arm_app;
}
END
    "$tools/dpacc" kernel.c -o program.a -mcpu=nv-dpa-bf3 -hostcc=gcc --app-name=arm_app \
        -device-libs="-L$arm -ldoca_dpa_dev" -flto -I"$root/doca/include"
    $hostcc -DDOCA_ALLOW_EXPERIMENTAL_API main.c program.a -o main -I"$root/doca/include" -I"$root/flexio/include" \
        -L"$arm" -ldoca_dpa -ldoca_common -L"$root/flexio/lib" -lflexio -lstdc++ -libverbs -lmlx5
    LD_LIBRARY_PATH=$arm ./main
    PKG_CONFIG_PATH=$arm/pkgconfig pkg-config --exists doca-dpa doca-rdma libflexio libibverbs
}

@test "FlexIO: a device library, and an application that links it" {
    mkdir lib_src
    echo 'unsigned long sum_of(unsigned long a, unsigned long b);' >lib_src/sum.h
    echo '#include "sum.h"
unsigned long sum_of(unsigned long a, unsigned long b) { return a + b; }' >lib_src/sum.c
    cat >app.c <<'END'
#include <libflexio-dev/flexio_dev.h>
unsigned long sum_of(unsigned long a, unsigned long b);
__dpa_rpc__ uint64_t add(uint64_t a, uint64_t b) { return sum_of(a, b); }
END
    mkdir libs
    script=$root/flexio/samples/doca_build_dpacc.sh
    "$script" --library --archive_name libs/libsum.a --external_cc_options -O2,-Wall -g --srcs lib_src/sum.c \
        --additional_include_directories lib_src --additional_dpacc_options -mcpu=nv-dpa-bf3
    [ "$(ls libs)" = libsum.a ]
    "$script" --application --app_name app_dev --dpacc_build_dir build --srcs app.c --hostcc_args -g \
        --additional_ld_libs sum --additional_lib_paths libs
    "$tools/dpadev" create mlx5_0
    run -0 "$tools/dparun" -d mlx5_0 build/app_dev.a --rpc add 44 55
    [[ $output == "result: 99 "* ]]
}

@test "doca_build_dpacc.sh: the archive for the host gets the wanted path; errors name the wrong argument" {
    echo 'int one(void) { return 1; }' >one.c
    script=$root/flexio/samples/doca_build_dpacc.sh
    "$script" --library --archive_name libone.a --srcs one.c --host_archive_path remain
    [ -e libone_host.a ]
    "$script" --library --archive_name libone.a --srcs one.c --host_archive_path host
    [ -e host/libone_host.a ]
    [ "$("$script" --version)" = "$("$tools/dpacc" --version | sed -n 's/.*version //p')" ]
    run -1 "$script" --application --archive_name x.a
    [[ $output == *'--application has no option --archive_name;'* ]]
    run -1 "$script" --library --archive_name one.a --srcs one.c
    [[ $output == *'a file libNAME.a'* ]]
    run -1 "$script" --library --archive_name libone.a
    [[ $output == *'needs --srcs'* ]]
    run -1 "$script"
    [[ $output == Usage:* ]]
    ! "$script" --library --archive_name libtwo.a --srcs two.c || false
    [ ! -e libtwo.a ]
}

@test "doca_build_dpacc.sh takes what NVIDIA's does: --dynamic, several words in one, options of the other mode" {
    printf '%s\n' '#include <stdint.h>' '__dpa_rpc__ uint64_t two(void) { return 2; }' >two.c
    echo 'int unused_here;' >more.c
    script=$root/flexio/samples/doca_build_dpacc.sh
    "$script" --application --app_name two_app --dpacc_build_dir out --dynamic --srcs 'two.c more.c' \
        --additional_dpacc_options '-mcpu=nv-dpa-bf3,nv-dpa-cx7 -flto' --hostcc_args '-g -O1' -Wall --external_cc_options '-O2,' ',-g'
    [ "$(ls out)" = $'libtwo_app.so\ntwo_app.a' ]
    "$script" --dynamic --app_name two_app --dpacc_build_dir only --srcs two.c
    [ "$(ls only)" = libtwo_app.so ]
    cat >main.c <<'END'
#include <libflexio/flexio.h>
extern struct flexio_app *two_app;
extern flexio_func_t two;
int main(void) { return !two_app || !two; }
END
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} main.c -o main -I"$root/flexio/include" -Lonly -ltwo_app -L"$root/flexio/lib" -lflexio
    LD_LIBRARY_PATH=only:$root/flexio/lib ./main
    "$script" --library --archive_name libtwo.a --srcs two.c --dpacc_build_dir out --additional_ld_libs flexio_dev \
        --additional_lib_paths "$root/flexio/lib" --dynamic
    [ -e libtwo.a ]
    run -1 "$script" --library --app_name two_app --srcs two.c
    [[ $output == *'--library has no option --app_name;'* ]]
}

@test "-lflexio_os and -lflexio_libc are libraries of device code, and pkg-config knows them" {
    printf '%s\n' '#include <stdint.h>' '#include <libflexio-os/flexio_os.h>' '#include <libflexio-libc/string.h>' \
        '__dpa_rpc__ uint64_t length(void) { char s[4] = "abc"; return strlen(s); }' >length.c
    source_profiles "$root"
    for libraries in '-lflexio_os -lflexio_libc -lflexio_dev' '-lflexio-os -lflexio-libc -lflexio_dev' \
        "$(pkg-config --libs libflexio-os libflexio-libc)"; do
        "$tools/dpacc" length.c -o length.a -device-libs="-L$root/flexio/lib $libraries"
    done
    "$tools/dpadev" create mlx5_0
    run -0 "$tools/dparun" -d mlx5_0 length.a --rpc length
    [[ $output == "result: 3 "* ]]
    [ "$(pkg-config --variable=libdir libflexio-os)" = "$root/flexio/lib" ]
}

@test "build_flexio_device.sh makes a program of one source" {
    printf '%s\n' '#include <stdint.h>' '__dpa_rpc__ uint64_t two(void) { return 2; }' >two.c
    "$tools/build_flexio_device.sh" two_app two.c "$PWD/output of it"
    "$tools/dpadev" create mlx5_0
    run -0 "$tools/dparun" -d mlx5_0 "output of it/two_app.a" --rpc two
    [[ $output == "result: 2 "* ]]
    run -1 "$tools/build_flexio_device.sh" two_app two.c
    [[ $output == Usage:* ]]
}

@test "pkg-config: libibverbs and libmlx5 lead to emulated devices, doca to every library" {
    source_profiles "$root"
    cat >main.c <<'END'
#include <infiniband/verbs.h>
#include <stdio.h>
int main(void) {
    int n;
    struct ibv_device **list = ibv_get_device_list(&n);
    if (list == NULL || n == 0)
        return 1;
    puts(ibv_get_device_name(list[0]));
    ibv_free_device_list(list);
}
END
    cat >meson.build <<'END'
project('one', 'c')
executable('main', 'main.c', dependencies: [dependency('libibverbs'), dependency('libmlx5')])
END
    CFLAGS=${TEST_HOST_CFLAGS:-} LDFLAGS=${TEST_HOST_CFLAGS:-} meson setup b
    ninja -C b
    "$tools/dpadev" create mlx5_0
    # AddressSanitizer's dlopen ignores the search path of the library that calls it.
    path=
    [[ ${TEST_HOST_CFLAGS:-} != *address* ]] || path=$root/dpakit/lib
    [ "$(LD_LIBRARY_PATH=$path b/main)" = mlx5_0 ]
    [ "$(cat "$root/doca/applications/VERSION")" = "$(pkg-config --modversion doca)" ]
    for name in argp common dma dpa rdma; do pkg-config --libs doca | grep -q -- "-ldoca_$name"; done
}

@test "FlexIO: its tools are new enough for the check of its samples" {
    version() { awk -F'[.-]' '{printf "%04d%04d%04d%04d\n", $1, $2, $3, $4}' <<<"$1"; }
    for tool in dpacc dpa-clang; do
        v=$("$tools/$tool" --version | grep version | sed 's/^.*version //')
        [[ ! $(version "$v") < $(version 1.6.0) ]] || { echo "$tool: $v"; false; }
    done
}

@test "dpa-clang compiles for a target by its name, as the device compiler that it is" {
    echo 'int __dpa_global__ f(int a);
int f(int a) { return a + __NV_DPA; }' >f.c
    "$tools/dpa-clang" -mcpu=nv-dpa-cx8 -O2 -c f.c -o f.o
    llvm-readelf -hA f.o >header
    grep -q 'Machine: *RISC-V' header
    grep -q _zba header
    llvm-readelf -sW f.o | grep -q 'FUNC .* f$'
    run -1 "$tools/dpa-clang" -mcpu=nv-dpa-cx6 -c f.c -o g.o
    [[ $output == "-E- dpa-clang: -mcpu: unknown target 'nv-dpa-cx6'; known: "* ]]
    [ ! -e g.o ]
}
