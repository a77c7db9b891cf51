# What `make`, `bootstrap` and `bench/run` promise to a builder: any compiler works, all machines
# make the same bytes, files are hardened, and an unknown target is named in the error.

bats_require_minimum_version 1.5.0

# The tests that make a few objects share a copy of the tree. Each has its own folder of objects.
setup_file() {
    top=$BATS_TEST_DIRNAME/../..
    copy_tree "$BATS_FILE_TMPDIR/tree"
}

setup() {
    top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR"
    built_with=${CFLAGS:-}
    unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CC CFLAGS LDFLAGS SANITIZE # of a make around the tests
    # The tree was built by this compiler (first word of its flags).
    cc=$(cut -d: -f1 "$DPAKIT_BUILD/obj/flags")
}

# A copy of what git tracks, as it lies here; a tree without git is copied whole.
copy_tree() { # TO
    mkdir -p "$1"
    if git -C "$top" rev-parse >/dev/null 2>&1; then
        (cd "$top" && git ls-files -z | xargs -0 -r tar cf - --ignore-failed-read) | tar xf - -C "$1"
    else
        (cd "$top" && tar cf - --exclude=./build .) | tar xf - -C "$1"
    fi
}

@test "a change of CC, CFLAGS or LDFLAGS builds again, nothing else does" {
    cd "$BATS_FILE_TMPDIR/tree"
        object=build/changed/obj/lib/base/text.o
    make B=build/changed CC=gcc CFLAGS=-O2 $object
    make -q B=build/changed CC=gcc CFLAGS=-O2 $object
    run ! make -q B=build/changed CC=gcc CFLAGS=-O1 $object
    run ! make -q B=build/changed CC=gcc CFLAGS=-O2 LDFLAGS=-Wl,-O1 $object
    make B=build/changed CC=clang CFLAGS=-O2 $object
    readelf -p .comment $object | grep clang
    run ! make -q B=build/changed CC=gcc CFLAGS=-O2 $object
}

@test "an archive loses the object of a source that is removed" {
    cd "$BATS_FILE_TMPDIR/tree"
    echo 'int dpk_extra(void); int dpk_extra(void) { return 1; }' >lib/base/extra.c
    make CC="$cc" build/obj/libdpkbase.a
    ar t build/obj/libdpkbase.a | grep -x extra.o
    rm lib/base/extra.c
    make CC="$cc" build/obj/libdpkbase.a
    run ! grep -x extra.o <(ar t build/obj/libdpkbase.a)
}

@test "clang takes every option that the interpreter and the hardening are given" {
    cd "$BATS_FILE_TMPDIR/tree"
    make CC=clang B=build/clang build/clang/obj/runtime/engine/rv64/run.o build/clang/obj/lib/base/buf.o
}

@test "a folder may have spaces and a quote in its name" {
    copy_tree "it's a folder"
    make -C "it's a folder" CC="$cc" build/obj/libdpkbase.a build/obj/tests/helpers/cut_shim.so \
        build/lib/libflexio-libc.a
    readelf -hW "it's a folder/build/obj/tests/helpers/cut_shim.so" | grep 'DYN'
}

@test "without an optimizer, and with a FORTIFY level of the caller's, it compiles" {
    cd "$BATS_FILE_TMPDIR/tree"
    make CC=gcc B=build/plain CFLAGS='-O0 -g' build/plain/obj/lib/base/buf.o
    make CC=gcc B=build/plain CFLAGS='-O2 -D_FORTIFY_SOURCE=1' build/plain/obj/lib/base/buf.o
}

@test "the same source in another folder makes the same bytes" {
    case $DPAKIT_BUILD in
    */build) ;;
    *) skip "the plain build compares" ;;
    esac
    [ -z "${DPAKIT_TEST_SYSTEM:-}${DPAKIT_TEST_ALL:-}" ] || skip "deb.bats compares two builds with DPAKIT_TEST_ALL=1"
    copy_tree a/longer/name/of/a/folder
    make -C a/longer/name/of/a/folder -j"$(nproc)" CC="$cc" ${built_with:+CFLAGS="$built_with"} >log
    diff -r --exclude=obj --exclude=deb --exclude=bench --exclude=fuzz --exclude=sanitize --exclude=tsan \
        --exclude=cross --exclude=clang --exclude=coverage --exclude=lines \
        --exclude=api.sum --exclude=tests.sum --exclude=tests.xml "$DPAKIT_BUILD" a/longer/name/of/a/folder/build
}

