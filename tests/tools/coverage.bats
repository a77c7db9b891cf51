# Coverage of device code: dpacc --coverage, DPAKIT_COVERAGE, llvm-profdata and llvm-cov.

load ../helpers/device

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >cov.c <<'END'
#include <stdint.h>
#include <doca_dpa_dev.h>
static volatile uint64_t sum;
static uint64_t never(uint64_t n)
{
    return n + 1;
}
__attribute__((noinline)) static uint64_t odd(uint64_t n)
{
    if (n % 2 == 1)
        return 1;
    return 0;
}
__dpa_rpc__ uint64_t work(uint64_t n)
{
    uint64_t r = 0;
    for (uint64_t i = 0; i < n; i++)
        r += odd(i);
    if (n == 12345)
        r += never(n);
    return r;
}
__dpa_global__ void each(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        sum += odd(i);
}
__dpa_rpc__ uint64_t wrong(uint64_t n)
{
    if (n)
        n = *(volatile uint64_t *)8;
    return n;
}
END
    dpacc cov.c -o cov.a --app-name=cov --coverage 2>err
    cat err >&2
    [ ! -s err ]
    dpacc-extract cov.a -o cov.elf
    export DPAKIT_DEVICES=$PWD/devices
    new_device d
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    f=$BATS_FILE_TMPDIR
    export DPAKIT_DEVICES=$f/devices DPAKIT_CACHE=off
    unset LLVM_PROFILE_FILE
    export DPAKIT_COVERAGE=default.profraw
}

