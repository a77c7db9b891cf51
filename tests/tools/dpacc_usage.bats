# dpacc: wrong usage and bad files.

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup() {
    load ../helpers/dpacc.bash
    dpacc_setup
}
teardown() { end_background; }

@test "--version has three lines: dpakit's version in the first, in the last that of its options" {
    dpacc --version > v
    [ "$(wc -l < v)" -eq 3 ]
    [ "$(head -1 v)" = "dpacc: compiler driver of dpakit $(cat "$BATS_TEST_DIRNAME/../../VERSION") for DPA programs" ]
    [ "$(tail -1 v)" = "dpacc version 2.0.1" ]
    dpacc -V | cmp - v
}

@test "a build script that asks for the version takes ours, and knows that it is not a later one" {
    local v
    v=$(dpacc --version | grep version | sed 's/^.*version //')
    as_number() { awk -F'[.-]' '{printf "%04d%04d%04d%04d\n", $1, $2, $3, $4}' <<<"$1"; }
    for least in 1.6.0 1.12.0.26 2.0.1; do
        [ "$(printf '%s\n' "$least" "$v" | sort -V | head -1)" = "$least" ]
        [[ ! $(as_number "$v") < $(as_number "$least") ]]
    done
    [[ $(as_number "$v") < $(as_number 2.1.0) ]]
}

@test "--help lists the options" {
    dpacc -h | grep -q -- --devicecc-options
}

@test "libclang is loaded when a source is read, and not before" {
    LD_DEBUG=libs LD_DEBUG_OUTPUT=loaded dpacc --help >/dev/null
    run ! grep -l libclang loaded.*
    mkdir -p alone/bin
    cp "$(command -v dpacc)" alone/bin
    alone/bin/dpacc --help >/dev/null
    run -2 alone/bin/dpacc -step interface kernel.c out bf3 -- -I.
    [[ $output == "-E- the library that reads device sources cannot be loaded: $PWD/alone/lib/libdpakit-interface.so.1: "* ]]
}

