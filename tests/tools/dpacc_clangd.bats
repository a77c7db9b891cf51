# dpacc -compile-commands: the database of a build for clangd and other tools of clang.

bats_require_minimum_version 1.5.0

setup() {
    load ../helpers/dpacc.bash
    dpacc_setup
    db=compile_commands.json
}

# entry FILTER: applies a jq filter to the only entry.
entry() { jq -er "select(length == 1) | .[0] | $1" $db; }
# The file and the output of each entry.
entries() { jq -r '.[] | .file + " " + .output' $db; }
# enters ARGUMENT...: dpacc refuses kernel.c, which is not C now. A source with errors has its entry, and to refuse one is fast.
enters() {
    echo 'not C' >kernel.c
    run -1 dpacc "$@"
}
# keeps COMMAND...: exit code 1 or 2 and one line; no file is changed.
keeps() {
    local before
    before=$(cat -v $db)
    run "$@"
    [ "$status" -ge 1 ] && [ "$status" -le 2 ]
    [ "${#lines[@]}" -eq 1 ]
    [ "$(cat -v $db)" = "$before" ]
    no_output
}

@test "a database is made, and its command compiles the source" {
    mkdir headers
    echo '#define TEXT "Hello"' >headers/text.h
    printf '%s\n' '#include "doca_dpa_dev.h"' '#include "text.h"' \
        '__dpa_global__ void hello(void) { doca_dpa_dev_printf(TEXT); }' >kernel.c
    dpacc kernel.c -o out.a -Iheaders -mcpu=nv-dpa-cx8,nv-dpa-bf3 -flto --compile-commands $db \
        --devicecc-options="-MMD -save-temps=obj -w -O1"
    [ "$(entry .directory)" = "$PWD" ]
    [ "$(entry .file)" = kernel.c ] && [ "$(entry .output)" = out.a ]
    # The command is that of the first target, without options that write other files.
    [[ " $(entry '.arguments | join(" ")') " == *" -march=rv64"*" -Iheaders "*" -O1 "*" -w -c kernel.c " ]]
    [[ " $(entry '.arguments | join(" ")')" != *" -M"* ]] && ! grep -e -flto -e -save-temps -e "$TMPDIR" $db
    # It does not depend on dpacc's working directory.
    mapfile -t command < <(entry '.arguments[]')
    "${command[@]}" -o there.o
    llvm-readelf -h there.o | grep -q RISC-V
}