@test "the system's libibverbs is found after an installed dpakit that LIBRARY_PATH names" {
    LIBRARY_PATH=$DPAKIT_BUILD/lib make -C "$top" -s --no-print-directory \
        --eval 'show: ; @echo $(SYSTEM_LIBDIR)' show >found
    [ -e "$(cat found)/libibverbs.so.1" ]
    ! cmp "$(cat found)/libibverbs.so.1" "$DPAKIT_BUILD/lib/libibverbs.so.1" || false
}

@test "a device program names no folder that it was built in" {
    for dir in one another; do
        mkdir $dir
        printf '#include <stdint.h>\n__dpa_rpc__ uint64_t f(uint64_t a) { return a; }\n' >$dir/k.c
        (cd $dir && dpacc k.c -o k.a -hostcc=gcc && dpacc-extract k.a -o k.elf)
    done
    cmp one/k.a another/k.a
    run ! grep -aF "$BATS_TEST_TMPDIR" one/k.elf
    run ! grep -aF "$top" one/k.elf
}

@test "programs and libraries are hardened" {
    case $DPAKIT_BUILD in
    */build) ;;
    *) skip "sanitizers stand for it in their builds" ;;
    esac
    grep -q -- '-D_FORTIFY_SOURCE' "$DPAKIT_BUILD/obj/flags" || skip "built without an optimizer"
    for file in "$DPAKIT_BUILD"/bin/* "$DPAKIT_BUILD"/lib/*.so; do
        echo "$file"
        readelf -hW "$file" | grep -q 'Type: *DYN'
        readelf -lW "$file" | grep -q GNU_RELRO
        readelf -lW "$file" | grep 'GNU_STACK.*RW '
        readelf -dW "$file" | grep -q BIND_NOW
        [ -z "$(readelf -dW "$file" | grep -E 'RUNPATH|RPATH' | grep -v '\[$ORIGIN')" ]
    done
    for file in "$DPAKIT_BUILD"/bin/*; do # each has arrays on its stack and formats into buffers
        readelf -sW --dyn-syms "$file" >symbols
        grep -q __stack_chk_fail symbols
        grep -q 'printf_chk' symbols
    done
    # The linker keeps the mark of indirect branch tracking only if the distribution's start-up files have it.
    [ "$(uname -m)" = x86_64 ] || return 0
    find "$DPAKIT_BUILD/obj/lib" "$DPAKIT_BUILD/obj/runtime" "$DPAKIT_BUILD/obj/tools" -name '*.o' >objects
    [ "$(wc -l <objects)" -gt 100 ]
    xargs -a objects -d '\n' readelf -nW >notes
    # Each object has a heading, then its notes.
    awk '/^File: / { if (file && !marked) print file; file = $2; marked = 0 }
        /IBT, SHSTK/ { marked = 1 }
        END { if (!marked) print file }' notes >unmarked
    cat unmarked
    [ ! -s unmarked ]
    [ "$(grep -c '^File: ' notes)" -eq "$(wc -l <objects)" ]
    # The compiler records the option of stack-clash protection beside its name.
    case $cc in
    *clang*) ;;
    *) readelf --debug-dump=info "$DPAKIT_BUILD/bin/mlxdpa" | grep -m1 producer >producer
       grep -- '-fstack-clash-protection' producer ;;
    esac
}

@test "bootstrap names its targets for an unknown word" {
    run -2 "$top/bootstrap" dem
    [[ $output == *"'dem' is not a target"* ]]
    [[ $output == *" demo "* ]]
    [[ $output != *apt* ]]
    run -2 "$top/bootstrap" demo tset
    [[ $output == *"'tset' is not a target"* ]]
}

@test "bootstrap knows every target of the Makefile that make help names" {
    make -s -C "$top" help | sed -n '1,2p' | sed 's/\[[^]]*\]//g; s/^make//' | tr -s ' |' '\n' |
        grep . >named
    [ "$(wc -l <named)" -ge 10 ]
    while read -r target; do
        echo "$target"
        grep -qE "^targets=.*[ ']$target[ ']" "$top/bootstrap"
    done <named
}

@test "a bench that misses a limit fails, and says how many were missed" {
    mkdir bench
    cp "$top/bench/run" bench
    printf 'echo "fast  1 us (limit 2: held)"\n' >bench/a.sh
    DPAKIT_BUILD=$PWD bench/run
    printf 'echo "slow  3 us (limit 2: MISSED)"\n' >bench/b.sh
    DPAKIT_BUILD=$PWD run -1 bench/run
    [[ $output == *"slow  3 us"* ]]
    [ "${lines[-1]}" = "1 limit missed" ]
}

@test "a bench runs what is named, and jit is what measures translated code" {
    mkdir bench
    cp "$top/bench/run" bench
    for name in a rv64 translator; do echo "echo ran $name" >bench/$name.sh; done
    export DPAKIT_BUILD=$PWD
    [ "$(bench/run | grep -c '^ran')" -eq 3 ]
    [ "$(BENCH=a bench/run | grep '^ran')" = "ran a" ]
    [ "$(BENCH=jit bench/run | grep '^ran' | tr '\n' ,)" = "ran rv64,ran translator," ]
    BENCH="a b" run -2 bench/run
    [ "$output" = "bench: there is no bench/b.sh" ]
}

@test "the bench of the emulator prints ratios, and which of them are above 1" {
    cat >runs <<'END'
native a 0.200 c1
qemu a 0.500 c1
on a 0.400 c1
native b 0.100 c2
qemu b 0.100 c2
on b 0.300 c2
native a 0.100 c1
on a 0.100 c1
on b 0.400 c2
END
    run -0 awk -v engines="native qemu on" -v figures=figures -f "$top/bench/rv64.awk" runs
    [[ ${lines[1]} =~ a\ +0.100\ +5.00\ +1.00\ +0.20$ ]]
    [[ ${lines[2]} =~ b\ +0.100\ +1.00\ +3.00\ +3.00$ ]]
    [ "$(cat figures)" = "qemu native 2.236 5.000 1
on native 1.732 3.000 1
on qemu 0.775 3.000 1" ]
}

@test "a kernel of the bench whose checksum differs fails it" {
    mkdir -p built/bench
    printf '#!/bin/sh\necho 1\n' >built/bench/native-a
    cp built/bench/native-a qemu-riscv64
    printf '#!/bin/sh\necho 2\necho 10 0.1 >&2\n' >built/bench/rv64_bench
    chmod +x built/bench/* qemu-riscv64
    PATH=$PWD:$PATH DPAKIT_BUILD=$PWD/built run -1 bash "$top/bench/rv64.sh"
    [[ $output == *"another checksum than native: off a 0.1 2"* ]]
}

@test "every limit that a bench prints is judged" {
    . "$top/bench/verdict.bash"
    [ "$(verdict 1.5 2)" = held ]
    [ "$(verdict 2 2)" = held ]
    [ "$(verdict 2.01 2)" = MISSED ]
    [ "$(verdict 25600 25600 exactly)" = held ]
    [ "$(verdict 25599 25600 exactly)" = MISSED ]
    for wrong in '' inf nan 9223372036854775807 1,5; do
        [[ $(verdict "$wrong" 2) == MISSED* ]]
        [[ $(verdict 2 "$wrong") == MISSED* ]]
        run ! verdict "$wrong" 2
        run ! within "a speed" "$wrong" 1 10
        [ "$output" = "a speed is '$wrong', which cannot be right: less than 1 or more than 10" ]
    done
    run ! within "a speed" 0.5 1 10
    [ "$(within "a speed" 5.5 1 10)" = 5.5 ]
    # Each line with a limit needs a verdict: nobody reads a line without a verdict.
    grep -hE 'printf.*limit' "$top"/bench/*.sh >lines
    [ "$(wc -l <lines)" -ge 5 ]
    run ! grep -vE 'limit [0-9.%a-z ]+: %s' lines
}