@test "an unknown option is refused with the nearest one" {
    run -2 dpacc kernel.c -o out.a -hostc=gcc
    [[ $output == "-E- unknown option -hostc; did you mean -hostcc?" ]]
    no_output
    local slip # none of them is -o with the rest as its file
    for slip in -output:file -outputfile:file -output-libnam:libname; do
        run -2 dpacc kernel.c "${slip%:*}=out.a"
        [ "$output" = "-E- unknown option ${slip%:*}; did you mean -output-${slip#*:}?" ]
        [ "$(ls -A)" = "kernel.c
tmp" ]
    done
    dpacc kernel.c -oout.a -dryrun | grep -q ' out\.a\b'
}

@test "an option of a compiler gets a hint where it belongs" {
    local option
    for option in -O3 -O -Wall -fno-inline -ggdb -std=gnu11 -march=rv64i -UNDEBUG -isystem; do
        run -2 dpacc kernel.c -o out.a "$option"
        [ "$output" = "-E- unknown option ${option%%=*}; the DPA's compiler gets it with --devicecc-options=$option, the host's with --hostcc-options" ]
        no_output
    done
    run -2 dpacc kernel.c -o out.a -x9
    [ "$output" = "-E- unknown option -x9; see --help" ]
    run -2 dpacc kernel.c -o out.a -flot
    [ "$output" = "-E- unknown option -flot; did you mean -flto?" ]
    dpacc kernel.c -o out.a --devicecc-options=-O3 -dryrun | grep -q '^clang .* -O3 .*-c kernel\.c '
}

@test "a name that no C variable of a host program can have is refused" {
    local name
    for name in "" "a b" 1a a-b; do
        run -2 dpacc kernel.c -o out.a -app-name="$name"
        [ "$output" = "-E- -app-name: '$name' is not a name in C" ]
    done
    for name in int return main; do
        run -2 dpacc kernel.c -o out.a -app-name="$name"
        [ "$output" = "-E- -app-name: the host program cannot have a variable '$name'" ]
    done
    run -2 dpacc kernel.c -o out.a -app-name=_dpacc_x
    [ "$output" = "-E- -app-name: names that begin with _dpacc belong to the compiler" ]
    run -2 dpacc kernel.c -o out.a -app-name="$(printf 'a%.0s' {1..201})"
    [ "$output" = "-E- -app-name: longer than 200 characters" ]
    no_output
}

@test "missing output, sources or argument is refused" {
    run -2 dpacc kernel.c
    [[ $output == "-E- no output file given (option -o)" ]]
    run -2 dpacc -o out.a
    [[ $output == "-E- no source file given" ]]
    run -2 dpacc kernel.c -o
    [ "$output" = "-E- option -o needs an argument (FILE)" ]
    no_output
}

@test "an input that is neither source, library nor DPA object is named" {
    local kind="neither a C source (.c), a device library (.a) nor a DPA object: it has no section .dpa_obj"
    cp kernel.c kernel.cpp
    run -1 dpacc kernel.cpp -o out.a
    [[ $output == "-E- kernel.cpp: $kind" ]]
    echo "int x;" > x.c
    gcc -c x.c -o kernel.dpa.o
    for n in 0 1 63 64 200 600; do
        head -c $n kernel.dpa.o > cut.dpa.o
        run -1 dpacc cut.dpa.o -o out.a
        [[ $output == "-E- cut.dpa.o: $kind" ]]
    done
    run -1 dpacc kernel.dpa.o -o out.a
    [[ $output == "-E- kernel.dpa.o: $kind" ]]
    no_output
}

@test "an unknown target is refused with those that there are" {
    run -2 dpacc kernel.c -o out.a -mcpu=nv-dpa-bf3,nv-dpa-cx6
    [[ $output == "-E- -mcpu: unknown target 'nv-dpa-cx6'; known: nv-dpa-bf3, nv-dpa-cx7, nv-dpa-cx8, nv-dpa-cx9" ]]
    no_output
}

@test "modes that exclude each other, and what a mode does not take, are refused" {
    run -2 dpacc kernel.c -o out.a -c -gen-libs
    [[ $output == "-E- -c and -gen-libs exclude each other" ]]
    run -2 dpacc kernel.c -o out.a -gen-libs -shared
    [[ $output == "-E- -gen-libs and -shared exclude each other" ]]
    cp kernel.c other.c
    run -2 dpacc kernel.c other.c -c -o out.a
    [[ $output == "-E- -o with -c and several sources: which one would it be? leave -o out" ]]
    run -1 dpacc kernel.txt kernel.c -c
    [[ $output == "-E- kernel.txt: No such file or directory" ]]
    cp kernel.c kernel.txt
    run -2 dpacc kernel.txt -c
    [[ $output == "-E- kernel.txt: -c compiles C sources (.c) only" ]]
    mkdir d && cp kernel.c d
    run -2 dpacc kernel.c d/kernel.c -c
    [[ $output == "-E- kernel.dpa.o: two sources would make it; compile them apart" ]]
    run -2 dpacc kernel.c libdoca_dpa_dev.a -gen-libs -o x
    [[ $output == "-E- "*"libdoca_dpa_dev.a: -gen-libs takes sources and DPA objects" ]]
    [ -z "$(ls *.dpa.o x_* 2>/dev/null)" ]
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
    run -2 dpacc kernel.c kernel.c -o out.a
    [[ $output == "-E- kernel.c: given twice" ]]
    no_output
}

@test "a source that is not C, or truncated anywhere, gives an error or a program, never a crash" {
    head -c 3000 /dev/urandom > junk.c
    run -1 dpacc junk.c -o out.a
    no_output
    size=$(stat -c %s kernel.c)
    for n in $(seq 1 17 "$size"); do head -c "$n" kernel.c > "cut$n.c"; done
    run dpacc -c cut*.c
    [ "$status" -le 1 ]
    [[ $output != *"ended by signal"* ]]
}

@test "a host compiler that cannot be run is refused" {
    local cc
    for cc in /no/such/gcc no-such-gcc "$PWD/kernel.c" "$PWD"; do
        run -2 dpacc kernel.c -o out.a -hostcc="$cc"
        [ "$output" = "-E- -hostcc: the host compiler '$cc' cannot be run; give its path" ]
    done
    no_output
}

@test "the largest source is compiled first: what takes long must not begin last" {
    cat > logging <<'END'
#!/bin/sh
for word; do [ "$before" != -c ] || echo "$word" >> log; before=$word; done
exec clang "$@"
END
    chmod +x logging
    echo '__dpa_global__ void small(void) {}' > small.c
    { cat kernel.c; printf '/* %02000d */\n' 1 2 3; } > large.c
    sed -i s/hello_world_kernel/other_kernel/ kernel.c
    DPA_CLANG=$PWD/logging dpacc -c small.c kernel.c large.c -j1
    [ "$(grep -v dpa.device log | tr '\n' ' ')" = "large.c kernel.c small.c " ]
    [ "$(tail -n 3 log | grep -c 'dpa\.device\.c$')" -eq 3 ]
}

@test "a host compiler that fails is a tool's failure: exit code 2, and its command line with -v" {
    run -2 dpacc kernel.c -o out.a -hostcc=false
    [ "$output" = "-E- host compile of generated code: false failed with exit code 1" ]
    run -2 dpacc -v kernel.c -o out.a -hostcc=false
    [[ $output == *"-E- host compile of generated code: false failed with exit code 1"*"false "* ]]
    no_output
}

@test "a device compiler that is not there is a tool's failure" {
    DPA_CLANG=/no/clang run -2 dpacc kernel.c -o out.a
    [[ $output == "-E- device compiler: /no/clang: cannot be run: No such file or directory"* ]]
    no_output
}

@test "an output that cannot be written is refused" {
    run -1 dpacc kernel.c -o none/out.a
    [[ $output == "-E- none/out.a: output directory 'none': No such file or directory" ]]
    mkdir out.d
    run -1 dpacc kernel.c -o out.d
    [[ $output == "-E- out.d: Is a directory" ]]
    cp kernel.c same.c
    run -2 dpacc same.c -o same.c
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
exec sleep 600
END
    chmod +x slow
    in_background dpacc kernel.c -o out.a -hostcc=./slow
    pid=$!
    await test -e started
    [ -n "$(ls -A tmp)" ]
    kill -TERM $pid
    code=0
    wait $pid || code=$?
    [ $code -eq 143 ]
    no_output
}

@test "a device compiler that hangs can be interrupted" {
    printf '#!/bin/sh\ntouch started\nexec sleep 600\n' > slow
    chmod +x slow
    DPA_CLANG=./slow in_background dpacc kernel.c -o out.a
    pid=$!
    await test -e started
    kill -INT $pid 2>/dev/null; kill -TERM $pid
    code=0
    wait $pid || code=$?
    [ $code -eq 143 ]
    no_output
}

@test "a C++ compiler may compile the host's side" {
    command -v g++ >/dev/null || skip "no g++ here"
    local compiler
    for compiler in g++ clang++; do
        dpacc "$data/args_dev.c" -o out.a -hostcc=$compiler -hostcc-options="-std=c++17 -Wall"
    done
}

@test "a temporary directory that cannot be made is refused" {
    TMPDIR=$PWD/none run -1 dpacc kernel.c -o out.a
    [[ $output == "-E- $PWD/none: cannot create a temporary directory: No such file or directory" ]]
}
