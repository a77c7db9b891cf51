# dpacc: errors in programs, and their messages.

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/terminal.bash"

setup() {
    load ../helpers/dpacc.bash
    dpacc_setup
}

@test "what a function with an annotation may not be" {
    wrong 'bad.c:2: f: a __dpa_global__ function returns void; use __dpa_rpc__ to return a value' <<'END'

__dpa_global__ int f(void) { return 1; }
END
    wrong 'bad.c:1: f: a __dpa_rpc__ function returns uint64_t; change its return type' <<'END'
__dpa_rpc__ unsigned f(void) { return 1; }
END
    wrong 'bad.c:1: f: both __dpa_global__ and __dpa_rpc__; keep one' <<'END'
__dpa_global__ __dpa_rpc__ unsigned long f(void) { return 1; }
END
    wrong "bad.c:1: f: an annotated function cannot be inline; remove 'inline'" <<'END'
__dpa_global__ inline void f(void) {}
END
    wrong 'bad.c:1: f: an annotated function cannot be hidden; the runtime looks it up by name' <<'END'
__attribute__((visibility("hidden"))) __dpa_global__ void f(void) {}
END
    wrong 'bad.c:2: f: an annotated function cannot have another name for the linker; remove __asm__' <<'END'
__dpa_global__ void f(void) __asm__("g");
void f(void) {}
END
    wrong 'bad.c:1: main: the host program has a function main of its own; rename it' \
        <<<'__dpa_global__ void main(void) {}'
    local long
    long=$(printf 'a%.0s' {1..201})
    wrong "bad.c:1: $long: the name is longer than 200 bytes; shorten it" \
        <<<"__dpa_global__ void $long(void) {}"
    wrong 'bad.c:1: _dpacc_x: names that begin with _dpacc belong to the compiler; rename it' <<'END'
int _dpacc_x;
__dpa_global__ void f(void) {}
END
    all_refused
}

@test "a source without entry function is refused" {
    refused 'bad.c: no function that is defined here is marked __dpa_global__ or __dpa_rpc__, so the host could call none' <<<'int f(void) { return 1; }'
    refused 'bad.c: no function that is defined here is marked __dpa_global__ or __dpa_rpc__, so the host could call none' </dev/null
    refused 'bad.c: no function that is defined here is marked __dpa_global__ or __dpa_rpc__, so the host could call none' \
        <<<'__dpa_global__ void f(int a);'
}

@test "what arguments may not be" {
    wrong "bad.c:1: f: argument 2 'p': is a pointer; pass the address as uint64_t" <<'END'
__dpa_global__ void f(int a, int *p) { *p = a; }
END
    wrong "bad.c:1: f: argument 1 'v': is an array; put it into a structure, or pass its address as uint64_t" <<'END'
__dpa_global__ void f(int v[4]) { v[0] = 1; }
END
    wrong "bad.c:3: f: argument 2 'a': its type has a pointer in it; make that member a uint64_t; see bad.c:1, 'call'" <<'END'
struct in { int n; void (*call)(int); } __dpa_global__;
union u { struct in in[2]; } __dpa_global__;
__dpa_global__ void f(int n, union u a) { (void)a; (void)n; }
END
    wrong "bad.c:1: f: more than 32 parameters; put some into a structure" \
        <<<"__dpa_global__ void f($(seq -f 'int a%g' -s ', ' 33)) {}"
    wrong "bad.c:2: f: its arguments take more than 16384 bytes; pass the address of DPA memory that the host copied them to" <<'END'
struct s { char a[16384]; } __dpa_global__;
__dpa_global__ void f(struct s a, char b) {}
END
    wrong 'bad.c:1: f: variable arguments cannot be passed; name every parameter' <<'END'
__dpa_global__ void f(int a, ...) { (void)a; }
END
    wrong "bad.c:2: f: argument 1 'a': has a type of yours that is not annotated; write __dpa_global__ after the closing brace of its definition" <<'END'
struct s { int a; };
__dpa_global__ void f(struct s a) { (void)a; }
END
    for end in '[]' '[0]'; do
        wrong "bad.c:2: f: argument 1 'a': its type ends in a flexible array, which cannot be passed by value; see bad.c:1, 'v'" <<END
struct s { int n; int v$end; } __dpa_global__;
__dpa_global__ void f(struct s a) { (void)a; }
END
    done
    all_refused
}

