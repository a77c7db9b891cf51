# dpacc: from device sources to a library for the host.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices TMPDIR=$PWD/tmp
    mkdir tmp
    data=$BATS_TEST_DIRNAME/../data/dpacc
    cat > kernel.c <<'END'
#include "doca_dpa_dev.h"
__dpa_global__ void hello_world_kernel(void) { doca_dpa_dev_printf("Hello World\n"); }
END
}

# What a failed run leaves: nothing new but what the test made itself.
no_output() {
    [ ! -e out.a ]
    [ -z "$(ls -A tmp)" ]
}

# Compiles the source on standard input; it must be refused with code 1 and the given text.
refused() {
    cat > bad.c
    run -1 dpacc bad.c -o out.a
    echo "$output"
    [[ $output == "-E- $1"* ]]
    [ "$(grep -c '^-E-' <<<"$output")" -eq 1 ]
    no_output
}

@test "the guide's command line works as it stands" {
    dpacc \
        libdoca_dpa_dev.a \
        kernel.c \
        -o dpa_program.a \
        -hostcc=gcc \
        -hostcc-options="-Wno-deprecated-declarations" \
        --devicecc-options="-D__linux__ -Wno-deprecated-declarations" \
        --app-name="dpa_hello_world_app" \
        -I/opt/mellanox/doca/include/
    [ "$(ar t dpa_program.a)" = hostStubs.o ]
    nm dpa_program.a | grep -q ' [BD] dpa_hello_world_app$'
    nm dpa_program.a | grep -q ' T hello_world_kernel$'
    [ -z "$(ls -A tmp)" ]
}

@test "program and room for its crypto data are read-only sections of the host object" {
    dpacc kernel.c -o out.a -app-name=demo
    readelf -SW out.a > sections
    grep -qE '\.dpa_bin_demo +PROGBITS .* 00  +A +0 +0 +8$' sections
    grep -qE '\.dpa_sig_demo +PROGBITS +0+ [0-9a-f]+ 010000 00  +A +0 +0 +8$' sections
    ! grep -q dpa_proc_attr sections
}

@test "attributes go into a section of their own, unchanged" {
    head -c 1001 /dev/urandom > blob
    dpacc kernel.c -o out.a --app-name=demo --dpa-proc-attr=blob
    ar x out.a
    objcopy -O binary --only-section=.dpa_proc_attr_demo --set-section-flags \
        .dpa_proc_attr_demo=alloc hostStubs.o copy
    cmp blob copy
}

@test "the device executable has code at 4096, three kinds of pages, DWARF and its entry symbols" {
    dpacc kernel.c -o out.a -keep-dir k
    llvm-readelf -hlW k/device_exec.bf3 > e
    grep -q 'Machine: *RISC-V' e
    grep -q 'Type: *EXEC' e
    grep -qE 'LOAD +0x001000 .* R E 0x1000' e
    ! grep LOAD e | grep -q WE
    [ "$(grep -c LOAD e)" -eq 3 ]
    [ "$(awk '/LOAD/ && $3 !~ /000$/' e)" = "" ]
    llvm-readelf -sW k/device_exec.bf3 > s
    for name in hello_world_kernel _dpacc_unpack_hello_world_kernel _dpa_start; do
        grep -qE "FUNC +GLOBAL +DEFAULT +[0-9]+ $name\$" s
    done
    grep -qE ' 8 OBJECT +GLOBAL +DEFAULT +[0-9]+ _dpacc_argsize_hello_world_kernel$' s
    start=$(awk '$NF == "_dpa_start" {print $2}' s)
    entry=$(sed -n 's/.*Entry point address: *//p' e)
    [ "$((entry))" -eq "$((16#$start))" ]
    llvm-dwarfdump --debug-line k/device_exec.bf3 | grep -q 'name: "kernel.c"'
    [ "$(awk 'NF == 7 && $4 == "NOTYPE"' s | wc -l)" -le 1 ]
}

@test "entry functions stay when unused sections are collected" {
    dpacc kernel.c -o out.a -keep-dir k -devicecc-options=-ffunction-sections \
        -devicelink-options=--gc-sections
    llvm-readelf -sW k/device_exec.bf3 > s
    grep -q ' hello_world_kernel$' s
    grep -q ' _dpacc_argsize_hello_world_kernel$' s
    ! grep -q ' flexio_dev_puts$' s
}

@test "arguments of every kind reach the device as they left the host" {
    dpacc "$data/args_dev.c" -o args.a -keep-dir k -app-name args_app
    gcc $TEST_HOST_CFLAGS -I"$data" "$data/args_host.c" args.a -o host
    ./host | sed -E 's/ELF [0-9]+/ELF SIZE/' > log
    diff log - <<'END'
args_app ELF SIZE 65536 .dpa_sig_args_app
rpc_integers _dpacc_unpack_rpc_integers 104
rpc_structures _dpacc_unpack_rpc_structures 312
rpc_wide _dpacc_unpack_rpc_wide 24
kernel_nothing _dpacc_unpack_kernel_nothing 0
destroyed
END
}

