# scripts/check-circles: files that need each other in a circle.

setup() {
    here=$BATS_TEST_DIRNAME/../..
    cd "$BATS_TEST_TMPDIR"
    mkdir -p scripts lib runtime tools
    cp "$here/scripts/check-circles" scripts/
}

# compiled FILE NEXT: a source and its object, which needs what NEXT defines. An assembler is faster than a compiler.
compiled() {
    local name=${1##*/} next=${2##*/}
    mkdir -p "${1%/*}" "obj/${1%/*}"
    : >"$1.c"
    printf '.globl f_%s\nf_%s: .quad f_%s\n' "$name" "$name" "$next" | as -o "obj/$1.o"
}

@test "no circle of more than three files in a room, and none across rooms" {
    "$here/scripts/check-circles" "$DPAKIT_BUILD/obj"
}

@test "three files in a circle may be, four may not" {
    local room
    for room in lib/elf runtime/engine/sched tools/mlxdpa tools/mlxdpa/kinds; do
        rm -rf "${room%%/*}"/* obj
        compiled "$room/a" "$room/b"
        compiled "$room/b" "$room/c"
        compiled "$room/c" "$room/a"
        scripts/check-circles obj
        compiled "$room/c" "$room/d"
        compiled "$room/d" "$room/a"
        run scripts/check-circles obj
        [ "$status" -eq 1 ]
        [[ "$output" == "circle of 4 files:"* ]]
        rm -rf "${room%%/*}"/*
    done
}

@test "a circle across rooms is refused" {
    local one two
    while read -r one two; do
        rm -rf runtime tools obj
        mkdir runtime tools
        compiled "$one" "$two"
        compiled "$two" "$one"
        run scripts/check-circles obj
        [ "$status" -eq 1 ]
        [[ "$output" == "circle across rooms:"* ]]
    done <<<"runtime/engine/sched/a runtime/engine/proc/b
runtime/api/doca/dpa/a runtime/api/doca/memory/b
runtime/api/doca/dpa/a runtime/api/doca-2.2/b
tools/mlxdpa/a tools/mlxdpa/kinds/b
tools/common/a tools/dpadev/b"
}

@test "a use of a higher wing, or of the one beside, is refused" {
    local below above
    while read -r below above; do
        rm -rf runtime obj
        compiled "runtime/$below" "runtime/$above"
        compiled "runtime/$above" "runtime/$above"
        run scripts/check-circles obj
        [ "$status" -eq 1 ]
        [ "$output" = "runtime/$below uses f_${above##*/} of a higher wing: runtime/$above" ]
    done <<<"rdma/cm/a net/wire/b
bus/ring/a device/state/b
engine/proc/a api/host/b"
    rm -rf runtime obj
    compiled runtime/net/wire/a runtime/bus/ring/b
    compiled runtime/bus/ring/b runtime/bus/ring/b
    compiled tools/dpadev/c runtime/bus/ring/b
    scripts/check-circles obj
    compiled lib/elf/d tools/common/e
    compiled tools/common/e tools/common/e
    run scripts/check-circles obj
    [ "$status" -eq 1 ]
    [ "$output" = "lib/elf/d uses f_e of a higher wing: tools/common/e" ]
}

@test "headers that include each other are refused" {
    compiled runtime/engine/sched/a runtime/engine/sched/b
    mkdir -p runtime/engine/proc
    echo '#include "engine/proc/b.h"' >runtime/engine/proc/a.h
    scripts/check-circles obj
    echo '#include "engine/proc/a.h"' >runtime/engine/proc/b.h
    run scripts/check-circles obj
    [ "$status" -eq 1 ]
    [[ "$output" == "circle of headers:"* ]]
    rm runtime/engine/proc/?.h
    mkdir tools/mlxdpa
    echo '#include "b.h"' >tools/mlxdpa/a.h
    echo '#include "mlxdpa/a.h"' >tools/mlxdpa/b.h
    run scripts/check-circles obj
    [ "$status" -eq 1 ]
    [[ "$output" == "circle of headers:"* ]]
}

@test "a tree with a source without its object is refused" {
    compiled runtime/engine/sched/a runtime/engine/sched/b
    echo >runtime/engine/sched/late.c
    run scripts/check-circles obj
    [ "$status" -eq 2 ]
}
