# dpacc: annotated static functions, which occur in published device code.

bats_require_minimum_version 1.5.0

setup() {
    load ../helpers/dpacc.bash
    dpacc_setup
    mkdir sub
    cat >sub/in.h <<'END'
#include "beside.h"
static unsigned long thrice(unsigned long a);
__dpa_rpc__ static unsigned long thrice(unsigned long a) { return 3 * a; }
END
    echo 'static inline unsigned long one(void) { return 1; }' >sub/beside.h
    cat >k.c <<'END'
#include "sub/in.h"
/* static */ static unsigned long plain(unsigned long a) { return a + one(); }
__dpa_rpc__ static unsigned long twice(unsigned long a)
{
    return 2 * plain(a);
}
static __dpa_rpc__ unsigned long line(void) { return __LINE__; }
END
}

# result ARCHIVE FUNCTION ARGUMENT... EXPECTED
result() {
    local archive=$1 expected=${*: -1}
    shift
    run -0 dparun "$archive" --rpc "${@:1:$#-1}"
    echo "$output"
    [[ $output == "result: $expected "* ]]
}

@test "static entry functions run, of the source and of a header" {
    new_device mlx5_0
    for options in "" -flto; do
        dpacc k.c -o out.a $options -keep-dir k
        result out.a twice 4 10
        result out.a thrice 5 15
        result out.a line 7
        llvm-nm k/device_exec.bf3 | grep -q ' T twice$'
        ! llvm-nm k/device_exec.bf3 | grep -q ' T plain$' || false
    done
    dpacc "$PWD/k.c" -o out.a -mcpu=cx8,bf3
    result out.a thrice 5 15
    dpacc -c sub/../k.c
    dpacc k.dpa.o -o out.a
    result out.a twice 1 4
}

@test "lines and columns are those of the source" {
    sed -i 's/2 \* plain/WRONG * plain/' k.c
    run -1 dpacc k.c -o out.a
    echo "$output"
    [[ $output == *"k.c:5:12: error: use of undeclared identifier 'WRONG'"* ]]
    sed -i 's/WRONG/2/' k.c
    dpacc k.c -o out.a -keep-dir k
    llvm-dwarfdump k/device_exec.bf3 >dwarf
    grep -q 'DW_AT_name.*"k.c"' dwarf
    ! grep -qF -e .inc -e "$PWD" dwarf || false
}

@test "a long table before them does no harm" {
    { printf 'static const int table[] = {'; seq -s, 20000; printf '};\n'; } >table.c
    echo '__dpa_rpc__ static unsigned long at(unsigned i) { return (unsigned long)table[i]; }' >>table.c
    dpacc table.c -o out.a
    new_device mlx5_0
    result out.a at 19999 20000
}

@test "the directory may have a name with anything in it" {
    mkdir 'it"s \here'
    cp -r k.c sub 'it"s \here'
    cd 'it"s \here'
    dpacc k.c -o out.a
    cd ..
    ln -s 'it"s \here' link
    cd link
    dpacc k.c -o out.a
    new_device mlx5_0
    result out.a twice 4 10
}

@test "the printed lines make the same program" {
    dpacc k.c -o out.a -dryrun >commands
    dpacc k.c -o out.a
    mv out.a made.a
    bash -e commands
    cmp out.a made.a
}

@test "two static entry functions with the same name are reported" {
    cp k.c l.c
    run -1 dpacc k.c l.c -o out.a
    echo "$output"
    [[ $output == *twice* ]]
}

@test "a function whose word static comes from a macro is refused" {
    refused "bad.c:2: f: an annotated function cannot be static by a macro; write the word, or remove it" <<'END'
#define LOCAL static
__dpa_global__ LOCAL void f(void) {}
END
}