@test "argument buffers are 8 bytes a slot, extended by their type" {
    dpacc "$data/args_dev.c" -o args.a -app-name args_app
    gcc -I"$data" "$data/args_host.c" args.a -o host
    ./host
    [ "$(xxd -p -c 8 rpc_integers.buf)" = "\
7800000000000000
f9ffffffffffffff
fa00000000000000
d08affffffffffff
60ea000000000000
006cca88ffffffff
00286bee00000000
fbffffffffffffff
1032547698badcfe
0000000000000080
0100000000000000
0000007000000000
0100000000000000" ]
    [ "$(stat -c %s kernel_nothing.buf)" -eq 0 ]
}

@test "an 80-byte and a packed structure lie in the buffer as in memory, rounded up to 8" {
    dpacc "$data/args_dev.c" -o args.a -app-name args_app
    gcc -I"$data" "$data/args_host.c" args.a -o host
    ./host
    [ "$(head -c 96 rpc_structures.buf | xxd -p -c 8)" = "\
6400000000000000
6500000000000000
6600000000000000
6700000000000000
6800000000000000
6900000000000000
6a00000000000000
6b00000000000000
6c00000000000000
0100000002000000
0988776655443322
11aa990000000000" ]
}

@test "unpack wrappers hand every argument to the function (run on RISC-V)" {
    command -v qemu-riscv64 >/dev/null || skip "no qemu-riscv64 here"
    dpacc "$data/args_dev.c" -o args.a -keep-dir k -app-name args_app
    gcc -I"$data" "$data/args_host.c" args.a -o host
    ./host
    for f in rpc_integers rpc_structures rpc_wide kernel_nothing; do
        clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mno-relax -DFUNCTION=$f \
            -DUNPACK=_dpacc_unpack_$f "-DBUFFER=\"$f.buf\"" -c "$data/unpack.S" -o u.o
        ld.lld u.o k/args_dev.bf3.dpa.join.o -L"$DPAKIT_BUILD/lib" -l:libflexio-libc.a -o u
        qemu-riscv64 ./u || { echo "$f: argument $?"; false; }
    done
}

@test "host code may be position-independent, in a shared library, without warnings" {
    dpacc kernel.c -o out.a -hostcc-options="-fPIC -Wall, -Wextra,-Werror, ,-pedantic" -app-name=x
    printf 'int flexio_app_create(void*a,void**b){return 1;}int flexio_app_destroy(void*a){return 0;}
int flexio_func_pup_register(void){return 0;}' > f.c
    gcc -w -shared -fPIC f.c -Wl,--whole-archive out.a -Wl,--no-whole-archive -Wl,-z,text -o lib.so
    nm -D lib.so | grep -q ' hello_world_kernel$'
}

@test "generated host code is clean by itself" {
    dpacc "$data/args_dev.c" -o out.a -keep-dir k -app-name=x
    for f in k/args_dev.dpa.host.c k/x.meta.c; do
        gcc -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -I k \
            '-D__DPA_EXEC_STUB_FILE__="device_exec.stub.inc"' -c $f -o /dev/null
    done
}

@test "a failed registration leaves the program's variable NULL" {
    dpacc kernel.c -o out.a -app-name=x
    printf 'extern void *x; static int n; int flexio_app_create(void*a,void**b){*b=&n;return 0;}
int flexio_app_destroy(void*a){n=1;return 0;} int flexio_func_pup_register(void){return 1;}
int main(void){return x || !n;}' > f.c
    gcc -w f.c out.a -o f
    ./f
}

@test "several sources make one program" {
    cat > second.c <<'END'
#include <libflexio-dev/flexio_dev.h>
uint64_t helper(uint64_t);
__dpa_rpc__ uint64_t second(uint64_t a) { flexio_dev_print("%lu\n", a); return helper(a); }
END
    echo 'unsigned long helper(unsigned long a) { return a + 1; }' > third.c
    dpacc kernel.c second.c third.c -o out.a -keep-dir k
    nm out.a | grep -q ' T second$'
    nm out.a | grep -q ' T hello_world_kernel$'
    llvm-nm k/device_exec.bf3 | grep -q ' T _dpacc_unpack_second$'
}

@test "sources of one name in two directories keep apart" {
    mkdir a b
    echo '__dpa_global__ void fa(void) {}' > a/k.c
    echo '__dpa_global__ void fb(void) {}' > b/k.c
    dpacc a/k.c b/k.c -o out.a
    nm out.a | grep -q ' T fa$'
    nm out.a | grep -q ' T fb$'
}

@test "two programs whose sources have one name live in one host" {
    mkdir a b
    echo '__dpa_global__ void fa(void) {}' > a/k.c
    echo '__dpa_global__ void fb(void) {}' > b/k.c
    dpacc a/k.c -o a.a -app-name=pa
    dpacc b/k.c -o b.a -app-name=pb
    printf 'extern void *pa,*pb; void fa(void),fb(void); int n; int flexio_app_create(void*a,void**b)
{*b=&n;return 0;} int flexio_app_destroy(void*a){return 0;}
int flexio_func_pup_register(void){return 0;} int main(void){fa();fb();return !pa || !pb;}' > f.c
    gcc -w f.c a.a b.a -o f
    ./f
}

@test "same inputs, same bytes: whatever the directories" {
    dpacc kernel.c -o one.a -hostcc-options=-g
    mkdir other
    cp kernel.c other/
    (cd other && TMPDIR=/tmp dpacc kernel.c -o two.a -hostcc-options=-g -j 1)
    cmp one.a other/two.a
    dpacc kernel.c -o three.a -hostcc-options=-g -keep-dir k
    cmp one.a three.a
    ! grep -q "$PWD" one.a
    ! grep -q dpacc_ <(strings k/device_exec.bf3 | grep /)
}

@test "same inputs, same bytes: wherever dpacc is installed" {
    dpacc kernel.c "$data/args_dev.c" -o one.a -hostcc-options=-g
    mkdir moved
    for d in bin lib include share; do cp -a "$DPAKIT_BUILD/$d" moved/; done
    moved/bin/dpacc kernel.c "$data/args_dev.c" -o two.a -hostcc-options=-g
    cmp one.a two.a
}

@test "-keep-dir leaves every intermediate file under its name" {
    dpacc kernel.c -o out.a --keep-dir k -app-name demo
    [ "$(ls k | LC_ALL=C sort | tr '\n' ' ')" = "demo.meta.c demo.meta.o device_exec.bf3 \
device_exec.stub.inc hostStubs.a hostStubs.o kernel.bf3.dpa.device.o kernel.bf3.dpa.join.o \
kernel.bf3.o kernel.dpa.device.c kernel.dpa.host.c kernel.dpa.o kernel.stub.inc " ]
}

@test "-keep leaves them in the current directory, -mcpu names them" {
    dpacc kernel.c -o out.a -keep -mcpu=nv-dpa-cx8
    [ -f kernel.cx8.o ]
    [ -f device_exec.cx8 ]
    [ -f kernel.stub.inc ]
    cp out.a before.a
    dpacc kernel.c -o out.a -keep -mcpu cx8
    cmp out.a before.a
}

@test "kept stubs make the host objects again, position-independent" {
    dpacc kernel.c -o out.a --keep-dir k -app-name demo
    gcc -fPIC '-D__DPA_OBJ_STUB_FILE__="kernel.stub.inc"' -I k -c k/kernel.dpa.host.c -o k.o
    readelf -SW k.o | grep -q '\.dpa_obj'
    objcopy -O binary --only-section=.dpa_obj --set-section-flags .dpa_obj=alloc k.o obj
    cmp obj k/kernel.bf3.dpa.join.o
    gcc -fPIC '-D__DPA_EXEC_STUB_FILE__="device_exec.stub.inc"' -I k -c k/demo.meta.c -o m.o
    objcopy --remove-section=.dpa_obj k.o
    gcc -r -nostdlib m.o k.o -o again.o
    objcopy -O binary --only-section=.dpa_bin_demo again.o bin
    cmp bin k/device_exec.bf3
}

@test "-dryrun prints every command and does nothing" {
    dpacc kernel.c -o out.a -dryrun -devicecc-options="-DX='a b'" > commands
    no_output
    ! grep -q '^-E-' commands
    bash -n commands
    for tool in clang ld.lld gcc ar; do grep -q "^$tool " commands; done
    grep -qF "'-DX=a b'" commands
}

@test "the lines that -v prints can be pasted, and make the same program" {
    dpacc "$data/args_dev.c" -o out.a -keep-dir k -v -devicecc-options="-DX='a b'" > log 2>/dev/null
    grep -q '^# dpacc wrote k/args_dev.dpa.host.c$' log
    mv out.a first.a
    rm k/*.o k/hostStubs.a k/device_exec.bf3
    bash -e log 2>/dev/null
    cmp out.a first.a
}

@test "options come with one dash or two, with = or a word, and from files" {
    echo '-app-name "from_file" # its name
          -hostcc-options=-DA' > options
    echo '--optf options -o out.a' > more
    dpacc kernel.c --optf=more
    nm out.a | grep -q ' from_file$'
    rm out.a
    dpacc -o=out.a --hostcc gcc --mcpu "nv-dpa-bf3, " -device-libs=" " -I. -flto kernel.c \
        --options-file options
    nm out.a | grep -q ' from_file$'
}

@test "options files that include themselves are refused" {
    echo '-optf loop' > loop
    run -1 dpacc kernel.c -o out.a -optf loop
    [[ $output == "-E- loop: options files include each other too deeply" ]]
}

@test "lists take commas, spaces and empty items; quotes keep together" {
    cat > k.c <<'END'
#if A != 1 || B != 2 || !C(3)
#error "macros"
#endif
__dpa_global__ void f(void) {}
END
    dpacc k.c -o out.a -devicecc-options=" -DA=1, , -DB=2 ,'-DC(x)=(x == 3)'"
}

@test "-I and -D reach the device compile" {
    mkdir h
    echo '#define VALUE NAME' > h/value.h
    echo '#include "value.h"
__dpa_rpc__ unsigned long f(void) { return VALUE; }' > k.c
    dpacc k.c -o out.a -Ih -DNAME=5
    dpacc k.c -o out.a --common-include-path h -D NAME=5
}

@test "macros tell the target" {
    cat > k.c <<'END'
#if __DPA__ != 1 || __NV_DPA != __NV_DPA_CX8 || __NV_DPA_CX7 != 1 || __NV_DPA_BF3 != 2 || \
    __NV_DPA_CX8 != 3 || __NV_DPA_CX9 != 4 || !defined(__riscv_zba)
#error "macros"
#endif
__dpa_global__ void f(void) {}
END
    dpacc k.c -o out.a -mcpu=nv-dpa-cx8
    run -1 dpacc k.c -o out.a -mcpu=nv-dpa-bf3
}

@test "macros and headers of the user's do not get into generated code" {
    echo 'int added(int x) { return x + 1; }' > pre.h
    cat > k.c <<'END'
#include <stdint.h>
struct s { uint32_t word; uint8_t low : 3; } __dpa_global__;
__dpa_rpc__ uint64_t f(struct s s, int8_t n) { return (uint64_t)added((int)s.word + n); }
END
    dpacc k.c -o out.a -devicecc-options="-include pre.h -Dfrom=1 -Da1=1 -Dargbuf=1 -Dfunc=1" \
        -Dto=1 -Dap=1 -Dv=1 -Dstatus=1 -Dapp=1 -Dattr=1 -Dapp_name=1 -Dm0=1 -Dgap1=1 \
        -hostcc-options="-Dstatus=2 -Dto=3"
}

@test "-MMD leaves a dependency file" {
    dpacc kernel.c -o out.a -devicecc-options="-MMD -MT target"
    grep -q '^target: kernel.c' kernel.d
    dpacc kernel.c -o out.a -devicecc-options="-MMD" -keep-dir k
    grep -q kernel.c k/kernel.d
}

@test "the dependency file is about the program when the user names no target" {
    mkdir sub
    dpacc kernel.c -o sub/out.a -devicecc-options=-MMD
    grep -q '^sub/out.a: kernel.c' sub/kernel.d
}

@test "kept files never replace an input" {
    for name in demo.meta.c kernel.dpa.host.c hostStubs.a; do cp kernel.c $name; done
    printf '!<arch>\n' > hostStubs.a
    for name in demo.meta.c kernel.dpa.host.c hostStubs.a; do
        cp $name before
        run -1 dpacc kernel.c $name -o out.a -keep -app-name demo
        [[ $output == "-E- $name: "* ]]
        cmp $name before
        no_output
    done
}

@test "a source named like the whole program keeps its own stub" {
    cp kernel.c device_exec.c
    dpacc device_exec.c -o out.a -keep-dir k
    grep -q '\.dpa_bin_' k/device_exec.stub.inc
    grep -q '\.dpa_obj' k/device_exec_2.stub.inc
}

@test "-save-temps leaves what the device compiler made on its way" {
    dpacc kernel.c -o out.a -devicecc-options=-save-temps
    [ -n "$(find . -name '*.s')" ]
}

@test "a source that is all extension makes a program" {
    mv kernel.c .c
    dpacc .c -o out.a
}

@test "device libraries are linked whole, by -L and -l" {
    echo 'int in_library(void) { return 7; }' > l.c
    mkdir libs
    clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mno-relax -c l.c -o l.o
    llvm-ar crD libs/libmine.a l.o
    dpacc kernel.c -o out.a -keep-dir k -device-libs="-Llibs -lmine"
    llvm-nm k/device_exec.bf3 | grep -q ' T in_library$'
    dpacc kernel.c libs/libmine.a -o out.a -keep-dir k2 -ldpa
    llvm-nm k2/device_exec.bf3 | grep -q ' T in_library$'
    llvm-nm k2/device_exec.bf3 | grep -q ' T doca_dpa_dev_sync_event_wait_gt$'
}

@test "link-time optimisation makes a program with the same functions" {
    dpacc kernel.c "$data/args_dev.c" -o out.a -flto -devicecc-options=-O2 -keep-dir k
    llvm-nm k/device_exec.bf3 > s
    for f in hello_world_kernel rpc_structures _dpacc_unpack_rpc_structures \
        _dpacc_argsize_rpc_structures; do grep -q " [TR] $f\$" s; done
    [ -f k/kernel.stub.inc ]
}

@test "the C library of the device has its strings, numbers and sorting" {
    cat > k.c <<'END'
#include "libflexio-libc/stdio.h"
#include "libflexio-libc/stdlib.h"
#include "libflexio-libc/string.h"
#include <ctype.h>
#include <inttypes.h>
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__dpa_rpc__ uint64_t f(uint64_t a, uint64_t b)
{
    char text[32];
    int v[2] = {(int)a, (int)b};
    memset(text, 0, sizeof text);
    snprintf(text, sizeof text, "%" PRIu64, a);
    strncat(text, "12", 3);
    qsort(v, 2, sizeof *v, by_value);
    printf("%s\n", text);
    unsigned __int128 wide = (unsigned __int128)a << 64 | b;
    return (uint64_t)(wide / (a + 3)) + strtoul(text, NULL, 10) + (uint64_t)isdigit(text[0]) +
           strlen(text);
}
END
    dpacc k.c -o out.a -devicecc-options="-Wall -Wextra -Werror"
}

@test "every member of the device's libraries links" {
    dpacc kernel.c libdoca_dpa_dev.a libflexio_dev.a libflexio-libc.a -o out.a
}

@test "dpaintrin.h has the functions of both guides" {
    cat > k.c <<'END'
#include <dpaintrin.h>
__dpa_rpc__ uint64_t f(uint64_t a)
{
    __dpa_thread_fence(__DPA_HEAP, __DPA_R, __DPA_RW);
    __dpa_thread_system_fence();
    __dpa_thread_outbox_fence(__DPA_W, __DPA_W);
    __dpa_thread_window_fence(__DPA_W, __DPA_R);
    __dpa_thread_memory_fence(__DPA_W, __DPA_W);
    __dpa_thread_window_read_inv();
    __dpa_thread_window_writeback();
    __dpa_thread_memory_writeback();
    __dpa_data_ignore(&a);
    __dpa_compiler_barrier();
    return __dpa_thread_cycles() + __dpa_thread_time() + __dpa_thread_inst_ret() +
           (uint64_t)(__dpa_fxp_log2((unsigned)a) + __dpa_fxp_rcp((int)a) + __dpa_fxp_pow2((int)a));
}
END
    dpacc k.c -o out.a -devicecc-options="-Wall -Wextra -Werror"
}

# ---- Running on the emulated DPA -------------------------------------------------------------------

@test "arguments arrive on the DPA through libflexio" {
    dpacc "$data/args_dev.c" -o args.a -app-name args_app
    gcc $TEST_HOST_CFLAGS -I"$DPAKIT_BUILD/include" -I"$data" "$data/args_run.c" args.a -o run \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
    dpadev create mlx5_0
    ./run
    [ -z "$TEST_HOST_CFLAGS" ] || return 0 # the sanitizers of two compilers do not mix
    clang -I"$DPAKIT_BUILD/include" -I"$data" "$data/args_run.c" args.a -o run \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
    ./run
}

@test "narrow integers arrive as the numbers they are" {
    dpacc "$data/args_dev.c" -o args.a
    dpadev create mlx5_0
    run -0 dparun args.a --rpc rpc_integers 120 -7 250 -30000 60000 -2000000000 4000000000 -5 \
        0xfedcba9876543210 -9223372036854775808 1 0x70000000 1
    [[ $output == "result: 0 (0x0)" ]]
    run -0 dparun args.a --rpc rpc_integers 120 -7 250 -30000 60001 0 0 0 0 0 0 0 0
    [[ $output == "result: 5 (0x5)" ]]
}

@test "hidden by default or guarded by canaries, entry functions run" {
    echo '__dpa_rpc__ unsigned long f(int a) { char b[32]; __builtin_memset(b, a, 32); return b[a]; }' > k.c
    dpadev create mlx5_0
    for options in -fvisibility=hidden "-flto -fvisibility=hidden" -fstack-protector-all; do
        dpacc k.c -o k.a -devicecc-options="$options"
        run -0 dparun k.a --rpc f 7
        [[ $output == "result: 7 "* ]]
    done
}

@test "a smashed stack ends the program with a fault" {
    cat > k.c <<'END'
__dpa_rpc__ unsigned long f(int n)
{
    volatile char b[8];
    for (int i = 0; i < n; i++)
        b[i] = 1;
    return (unsigned long)b[0];
}
END
    dpacc k.c -o k.a -devicecc-options=-fstack-protector-all
    dpadev create mlx5_0
    run -0 dparun k.a --rpc f 8
    run -2 dparun k.a --rpc f 24
    [[ $output == *"stack smashing detected"* ]]
}

@test "printing on the DPA gives what the C library of the host gives" {
    dpacc "$data/format.c" -o f.a
    gcc -w "$data/format.c" -o f
    ./f > wanted
    dpadev create mlx5_0
    dparun f.a --kernel format > got
    diff wanted got
}

@test "a message of more than 1023 bytes is cut there" {
    cat > k.c <<'END'
#include <doca_dpa_dev.h>
__dpa_rpc__ uint64_t f(void) { return (uint64_t)doca_dpa_dev_printf("%2000d|", 1); }
END
    dpacc k.c -o k.a
    dpadev create mlx5_0
    dparun k.a --rpc f > got
    [ "$(tr -cd ' ' < got | head -c 1023 | wc -c)" -ge 1022 ]
    grep -q 'result: 2001 ' got
    ! grep -qF '|' got
}

@test "fixed-point functions give the nearest Q16.16, and saturate" {
    dpacc "$data/fxp.c" -o f.a
    dpadev create mlx5_0
    is() {
        run -0 dparun f.a --rpc "$1" "$2"
        echo "$1 $2: $output, not $3"
        [[ $output == "result: $(printf '%u (0x%x)' "$3" "$3")" ]]
    }
    is log2_of 1 0
    is log2_of 8 0x30000
    is log2_of 3 103872
    is log2_of 0xffffffff 0x200000
    is log2_of 0 0xffffffff80000000
    is rcp_of 0x10000 0x10000
    is rcp_of 0x30000 21845
    is rcp_of 0x20001 32768
    is rcp_of -0x40000 0xffffffffffffc000
    is rcp_of 1 0x7fffffff
    is rcp_of 0 0x7fffffff
    is pow2_of 0 0x10000
    is pow2_of 0x8000 92682
    is pow2_of -0x10000 0x8000
    is pow2_of -0x110000 1
    is pow2_of -0x130000 0
    is pow2_of 0xe0000 0x40000000
    is pow2_of 0xf0000 0x7fffffff
}

@test "the C library's functions work on the DPA" {
    cat > k.c <<'END'
#include "libflexio-libc/stdio.h"
#include "libflexio-libc/stdlib.h"
#include "libflexio-libc/string.h"
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__dpa_rpc__ unsigned long f(unsigned long n)
{
    char a[64] = "one", b[64] = "", *end;
    int v[] = {5, 3, 9, 1, 7}, key = 9;
    if (strlen(a) != 3 || strcmp(strcat(strcpy(b, a), "two"), "onetwo") || strchr(b, 't') != b + 3)
        return 1;
    memmove(b + 1, b, 6);
    if (memcmp(b, "oonetwo", 7) || strstr(b, "net") != b + 2 || strncmp(b, "oox", 2))
        return 2;
    qsort(v, 5, sizeof *v, by_value);
    if (v[0] != 1 || v[4] != 9 || bsearch(&key, v, 5, sizeof *v, by_value) != v + 4)
        return 3;
    if (strtol(" -0x1fz", &end, 0) != -31 || *end != 'z' || atoi("12ab") != 12 ||
        strtoul("777", NULL, 8) != 511 || strtol("99999999999999999999", NULL, 10) != 0x7fffffffffffffff)
        return 4;
    if (snprintf(a, 4, "%lu", n) != 5 || strcmp(a, "123"))
        return 5;
    printf("%s\n", a);
    return puts("done") < 0;
}
END
    dpacc k.c -o k.a
    dpadev create mlx5_0
    run -0 dparun k.a --rpc f 12345
    [[ $output == *123*done*"result: 0 "* ]]
}

@test "a failed assertion says where, and ends the program with a fault" {
    printf '#include <assert.h>\n__dpa_rpc__ unsigned long f(int a) { assert(a == 5); return 7; }\n' > k.c
    dpacc k.c -o k.a
    dpadev create mlx5_0
    run -0 dparun k.a --rpc f 5
    run -2 dparun k.a --rpc f 6
    [[ $output == *"k.c:2: f: assertion 'a == 5' failed"* ]]
}

@test "128-bit division, which the processor does not have, works on the DPA" {
    cat > k.c <<'END'
__dpa_rpc__ unsigned long f(unsigned long high, unsigned long low, unsigned long by)
{
    return (unsigned long)(((unsigned __int128)high << 64 | low) / by);
}
END
    dpacc k.c -o k.a
    dpadev create mlx5_0
    run -0 dparun k.a --rpc f 5 7 11
    [[ $output == "result: 8384883669867978007 "* ]]
}

# ---- What programs must not do ---------------------------------------------------------------------

@test "a __dpa_global__ function that returns a value is refused" {
    refused 'bad.c:2: f: a __dpa_global__ function returns void' <<'END'

__dpa_global__ int f(void) { return 1; }
END
}

@test "a __dpa_rpc__ function that does not return uint64_t is refused" {
    refused 'bad.c:1: f: a __dpa_rpc__ function returns uint64_t' <<'END'
__dpa_rpc__ unsigned f(void) { return 1; }
END
}

@test "a function with both annotations is refused" {
    refused 'bad.c:1: f: both __dpa_global__ and __dpa_rpc__' <<'END'
__dpa_global__ __dpa_rpc__ unsigned long f(void) { return 1; }
END
}

@test "a pointer parameter is refused" {
    refused "bad.c:1: f: argument 2 'p': is a pointer" <<'END'
__dpa_global__ void f(int a, int *p) { *p = a; }
END
}

@test "an array parameter is refused" {
    refused "bad.c:1: f: argument 1 'v': is an array" <<'END'
__dpa_global__ void f(int v[4]) { v[0] = 1; }
END
}

@test "variable arguments are refused" {
    refused 'bad.c:1: f: variable arguments cannot be passed' <<'END'
__dpa_global__ void f(int a, ...) { (void)a; }
END
}

@test "a structure of the user's without annotation is refused" {
    refused "bad.c:2: f: argument 1 'a': has a type of yours that is not annotated" <<'END'
struct s { int a; };
__dpa_global__ void f(struct s a) { (void)a; }
END
}

@test "a structure with a flexible array is refused" {
    refused "bad.c:2: f: argument 1 'a': its type ends in a flexible array" <<'END'
struct s { int n; int v[]; } __dpa_global__;
__dpa_global__ void f(struct s a) { (void)a; }
END
}

@test "an inline annotated function is refused" {
    refused 'bad.c:1: f: an annotated function cannot be inline' <<'END'
__dpa_global__ inline void f(void) {}
END
}

@test "a static annotated function is refused" {
    refused 'bad.c:1: f: an annotated function cannot be static' <<'END'
__dpa_global__ static void f(void) {}
END
}

@test "a hidden annotated function is refused" {
    refused 'bad.c:1: f: an annotated function cannot be hidden' <<'END'
__attribute__((visibility("hidden"))) __dpa_global__ void f(void) {}
END
}

@test "a thread-local variable is refused" {
    refused 'bad.c:1: thread-local variables do not exist on the DPA' <<'END'
_Thread_local int t;
__dpa_global__ void f(void) { t = 1; }
END
}

@test "a name that begins with _dpacc is refused" {
    refused 'bad.c:1: _dpacc_x: names that begin with _dpacc belong to the compiler' <<'END'
int _dpacc_x;
__dpa_global__ void f(void) {}
END
}

@test "floating point is refused with its line and function" {
    refused 'bad.c:4: g: floating point is not available on the DPA' <<'END'
static int g(int a)
{
    (void)a;
    return (int)(a * 1.5);
}
__dpa_global__ void f(int a) { g(a); }
END
}

@test "a floating-point variable, parameter and member of an argument are refused" {
    refused 'bad.c:1: floating point' <<<'float v; __dpa_global__ void f(void) {}'
    refused "bad.c:1: f: argument 1 'x': floating point" <<<'__dpa_global__ void f(struct { double d; } __dpa_global__ x) {}'
    cat > bad.c <<<'__dpa_global__ void f(double d) {}'
    run -1 dpacc bad.c -o out.a
    [[ $output == *'floating point is not available on the DPA'* ]]
    no_output
}

@test "a prototype with floating point in a header that nobody calls is fine" {
    echo 'double unused(double);' > h.h
    echo '#include "h.h"
#include <stdlib.h>
__dpa_global__ void f(void) {}' > k.c
    dpacc k.c -o out.a
}

@test "static functions with floating point in a header are fine until one is called" {
    echo 'static inline int twice(int a, double b) { return (int)(a * b); }' > h.h
    echo '#include "h.h"
__dpa_global__ void f(void) {}' > k.c
    dpacc k.c -o k.a
    echo '#include "h.h"
__dpa_rpc__ unsigned long f(int a) { return (unsigned long)twice(a, 2); }' > k.c
    run -1 dpacc k.c -o out.a
    [[ $output == *"undefined symbol: __muldf3"*"h.h:1"* ]] || [[ $output == *"floating point"* ]]
    no_output
}

@test "a source without entry function is refused" {
    refused 'bad.c: no function is marked __dpa_global__ or __dpa_rpc__' <<<'int f(void) { return 1; }'
    refused 'bad.c: no function is marked' </dev/null
}

@test "one function in two sources is refused, with both places" {
    cp kernel.c other.c
    run -1 dpacc kernel.c other.c -o out.a
    [[ $output == "-E- other.c:2: hello_world_kernel: already defined at kernel.c:2; rename one" ]]
    no_output
}

@test "a program named like its function is refused" {
    run -1 dpacc kernel.c -o out.a -app-name hello_world_kernel
    [[ $output == *"also the name of the program"* ]]
    no_output
}

@test "a program name that is none in C is refused" {
    for n in '' 2x a-b 'a b' _dpacc_x; do
        run -1 dpacc kernel.c -o out.a -app-name "$n"
        [[ $output == "-E- -app-name: "* ]]
    done
    no_output
}

@test "every wrong function is told at once" {
    cat > bad.c <<'END'
__dpa_global__ int f(void) { return 1; }
__dpa_rpc__ void g(void) {}
END
    run -1 dpacc bad.c -o out.a
    [ "$(grep -c '^-E- bad.c:' <<<"$output")" -eq 2 ]
}

@test "annotations work before a definition, on a prototype, behind a body and on a typedef" {
    cat > k.c <<'END'
#include <stdint.h>
__dpa_global__ typedef uint64_t handle_t;
typedef struct { int a; } __dpa_global__ one_t;
typedef struct { int a; } two_t __dpa_global__;
struct three { int a; } __dpa_global__;
__dpa_rpc__ uint64_t f(handle_t h, one_t a, two_t b, struct three c);
uint64_t f(handle_t h, one_t a, two_t b, struct three c) { return h + (uint64_t)(a.a + b.a + c.a); }
END
    dpacc k.c -o out.a -devicecc-options="-Wall -Wextra -Werror"
    nm out.a | grep -q ' T f$'
}

@test "a syntax error is the compiler's to tell, exit code 1" {
    cat > bad.c <<<'__dpa_global__ void f(void) { return 1 }'
    run -1 dpacc bad.c -o out.a
    [[ $output == *"bad.c:1:"*"error: expected ';'"* ]]
    [[ $output == *"-E- device compile: clang failed with exit code 1"* ]]
    [[ $output == *"-c bad.c "* ]]
    no_output
}

@test "an undefined function is the linker's to tell, exit code 1" {
    cat > bad.c <<<'void nowhere(void); __dpa_global__ void f(void) { nowhere(); }'
    run -1 dpacc bad.c -o out.a
    [[ $output == *"undefined symbol: nowhere"*"-E- device link: ld.lld failed"* ]]
    no_output
}

# ---- Wrong usage and bad files ---------------------------------------------------------------------

@test "--version has three lines, the last with the version" {
    dpacc --version > v
    [ "$(wc -l < v)" -eq 3 ]
    [ "$(sed 's/.*version //' <(tail -1 v))" = "$(cat "$BATS_TEST_DIRNAME/../../VERSION")" ]
    dpacc -V | cmp - v
}

@test "--help lists the options" {
    dpacc -h | grep -q -- --devicecc-options
}

@test "an unknown option is refused with the nearest one" {
    run -1 dpacc kernel.c -o out.a -hostc=gcc
    [[ $output == "-E- unknown option -hostc; did you mean -hostcc?" ]]
    no_output
}

@test "a name that no C variable of a host program can have is refused" {
    local name
    for name in "" "a b" 1a int return main; do
        run -1 dpacc kernel.c -o out.a -app-name="$name"
        [[ $output == "-E- -app-name: "*"'$name'"* && ${#lines[@]} -eq 1 ]] || { echo "$output"; false; }
    done
    no_output
}

@test "missing output, sources or argument is refused" {
    run -1 dpacc kernel.c
    [[ $output == "-E- no output file given (option -o)" ]]
    run -1 dpacc -o out.a
    [[ $output == "-E- no source file given" ]]
    run -1 dpacc kernel.c -o
    [[ $output == "-E- option -o needs an argument"* ]]
    no_output
}

@test "an input of another kind is named, objects with a word more" {
    local kind="neither a C source (.c) nor a device library (.a)"
    cp kernel.c kernel.cpp && cp kernel.c kernel.dpa.o
    run -1 dpacc kernel.cpp -o out.a
    [[ $output == "-E- kernel.cpp: $kind" ]]
    run -1 dpacc kernel.dpa.o -o out.a
    [[ $output == "-E- kernel.dpa.o: $kind; this version takes no DPA objects" ]]
    no_output
}

@test "modes and targets that this version lacks are told plainly" {
    for o in -c -gen-libs --shared; do
        run -1 dpacc kernel.c -o out.a $o
        [[ $output == "-E- -"*": this version builds .a programs only" ]]
    done
    run -1 dpacc kernel.c -o out.a -mcpu=nv-dpa-bf3,nv-dpa-cx7
    [[ $output == "-E- -mcpu="*"one target at a time"*nv-dpa-cx9* ]]
    run -1 dpacc kernel.c -o out.a -mcpu=nv-dpa-cx6
    [[ $output == "-E- -mcpu: unknown target 'nv-dpa-cx6'; known: "* ]]
    no_output
}

@test "missing and wrong inputs are refused by name" {
    run -1 dpacc none.c -o out.a
    [[ $output == "-E- none.c: No such file or directory" ]]
    run -1 dpacc none.a kernel.c -o out.a
    [[ $output == "-E- none.a: No such file or directory" ]]
    echo text > text.a
    run -1 dpacc text.a kernel.c -o out.a
    [[ $output == "-E- text.a: not an archive" ]]
    : > empty.a
    run -1 dpacc empty.a kernel.c -o out.a
    [[ $output == "-E- empty.a: not an archive" ]]
    mkdir dir.c
    run -1 dpacc dir.c -o out.a
    [[ $output == "-E- dir.c: Is a directory" ]]
    run -1 dpacc kernel.c text.dpa.o -o out.a
    [[ $output == "-E- text.dpa.o: No such file or directory" ]]
    run -1 dpacc kernel.c kernel.c -o out.a
    [[ $output == "-E- kernel.c: given twice" ]]
    no_output
}

@test "a source that is no C, or cut anywhere, is an error or a program, never a crash" {
    head -c 3000 /dev/urandom > junk.c
    run -1 dpacc junk.c -o out.a
    no_output
    size=$(stat -c %s kernel.c)
    for n in $(seq 1 17 "$size"); do
        head -c "$n" kernel.c > cut.c
        run dpacc cut.c -o out.a
        [ "$status" -le 1 ]
        rm -f out.a
    done
}

@test "a host compiler that cannot be run is refused" {
    run -1 dpacc kernel.c -o out.a -hostcc=/no/such/gcc
    [[ $output == "-E- -hostcc: the host compiler '/no/such/gcc' cannot be run"* ]]
    run -1 dpacc kernel.c -o out.a -hostcc=no-such-gcc
    no_output
}

@test "a host compiler that fails is a tool's failure: exit code 2 and its command line" {
    run -2 dpacc kernel.c -o out.a -hostcc=false
    [[ $output == *"-E- host compile of generated code: false failed with exit code 1"*"false "* ]]
    no_output
}

@test "a device compiler that is not there is a tool's failure" {
    DPA_CLANG=/no/clang run -2 dpacc kernel.c -o out.a
    [[ $output == "-E- /no/clang: cannot be run: No such file or directory"* ]]
    no_output
}

@test "an output that cannot be written is refused" {
    run -1 dpacc kernel.c -o none/out.a
    [[ $output == "-E- none/out.a: output directory 'none': No such file or directory" ]]
    mkdir out.d
    run -1 dpacc kernel.c -o out.d
    [[ $output == "-E- out.d: Is a directory" ]]
    cp kernel.c same.c
    run -1 dpacc same.c -o same.c
    [[ $output == "-E- same.c: output and input are one file" ]]
    cmp same.c kernel.c
}

@test "a failed build leaves an older output alone" {
    echo old > out.a
    echo 'int' > bad.c
    run -1 dpacc bad.c -o out.a
    [ "$(cat out.a)" = old ]
}

@test "an interrupted build leaves nothing and dies of the signal" {
    cat > slow <<'END'
#!/bin/sh
touch started
exec sleep 60
END
    chmod +x slow
    dpacc kernel.c -o out.a -hostcc=./slow &
    pid=$!
    for _ in $(seq 200); do [ -e started ] && break; sleep 0.05; done
    [ -e started ]
    [ -n "$(ls -A tmp)" ]
    kill -TERM $pid
    code=0
    wait $pid || code=$?
    [ $code -eq 143 ]
    no_output
}

@test "a device compiler that hangs can be interrupted" {
    printf '#!/bin/sh\ntouch started\nexec sleep 60\n' > slow
    chmod +x slow
    DPA_CLANG=./slow dpacc kernel.c -o out.a &
    pid=$!
    for _ in $(seq 200); do [ -e started ] && break; sleep 0.05; done
    kill -INT $pid 2>/dev/null; kill -TERM $pid
    code=0
    wait $pid || code=$?
    [ $code -eq 143 ]
    no_output
}

@test "a C++ compiler may compile the host's side" {
    command -v g++ >/dev/null || skip "no g++ here"
    dpacc "$data/args_dev.c" -o out.a -hostcc=g++
}

@test "a temporary directory that cannot be made is refused" {
    TMPDIR=$PWD/none run -1 dpacc kernel.c -o out.a
    [[ $output == "-E- $PWD/none: cannot create a temporary directory: No such file or directory" ]]
}
