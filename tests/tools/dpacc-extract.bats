# dpacc-extract: the device executable out of a host file.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    for p in one two; do
        echo "__dpa_rpc__ unsigned long in_$p(void) { return 1; }" > $p.c
        dpacc $p.c -o $p.a -app-name $p -keep-dir k_$p -hostcc-options=-fPIC
        (mkdir x && cd x && ar x ../$p.a && mv hostStubs.o ../$p.o && rmdir ../x)
    done
    cat > host.c <<'END'
int flexio_app_create(void *a, void **b) { return 1; }
int flexio_app_destroy(void *a) { return 0; }
int flexio_func_pup_register(void) { return 0; }
extern void *one;
int main(void) { return one != 0; }
END
    gcc -w host.c one.a -o exe
    gcc -w -shared -fPIC host.c one.o -o lib.so
    gcc -w host.c one.o two.o -o both
}

setup() {
    here=$BATS_FILE_TMPDIR
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
}

same() {
    dpacc-extract "$here/$1" -o out.elf
    cmp out.elf "$here/k_one/device_exec.bf3"
    rm out.elf
}

@test "executable, library, object and archive give the file that dpacc linked" {
    same exe
    same lib.so
    same one.o
    same one.a
}

@test "the extracted ELF has its source lines" {
    dpacc-extract "$here/exe" -o out.elf
    llvm-objdump -dS out.elf | grep -q 'return 1;' ||
        llvm-dwarfdump --debug-line out.elf | grep -q 'name: "one.c"'
    llvm-readelf -h out.elf | grep -q RISC-V
}

@test "several programs: the name chooses" {
    for p in one two; do
        dpacc-extract "$here/both" -app-name $p -o out.elf
        cmp out.elf "$here/k_$p/device_exec.bf3"
    done
}

@test "several programs and no name: an error that lists them" {
    run -2 dpacc-extract "$here/both" -o out.elf
    [[ $output == "-E- "*both*one*two* ]]
    [ ! -e out.elf ]
}

@test "an unknown name is an error that lists what there is" {
    run -1 dpacc-extract "$here/both" --app-name three -o out.elf
    [[ $output == "-E- "*three*one*two* ]]
    [ ! -e out.elf ]
}

@test "--list shows every program, and makes no file" {
    dpacc-extract "$here/both" --list > list
    [ "$(awk '{print $2}' list | tr '\n' ' ')" = "Name one two " ]
    offset=$(awk '$2 == "two" {print $3}' list)
    size=$(awk '$2 == "two" {print $4}' list)
    # An area with one member: 56 bytes, then the executable, up to a multiple of 8.
    executable=$(wc -c < "$here/k_two/device_exec.bf3")
    [ "$size" -eq $((56 + executable)) ]
    cmp <(tail -c +$((offset + 57)) "$here/both" | head -c "$executable") "$here/k_two/device_exec.bf3"
}

@test "options have one dash or two, = or a word" {
    dpacc-extract -o=out.elf -mcpu nv-dpa-bf3 --app-name=two "$here/both"
    dpacc-extract --output-file out2.elf -app-name two --mcpu=bf3 "$here/both"
    cmp out.elf out2.elf
}

@test "the signature of a program that NVIDIA's tool signed comes out as it is" {
    g=$DPAKIT_GOLDEN/hostelf
    dpacc-extract "$g/host-named.signed" --list > list
    while read -r _ name _; do
        [ "$name" = Name ] && continue
        dpacc-extract "$g/host-named.signed" -app-name "$name" -o out.elf --signature "$name.sig"
        cmp -s out.elf "$g/dev1.elf" || cmp -s out.elf "$g/dev2.elf"
        cmp -s "$name.sig" "$g/one.full.blob" || cmp -s "$name.sig" "$g/two.full.blob"
    done < list
    [ "$(wc -l < list)" -eq 3 ]
}

@test "no signature: an error, and no file at all" {
    run -1 dpacc-extract "$here/exe" -o out.elf --signature out.sig
    [[ $output == "-E- "*"program 'one' is not signed" ]]
    [ -z "$(ls)" ]
}

