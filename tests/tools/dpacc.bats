# dpacc: from device sources to a library for the host.

bats_require_minimum_version 1.5.0

# Two programs that many tests look at: of kernel.c, and of args_dev.c with a host that writes the buffers of arguments.
setup_file() {
    load ../helpers/dpacc.bash
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR dpacc_setup
    head -c 1001 /dev/urandom > blob
    options_of_demo
    dpacc kernel.c -o demo.a "${demo[@]}" -keep-dir a/b/c
    dpacc "$data/args_dev.c" -o args.a -keep-dir args -app-name args_app -hostcc-options=-g
    gcc $TEST_HOST_CFLAGS -I"$data" "$data/args_host.c" args.a -o host
    ./host | sed -E 's/NVDPAFBF [0-9]+/NVDPAFBF SIZE/' > log
}

setup() {
    load ../helpers/dpacc.bash
    dpacc_setup
    made=$BATS_FILE_TMPDIR k=$BATS_FILE_TMPDIR/a/b/c
    options_of_demo
}

options_of_demo() { demo=(-app-name demo --dpa-proc-attr="$BATS_FILE_TMPDIR/blob" -hostcc-options=-g); }

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

@test "the host object has read-only sections for the program and its crypto data" {
    readelf -SW "$made/demo.a" > sections
    grep -qE '\.dpa_bin_demo +PROGBITS .* 00  +A +0 +0 +8$' sections
    grep -qE '\.dpa_sig_demo +PROGBITS +0+ [0-9a-f]+ 010040 00  +A +0 +0 +8$' sections
    ! readelf -SW "$made/args.a" | grep -q dpa_proc_attr || false # it has no attributes
}

@test "attributes go unchanged into an area of one target, in a section of their own" {
    ar x "$made/demo.a"
    objcopy -O binary --only-section=.dpa_proc_attr_demo --set-section-flags \
        .dpa_proc_attr_demo=alloc hostStubs.o copy
    [ "$(head -c 8 copy)" = NVDPAFBF ]
    # After the header, the member, a reserved word and the length (signing(7)): 24 + 32 + 8 + 8.
    tail -c +73 copy | cmp "$made/blob" -
    [ "$(od -An -tu8 -j64 -N8 copy | tr -d ' ')" = 1001 ]
}

@test "the device executable has code at 4096, two kinds of pages, DWARF and its entry symbols" {
    llvm-readelf -hlW "$k"/device_exec.bf3 > e
    grep -q 'Machine: *RISC-V' e
    grep -q 'Type: *EXEC' e
    grep -qE 'LOAD +0x001000 .* R E 0x1000' e
    ! grep LOAD e | grep -q WE || false
    [ "$(grep -c LOAD e)" -eq 2 ]
    [ "$(awk '/LOAD/ && $3 !~ /000$/' e)" = "" ]
    llvm-readelf -sW "$k"/device_exec.bf3 > s
    for name in hello_world_kernel _dpacc_unpack_hello_world_kernel _dpa_start; do
        grep -qE "FUNC +GLOBAL +DEFAULT +[0-9]+ $name\$" s
    done
    grep -qE ' 8 OBJECT +GLOBAL +DEFAULT +[0-9]+ _dpacc_argsize_hello_world_kernel$' s
    start=$(awk '$NF == "_dpa_start" {print $2}' s)
    entry=$(sed -n 's/.*Entry point address: *//p' e)
    [ "$((entry))" -eq "$((16#$start))" ]
    llvm-dwarfdump --debug-line "$k"/device_exec.bf3 | grep -q 'name: "kernel.c"'
    [ "$(awk 'NF == 7 && $4 == "NOTYPE"' s | wc -l)" -le 1 ] # no labels without names
}

@test "entry functions stay when unused sections are collected" {
    dpacc kernel.c -o out.a -keep-dir k -devicecc-options=-ffunction-sections \
        -devicelink-options=--gc-sections
    llvm-readelf -sW k/device_exec.bf3 > s
    grep -q ' hello_world_kernel$' s
    grep -q ' _dpacc_argsize_hello_world_kernel$' s
    ! grep -q ' flexio_dev_puts$' s || false
}

@test "arguments of every kind reach the device as they left the host" {
    diff "$made/log" - <<'END'
args_app NVDPAFBF SIZE 65600 .dpa_sig_args_app
rpc_integers _dpacc_unpack_rpc_integers 104
rpc_structures _dpacc_unpack_rpc_structures 312
rpc_wide _dpacc_unpack_rpc_wide 24
kernel_nothing _dpacc_unpack_kernel_nothing 0
destroyed
END
}

