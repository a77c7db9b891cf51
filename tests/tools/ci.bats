#!/usr/bin/env bats
# .ci/run, with the test's own make, bootstrap and try-distro: the steps that it runs, and its last
# line about them.

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tree/.ci tree/scripts bin
    cp "$BATS_TEST_DIRNAME/../../.ci/run" tree/.ci/
    # Each prints its arguments, and a sum if it runs tests; the step that $BROKEN names fails.
    cat >bin/make <<'SH'
#!/bin/sh
echo "${0##*/} $*" >>"$ASKED"
case "$* " in *"test "* | *fuzz*) echo "7 passed, ${FAILED:-0} failed" ;; esac
[ -z "$BROKEN" ] || case "${0##*/} $*" in *"$BROKEN"*) echo broken; exit 2 ;; esac
SH
    chmod +x bin/make
    cp bin/make tree/bootstrap
    cp bin/make tree/scripts/try-distro
    export ASKED=$PWD/asked PATH=$PWD/bin:$PATH BROKEN='' FAILED=''
    unset CI
}

@test "every step is taken, and the last line is the sum" {
    run tree/.ci/run
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "28 passed, 0 failed" ]
    grep -qx 'bootstrap test' asked
    grep -qx "make -j$(nproc) clang-warnings" asked
    grep -qx "make -j$(nproc) SANITIZE=1 test" asked
    grep -q 'SANITIZE=thread' asked
    grep -qx "make -j$(nproc) fuzz-coverage" asked
    grep -qx 'try-distro --smoke trixie' asked
}

@test "flaky tests and the time of each step are printed at the end" {
    sed -i '3i case "$* " in *SANITIZE=1*) echo "flaky: verbs (perftest runs)" ;; esac' bin/make
    run tree/.ci/run
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[-2]}" = "flaky: verbs (perftest runs)" ]
    [[ "${lines[-3]}" =~ ^==\ [0-9]+\ s:\ scripts/try-distro\ --smoke\ trixie$ ]]
    [ "$(grep -cE '^== [0-9]+ s: ' <<<"$output")" -eq 7 ]
}

@test "a step that fails without a failing test counts as one" {
    for BROKEN in 'check-layers' 'clang-warnings' 'try-distro --smoke'; do
        run tree/.ci/run
        [ "$status" -eq 1 ]
        [ "${lines[-1]}" = "28 passed, 1 failed" ]
        [[ $output == *"== failed: "*"$BROKEN"* ]]
    done
}

@test "the end of a failed step is printed once more at the end" {
    sed -i '3i case "$* " in *SANITIZE=1*) echo "--- verbs (exit 1) ---"; exit 1 ;; esac' bin/make
    run tree/.ci/run
    echo "$output"
    [ "$status" -eq 1 ]
    [ "$(sed -n '/^== failed: make .* SANITIZE=1 test$/,$p' <<<"$output" | sed -n 2p)" = "--- verbs (exit 1) ---" ]
    [ "$(grep -cx -e '--- verbs (exit 1) ---' <<<"$output")" -eq 2 ]
}

@test "failures of tests are added, and runs that are missing fail" {
    FAILED=2 run tree/.ci/run
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "28 passed, 8 failed" ]
    printf '#!/bin/sh\n' >bin/make
    run tree/.ci/run
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "7 passed, 1 failed" ]
}

# The clock runs SECONDS ahead with each line of $ASKED that has WORDS.
clock_ahead() { # SECONDS WORDS
    printf '#!/bin/sh\necho $(($(/usr/bin/date +%%s) + %s * $(grep -c -e "%s" "$ASKED")))\n' "$1" "$2" >bin/date
    chmod +x bin/date
    touch asked
    run tree/.ci/run
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "on a slow machine the last steps are left out, and named before the sum" {
    clock_ahead 2800 SANITIZE
    grep -q 'SANITIZE=1 test' asked
    ! grep -q -e 'SANITIZE=thread' asked || false
    grep -qx "make -j$(nproc) fuzz-coverage" asked
    [ "${lines[-2]}" = "== left out, because CI was late: ThreadSanitizer" ]
    [ "${lines[-1]}" = "21 passed, 0 failed" ]
}

@test "a plain run that takes all the time is enough" {
    clock_ahead 4300 'bootstrap test'
    ! grep -q -e SANITIZE -e fuzz -e try-distro.--smoke asked || false
    [ "$(grep -c '^== left out, because CI was late: ' <<<"$output")" -eq 4 ]
    [ "${lines[-1]}" = "7 passed, 0 failed" ]
}
