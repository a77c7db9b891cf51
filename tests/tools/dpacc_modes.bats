# dpacc: objects, libraries, shared libraries, programs for several targets, and the commands that it runs.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

bats_require_minimum_version 1.5.0

# What several tests look at or go on from: each compile takes a second.
setup_file() {
    mkdir "$BATS_FILE_TMPDIR/made"
    cd "$BATS_FILE_TMPDIR/made"
    write_sources
    mkdir d fat
    cp twice.c d/
    dpacc -c add.c d/twice.c
    dpacc add.c twice.c -o demo.a -keep-dir k -app-name demo
    dpacc add.c twice.c -o libx -gen-libs
    dpacc -c add.c -o fat/old.dpa.o -mcpu=bf3,cx8
    dpacc fat/old.dpa.o twice.c -o fat/libx -gen-libs -mcpu=bf3,cx8
    printf 'Feature_list:\n  Generating_Empty_CQE: true\n  Device_Emulation: false' > a.yaml
    dpa-app-attributes2blob a.yaml a.blob
    dpacc twice.c -o two.a --app-name=fat --dpa-proc-attr=a.blob -mcpu "nv-dpa-bf3, nv-dpa-cx8"
}

setup() {
    load ../helpers/dpacc.bash
    dpacc_setup
    write_sources
    made=$BATS_FILE_TMPDIR/made
}

write_sources() {
    cat > add.c <<'END'
#include <stdint.h>
struct five { int32_t a[5]; } __dpa_global__;
__dpa_rpc__ uint64_t add(uint64_t a, uint32_t b, struct five f) { return a + b + (uint64_t)f.a[4]; }
__dpa_rpc__ uint64_t target(void) { return __NV_DPA; }
END
    echo '__dpa_rpc__ unsigned long twice(unsigned long x) { return x * 2; }' > twice.c
}

# The content of a section of an object.
section_of() {
    objcopy -O binary --only-section="$2" --set-section-flags "$2=alloc" "$1" section.bin
    cat section.bin
}

is() { # PROGRAM FUNCTION ARGUMENTS RESULT
    run -0 dparun -d mlx5_0 "$1" --rpc "$2" "${@:3:$#-3}"
    echo "$2: $output"
    [[ $output == "result: ${*: -1} "* ]]
}

@test "-c makes an object of each source, named after it, that holds the device object" {
    [ "$(cd "$made" && ls *.dpa.o | tr '\n' ' ')" = "add.dpa.o twice.dpa.o " ]
    section_of "$made/add.dpa.o" .dpa_obj > object
    llvm-readelf -h object > header
    grep -q RISC-V header
    grep -q 'REL (' header
    llvm-nm object | grep -q ' T _dpacc_unpack_add$'
    nm "$made/add.dpa.o" | grep -q ' T add$'
}

@test "-c -o names the object of one source, and its program holds the same device code as one from sources" {
    mkdir -p any/where
    dpacc add.c -c -o any/where/strange
    [ "$(find . -name '*.dpa.o')" = "" ]
    dpacc any/where/strange "$made/twice.dpa.o" -o out.a -keep-dir a
    nm out.a | grep -q ' T add$'
    [ "$(llvm-objdump -d a/device_exec.bf3 | tail -n +3)" = "$(llvm-objdump -d "$made/k/device_exec.bf3" | tail -n +3)" ]
    ! readelf -SW out.a | grep -q dpa_obj || false # the host links this file
}

@test "objects, sources and libraries together make a program that runs" {
    echo 'unsigned long helper(unsigned long x) { return x + 1; }' > helper.c
    clang --target=riscv64-unknown-elf -march=rv64imac -mabi=lp64 -mno-relax -mcmodel=medany -c helper.c
    llvm-ar crD libhelper.a helper.o
    echo 'unsigned long helper(unsigned long); __dpa_rpc__ unsigned long more(int a) { return helper((unsigned long)a); }' > more.c
    dpacc -c more.c
    dpacc "$made/add.dpa.o" twice.c more.dpa.o libhelper.a -o out.a
    new_device mlx5_0
    is out.a twice 21 42
    is out.a more 6 7
    is out.a target 2
    [ "$(ar t out.a)" = hostStubs.o ]
}

