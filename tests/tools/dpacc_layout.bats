# Programs have the addresses, sections, headers and symbols of programs of NVIDIA's dpacc 1.10.

load ../helpers/device

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    new_device mlx5_0
    cat > k.c <<'END'
#include <stdint.h>

static uint64_t zeros[100];
uint64_t values[3] = {1, 2, 3};
uint32_t few = 5, none;
const char *const names[] = {"a", "b"};

__attribute__((noinline)) uint64_t seven(uint64_t a) { return a + 7; }
__attribute__((noinline)) uint64_t tenfold(uint64_t a) { return a * 10; }
__dpa_rpc__ uint64_t all(uint64_t a) { return zeros[a % 100]++ + values[a % 3] + few + none++ + names[a % 2][0]; }
__dpa_rpc__ uint64_t more(uint64_t a) { return seven(a); }
__dpa_global__ void kernel(uint64_t a) { zeros[tenfold(a) % 100] = 1; }
END
    dpacc k.c -o k.a -keep-dir k -mcpu=nv-dpa-bf3
    echo '__dpa_rpc__ unsigned long f(unsigned long a) { return a + 1; }' > bare.c
    dpacc bare.c -o bare.a -keep-dir bare -mcpu=bf3,cx7,cx8,cx9
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices
}

# Prints names, addresses of loaded sections and flags, without debug information.
sections() {
    readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] *//p' |
        awk '$1 !~ /^(NULL|Name|\.debug|\.comment|\.riscv|\.symtab|\.strtab|\.shstrtab)/ {print $1, $2, $3, $7}'
}

symbol() { readelf -sW "$1" | awk -v name="$2" '$8 == name {print "0x" $2}'; }

@test "sections are NVIDIA's, in their order, in every program" {
    order='.text .rodata .flexio_dev_ver .code_end .got.plt .got .data .flexio_os_ver .sdata .sbss .bss .dpa.attributes '
    for program in k bare; do
        sections "$f/$program/device_exec.bf3" > s
        [ "$(cut -d ' ' -f 1 s | tr '\n' ' ')" = "$order" ]
        grep -q '^.text PROGBITS 0000000040000000 AX$' s
        grep -q '^.got.plt PROGBITS 0000000080000000 WA$' s
        grep -qE '^.flexio_dev_ver PROGBITS 00000000400[0-9a-f]{5} A$' s
        grep -qE '^.flexio_os_ver PROGBITS 00000000800[0-9a-f]{5} WA$' s
        grep -qE '^.bss NOBITS 00000000800[0-9a-f]{5} WA$' s
        grep -q '^.dpa.attributes RISCV_ATTRIBUTE.* 0000000000000000 0$' s
    done
}

@test "three program headers: code, data, and the target's attributes" {
    for program in k bare; do
        readelf -hlW "$f/$program/device_exec.bf3" > h
        [ "$(sed -n 's/.*Number of program headers: *//p' h)" = 3 ]
        grep -qE 'Type: *EXEC' h
        grep -qE 'Flags: .*RVC, soft-float ABI' h
        grep -qE 'Entry point address: *0x40000000$' h
        grep -qE 'LOAD +0x001000 0x0000000040000000 .* R E 0x1000' h
        grep -qE 'LOAD +0x002000 0x0000000080000000 .* RW +0x1000' h
        grep -qE '(RISCV_ATTRIBUT|LOPROC\+0x3).* 0x0*13 R ' h
        grep -qE '^ *00 +.text .rodata .flexio_dev_ver' h
        grep -qE '^ *02 +.dpa.attributes' h
    done
}

@test "the attributes name the target" {
    for target in cx7=01 bf3=02 cx8=03 cx9=04; do
        llvm-objcopy --dump-section .dpa.attributes=attributes "$f/bare/device_exec.${target%=*}" copy
        [ "$(od -An -v -tx1 attributes | tr -d ' \n')" = "41120000006e766964696100010700000002${target#*=}" ]
    done
}

@test "symbols mark the ends of code, and where variables without values begin" {
    exe=$f/k/device_exec.bf3
    [ $(($(symbol $exe text_start))) -eq $((0x40000000)) ]
    [ $(($(symbol $exe text_end))) -gt $((0x40000000)) ]
    [ $(($(symbol $exe code_end))) -gt $(($(symbol $exe text_end))) ]
    sections $exe > s
    sbss=0x$(awk '$1 == ".sbss" {print $3}' s) sdata=0x$(awk '$1 == ".sdata" {print $3}' s)
    [ $(($(symbol $exe __bss_start))) -eq $((sbss)) ]
    [ $(($(symbol $exe '__global_pointer$'))) -eq $((sdata + 0x800)) ]
}

@test "version notes: FlexIO's version of each source and of the device libraries" {
    for part in dev os; do
        llvm-objcopy --dump-section .flexio_${part}_ver=$part "$f/k/device_exec.bf3" copy
    done
    [ "$(od -An -tx4 os | tr -d ' ')" = 1a04000000000000 ]
    [ "$(od -An -tx4 dev | tr -d ' ')" = 1a040000000000001a04000000000000 ]
    cp "$f/bare.c" other.c
    dpacc "$f/k.c" other.c -o two.a -keep-dir two
    llvm-objcopy --dump-section .flexio_dev_ver=dev two/device_exec.bf3 copy
    [ "$(wc -c < dev)" = 32 ]
}

