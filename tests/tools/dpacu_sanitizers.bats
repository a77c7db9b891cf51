# dpacu -fsanitize=address,undefined: errors of kernels are found, with kernel, block, thread and line
# (tests/host/cuda/sanitizers.cu), and other kernels run as before. Runs only on the plain build, as dpacu does.

bats_require_minimum_version 1.5.0

sources() { echo "$BATS_TEST_DIRNAME/../host/cuda"; }

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    dpacu -O2 -fsanitize=address "$(sources)/sanitizers.cu" -o address &
    dpacu -O2 -fsanitize=undefined "$(sources)/sanitizers.cu" -o undefined &
    dpacu -O0 -fsanitize=address,undefined "$(sources)/sanitizers.cu" -o both
    wait %1 && wait %2
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    export ASAN_OPTIONS=detect_leaks=0
}

at() { echo "sanitizers.cu:$(grep -n "/\* $1 \*/" "$(sources)/sanitizers.cu" | cut -d: -f1)"; }

# PROGRAM KERNEL N COMMENT TEXT: the kernel is stopped in a thread of any block, with the text.
stops() {
    run -1 "./$1" "$2" "$3"
    [[ $output == *"dpakit: GPU: kernel $2(int*, int), block ("?",0,0), thread ("?",0,0), "*"$(at "$4"): $5"* ]]
    [[ $output != *cudaSuccess* ]]
}

runs() {
    run -0 "./$1" "$2" "$3"
    [ "$output" = cudaSuccess ]
}

@test "an access behind allocated memory is reported" {
    runs address heap 1
    stops address heap 2 HEAP "writes 4 bytes 0 bytes after the end of an allocation of 36 bytes"
    [[ $output == *"thread (7,0,0)"* ]]
    stops address heap 3000 HEAP "writes 4 bytes 119"
    runs address copies 9
    stops address copies 10 COPIES "writes "
    stops both heap 2 HEAP "writes 4 bytes 0 bytes after the end of an allocation of 36 bytes"
}

@test "an access behind a variable in shared memory is reported" {
    runs address shared 0
    stops address shared 1 SHARED "reads 4 bytes at offset 32 of shared memory, where the kernel has no variable"
    stops address shared 8 SHARED "reads 4 bytes at offset "
    runs address dynamic 1
    stops address dynamic 2 DYNAMIC "writes 4 bytes at offset "
}

@test "an access behind a variable of the device is reported" {
    for variable in variable constants; do
        runs address $variable 0
        stops address $variable 1 "${variable^^}" ""
        [[ $output == *"s 4 bytes 0 bytes after the end of a variable of 32 bytes"* ]]
    done
}

@test "an access behind an array of a thread is reported, although threads share a worker" {
    runs address stack 0
    stops address stack 1 STACK "writes 4 bytes on the thread's stack, where no variable is (stack-buffer-overflow)"
    DPAKIT_GPU_WORKERS=1 stops address stack 1 STACK "writes 4 bytes on the thread's stack"
}

@test "undefined behaviour is reported" {
    runs undefined overflow 2
    stops undefined overflow 3 OVERFLOW "signed integer overflow: 2147483632 + "
    runs undefined shift 30
    stops undefined shift 32 SHIFT "shift exponent 32 is too large for 32-bit type 'int'"
    stops undefined shift -1 SHIFT "shift exponent -1 is negative"
    stops undefined divide 2 DIVIDES "division by zero"
    runs undefined misaligned 4
    stops undefined misaligned 3 MISALIGNED "load of misaligned address 0x"
    stops undefined stack 1 STACK "index 4 out of bounds for type 'int[4]'"
    stops both overflow 3 OVERFLOW "signed integer overflow: 2147483632 + "
}

@test "host code is checked, too" {
    cat >"$BATS_TEST_TMPDIR/host.cu" <<'END'
#include <stdlib.h>
int main(int argc, char **argv) { volatile char *at = (volatile char *)malloc(argc); at[argc] = 1; return 0; }
END
    dpacu -fsanitize=address "$BATS_TEST_TMPDIR/host.cu" -o "$BATS_TEST_TMPDIR/host"
    run -1 "$BATS_TEST_TMPDIR/host"
    [[ $output == *heap-buffer-overflow* && $output != *"dpakit: GPU"* ]]
}

@test "kernels without an error run with both checks, and faults are reported as without them" {
    for program in compute threads streams groups ptx faults; do
        dpacu -O2 -fsanitize=address,undefined "$(sources)/$program.cu" -o "$BATS_TEST_TMPDIR/$program" &
        compilers+=" $!"
    done
    for compiler in $compilers; do wait "$compiler"; done
    cd "$BATS_TEST_TMPDIR"
    for program in compute threads streams groups ptx; do
        run -0 --separate-stderr "./$program"
        [ -z "$stderr" ]
        DPAKIT_GPU_WORKERS=1 "./$program"
    done
    for fault in write diverge assert trap recurse; do
        run -0 ./faults "$fault"
        [[ $output == *"dpakit: GPU: kernel "*"after reset: cudaSuccess"* && $output != *AddressSanitizer* ]]
    done
}

@test "sanitizers that cannot be combined are refused" {
    run -2 dpacu -fsanitize=address,thread "$(sources)/sanitizers.cu" -o "$BATS_TEST_TMPDIR/none"
    [[ $output == *"option -fsanitize: thread and address cannot be combined"* ]]
}