@test "argument buffers are 8 bytes a slot, extended by their type" {
    [ "$(xxd -p -c 8 "$made/rpc_integers.buf")" = "\
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
    [ "$(stat -c %s "$made/kernel_nothing.buf")" -eq 0 ]
}

@test "an 80-byte and a packed structure lie in the buffer as in memory, rounded up to 8" {
    [ "$(head -c 96 "$made/rpc_structures.buf" | xxd -p -c 8)" = "\
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
    for f in rpc_integers rpc_structures rpc_wide kernel_nothing; do
        clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mno-relax -DFUNCTION=$f \
            -DUNPACK=_dpacc_unpack_$f "-DBUFFER=\"$made/$f.buf\"" -c "$data/unpack.S" -o u.o
        ld.lld u.o "$made/args/args_dev.bf3.dpa.join.o" -L"$DPAKIT_BUILD/lib" -l:libflexio-libc.a -o u
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
    cd "$made/args"
    for f in args_dev.dpa.host.c args_app.meta.c; do
        gcc -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -I . \
            '-D__DPA_EXEC_STUB_FILE__="device_exec.stub.inc"' -c $f -o /dev/null
    done
}

@test "a failed registration leaves the program's variable NULL" {
    printf 'extern void *demo; static int n; int flexio_app_create(void*a,void**b){*b=&n;return 0;}
int flexio_app_destroy(void*a){n=1;return 0;} int flexio_func_pup_register(void){return 1;}
int main(void){return demo || !n;}' > f.c
    gcc -w f.c "$made/demo.a" -o f
    ./f
}

@test "several sources make one program, also of one name in two directories" {
    cat > second.c <<'END'
#include <libflexio-dev/flexio_dev.h>
uint64_t helper(uint64_t);
__dpa_rpc__ uint64_t second(uint64_t a) { flexio_dev_print("%lu\n", a); return helper(a); }
END
    echo 'unsigned long helper(unsigned long a) { return a + 1; }' > third.c
    mkdir a b
    echo '__dpa_global__ void fa(void) {}' > a/k.c
    echo '__dpa_global__ void fb(void) {}' > b/k.c
    dpacc kernel.c second.c third.c a/k.c b/k.c -o out.a -keep-dir k
    nm out.a > names
    for name in second hello_world_kernel fa fb; do grep -q " T $name\$" names; done
    llvm-nm k/device_exec.bf3 | grep -q ' T _dpacc_unpack_second$'
}

@test "two programs whose sources have one name live in one host" {
    echo '__dpa_global__ void fb(void) {}' > kernel.c
    dpacc kernel.c -o b.a -app-name=pb
    printf 'extern void *demo,*pb; void hello_world_kernel(void),fb(void); int n; int flexio_app_create(void*a,void**b)
{*b=&n;return 0;} int flexio_app_destroy(void*a){return 0;}
int flexio_func_pup_register(void){return 0;} int main(void){hello_world_kernel();fb();return !demo || !pb;}' > f.c
    gcc -w f.c "$made/demo.a" b.a -o f
    ./f
}

@test "same inputs, same bytes: whatever the directories, with kept files and without" {
    mkdir other
    cp kernel.c other/
    (cd other && TMPDIR=/tmp dpacc kernel.c -o two.a "${demo[@]}" -j 1)
    cmp "$made/demo.a" other/two.a
    ! grep -q "$made" other/two.a || false
    ! grep -q dpacc_ <(strings "$k/device_exec.bf3" | grep /) || false
}

@test "same inputs, same bytes: wherever dpacc is installed" {
    mkdir moved
    for d in bin lib include share; do cp -a "$DPAKIT_BUILD/$d" moved/; done
    moved/bin/dpacc "$data/args_dev.c" -o two.a -app-name args_app -hostcc-options=-g
    cmp "$made/args.a" two.a
}

@test "-keep-dir leaves every intermediate file under its name" {
    [ "$(ls "$k" | LC_ALL=C sort | tr '\n' ' ')" = "demo.meta.c demo.meta.o device_exec.bf3 \
device_exec.stub.inc hostStubs.a hostStubs.o kernel.bf3.dpa.device.o kernel.bf3.dpa.join.o \
kernel.bf3.o kernel.dpa.device.c kernel.dpa.entries kernel.dpa.host.c kernel.dpa.o kernel.stub.inc " ]
}

@test "-keep-dir is made with the directories above it" {
    [ -f "$made/a/b/c/kernel.dpa.host.c" ]
    run -1 dpacc kernel.c -o other.a -keep-dir kernel.c/k
    [ "$output" = "-E- -keep-dir: kernel.c/k: Not a directory" ]
    run -1 dpacc kernel.c -o other.a -keep-dir kernel.c
    [ "$output" = "-E- -keep-dir: kernel.c: Not a directory" ]
    [ ! -e other.a ]
}

@test "options come with one dash or two, with = or a word, and from files" {
    echo '-app-name "from_file" # its name
          -hostcc-options=-DA' > options
    echo '--options-file options -o=out.a' > more
    dpacc --hostcc gcc --mcpu "nv-dpa-bf3, " -device-libs=" " -I. -flto kernel.c --optf=more
    nm out.a | grep -q ' from_file$'
}

@test "options files that include themselves are refused" {
    echo '-optf loop' > loop
    run -2 dpacc kernel.c -o out.a -optf loop
    [[ $output == "-E- loop: options files include each other too deeply" ]]
}

@test "-I and -D reach the device compile; lists take commas, spaces and empty items; quotes keep together" {
    mkdir h
    echo '#define VALUE NAME' > h/value.h
    cat > k.c <<'END'
#include "value.h"
#if A != 1 || B != 2 || !C(3)
#error "macros"
#endif
__dpa_rpc__ unsigned long f(void) { return VALUE; }
END
    dpacc -c k.c -Ih -DNAME=5 -devicecc-options=" -DA=1, , -DB=2 ,'-DC(x)=(x == 3)'"
    dpacc -c k.c --common-include-path h -D NAME=5 -devicecc-options="-DA=1 -DB=2,'-DC(x)=(x == 3)'"
}

@test "macros name the target, as -mcpu does with and without its prefix; -keep leaves files in the current directory" {
    cat > k.c <<'END'
#if __DPA__ != 1 || __NV_DPA != __NV_DPA_CX8 || __NV_DPA_CX7 != 1 || __NV_DPA_BF3 != 2 || \
    __NV_DPA_CX8 != 3 || __NV_DPA_CX9 != 4 || !defined(__riscv_zba)
#error "macros"
#endif
__dpa_global__ void f(void) {}
END
    dpacc k.c -o out.a -keep -mcpu=nv-dpa-cx8
    [ -f k.cx8.o ]
    [ -f device_exec.cx8 ]
    [ -f k.stub.inc ]
    cp out.a before.a
    dpacc k.c -o out.a -keep -mcpu cx8
    cmp out.a before.a
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

@test "-MMD leaves a dependency file, -save-temps what the device compiler made on its way" {
    dpacc kernel.c -o out.a -devicecc-options="-MMD -MT target -save-temps"
    grep -q '^target: kernel.c' kernel.d
    [ -n "$(find . -name '*.s')" ]
}

@test "-MJ leaves clang's entry of a compilation database; dependencies go to kept files" {
    dpacc kernel.c -o out.a -devicecc-options="-MMD -MJ kernel.json" -mcpu=nv-dpa-bf3,nv-dpa-cx8 -keep-dir k
    [ -e out.a ]
    [ "$(sed 's/,$//' kernel.json | jq -r .file)" = kernel.c ]
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

@test "a source named like the whole program keeps its own stub, and a source may be all extension" {
    cp kernel.c device_exec.c
    echo '__dpa_global__ void f(void) {}' > .c
    dpacc device_exec.c .c -o out.a -keep-dir k
    nm out.a | grep -q ' T f$'
    grep -q '\.dpa_bin_' k/device_exec.stub.inc
    grep -q '\.dpa_obj' k/device_exec_2.stub.inc
}

@test "device libraries are linked whole, by -L and -l" {
    mkdir libs
    for name in mine yours; do
        echo "int in_$name(void) { return 7; }" > $name.c
        clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mno-relax -c $name.c -o $name.o
        llvm-ar crD libs/lib$name.a $name.o
    done
    dpacc kernel.c libs/libyours.a -o out.a -keep-dir k -device-libs="-Llibs -lmine" -ldpa
    llvm-nm k/device_exec.bf3 > names
    for name in in_mine in_yours doca_dpa_dev_sync_event_wait_gt; do grep -q " T $name\$" names; done
}

@test "link-time optimisation makes a program with the same functions" {
    dpacc kernel.c "$data/args_dev.c" -o out.a -flto -devicecc-options=-O2 -keep-dir k
    llvm-nm k/device_exec.bf3 > s
    for f in hello_world_kernel rpc_structures _dpacc_unpack_rpc_structures \
        _dpacc_argsize_rpc_structures; do grep -q " [TR] $f\$" s; done
    [ -f k/kernel.stub.inc ]
}

@test "the C library of the device has its strings, numbers and sorting, dpaintrin.h the functions of both guides" {
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
    cat > intrinsics.c <<'END'
#include <dpaintrin.h>
__dpa_rpc__ uint64_t g(uint64_t a)
{
    __dpa_thread_fence(__DPA_HEAP, __DPA_R, __DPA_RW);
    __dpa_thread_system_fence();
    __dpa_thread_outbox_fence(__DPA_W, __DPA_W);
    __dpa_thread_window_fence(__DPA_W, __DPA_R);
    __dpa_thread_memory_fence(__DPA_W, __DPA_W);
    __dpa_thread_window_read_inv();
    __dpa_thread_window_writeback();
    __dpa_thread_memory_writeback();
    __dpa_thread_writeback_memory();
    __dpa_data_ignore(&a);
    __dpa_compiler_barrier();
    return __dpa_thread_cycles() + __dpa_thread_time() + __dpa_thread_inst_ret() +
           (uint64_t)(__dpa_fxp_log2((unsigned)a) + __dpa_fxp_rcp((int)a) + __dpa_fxp_pow2((int)a));
}
END
    dpacc k.c intrinsics.c -o out.a -devicecc-options="-Wall -Wextra -Werror"
}

@test "every member of the device's libraries links" {
    dpacc kernel.c libdoca_dpa_dev.a libflexio_dev.a libflexio-libc.a -o out.a
}

@test "same inputs, same bytes: two directories, two times, two users' settings" {
    cp kernel.c "$data/args_dev.c" "$data/args.h" "$data/args_values.h" . 2>/dev/null || true
    make_all() {
        dpacc -c kernel.c args_dev.c -mcpu=bf3,cx8 -hostcc-options=-g
        dpacc kernel.dpa.o args_dev.dpa.o -o out.a -mcpu=bf3,cx8 -hostcc-options=-g
        dpacc kernel.dpa.o args_dev.dpa.o -o lib -gen-libs
        dpacc kernel.dpa.o -o out.so -shared
        sha256sum out.a *.dpa.o lib_*.a out.so
    }
    make_all > first
    mkdir -p another/place/with\ spaces home
    cp -- *.c *.h another/place/with\ spaces/
    (
        cd another/place/with\ spaces
        touch -d 2001-01-01 -- *.c *.h
        umask 077
        export HOME=$BATS_TEST_TMPDIR/home USER=other LOGNAME=other TZ=Asia/Kathmandu LC_ALL=C \
            SOURCE_DATE_EPOCH=1 TMPDIR=$BATS_TEST_TMPDIR/home
        sleep 1.1
        make_all
    ) > second
    diff first second
}

@test "same inputs, same bytes: another user's" {
    [ "$(id -u)" -eq 0 ] || skip "only root can be another user"
    local nobody="setpriv --reuid=65534 --regid=65534 --clear-groups" theirs
    $nobody test -x "$DPAKIT_BUILD/bin/dpacc" || skip "other users cannot see this build"
    theirs=$(mktemp -d /tmp/dpacc-user.XXXXXX)
    cp kernel.c "$made/blob" "$theirs"
    chown -R 65534:65534 "$theirs"
    (
        cd "$theirs"
        export TMPDIR=$theirs HOME=$theirs
        $nobody "$DPAKIT_BUILD/bin/dpacc" kernel.c -o out.a "${demo[@]/$made/.}"
    ) || { rm -rf "$theirs"; false; }
    [ "$(stat -c %u "$theirs/out.a")" -eq 65534 ]
    cmp "$made/demo.a" "$theirs/out.a"
    rm -rf "$theirs"
}

@test "ccache serves as the device compiler, and takes the second build from its cache" {
    command -v ccache >/dev/null || skip "no ccache here"
    export CCACHE_DIR=$PWD/cache
    unset CCACHE_NOHASHDIR CCACHE_BASEDIR CCACHE_DISABLE
    DPA_CLANG='ccache clang' dpacc kernel.c -o first.a "${demo[@]}"
    ccache -z >/dev/null
    DPA_CLANG='ccache clang' dpacc kernel.c -o second.a "${demo[@]}"
    cmp "$made/demo.a" first.a
    cmp first.a second.a
    [ "$(ccache --print-stats | awk '$1 ~ /^(direct|preprocessed)_cache_hit$/ {n += $2} END {print n}')" -ge 1 ]
}
