#!/usr/bin/env bats
# The C library of the DPA is made of another package's objects, found by the functions in them.

setup() {
    repo=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR" || return
    cross=riscv64-unknown-elf-
    printf 'int own(void) { return 1; }\n' > own.c
    device_cc own.c
}
device_cc() {
    riscv64-unknown-elf-gcc -march=rv64imac -mabi=lp64 -c "$@"
}
symbols() {
    "${cross}nm" -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort
}
pick() {
    "$repo/scripts/pick-members" "$@"
}

@test "objects of picolibc may have any names" {
    local package=/usr/lib/picolibc/riscv64-unknown-elf part from
    for part in lib/release/rv64imac/lp64 lib/rv64imac/lp64; do
        from=$package/$part/libc.a
        [ ! -e "$from" ] || break
    done
    mkdir -p objects "new/$part"
    ln -s "$package/include" new/include
    (cd objects && "${cross}ar" x "$from" && for o in *; do mv "$o" "other-$o"; done &&
        "${cross}ar" crD "../new/$part/libc.a" ./*)
    make -C "$repo" B="$PWD/build" PICOLIBC="$PWD/new" "$PWD/build/lib/libflexio-libc.a"
    symbols build/lib/libflexio-libc.a > renamed
    symbols "$DPAKIT_BUILD/lib/libflexio-libc.a" > usual
    grep -qx qsort usual
    cmp renamed usual
}

@test "what is chosen brings what it needs, and nothing else" {
    printf 'int helper(void); int wanted(void) { return helper(); }\n' > a.c
    printf 'int helper(void) { return 2; }\n' > b.c
    printf 'int other(void) { return 3; }\n' > c.c
    device_cc a.c b.c c.c
    "${cross}ar" crD lib.a a.o b.o c.o
    echo wanted | pick out.a own.o lib.a
    [ "$(symbols out.a | paste -s -d ' ')" = "helper wanted" ]
    printf 'int helper(void) { return 4; }\n' > own.c
    device_cc own.c
    echo wanted | pick out.a own.o lib.a
    [ "$(symbols out.a)" = wanted ]
}

@test "a function that is nowhere is named, and nothing is left" {
    "${cross}ar" crD lib.a own.o
    run pick out.a own.o lib.a <<< "own nowhere"
    [ "$status" -eq 1 ]
    [[ $output == *"in none of lib.a: nowhere"* ]]
    [ ! -e out.a ]
}

@test "what needs thread-local storage is refused" {
    printf '__thread int state = 1; int wanted(void) { return state++; }\n' > a.c
    device_cc a.c
    "${cross}ar" crD lib.a a.o
    run pick out.a own.o lib.a <<< wanted
    [ "$status" -eq 1 ]
    [[ $output == *"thread-local: "*.tdata* ]]
    [ ! -e out.a ]
}

@test "two objects of one name are not mistaken for each other" {
    mkdir x y
    printf 'int first(void) { return 1; }\n' > a.c
    device_cc a.c -o x/a.o
    printf 'int second(void) { return 2; }\n' > a.c
    device_cc a.c -o y/a.o
    "${cross}ar" qcD lib.a x/a.o y/a.o
    run pick out.a own.o lib.a <<< second
    [ "$status" -eq 1 ]
    [[ $output == *"several members have one name"* ]]
    "${cross}ar" crD one.a x/a.o
    "${cross}ar" crD two.a y/a.o
    run pick out.a own.o one.a two.a <<< "first second"
    [ "$status" -eq 1 ]
    [[ $output == *"is in an archive before it"* ]]
    [ ! -e out.a ]
}

@test "same objects, same bytes" {
    "${cross}ar" crD lib.a own.o
    : > empty.c
    device_cc empty.c
    echo own | pick one.a empty.o lib.a
    cp lib.a other.a
    touch -d 2001-01-01 other.a
    echo own | pick two.a empty.o other.a
    cmp one.a two.a
}