@test "floating point and thread-local variables are refused with their lines" {
    echo 'static inline int twice(int a, double b) { return (int)(a * b); }' > inline.h
    wrong "bad.c:1: thread-local variables do not exist on the DPA; use the thread's local storage" <<'END'
_Thread_local int t;
__dpa_global__ void f(void) { t = 1; }
END
    wrong 'bad.c:4: g: floating point is not available on the DPA' <<'END'
static int g(int a)
{
    (void)a;
    return (int)(a * 1.5);
}
__dpa_global__ void f(int a) { g(a); }
END
    wrong 'bad.c:1: floating point is not available on the DPA' <<<'float v; __dpa_global__ void f(void) {}'
    wrong "bad.c:1: f: argument 1 'x': floating point is not available on the DPA; see bad.c:1, 'd'" <<<'__dpa_global__ void f(struct { double d; } __dpa_global__ x) {}'
    wrong "bad.c:1: f: argument 1 'd': floating point is not available on the DPA" \
        <<<'__dpa_global__ void f(double d) {}'
    wrong 'bad.c:2: f: floating point is not available on the DPA' <<'END'
#include "inline.h"
__dpa_rpc__ unsigned long f(int a) { return (unsigned long)twice(a, 2); }
END
    all_refused
}

@test "long names, 32 parameters, 16384 bytes, errno, and floating point in headers that no code calls are accepted" {
    echo "__dpa_global__ void $(printf 'a%.0s' {1..200})(void) {}" > name.c
    echo "__dpa_global__ void parameters($(seq -f 'int a%g' -s ', ' 32)) {}" > parameters.c
    echo 'struct s { char a[16384]; } __dpa_global__;
__dpa_global__ void bytes(struct s a) {}' > bytes.c
    echo 'double unused(double);
static inline int twice(int a, double b) { return (int)(a * b); }' > h.h
    echo '#include <errno.h>
#include <stdlib.h>
#include "h.h"
__dpa_rpc__ unsigned long f(int a) { return (unsigned long)(a == EINVAL); }' > headers.c
    dpacc name.c parameters.c bytes.c headers.c -o k.a
}

@test "one function in two sources is refused, with both places" {
    cp kernel.c other.c
    run -1 dpacc kernel.c other.c -o out.a
    [[ $output == "-E- other.c:2: hello_world_kernel: already defined at kernel.c:2; rename one" ]]
    no_output
}

@test "a program named like its function is refused" {
    run -1 dpacc kernel.c -o out.a -app-name hello_world_kernel
    [ "$output" = "-E- kernel.c:2: hello_world_kernel: also the name of the program; give another with -app-name" ]
    no_output
}

@test "a function named like one of the host's C library is warned of" {
    echo '__dpa_global__ void send(int a) { (void)a; }
__dpa_global__ void pow(void) {}
__dpa_global__ void send_it(int a) { (void)a; }' > k.c
    dpacc -c k.c 2> said
    what="takes the place of the C library's function in the whole host program; rename it"
    printf -- "-W- k.c:1: send: $what\n-W- k.c:2: pow: $what\n" | cmp - said
    echo '__dpa_global__ void listen(void) {}' > more.c
    dpacc k.dpa.o more.c -o k.a 2> said
    echo "-W- more.c:1: listen: $what" | cmp - said
}