@test "a program's own sections lie beside sections of the same kind, and it may define names of the layout itself" {
    cat > k.c <<'END'
#include <stdint.h>
__attribute__((section("own_const"))) const uint64_t constant[2] = {40, 1};
__attribute__((section("own_data"))) uint64_t variable = 1;
__attribute__((section("own_code"), noinline)) uint64_t own(uint64_t a) { return constant[0] + variable + a; }
__attribute__((weak)) extern uint64_t nowhere;
__dpa_rpc__ uint64_t f(uint64_t a) { variable++; return own(a) + (&nowhere ? nowhere : 0); }
END
    cat > names.c <<'END'
#include <stdint.h>
uint64_t text_start = 3, code_end;
uint64_t text_end(void) { return 4; }
__dpa_rpc__ uint64_t named(uint64_t a) { code_end = a; return text_start * text_end() + code_end; }
END
    dpacc k.c names.c -o k.a -keep-dir k
    [ "$(dparun k.a --rpc named 30)" = "result: 42 (0x2a)" ]
    [ "$(dparun k.a --rpc f 0)" = "result: 42 (0x2a)" ]
    readelf -lW k/device_exec.bf3 > h
    grep -qE '^ *00 .* own_code .* own_const' h
    grep -qE '^ *01 .* own_data' h
}

# A public script changes functions in a library of dpacc in this way: it searches the executable in the
# library, and takes code to start 4096 bytes after the start of the executable.
offset_of() { # LIBRARY EXECUTABLE FUNCTION
    python3 - "$@" "$(symbol "$2" "$3")" <<'END'
import subprocess, sys
library, executable = (open(path, "rb").read() for path in sys.argv[1:3])
text = subprocess.run(["readelf", "-SW", sys.argv[2]], capture_output=True, text=True).stdout
start = next(int(line.split("]")[1].split()[2], 16) for line in text.splitlines() if "] .text " in line)
print(library.index(executable) + 4096 + int(sys.argv[4], 16) - start)
END
}

@test "a script finds the bytes of a function, and replaces them" {
    cp "$f/k.a" patched.a
    dpacc-extract patched.a -o k.elf
    cmp k.elf "$f/k/device_exec.bf3"
    seven=$(offset_of patched.a k.elf seven) tenfold=$(offset_of patched.a k.elf tenfold)
    size=$(readelf -sW k.elf | awk '$8 == "tenfold" {print $3}')
    [ "$size" -le "$(readelf -sW k.elf | awk '$8 == "seven" {print $3 + 16}')" ]
    dd if="$f/k.a" of=patched.a bs=1 skip="$tenfold" seek="$seven" count="$size" conv=notrunc status=none
    [ "$(dparun "$f/k.a" --rpc more 5)" = "result: 12 (0xc)" ]
    [ "$(dparun patched.a --rpc more 5)" = "result: 50 (0x32)" ]
}

@test "symbols that only the link needs are removed, unless relocations use them" {
    cp "$f/k.c" .
    dpacc k.c -o k.a -keep-dir k --devicelink-options=--emit-relocs
    readelf -sW k/device_exec.bf3 | grep -q _dpacc_register_
    for exe in "$f"/k/device_exec.bf3 "$f"/bare/device_exec.bf3; do
        readelf -hSsW "$exe" >listed 2>warnings
        [ ! -s warnings ]
        awk '$1 ~ /^[1-9][0-9]*:$/ && NF < 8 { print; bad = 1 } END { exit bad }' listed
        ! grep _dpacc_register_ listed || false
        # The first global symbol is where the table says.
        first=$(readelf -SW "$exe" | awk '$3 == "SYMTAB" || $2 == ".symtab" { print $(NF - 1) }')
        [ "$(readelf -sW "$exe" | awk '$5 == "GLOBAL" || $5 == "WEAK" { sub(":", "", $1); print $1; exit }')" = "$first" ]
        llvm-objcopy "$exe" copy # which reads every table
    done
}

@test "the compiler's headers are found beside clang, and a wrapper is asked for them" {
    cp "$f/bare.c" k.c
    dpacc k.c -o k.a -dryrun >printed
    grep -q -- "-resource-dir $(clang -print-resource-dir) " printed
    printf '#!/bin/sh\necho "$*" >>"%s"\nexec clang "$@"\n' "$PWD/asked" >clang-wrapper
    chmod +x clang-wrapper
    DPA_CLANG=$PWD/clang-wrapper dpacc k.c -o k.a
    grep -qx -- -print-resource-dir asked
    dparun k.a --rpc f 41 | grep -q '42'
}

@test "host objects are archived by the compiler's ar, or by ar" {
    cp "$f/bare.c" k.c
    dpacc k.c -o k.a -dryrun | grep -q '^gcc-ar crD '
    DPA_HOST_AR=llvm-ar dpacc k.c -o k.a -dryrun | grep -q '^llvm-ar crD '
    mkdir bin && ln -s "$(command -v gcc)" bin/gcc # without gcc-ar beside it
    dpacc k.c -o k.a -hostcc="$PWD/bin/gcc" -dryrun | grep -q '^ar crD '
}
