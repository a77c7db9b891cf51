# scripts/byte-readers finds the functions that fuzzers must reach, scripts/fuzz-coverage what is
# missing. `make fuzz-coverage` itself is a step of .ci/run.

root=$BATS_TEST_DIRNAME/../..

setup() { cd "$BATS_TEST_TMPDIR" && mkdir -p scripts fuzz lib/room && cp "$root"/scripts/{byte-readers,fuzz-coverage} scripts; }

# Makes a program with these functions, some of which are called.
sources() {
    cat >lib/room/a.c <<'END'
#include <stdio.h>
/* getenv("comment") */
static const char text[] = "getenv(";

static int takes_a_reader(const struct dpk_reader *r)
{
    return r != 0;
}

enum dpk_status calls_getenv(int a,
                             int b)
{
    // a line
    return getenv("NAME") ? a : b;
}

int words_alone(void)
{
    /* It would read(fd), or
     * recv(fd). */
    return text[0] == "read(1)"[0];
}

int thread_reset(const char *bytes, size_t size)
{
    return bytes[size - 1];
}

int frob_parse(const char *bytes, size_t size)
{
    return bytes[size - 1];
}

static int counter(const struct ring *r)
{
    return atomic_load(&r->shared->written) > 0;
}
END
}

@test "functions that read what others wrote are found, by what they take and what they call" {
    sources
    scripts/byte-readers lib/room/a.c >found
    cat >wanted <<'END'
lib/room/a.c:takes_a_reader	struct dpk_reader
lib/room/a.c:calls_getenv	getenv()
lib/room/a.c:frob_parse	bytes, size
lib/room/a.c:counter	shared->
END
    diff wanted found
}

# The compiler's counts: only the last function ran.
count() {
    mkdir -p lib runtime tools counted/counts
    cat >p.c <<'END'
__attribute__((noinline)) int calls_getenv(int a) { return a; }
__attribute__((noinline)) int frob_parse(int a) { return a; }
int main(int argc, char **argv) { (void)argv; return argc > 1 ? calls_getenv(0) : frob_parse(0); }
END
    clang -fprofile-instr-generate p.c -o p
    LLVM_PROFILE_FILE=counted/counts/1.profraw ./p
}

@test "a function that no fuzzer reaches fails, unless the list has a reason" {
    sources && count
    : >fuzz/unreached
    run scripts/fuzz-coverage counted
    [ "$status" -eq 1 ]
    [[ "$output" == *"reached    lib/room/a.c:frob_parse"* ]]
    [[ "$output" == *"UNREACHED  lib/room/a.c:calls_getenv"* ]]
    [[ "$output" == *"1 of 4 functions"* ]]
    printf 'lib/room/a.c:%s why\n' takes_a_reader calls_getenv counter >fuzz/unreached
    scripts/fuzz-coverage counted
}

@test "a list that is not true any more fails" {
    sources && count
    printf 'lib/room/a.c:%s why\n' takes_a_reader calls_getenv counter >good
    for bad in "lib/room/a.c:gone why" "lib/room/a.c:words_alone" "lib/room/a.c:counter why"; do
        { cat good; echo "$bad"; } >fuzz/unreached
        run scripts/fuzz-coverage counted
        [ "$status" -eq 1 ]
        [[ "$output" == *"fuzz/unreached: ${bad%% *}:"* ]]
    done
}

@test "a function of the list that was reached is named" {
    sources && count
    printf 'lib/room/a.c:%s why\n' frob_parse takes_a_reader calls_getenv counter >fuzz/unreached
    run scripts/fuzz-coverage counted
    [ "$status" -eq 0 ]
    [[ "$output" == *"fuzz/unreached: lib/room/a.c:frob_parse: a fuzzer reached it this time"* ]]
}

@test "without counts nothing is said to be reached" {
    sources
    : >fuzz/unreached
    run scripts/fuzz-coverage .
    [ "$status" -eq 2 ]
}

@test "the list names functions that there are" {
    cd "$root"
    scripts/byte-readers | cut -f1 >"$BATS_TEST_TMPDIR/readers"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/readers")" -gt 200 ]
    sed -E '/^(#|$)/d; s/ .*//' fuzz/unreached >"$BATS_TEST_TMPDIR/listed"
    [ -z "$(grep -vxFf "$BATS_TEST_TMPDIR/readers" "$BATS_TEST_TMPDIR/listed")" ]
}