# count LINE [FILE]: how often the line ran, by all raw profiles here or by this file.
count() {
    local files=("${2-}")
    [ -n "${2-}" ] || files=(./*.profraw)
    llvm-profdata merge "${files[@]}" -o merged
    llvm-cov export -format=lcov "$f/cov.elf" -instr-profile=merged | sed -n "s/^DA:$1,//p"
}

@test "without a variable nothing is written, and a line says how to ask" {
    unset DPAKIT_COVERAGE
    echo precious >victim
    ln -s victim default.profraw
    dparun "$f/cov.a" --rpc work 101 >out 2>err
    [ "$(cat victim)" = precious ]
    [ "$(ls)" = "$(printf '%s\n' default.profraw err out victim)" ]
    [ "$(cat err)" = "-I- program cov counts what runs, and no file for it is asked for: set DPAKIT_COVERAGE=FILE" ]
}

@test "a link of this user's is followed, but not with %m, and one of another user's never" {
    echo mine >mine
    ln -s mine link
    DPAKIT_COVERAGE=link dparun "$f/cov.a" --rpc work 101
    [ -L link ]
    [ "$(count 18 mine)" -eq 101 ]
    DPAKIT_COVERAGE=%m dparun "$f/cov.a" --rpc work 1
    name=$(ls | grep _0)
    mv "$name" real
    cp real before
    ln -s real "$name"
    DPAKIT_COVERAGE=%m run dparun "$f/cov.a" --rpc work 1
    [[ $output == *"-W- coverage of program cov: "*"$name: "* ]]
    cmp real before
    chown -h 12345 link 2>/dev/null || skip "the rest takes another user's link: only root can make one"
    cp mine before
    DPAKIT_COVERAGE=link run dparun "$f/cov.a" --rpc work 1
    [[ $output == *"-W- coverage of program cov: "*"link: a link of another user"* ]]
    cmp mine before
}

@test "a run leaves a raw profile, and llvm-cov shows its lines" {
    dparun "$f/cov.a" --rpc work 101
    [ "$(ls)" = default.profraw ]
    [ "$(count 18)" -eq 101 ] # the call of odd()
    [ "$(count 11)" -eq 50 ]
    [ "$(count 12)" -eq 51 ]
    [ "$(count 6)" -eq 0 ]
    [ "$(count 20)" -eq 0 ]
    llvm-cov show "$f/cov.elf" -instr-profile=merged >shown
    grep -qE '^ +11\| +50\| +return 1;' shown
}

@test "threads that count at once lose nothing, interpreted or translated" {
    for jit in off sync; do
        DPAKIT_JIT=$jit DPAKIT_COVERAGE=%p.profraw dparun "$f/cov.a" --kernel each --threads 200 5000
    done
    [ "$(ls | grep -c profraw)" -eq 2 ]
    [ "$(count 26)" -eq 2000000 ]
}

@test "DPAKIT_COVERAGE goes before LLVM_PROFILE_FILE; %m adds up runs, others replace the file" {
    export LLVM_PROFILE_FILE=other.profraw DPAKIT_COVERAGE=here.profraw
    dparun "$f/cov.a" --rpc work 10
    dparun "$f/cov.a" --rpc work 20
    [ "$(ls)" = here.profraw ]
    [ "$(count 18)" -eq 20 ]
    rm ./*.profraw
    export DPAKIT_COVERAGE=a/b/%4m.profraw
    for i in 1 2 3 4; do dparun "$f/cov.a" --rpc work 10 & done
    wait
    [ "$(ls a/b | grep -c .)" -eq 1 ]
    mv a/b/*.profraw .
    [ "$(count 18)" -eq 40 ]
}

@test "a program that fails leaves what it has counted" {
    run dparun "$f/cov.a" --rpc wrong 1
    [ "$status" -eq 3 ]
    [ "$(count 31)" -eq 1 ]
}

@test "unknown patterns are refused, a file that cannot be written is reported" {
    for p in %q %9 %4p %m%m.profraw x%; do
        DPAKIT_COVERAGE= LLVM_PROFILE_FILE=$p run dparun "$f/cov.a" --rpc work 1
        [ "$status" -eq 2 ]
        [[ $output == "-E- "*"LLVM_PROFILE_FILE=$p: "*" is not known"* ]]
        [ "$(grep -c '' <<<"$output")" -eq 1 ]
    done
    [ -z "$(ls)" ]
    mkdir d.profraw
    DPAKIT_COVERAGE= LLVM_PROFILE_FILE=d.profraw run dparun "$f/cov.a" --rpc work 1
    [ "$status" -eq 0 ]
    [[ $output == *"-W- coverage of program cov: "*d.profraw* ]]
    echo garbage >garbage
    DPAKIT_COVERAGE=%m dparun "$f/cov.a" --rpc work 1
    file=$(ls | grep _0)
    cp garbage "$file"
    DPAKIT_COVERAGE=%m run dparun "$f/cov.a" --rpc work 1
    [[ $output == *"$file: not a raw profile of this program"* ]]
    cmp garbage "$file"
}

@test "several sources, objects and targets; not with -flto, and constructors stay refused" {
    printf '%s\n' '#include <stdint.h>' 'uint64_t more(uint64_t n) { return n ? 3 : 4; }' >more.c
    printf '%s\n' '#include <stdint.h>' '#include <doca_dpa_dev.h>' 'uint64_t more(uint64_t n);' \
        '__dpa_rpc__ uint64_t call(uint64_t n) { return more(n) + more(0); }' >call.c
    dpacc more.c call.c -c --coverage -mcpu=nv-dpa-bf3,nv-dpa-cx8
    dpacc more.dpa.o call.dpa.o -o two.a --app-name=two -mcpu=nv-dpa-bf3,nv-dpa-cx8
    dparun two.a --rpc call 1
    dpacc-extract two.a -o two.elf -mcpu=nv-dpa-bf3
    llvm-profdata merge default.profraw -o merged
    llvm-cov export -format=lcov two.elf -instr-profile=merged >lcov
    grep -q '^DA:2,2$' lcov
    run dpacc call.c -o x.a --coverage -flto
    [ "$status" -eq 2 ]
    [[ $output == "-E- -coverage and -flto cannot be used together" ]]
    echo '__attribute__((constructor)) static void c(void) {}' >>call.c
    run dpacc call.c more.c -o x.a --coverage
    [ "$status" -ne 0 ]
    [[ $output == *"constructors and destructors do not run on the DPA"* ]]
}

@test "code without --coverage leaves no file" {
    dpacc "$f/cov.c" -o plain.a --app-name=plain
    dparun plain.a --rpc work 3
    ! ls | grep profraw
}
