# dpacu -fsanitize=thread: races of kernels are found, and kernels without races print nothing (tests/host/cuda/races.cu).
# Runs only on the plain build, as dpacu does.

bats_require_minimum_version 1.5.0

source_file() { echo "$BATS_TEST_DIRNAME/../host/cuda/races.cu"; }

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    dpacu -O2 -fsanitize=thread "$(source_file)" -o races &
    dpacu -O0 -fsanitize=thread "$(source_file)" -o slow &
    dpacu -O2 "$(source_file)" -o plain
    wait %1 && wait %2
}

setup() { cd "$BATS_FILE_TMPDIR"; }

# Prints the place of the line with this comment.
at() { echo "races.cu:$(grep -n "/\* $1 \*/" "$(source_file)" | cut -d: -f1)"; }

# One race is reported: KERNEL MEMORY COMMENT COMMENT.
one_race() {
    run -0 "./$program" "$1"
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "dpakit: GPU: kernel $1(): data race on 4 bytes of $2 memory (offset "*"): thread ("*") of block ("*") "*"; before, thread ("*") of block ("*") "* ]]
    [[ ${output%%; before,*} == *"$(at "$3")" && ${output##*; before,} == *"$(at "$4");"* ]] ||
        [[ ${output%%; before,*} == *"$(at "$4")" && ${output##*; before,} == *"$(at "$3");"* ]]
}

each_race() {
    one_race neighbour shared PUTS GETS
    [[ $output == *"thread (1,0,0) of block (0,0,0) writes at"*"thread (0,0,0) of block (0,0,0) read at"* ]]
    one_race reduction shared ADDS ADDS
    one_race warp shared LANE TAKEN
    one_race blocks global OVERLAPS OVERLAPS
    [[ $output == *" of 1024 bytes at 0x"* ]]
    one_race counter global COUNTS COUNTS
    one_race last global GIVES TAKES
    one_race flags global SETS USES
    one_race barrier shared MEETS PASSES
}

@test "races on shared and global memory are found, each once, with both threads and lines" {
    program=races
    each_race
}

@test "code without optimisation has the same races" {
    program=slow
    each_race
}

@test "kernels that are ordered by barriers, fences and atomics print nothing" {
    right=$(grep -o '{"[a-z]*_right"' "$(source_file)" | tr -d '{"')
    [ "$(wc -w <<<"$right")" -eq 12 ]
    for kernel in $right; do
        for program in races slow; do
            run -0 "./$program" "$kernel"
            [ -z "$output" ]
            DPAKIT_GPU_WORKERS=1 DPAKIT_GPU_CHECK=1 run -0 "./$program" "$kernel"
            [ -z "$output" ]
        done
    done
}

@test "ten compute kernels have no races" {
    dpacu -O2 -fsanitize=thread "$BATS_TEST_DIRNAME/../host/cuda/compute.cu" -o "$BATS_TEST_TMPDIR/compute"
    run -0 --separate-stderr "$BATS_TEST_TMPDIR/compute"
    [ "${#lines[@]}" -eq 10 ]
    [ -z "$stderr" ]
}

@test "DPAKIT_GPU_CHECK=end ends the program at the first race, and 0 turns the check off" {
    DPAKIT_GPU_CHECK=end run -1 ./races neighbour
    [[ $output == *"data race"* ]]
    DPAKIT_GPU_CHECK=end run -0 ./races neighbour_right
    DPAKIT_GPU_CHECK=0 run -0 ./races neighbour
    [ -z "$output" ]
    DPAKIT_GPU_CHECK=no run -0 ./races counter_right
    [ "$output" = "dpakit: GPU: DPAKIT_GPU_CHECK: no is not 0, 1 or end; it is taken for 1" ]
}

@test "a program that was compiled without the check says so when it is wanted" {
    run -0 ./plain neighbour
    [ -z "$output" ]
    DPAKIT_GPU_CHECK=1 run -0 ./plain neighbour
    [ "$output" = "dpakit: GPU: kernel neighbour(): races are not found, because its code was compiled without dpacu -fsanitize=thread" ]
}

@test "memory that is not checked any more is told" {
    cat >"$BATS_TEST_TMPDIR/large.cu" <<'END'
__global__ void touch(char *at, size_t size)
{
    for (size_t i = threadIdx.x * 4096ul; i < size; i += 32 * 4096ul)
        at[i] = 1;
}
int main(int argc, char **argv)
{
    char *at;
    size_t size = argc * 100ul << 20;
    return cudaMalloc(&at, size) || (touch<<<1, 32>>>(at, size), cudaDeviceSynchronize());
}
END
    dpacu -fsanitize=thread "$BATS_TEST_TMPDIR/large.cu" -o "$BATS_TEST_TMPDIR/large"
    run -0 "$BATS_TEST_TMPDIR/large"
    [ -z "$output" ]
    run -0 "$BATS_TEST_TMPDIR/large" twice
    [ "$output" = "dpakit: GPU: the check of races has no memory left: it may miss races" ]
}

@test "a sanitizer that dpacu does not have is refused" {
    run -2 dpacu -fsanitize=memory "$(source_file)" -o "$BATS_TEST_TMPDIR/none"
    [[ $output == *"option -fsanitize: memory is not thread, address or undefined"* ]]
}