@test "every wrong function is reported at once" {
    cat > bad.c <<'END'
__dpa_global__ int f(void) { return 1; }
__dpa_rpc__ void g(void) {}
END
    run -1 dpacc bad.c -o out.a
    [ "$output" = "-E- bad.c:1: f: a __dpa_global__ function returns void; use __dpa_rpc__ to return a value
-E- bad.c:2: g: a __dpa_rpc__ function returns uint64_t; change its return type" ]
    no_output
}

@test "annotations work before a definition, on a prototype, after a body and on a typedef" {
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

@test "the compiler reports an option that it does not know, exit code 1" {
    cp kernel.c bad.c
    run -1 dpacc bad.c -o out.a -devicecc-options=-mcpu=nv-dpa-bf3 # the guide's, in the wrong place
    [[ $output == *"error: "*"nv-dpa-bf3'"* ]]
    [[ $output == *"-E- device compile: clang failed with exit code 1"* ]]
    no_output
}

@test "an option with which a compiler makes no object is refused" {
    local option
    for option in -E -S -M -MM -fsyntax-only --version; do
        run -2 dpacc kernel.c -o out.a -devicecc-options="-Wall $option"
        [ "$output" = "-E- -devicecc-options: with $option the compiler makes no object" ]
        run -2 dpacc kernel.c -o out.a -hostcc-options="-Wall $option"
        [ "$output" = "-E- -hostcc-options: with $option the compiler makes no object" ]
    done
    no_output
}

@test "the linker reports an undefined function, exit code 1" {
    cat > bad.c <<<'void nowhere(void); __dpa_global__ void f(void) { nowhere(); }'
    run -1 dpacc bad.c -o out.a
    [[ $output == *"undefined symbol: nowhere"*"-E- device link: ld.lld failed"* ]]
    no_output
}

@test "a program larger than the DPA's addresses is refused, not built" {
    echo 'static char most[1023u << 20]; __dpa_rpc__ unsigned long f(unsigned a) { return ++most[a]; }' > k.c
    dpacc k.c -o k.a
    sed 's/1023u/1024u/' k.c > bad.c
    run -1 dpacc bad.c -o out.a
    [[ $output == *"error: the program's variables take more than 1 GiB"* ]]
    no_output
    echo '__asm__(".section .rodata.most, \"a\", @nobits\n.zero 1 << 30\n.text");
        __dpa_rpc__ unsigned long f(unsigned a) { return a; }' > bad.c
    run -1 dpacc bad.c -o out.a
    [[ $output == *"error: the program's code and constants take more than 1 GiB"* ]]
    no_output
}

@test "a function that the C library of the DPA does not have is reported with the line that uses it" {
    local use function
    for use in 'errno.h:errno' 'string.h:strtok(0, " ") != 0' 'stdlib.h:malloc(1) != 0' \
        'stdio.h:fopen("x", "r") != 0' 'time.h:time(0)' 'stdlib.h:rand()'; do
        function=${use#*:} function=${function%%(*}
        echo "#include <${use%%:*}>
__dpa_rpc__ unsigned long f_$function(void) { return (unsigned long)(${use#*:}); }" > "$function.c"
    done
    run -1 dpacc errno.c strtok.c malloc.c fopen.c time.c rand.c -o out.a
    for function in errno strtok malloc fopen time rand; do
        [[ $output == *"ld.lld: error: undefined symbol: $function"$'\n'*"$function.c:2"*"-E- device link: ld.lld failed with exit code 1" ]]
    done
    no_output
}

@test "every wrong function is reported in one run, and errors in shared headers once" {
    echo '__dpa_global__ int shared(void) { return 1; }' > h.h
    echo '#include "h.h"' > one.c
    echo '#include "h.h"' > two.c
    run -1 dpacc one.c two.c -o out.a
    [[ $output == "-E- ./h.h:1: shared: a __dpa_global__ function returns void; use __dpa_rpc__ to return a value" ]]
    no_output
}

@test "the compiler's messages have colours on a terminal, and none elsewhere" {
    need_terminal
    echo '__dpa_global__ void f(void) { return 1 }' > bad.c
    TERM=xterm run script -qec 'dpacc bad.c -o out.a' /dev/null
    [[ $output == *$'\e['*error*"expected"* ]]
    run -1 dpacc bad.c -o out.a
    [[ $output != *$'\e['* ]]
}

@test "the compiler reports a syntax error; with -v a failing tool's command line can be pasted and fails alike; without it there is none" {
    echo '__dpa_global__ void f(void) { int x = "a b" }' > bad.c
    run -1 dpacc bad.c -o out.a -devicecc-options="'-DX=a b'"
    [[ $output == *"bad.c:1:"*"error: expected ';'"*"-E- device compile: clang failed with exit code 1"* ]]
    [[ $output != *"clang -"* && $output != *"-c bad.c "* ]]
    run -1 dpacc bad.c -o out.a -devicecc-options="'-DX=a b'" -v
    line=$(sed -n 's/^    clang /clang /p' <<<"$output")
    [[ $line == *"'-DX=a b'"* ]]
    [[ $line == *"-c bad.c "* ]]
    no_output
    first=$(grep 'error:' <<<"$output")
    run ! bash -c "${line//$PWD\/tmp\/dpacc_??????/$PWD/tmp}"
    [ "$(grep 'error:' <<<"$output")" = "$first" ]
}

@test "the host linker reports two programs with the same name" {
    echo '__dpa_global__ void one(void) {}' > one.c
    echo '__dpa_global__ void two(void) {}' > two.c
    dpacc one.c -o one.a -app-name same
    dpacc two.c -o two.a -app-name same
    echo 'void one(void), two(void); int main(void) { one(); two(); return 0; }' > host.c
    run ! gcc host.c one.a two.a -o host
    [[ $output == *"multiple definition of"*same* ]]
}

@test "source files with the same name and different functions are accepted; the same source twice is refused" {
    run -2 dpacc kernel.c kernel.c -o out.a
    [[ $output == "-E- kernel.c: given twice" ]]
    no_output
}

@test "a crash of libclang names the file, and leaves nothing" {
    printf '#pragma clang __debug llvm_fatal_error\n__dpa_global__ void f(void) {}\n' >bad.c
    run -1 dpacc bad.c -o out.a
    [[ $output == *"-E- interface: bad.c: ended by signal 6 (Aborted); memory may have run out"* ]]
    [[ $output != *"libclang: crash detected"* ]]
    no_output
    [ -z "$(ls -A tmp)" ]
}

@test "with little memory, dpacc succeeds or reports that memory is exhausted, and leaves no file" {
    case $DPAKIT_BUILD in */sanitize) skip "AddressSanitizer needs more than can be denied" ;; esac
    ulimit -c 0
    { echo '#include <doca_dpa_dev.h>'
      seq -f 'static uint64_t f%.0f(uint64_t a) { struct s { uint64_t x, y; } s = {a, a}; return s.x + s.y; }' 8000
      echo '__dpa_global__ void f(uint64_t a) { (void)f1(a); }'; } >bad.c
    failed=0
    for ((limit = 150000; limit < 1000000; limit += 15000)); do
        rm -f out.a
        code=0
        (ulimit -v $limit && timeout 100 dpacc bad.c -o out.a -devicecc-options=-Wno-unused-function) >said 2>&1 || code=$?
        [ $code -ne 0 ] || break
        tail -n 3 said
        [ ! -e out.a ]
        rm -rf tmp/*
        grep -q 'error while loading shared libraries' said && continue # before anything begins
        [ $code -eq 1 ] || [ $code -eq 2 ]
        [ "$(grep -c '^-E- ' said)" -eq 1 ]
        failed=$((failed + 1))
    done
    [ -e out.a ]
    [ $failed -gt 0 ]
}
