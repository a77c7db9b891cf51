# The examples of DOCA DPA of both generations: built once with the commands of their READMEs.
source "$BATS_TEST_DIRNAME/../helpers/device.bash"
source "$BATS_TEST_DIRNAME/../helpers/readme.bash"

setup_file() {
    ready_build "$BATS_FILE_TMPDIR/build"
    # Build systems read the compilers' options from the environment.
    export CFLAGS=${TEST_HOST_CFLAGS:-} LDFLAGS=${TEST_HOST_CFLAGS:-}
    local example
    for example in doca-2.2 dpa_kernel_launch; do
        mkdir "$BATS_FILE_TMPDIR/$example"
        BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR/$example paste_readme "$example"
        printf '%s\n' "$output" >"$BATS_FILE_TMPDIR/$example.out"
    done
}

setup() {
    guide=$(dirname "$BATS_FILE_TMPDIR"/doca-2.2/tmp.*/doca_dpa_kernel_launch)
    today=$(dirname "$BATS_FILE_TMPDIR"/dpa_kernel_launch/tmp.*/build)
    export DPAKIT_DEVICES=$guide/devices
}

# What a program prints, without the numbers that differ from run to run.
lines_of() { sed -E 's:^/ *[0-9]+/::; s:^\[[0-9:]+\]\[[0-9]+\]\[DOCA\]\[([A-Z]+)\]\[[a-z_.]+\:[0-9]+\]\[[a-z_]+\]:\1:'; }

sample() {
    run "$guide/doca_dpa_$1" -d mlx5_0
    echo "$output"
    [ "$status" -eq 0 ]
    lines_of <<<"$output" >"$BATS_TEST_TMPDIR/lines"
}

@test "kernel launch: the host waits for the kernel" {
    sample kernel_launch
    diff - "$BATS_TEST_TMPDIR/lines" <<'TEXT'
Hello from kernel
INF Done
TEXT
}

@test "wait kernel launch: the kernel waits for more than the threshold" {
    sample wait_kernel_launch
    diff - "$BATS_TEST_TMPDIR/lines" <<'TEXT'
Event: 1
Event: 2
Event: 3
Event: 4
Event: 5
Hello from kernel, 8 threads
INF Done
TEXT
}

@test "linear tree: one after the other, none before the host says so" {
    sample linear_tree
    diff - "$BATS_TEST_TMPDIR/lines" <<'TEXT'
Go
Kernel A
Kernel B
Kernel C
INF Done
TEXT
}

@test "binary tree: every node after its parent" {
    sample binary_tree
    awk '$1 == "Node" { if ($2 && !(int(($2 - 1) / 2) in seen)) exit 1; seen[$2]; nodes++ }
        END { exit nodes != 7 }' "$BATS_TEST_TMPDIR/lines"
    [ "$(tail -n 1 "$BATS_TEST_TMPDIR/lines")" = "INF Done" ]
}

# The lines of the diamond, of which neither side waits for the other.
diamond() {
    sample diamond_tree
    sed -n 2,3p "$BATS_TEST_TMPDIR/lines" | sort >"$BATS_TEST_TMPDIR/both"
    sed -i -e "2r $BATS_TEST_TMPDIR/both" -e 2,3d "$BATS_TEST_TMPDIR/lines"
}

@test "diamond tree: the last node after both sides" {
    diamond
    diff - "$BATS_TEST_TMPDIR/lines" <<'TEXT'
Node A: 1 from A
Node B: 1 from A
Node C: 1 from A
Node D: 2 from A
INF Done
TEXT
}

@test "the README of the guide's samples runs them all, and shows their lines" {
    [ "$(grep -c '\] Done$' "$BATS_FILE_TMPDIR/doca-2.2.out")" -eq 6 ]
    grep -q "The remote thread has 42$" "$BATS_FILE_TMPDIR/doca-2.2.out"
    sed -n '/^\/ 0\/Node A/,/^```/p' "$BATS_TEST_DIRNAME/../../examples/doca-2.2/README.md" |
        grep -v '^```' | lines_of >"$BATS_TEST_TMPDIR/shown"
    [ -s "$BATS_TEST_TMPDIR/shown" ]
    diamond
    diff "$BATS_TEST_TMPDIR/shown" "$BATS_TEST_TMPDIR/lines"
}