@test "an entry of the same file and output is replaced; all others stay, as they are" {
    cat >$db <<END
[{"directory": "$PWD", "file": "kernel.c", "command": "cc -c kernel.c"},
 {"directory": "/other", "file": "kernel.c", "output": "out.a", "arguments": ["cc"]},
 {"directory": "$PWD", "file": "kernel.c", "output": "out.a", "arguments": ["old"]},
 {"directory": "/elsewhere", "file": "$PWD/kernel.c", "output": "$PWD/k.dpa.o", "arguments": ["old"]},
 {"directory": "$PWD", "file": "last.cpp", "output": "last.o", "arguments": ["c++", "\u00e4\ud83d\ude00\\\\"], "more": [1.5, null]}]
END
    cp $db before
    enters ./kernel.c -o ./out.a --compile-commands=$db
    enters kernel.c -c -o k.dpa.o -compile-commands $db
    enters kernel.c -c -compile-commands $db
    [ "$(jq length $db)" -eq 6 ]
    [ "$(jq 'map(.arguments[0]) | tostring' $db)" = '"[null,\"cc\",\"clang\",\"clang\",\"c++\",\"clang\"]"' ]
    [ "$(jq -cS '.[0], .[1], .[4]' $db)" = "$(jq -cS '.[0], .[1], .[4]' before)" ]
    [ "$(jq -r '.[2].file, .[3].output, .[5].output' $db)" = "./kernel.c
k.dpa.o
kernel.dpa.o" ]
}

@test "each source of a program has an entry, a DPA object has none; libraries, too" {
    echo 'int other(void); int other(void) { return 1; }' >other.c
    dpacc kernel.c -c -o third.dpa.o
    dpacc kernel.c other.c third.dpa.o -o out.a --compile-commands $db || true # hello_world_kernel is there twice
    [ "$(entries)" = "kernel.c out.a
other.c out.a" ]
    dpacc other.c -o lib -gen-libs --compile-commands $db
    [ "$(entries | tail -n 1)" = "other.c lib_device.a" ]
}

@test "with -keep there are entries of what dpacc makes of a source, and clangd finds no error in it" {
    dpacc kernel.c -o out.a -keep-dir k --compile-commands $db
    [ "$(entries)" = "kernel.c out.a
k/kernel.dpa.device.c k/kernel.dpa.device.o
k/kernel.dpa.host.c k/kernel.dpa.o" ]
    [ "$(jq -r '.[2].arguments[0]' $db)" = gcc ]
    rm k/*.o
    for i in 1 2; do
        mapfile -t command < <(jq -r ".[$i].arguments[]" $db)
        "${command[@]}"
    done
    [ -e k/kernel.dpa.o ]
    command -v clangd >/dev/null || skip "no clangd"
    for file in kernel.c k/kernel.dpa.device.c k/kernel.dpa.host.c; do
        clangd --check=$file 2>&1 | grep 'All checks completed, 0 errors'
    done
    # This proves that clangd reads the file.
    sed -i 's/Hello World/&" 1 "/' kernel.c
    clangd --check=kernel.c 2>&1 | grep 'All checks completed, [1-9][0-9]* errors'
}

@test "a source with errors has its entry; -dryrun writes nothing" {
    dpacc kernel.c -o out.a -dryrun --compile-commands $db >commands
    [ ! -e $db ]
    ! grep compile_commands commands
    enters kernel.c -o out.a --compile-commands $db
    [ "$(entry .file)" = kernel.c ]
    echo '__dpa_global__ void f(int *p) { (void)p; }' >kernel.c
    rm $db
    run -1 dpacc kernel.c -o out.a --compile-commands $db
    [ "$(entry .file)" = kernel.c ]
}

@test "a file that is not a database is reported, and is not changed" {
    local text
    for text in '{}' '[1]' '[{},"x"]' 'null' '[{}' '[]]' '[{"file": }]' '[] x' '[]\0' '\0'; do
        printf "$text" >$db
        keeps dpacc kernel.c -o out.a --compile-commands $db
        [[ $output == "-E- $db: line 1: not a JSON list of compile commands; the file stays as it is" ]]
    done
    printf '[\n  {},\n  {"file": "a\n' >$db
    keeps dpacc kernel.c -o out.a --compile-commands $db
    [[ $output == "-E- $db: line 3: "* ]]
    : >$db # an empty file has no entries
    enters kernel.c -o out.a --compile-commands $db
    [ "$(entry .file)" = kernel.c ]
}

@test "entries that lack what others have are left alone" {
    echo '[{}, {"file": 1, "output": []}, {"file": "kernel.c", "output": "out.a"}, {"directory": null, "file": "/a"}]' >$db
    enters kernel.c -o out.a --compile-commands $db
    [ "$(jq length $db)" -eq 5 ]
}

@test "an input or the output is not overwritten; a file that cannot be made is reported" {
    echo '[]' >$db
    keeps dpacc kernel.c -o $db --compile-commands $db
    [ "$output" = "-E- -compile-commands: $db is the output" ]
    cp kernel.c before
    run -2 dpacc kernel.c -o out.a --compile-commands kernel.c
    [[ $output == "-E- -compile-commands: kernel.c: "* ]]
    cmp kernel.c before
    run -1 dpacc kernel.c -o out.a --compile-commands nowhere/$db
    [[ $output == "-E- -compile-commands: nowhere/$db: output directory 'nowhere': No such file or directory" ]]
    run -1 dpacc kernel.c -o out.a --compile-commands "$PWD"
    [[ $output == "-E- -compile-commands: $PWD: Is a directory" ]]
    ln -s gone link.json
    run -1 dpacc kernel.c -o out.a --compile-commands link.json
    [[ $output == "-E- link.json: "* ]] && [ "${#lines[@]}" -eq 1 ]
    no_output
}

@test "several at once lose nothing" {
    local i code pids=()
    echo 'not C' >kernel.c
    for i in {1..12}; do
        dpacc kernel.c -c -o "k$i.dpa.o" --compile-commands $db 2>/dev/null &
        pids+=($!)
    done
    for i in "${pids[@]}"; do
        code=0
        wait "$i" || code=$?
        [ $code -eq 1 ]
    done
    [ "$(entries | sort -V)" = "$(for i in {1..12}; do echo "kernel.c k$i.dpa.o"; done)" ]
    [ "$(ls -A | grep -c compile_commands)" -eq 1 ]
}