@test "a host file without programs is an error" {
    run -1 dpacc-extract /bin/true -o out.elf
    [[ $output == "-E- /bin/true"* ]]
    [ ! -e out.elf ]
}

@test "missing, empty and foreign files are errors that name them" {
    : > empty
    echo text > text
    mkdir dir
    for f in none empty text dir; do
        run -1 dpacc-extract $f -o out.elf
        [ "$(grep -c "^-E- .*$f" <<<"$output")" -eq 1 ]
        [ "${#lines[@]}" -eq 1 ]
        [ ! -e out.elf ]
    done
}

@test "a program section with other content is an error" {
    echo 'no device executable' > junk
    gcc -c -x c -o junk.o - <<'END'
__asm__(".section .dpa_bin_junk,\"a\"\n.incbin \"junk\"\n");
END
    run -1 dpacc-extract junk.o -o out.elf
    [[ $output == "-E- junk.o"*junk* ]]
    printf 'NVDPAFBFaaaaaaaaaaaaaaaaaaaaaaa' > junk
    gcc -c -x c -o junk.o - <<'END'
__asm__(".section .dpa_bin_junk,\"a\"\n.incbin \"junk\"\n");
END
    run -1 dpacc-extract junk.o -o out.elf
    [[ $output == "-E- junk.o"*"multi-target area"* ]]
    [ ! -e out.elf ]
}

@test "a file cut anywhere is an error, or gives the right bytes" {
    for f in exe one.a; do
        size=$(stat -c %s "$here/$f")
        for n in 1 4 16 63 64 100 512 $(seq 1000 9973 "$size"); do
            head -c "$n" "$here/$f" > cut
            run dpacc-extract cut -o out.elf
            if [ "$status" -eq 0 ]; then
                cmp out.elf "$here/k_one/device_exec.bf3"
            else
                [ "$status" -eq 1 ]
                [ "$(grep -c '^-E- cut' <<<"$output")" -eq 1 ]
                [ ! -e out.elf ]
            fi
            rm -f out.elf
        done
    done
}

@test "an output that cannot be written is an error" {
    mkdir dir
    run -1 dpacc-extract "$here/exe" -o dir
    [[ $output == "-E- dir: Is a directory" ]]
    run -1 dpacc-extract "$here/exe" -o none/out.elf
    [[ $output == "-E- none/out.elf"* ]]
}

@test "if a file cannot be written, the other file stays as it was" {
    g=$DPAKIT_GOLDEN/hostelf
    name=$(dpacc-extract "$g/host-named.signed" --list | awk 'NR == 2 { print $2 }')
    mkdir dir
    echo old > old.sig
    ln -s old.sig link.sig
    for sig in old.sig link.sig new.sig; do
        run -1 dpacc-extract "$g/host-named.signed" -app-name "$name" -o dir --signature $sig
        [[ $output == "-E- dir: Is a directory" ]]
        [ "$(cat old.sig)" = old ]
        [ -L link.sig ]
        [ ! -e new.sig ]
    done
    run -1 dpacc-extract "$g/host-named.signed" -app-name "$name" -o old.sig --signature dir
    [ "$(cat old.sig)" = old ]
}

@test "wrong usage is reported, exit code 2" {
    run -2 dpacc-extract
    [[ $output == "-E- no INPUT given; see dpacc-extract --help" ]]
    run -2 dpacc-extract "$here/exe"
    [[ $output == "-E- no output file given (option -o)" ]]
    run -2 dpacc-extract "$here/exe" "$here/both" -o out.elf
    run -2 dpacc-extract "$here/exe" -o out.elf -mcpu=arm
    [[ $output == "-E- -mcpu: unknown target 'arm'"* ]]
    run -2 dpacc-extract "$here/exe" --list -o out.elf
    run -2 dpacc-extract "$here/exe" -o out.elf --nonsense
    [[ $output == "-E- unknown option --nonsense"* ]]
    run -2 dpacc-extract "$here/exe" -o
    [ -z "$(ls)" ]
}

@test "--help and --version" {
    dpacc-extract --help | grep -q -- --app-name
    dpacc-extract -V | grep -qx 'dpacc-extract dpakit [0-9.]*'
}