@test "-gen-libs makes two libraries; another run takes the device's, the host links the other" {
    [ "$(cd "$made" && ls libx*)" = "libx_device.a
libx_host.a" ]
    cp "$made/libx_device.a" libx.a
    echo '__dpa_rpc__ unsigned long own(unsigned long a) { return a + 100; }' > own.c
    dpacc own.c -o own.a -app-name own_app -device-libs="-L. -lx"
    cat > host.c <<'END'
#include <libflexio/flexio.h>
#include <stdio.h>
extern struct flexio_app *own_app;
extern flexio_func_t own, twice, add;
struct five { int32_t a[5]; };
int main(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *ctx = list && list[0] ? ibv_open_device(list[0]) : NULL;
    struct flexio_process *process = NULL;
    uint64_t a = 0, b = 0, c = 0;
    struct five five = {{0, 0, 0, 0, 5}};
    if (!ctx || flexio_process_create(ctx, own_app, NULL, &process) != FLEXIO_STATUS_SUCCESS ||
        flexio_process_call(process, own, &a, 1ul) != FLEXIO_STATUS_SUCCESS ||
        flexio_process_call(process, twice, &b, 21ul) != FLEXIO_STATUS_SUCCESS ||
        flexio_process_call(process, add, &c, 10ul, 20u, five) != FLEXIO_STATUS_SUCCESS)
        return 1;
    printf("%lu %lu %lu\n", a, b, c);
    flexio_process_destroy(process);
    ibv_close_device(ctx);
    ibv_free_device_list(list);
    return 0;
}
END
    new_device mlx5_0
    link_host host host.c own.a "$made/libx_host.a"
    [ "$(./host)" = "101 42 35" ]
}

@test "-gen-libs writes areas of archives whose objects have the names of NVIDIA's" {
    cp -r "$made/fat" o
    dpacc-extract o/libx_device.a --list > list
    grep -qE '^nv-dpa-bf3 .* old.bf3.o, twice.bf3.o, libx.lib.device.o$' list
    grep -qE '^nv-dpa-cx8 .* old.cx8.o, twice.cx8.o, libx.lib.device.o$' list
    [ "$(ar t o/libx_host.a | tr '\n' ' ')" = "old.dpa.host.o twice.dpa.host.o libx.lib.host.o " ]
    for id in bf3=02 cx8=03; do
        dpacc-extract o/libx_device.a -mcpu=${id%=*} -o ${id%=*}.a
        llvm-ar p ${id%=*}.a libx.lib.device.o > name.o
        llvm-readelf -SW name.o | grep -q ' .dpa.attributes  *RISCV_ATTRIBUTES '
        xxd -p name.o | tr -d '\n' | grep -q "6c6962780041120000006e766964696100010700000002${id#*=}"
    done
    ar x o/libx_host.a libx.lib.host.o
    [ "$(section_of libx.lib.host.o .dpa_lib_name | tr -d '\0')" = libx ]
    ! readelf -SW o/libx_host.a | grep -q dpa_obj || false
    [ "$(head -c 16 "$made/libx_device.a" | xxd -p)" = 4e564450414642460100000001000000 ]
    [ "$(tail -c +29 "$made/libx_device.a" | head -c 4 | xxd -p)" = 01000000 ]
}

@test "a function that a library and the program define is reported" {
    run -1 dpacc twice.c -o out.a -device-libs="$made/libx_device.a"
    [[ $output == "-E- twice.c:1: twice: already defined at a device library; rename one" ]]
    no_output
}

@test "-shared makes a shared library, of sources and of objects" {
    dpacc "$made/add.dpa.o" twice.c -o lib.so -shared -app-name in_library
    readelf -hW lib.so | grep -q 'DYN (Shared'
    nm -D lib.so > names
    for name in in_library add twice; do grep -q " [BT] $name\$" names; done
    ! readelf -dW lib.so | grep -q TEXTREL || false
    new_device mlx5_0
    is lib.so twice 8 16
}

@test "link-time optimisation goes across objects, for each target" {
    echo 'unsigned long helper(unsigned long x) { return x * 3; }' > helper.c
    echo 'unsigned long helper(unsigned long); __dpa_rpc__ unsigned long f(unsigned long a) { return helper(a); }' > f.c
    dpacc -c -flto f.c helper.c
    dpacc f.dpa.o helper.dpa.o -flto -o out.a -keep-dir k
    new_device mlx5_0
    is out.a f 5 15
    ! llvm-objdump -d --disassemble-symbols=f k/device_exec.bf3 | grep -qE '(jal|call|tail).*helper' || false
    dpacc f.c helper.c -flto -mcpu bf3,cx8 -o fat.a
    is fat.a f 2 6
}

@test "several targets make a fat program, one compile for each, that runs as the device's own target" {
    dpacc add.c twice.c -o out.a -mcpu=cx7,cx8,bf3,cx9 -keep-dir k
    [ "$(section_of k/hostStubs.o .dpa_bin___dpa_a_out | head -c 16 | xxd -p)" = 4e564450414642460100000004000000 ]
    llvm-readelf -A k/add.cx8.o | grep -q zba
    ! llvm-readelf -A k/add.bf3.o | grep -q zba || false
    new_device mlx5_0
    is out.a target 2
    is out.a twice 4 8
}

@test "several targets report each error and warning once" {
    cat >header.h <<'C'
static inline int inside(void) { return WRONG; }
C
    cat >wrong.c <<'C'
#include "header.h"
#include <stdint.h>
#include <libflexio-dev/flexio_dev.h>
#if __NV_DPA == 3
#warning only there
#endif
extern uint64_t nowhere(uint64_t);
__dpa_rpc__ uint64_t f(uint64_t a) { int x; return nowhere(a) + x + WRONG; }
C
    for jobs in 1 4; do
        run -1 --separate-stderr dpacc wrong.c -o out.a -mcpu=bf3,cx7,cx8,cx9 -j $jobs
        echo "$stderr"
        [ "$(grep -c "^wrong.c:8:.*error: use of undeclared identifier 'WRONG'$" <<<"$stderr")" -eq 1 ]
        [ "$(grep -c "^./header.h:1:.*error: use of undeclared identifier 'WRONG'$" <<<"$stderr")" -eq 1 ]
        [ "$(grep -c 'In file included from wrong.c:1:' <<<"$stderr")" -eq 1 ]
        [ "$(grep -c '^-E- ' <<<"$stderr")" -eq 1 ]
    done
    run -1 --separate-stderr dpacc wrong.c -o out.a -mcpu=bf3,cx7,cx8,cx9 -j 4 \
        -devicecc-options="-Wall -DWRONG=1"
    echo "$stderr"
    [ "$(grep -c "warning: variable 'x' is uninitialized" <<<"$stderr")" -eq 1 ]
    [ "$(grep -c 'warning: only there' <<<"$stderr")" -eq 1 ] # of the third target
    [ "$(grep -c 'ld.lld: error: undefined symbol: nowhere' <<<"$stderr")" -eq 1 ]
}

@test "a program without the device's target is refused by name" {
    new_device --type cx9 mlx5_0
    run ! dparun -d mlx5_0 "$made/two.a" --rpc twice 4
    [[ $output == *"compiled for other targets, not for cx9" ]]
}

@test "a fat program is signed, and runs on a device that wants signatures" {
    echo 'int flexio_app_create(void*a,void**b){return 1;}int flexio_app_destroy(void*a){return 0;}
int flexio_func_pup_register(void){return 0;} extern void *fat; int main(void){return fat!=0;}' > host.c
    gcc -w host.c "$made/two.a" -o host
    make_locking_device mlx5_0 "$test_keys/root.der"
    mlxdpa -e host -c "$test_keys/chain.der" -p "$test_keys/leaf.pem" -o signed sign_dpa_apps
    run -11 dparun -d mlx5_0 host --rpc twice 4
    [[ $output == *UNSIGNED* ]]
    is signed twice 4 8
}

@test "fat objects and libraries serve each target that they were made for" {
    cp "$made/fat/"* .
    [ "$(section_of old.dpa.o .dpa_obj | head -c 8)" = NVDPAFBF ]
    dpacc old.dpa.o -o one.a
    dpacc old.dpa.o -o two.a -mcpu=cx8,bf3
    run -1 dpacc old.dpa.o -o out.a -mcpu=cx9
    [[ $output == "-E- old.dpa.o: not compiled for nv-dpa-cx9" ]]
    mv libx_device.a lib_device.a
    dpacc kernel.c -o three.a -device-libs="-L. -l:lib_device.a"
    nm three.a | grep -q ' U _dpacc_register_twice_twice$'
    run -1 dpacc kernel.c -o out.a lib_device.a -mcpu=cx7
    [[ $output == "-E- "*"lib_device.a: not compiled for nv-dpa-cx7" ]]
    no_output
}

@test "functions that differ from target to target are refused, and objects for a larger instruction set" {
    cat > k.c <<'END'
#if __NV_DPA == __NV_DPA_CX8
__dpa_global__ void f(int a) { (void)a; }
#else
__dpa_global__ void f(long a) { (void)a; }
#endif
END
    dpacc -c k.c -mcpu=cx8
    run -1 dpacc k.dpa.o -o out.a
    [[ $output == "-E- k.dpa.o: compiled for nv-dpa-cx8 or nv-dpa-cx9, cannot run on nv-dpa-bf3" ]]
    run -1 dpacc k.c -o out.a -mcpu=bf3,cx8 # the host has one side
    [[ $output == "-E- k.c: annotated functions or their types differ between bf3 and cx8; the host has one side for all targets" ]]
    no_output
}

@test "attributes from the YAML that DOCA's samples have reach their section" {
    ar x "$made/two.a"
    section_of hostStubs.o .dpa_proc_attr_fat >area
    # 24 bytes, 32 for each target, and 16 before each target's blob; the last blob ends the section.
    [ "$(head -c 28 area | xxd -p)" = 4e564450414642460100000002000000000000000000000002000000 ]
    tail -c "$(stat -c %s "$made/a.blob")" area | cmp - "$made/a.blob"
}

# ---- The kept files --------------------------------------------------------------------------------

# Like build scripts of DOCA's applications: compiles the kept stubs again as position-independent objects.
rebuild() {
    local source objects=()
    for source in "${@:3}"; do
        gcc -fPIC -D__DPA_OBJ_STUB_FILE__="\"$source.stub.inc\"" -I "$1" -I "$DPAKIT_BUILD/include" \
            -Wno-attributes -Wno-unused-parameter -Wno-return-type -c "$1/$source.dpa.host.c" \
            -o "$source.dpa.o"
        section_of "$source.dpa.o" .dpa_obj | cmp - "$1/$source.bf3.dpa.join.o"
        objcopy --remove-section=.dpa_obj "$source.dpa.o"
        objects+=("$source.dpa.o")
    done
    gcc -fPIC -D__DPA_EXEC_STUB_FILE__='"device_exec.stub.inc"' -I "$1" -I "$DPAKIT_BUILD/include" \
        -Wno-attributes -Wno-implicit-function-declaration -c "$1/$2.meta.c" -o "$2.meta.o"
    gcc -r -nostdlib "$2.meta.o" "${objects[@]}" -o hostStubs.o
    ar cr again.a hostStubs.o
}

@test "kept stubs of several sources make the program again, by hand" {
    rebuild "$made/k" demo add twice
    dpacc-extract again.a -o again.elf
    cmp again.elf "$made/k/device_exec.bf3"
    new_device mlx5_0
    is again.a twice 3 6
    echo 'int flexio_app_create(void*a,void**b){return 1;}int flexio_app_destroy(void*a){return 0;}
int flexio_func_pup_register(void){return 0;}' > f.c
    gcc -w -shared -fPIC f.c -Wl,--whole-archive again.a -Wl,--no-whole-archive -Wl,-z,text -o lib.so
    nm -D lib.so | grep -q ' T twice$'
}

@test "-keep beside a DPA object of the same name leaves it alone" {
    cp "$made/add.dpa.o" .
    dpacc add.dpa.o -o out.a -keep
    cmp "$made/add.dpa.o" add.dpa.o
    [ -f add.dpa.host.o ]
}

# ---- The commands ----------------------------------------------------------------------------------

# A shell that runs the commands which `dpacc ARGUMENTS -keep-dir k -dryrun` prints makes the same bytes as dpacc,
# which prints the same commands with -v, and hands that to compilers, which then make the same bytes.
same_when_pasted() {
    local outputs=$1 f
    shift
    mkdir made
    dpacc "$@" -keep-dir k -dryrun > commands
    for f in k $outputs; do [ ! -e "$f" ]; done
    dpacc "$@" -keep-dir k -v 2>log > said
    grep -vx 'mkdir -p k' commands | cmp - <(sed 's/ -v / /' said)
    for f in $outputs; do mv "$f" made/; done
    rm -r k
    bash -e commands 2>/dev/null
    for f in $outputs; do cmp "$f" "made/$f"; rm "$f"; done
    rm -r k
    [ -z "$(ls -A tmp)" ]
}
# The same, and without -keep-dir, where the commands make a folder of their own.
same_when_pasted_with_no_folder() {
    same_when_pasted "$@"
    dpacc "${@:2}" -dryrun > commands
    [ -z "$(ls -A tmp)" ]
    bash -e commands
    for f in $1; do cmp "$f" "made/$f"; done
    [ -z "$(ls -A tmp)" ]
}

@test "-dryrun does nothing but print, and the lines that it and -v print make the same fat program with attributes" {
    printf 'any bytes' > attributes
    same_when_pasted_with_no_folder out.a add.c twice.c -o out.a -mcpu=bf3,cx8 -dpa-proc-attr=attributes
}

@test "the printed lines make the same files, whatever the names have in them" {
    mkdir "it's \$here" "it's \$here/in c" "it's \$here/tmp"
    mv add.c "it's \$here/a \"d'd.c"
    cd "it's \$here"
    export TMPDIR=$PWD/tmp
    echo '#define ONE 1' > "in c/o ne.h"
    echo '#include "o ne.h"
__dpa_rpc__ unsigned long one(void) { return ONE; }' > 'on"e.c'
    ln -s "$(command -v gcc)" "my g'cc"
    same_when_pasted_with_no_folder "a'.a" "a \"d'd.c" 'on"e.c' -o "a'.a" -I "in c" -D'X="q, '"'"'\\" $HOME"' \
        -hostcc "./my g'cc" -devicecc-options="-DY='a b'"
    rm -r made
    same_when_pasted 'on"e.dpa.o' -c 'on"e.c' -I "in c" -hostcc "./my g'cc"
}

@test "the printed lines make the same libraries, from sources and objects" {
    same_when_pasted "x_host.a x_device.a" add.c "$made/twice.dpa.o" -o x -gen-libs
}

@test "the printed lines make the same shared library, with a library of one's own and -flto" {
    dpacc twice.c -o lib -gen-libs -flto
    same_when_pasted lib.so add.c -o lib.so -shared -flto -device-libs="-L. -l:lib_device.a"
    llvm-nm "$(dpacc-extract made/lib.so -o x.elf && echo x.elf)" | grep -q ' T twice$'
}

@test "-dryrun lists the commands of a source that is wrong, too" {
    echo 'int' > bad.c
    dpacc bad.c -o out.a -dryrun > commands
    no_output
    bash -n commands
    for tool in clang ld.lld gcc gcc-ar; do grep -q "^$tool " commands; done
}
