# scripts/check-circles: files that need each other in a circle.

setup() {
    here=$BATS_TEST_DIRNAME/../..
    cd "$BATS_TEST_TMPDIR"
    mkdir -p scripts lib runtime
    cp "$here/scripts/check-circles" scripts/
}

# compiled FILE NEXT: a source and its object, which calls what NEXT defines.
compiled() {
    local name next
    name=$(basename "$1") next=$(basename "$2")
    mkdir -p "$(dirname "$1")" "obj/$(dirname "$1")"
    echo "void f_$next(void); void f_$name(void); void f_$name(void) { f_$next(); }" >"$1.c"
    gcc -c "$1.c" -o "obj/$1.o"
}

@test "no circle of more than three files in a room, and none across rooms" {
    "$here/scripts/check-circles" "$DPAKIT_BUILD/obj"
}

@test "three files in a circle may be, four may not" {
    compiled runtime/engine/sched/a runtime/engine/sched/b
    compiled runtime/engine/sched/b runtime/engine/sched/c
    compiled runtime/engine/sched/c runtime/engine/sched/a
    scripts/check-circles obj
    compiled runtime/engine/sched/c runtime/engine/sched/d
    compiled runtime/engine/sched/d runtime/engine/sched/a
    run scripts/check-circles obj
    [ "$status" -eq 1 ]
    [[ "$output" == "circle of 4 files:"* ]]
}

@test "a circle across rooms is refused" {
    local one two
    while read -r one two; do
        rm -rf runtime obj
        compiled "runtime/$one" "runtime/$two"
        compiled "runtime/$two" "runtime/$one"
        run scripts/check-circles obj
        [ "$status" -eq 1 ]
        [[ "$output" == "circle across rooms:"* ]]
    done <<<"engine/sched/a engine/proc/b
api/doca/dpa/a api/doca/memory/b
api/doca/dpa/a api/doca-2.2/b"
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
    scripts/check-circles obj
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
}

@test "a source without its object is no tree to judge" {
    compiled runtime/engine/sched/a runtime/engine/sched/b
    echo >runtime/engine/sched/late.c
    run scripts/check-circles obj
    [ "$status" -eq 2 ]
}