@test "every program takes the first device if none is named" {
    for p in "$guide"/doca_dpa_*; do
        [ -x "$p" ] || continue
        "$p" >/dev/null || { echo "$p"; false; }
    done
}

@test "every program says which device is not there" {
    for p in "$guide"/doca_dpa_* "$today/build/doca_dpa_kernel_launch"; do
        run "$p" -d mlx5_9
        echo "$output"
        [ "$status" -eq 1 ]
        [ "$(lines_of <<<"$output" | grep -c '^ERR mlx5_9: Not found')" -eq 1 ]
    done
}

@test "every program refuses an option that it does not have" {
    for p in "$guide"/doca_dpa_* "$today/build/doca_dpa_kernel_launch"; do
        run "$p" --no-such
        [ "$status" -eq 1 ]
        [ "$(grep -c -- --no-such <<<"$output")" -ge 1 ]
    done
}

@test "the kernel launch of today: the README's project builds and runs" {
    lines_of <"$BATS_FILE_TMPDIR/dpa_kernel_launch.out" >"$BATS_TEST_TMPDIR/lines"
    [ "$(grep -c '\[INF\] Hello from thread [0-3] of 4$' "$BATS_TEST_TMPDIR/lines")" -eq 4 ]
    grep -qx 'INF 4 threads ran' "$BATS_TEST_TMPDIR/lines"
}

@test "the kernel launch of today: options set threads and the level of the logs" {
    run "$today/build/doca_dpa_kernel_launch" -n 2 --dpa-log-level 60
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(grep -c 'Hello from thread [01] of 2$' <<<"$output")" -eq 2 ]
    [ "$(grep -c 'rank [01] is about to count$' <<<"$output")" -eq 2 ]
    run "$today/build/doca_dpa_kernel_launch" -n 257
    [ "$status" -eq 1 ]
    grep -q 'A kernel has 1 to 256 threads' <<<"$output"
}

@test "comch echo: the DPU answers the host" {
    paste_readme comch_echo
    [[ $output == *$'from the host\na client came\nit went' ]]
}

@test "remote direct memory operations: the worker appends and scatters" {
    [ -f "$DPAKIT_BUILD/lib/dpakit/urom/worker_rdmo.so" ] || skip "built without libucx-dev: no plugin worker_rdmo"
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only: UCX carries no sanitizer"
    paste_readme urom_rdmo
    [[ $output == *$'queue: first,second,third\npieces: here, there\n3 appends, 1 scatters, 2 flushes' ]]
}

@test "comch message queues: a thread of the DPA answers" {
    paste_readme comch_msgq
    [[ $output == *$'FROM THE HOST\nAND AGAIN' ]]
}

@test "texts in frames: one device hears the other" {
    paste_readme eth_text
    [[ $output == *$'a first frame\na second frame' ]]
}

@test "a kernel that answers ping: the answer has the request's text, and the CPU gets an event" {
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only: dpacu carries no sanitizer"
    paste_readme gpu_ping
    [[ $output == *$'answer 0 was sent\n 02 00 00 00 00 01 02 00 00 00 00 02 08 00 45 00\n'* ]]
    [[ $output == *'is anybody there??' ]]
}

@test "rdma say: one program hears another" {
    paste_readme rdma_say
    [[ $output == *$'from the other program\nthe caller went' ]]
}

@test "dma copy: the DPU copies memory of the host" {
    paste_readme dma_copy
    grep -qx 'Card bf0 created: mlx5_0 on the host, and on the DPU (DPAKIT_SIDE=dpu).' <<<"$output"
    grep -qx 'from the host' <<<"$output"
}
