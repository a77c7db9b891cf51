# tests/run and helpers/watch: limits, skipped tests, processes that are left over, repeated tests, and the record.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    here=$BATS_TEST_DIRNAME/.. run_in=$PWD/tree/tests
    mkdir -p "$run_in/tools" "$run_in/unit" "$run_in/helpers" build/obj/tests/helpers
    cp "$here/run" "$run_in/"
    cp "$here"/helpers/*.awk "$run_in/helpers/"
    ln -s "$DPAKIT_BUILD/obj/tests/helpers/watch" build/obj/tests/helpers/
}

# Makes a bats file. "a test" replaces "@test", which bats would take for a test of this file.
bats_file() { sed 's/^a test/@test/' >"$run_in/tools/$1.bats"; }

# A unit test as the Makefile builds one.
unit_test() {
    { printf '#include <%s.h>\n' setjmp stdarg stddef stdint unistd cmocka; echo '#include "skip.h"'; cat; } >"$1.c"
    gcc -I"$here/unit" "$1.c" "$here/unit/each_test.c" -o "build/obj/tests/$1" \
        -Wl,--wrap=_cmocka_run_group_tests,--wrap=_skip -lcmocka
}

# says_ok NAME [LINE...]: a unit test of one test, and its other lines.
says_ok() {
    { echo '#!/bin/sh' && printf 'echo "%s"\n' 1..1 'ok 1' "${@:2}"; } >"build/obj/tests/$1"
    chmod +x "build/obj/tests/$1"
    touch "$run_in/unit/$1.c"
}

# Runs the runner with these test programs; its output is in "out". The runner itself is ended after three minutes.
runner() {
    env -i PATH="$(tr : '\n' <<<"$PATH" | grep -v bats | paste -sd :)" HOME="$HOME" DPAKIT_BUILD="$PWD/build" DPAKIT_GOLDEN="$DPAKIT_GOLDEN" \
        DPAKIT_TEST_LIMIT=60 JOBS=2 ${MORE:-} timeout 180 "$run_in/run" "$@" >out 2>err || true
    cat out err
}
last() { [ "$(tail -n 1 out)" = "$1" ]; }
nothing_runs() { ! grep -lz "$1" /proc/[0-9]*/cmdline 2>/dev/null | grep -v /self/; }

@test "a bats test that hangs is cut off with all that it started, and the next one runs" {
    bats_file hangs <<'END'
a test "is quick" { :; }
a test "waits in vain" { setsid sleep 7771 & sleep 7772; }
a test "comes later" { :; }
END
    MORE=DPAKIT_TEST_LIMIT=2 runner hangs
    last '2 passed, 1 failed'
    grep -qE '^# cut off after [0-9]+ s, [0-9]+ of them waiting: waits in vain$' out
    nothing_runs '^777[12]$'
}

@test "for a failed test with long output, the start and the end are printed" {
    bats_file talks <<'END'
a test "fails" {
    seq 1000
    false
}
END
    MORE=STRICT=1 runner talks
    last '0 passed, 1 failed'
    grep -q '^not ok 1 fails$' out
    grep -q '^# 1$' out
    grep -q '^# 1000$' out
    grep -q '^# \.\.\. [0-9]* lines \.\.\.$' out
    [ "$(wc -l <out)" -lt 55 ]
}

@test "processes that a bats test leaves behind do not delay its file, and are reported" {
    bats_file leaves <<'END'
a test "leaves one" { sleep 7773 & }
a test "leaves one without bats's descriptor" { setsid sleep 7774 3>&- & }
END
    MORE=DPAKIT_TEST_LIMIT=2 runner leaves
    last '2 passed, 1 failed'
    grep -q '^# killed: sleep 7773$' out
    nothing_runs '^777[34]$'
}

@test "a unit test that hangs is cut off with its children, and named" {
    unit_test test_hangs <<'END'
static void is_quick(void **state) { (void)state; }
static void waits_in_vain(void **state) { (void)state; fork(); pause(); }
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_quick), cmocka_unit_test(waits_in_vain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
END
    MORE=DPAKIT_TEST_LIMIT=2 runner test_hangs
    last '1 passed, 1 failed'
    grep -qE '^# cut off after .*: waits_in_vain$' out
    nothing_runs '/test_hangs$'
}

@test "a test that works may take longer than a test that waits" {
    bats_file works <<'END'
a test "works" { end=$((SECONDS + 5)); while [ $SECONDS -lt $end ]; do :; done; }
END
    MORE=DPAKIT_TEST_LIMIT=2 runner works
    last '1 passed, 0 failed'
}

@test "the environment does not matter" {
    bats_file clean <<'END'
a test "knows nothing of it" {
    [ -z "${DPAKIT_DEVICES:-}${CI:-}${LC_ALL:-}${LANG:-}${XDG_STATE_HOME:-}${CDPATH:-}" ]
    [ "$(umask)" = 0022 ] && [ -d "$HOME" ] && [ -z "$(ls -A "$HOME")" ]
    trap - HUP
    run bash -c 'kill -HUP $$'
    [ "$status" -eq 129 ]
}
END
    (
        umask 077
        trap '' HUP
        export MORE="DPAKIT_DEVICES=/x CI=true LC_ALL=de_DE.UTF-8 XDG_STATE_HOME=/x CDPATH=/ HOME=/none"
        runner clean
    )
    last '1 passed, 0 failed'
}

@test "skipped tests say why, and the sum has the reasons" {
    bats_file skips <<'END'
a test "one" { skip "no moon"; }
a test "two" { skip "no sun"; }
a test "three" { :; }
END
    unit_test test_skips <<'END'
static int begins;
static int setup(void **state) { (void)state; begins++; return 0; }
static void at_night(void **state) { (void)state; skip_because("no sun"); }
static void by_day(void **state) { (void)state; assert_int_equal(begins, 1); }
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_night), cmocka_unit_test_setup(by_day, setup)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
END
    runner skips test_skips
    last '2 passed, 0 failed, 3 skipped'
    grep -qx '    skipped: one: no moon' out
    grep -qx '    skipped: two: no sun' out
    grep -qx '    skipped: at_night: no sun' out
    [ "$(grep '^skipped: ' out)" = $'skipped: 2 no sun\nskipped: 1 no moon' ]
}

@test "a skipped test without a reason failed" {
    bats_file skips <<'END'
a test "says nothing" { skip; }
END
    unit_test test_skips <<'END'
static void says_nothing(void **state) { (void)state; skip(); }
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
END
    MORE=STRICT=1 runner skips test_skips
    grep -q 'says nothing: no reason' out
    grep -q 'skip() has no reason' out
    last '0 passed, 2 failed, 1 skipped'
}

@test "with sanitizers, what looks at compilers and packages is left out, unless it is named" {
    mkdir -p build/sanitize/obj/tests
    ln -s "$PWD/build/obj/tests/helpers" build/sanitize/obj/tests/
    bats_file packaging <<'END'
a test "packs" { :; }
END
    says_ok test_x
    cp build/obj/tests/test_x build/sanitize/obj/tests/
    MORE=DPAKIT_BUILD=$PWD/build/sanitize runner
    last '1 passed, 0 failed'
    grep -qE '^only with the plain build:.* packaging( |$)' out
    grep -q '^test_x ' out
    MORE=DPAKIT_BUILD=$PWD/build/sanitize runner packaging
    last '1 passed, 0 failed'
    runner
    last '2 passed, 0 failed'
}

@test "a whole run leaves its sum for the figures, and one of chosen tests does not" {
    bats_file t <<'END'
a test "a" { :; }
a test "b" { skip "no b"; }
END
    runner t
    [ ! -e build/tests.sum ]
    says_ok test_x '# changed files: 30' '# changed files: 4'
    runner
    [ "$(tr '\n' ' ' <build/tests.sum)" = "passed 2 failed 0 skipped 1 changed 34 " ]
}

@test "a file that failed is run once more, alone; if it passes, it counts as passed and is reported as flaky" {
    bats_file shaky <<'END'
a test "is calm" { :; }
a test "shakes & <trembles>" {
    [ -e "$BATS_TEST_DIRNAME/seen" ] || { touch "$BATS_TEST_DIRNAME/seen"; false; }
}
a test "never runs" { skip "no time"; }
END
    bats_file works <<'END'
a test "works" {
    [ -e "$BATS_TEST_DIRNAME/other" ] || { touch "$BATS_TEST_DIRNAME/other"; sleep 7775; }
}
END
    MORE=DPAKIT_TEST_LIMIT=2 runner works shaky
    [ "$(grep -n -e '^once more' -e '^flaky' -e ' passed, ' out | sed 's/^[0-9]*://')" = "once more, alone: works
once more, alone: shaky
$(grep '^flaky: works (cut off after .*: works)$' out)
flaky: shaky (shakes & <trembles>)
3 passed, 0 failed, 1 skipped" ]
    xmllint --noout build/tests.xml
    at() { xmllint --xpath "string($1)" build/tests.xml; }
    [ "$(at '//testsuite[@name="shaky"]//property[@name="flaky"]/@value')" = 'shakes & <trembles>' ]
    [ "$(at 'count(//testsuite)')/$(at 'sum(//@failures)')/$(at 'sum(//@skipped)')/$(at 'sum(//@tests)')" = 2/0/1/4 ]
    [ "$(at '//testsuite[@name="shaky"]/testcase[flakyFailure]/@name')" = 'shakes & <trembles>' ]
    [ "$(at '//testcase[skipped]/@name')" = 'never runs' ]
    [ "$(at '//skipped/@message')" = 'no time' ]
}

@test "a file that fails again has failed, is counted once, and is not reported as flaky" {
    bats_file broken <<'END'
a test "holds" { :; }
a test "breaks" { echo "why & wherefore"; echo x >>"$BATS_TEST_DIRNAME/runs"; false; }
END
    printf '#!/bin/sh\nexit 3\n' >build/obj/tests/test_says_nothing
    chmod +x build/obj/tests/test_says_nothing
    runner broken test_says_nothing
    last '1 passed, 2 failed'
    ! grep -q '^flaky' out || false
    [ "$(wc -l <"$run_in/tools/runs")" = 2 ]
    xmllint --noout build/tests.xml
    at() { xmllint --xpath "string($1)" build/tests.xml; }
    [ "$(at 'sum(//@failures)')/$(at 'count(//failure)')/$(at 'count(//property)')" = 2/2/0 ]
    [[ "$(at '//testcase[@name="breaks"]/failure')" == *"why & wherefore"* ]]
    [ "$(at '//testsuite[@name="test_says_nothing"]//failure')" = "exit code 3" ]
}

@test "with STRICT=1 nothing is run again" {
    bats_file broken <<'END'
a test "breaks" { echo x >>"$BATS_TEST_DIRNAME/runs"; false; }
END
    MORE=STRICT=1 runner broken
    last '0 passed, 1 failed'
    [ "$(wc -l <"$run_in/tools/runs")" = 1 ]
    ! grep -q '^once more' out || false
}

@test "no file is begun after the time that DPAKIT_TEST_UNTIL names, and the sum says so" {
    echo 'a test "passes" { :; }' | bats_file early
    MORE=DPAKIT_TEST_UNTIL=$(($(date +%s) + 100)) runner early
    last '1 passed, 0 failed'
    MORE=DPAKIT_TEST_UNTIL=$(date +%s) runner early
    grep -qx 'skipped: 1 the file was not begun: the time for tests was over' out
    last '0 passed, 0 failed, 1 skipped'
    xmllint --noout build/tests.xml
    # CI does not fail for files that it has no time for.
    DPAKIT_BUILD=$PWD/build DPAKIT_TEST_UNTIL=1 "$run_in/run" early
}

@test "a file that failed is run once more though the time is over, and has failed" {
    bats_file broken <<'END'
a test "breaks after the time" {
    until [ "$(date +%s)" -ge "${DPAKIT_TEST_UNTIL:-0}" ]; do sleep 0.2; done
    false
}
END
    MORE=DPAKIT_TEST_UNTIL=$(($(date +%s) + 6)) runner broken
    last '0 passed, 1 failed'
    ! grep -q '^flaky' out || false
}

@test "an unknown test name is reported with similar names, and nothing runs" {
    for name in host_verbs host_doca mlxdpa; do bats_file $name <<<'a test "runs" { :; }'; done
    touch "$run_in/unit/test_base.c"
    for pair in 'host_verb (is it host_verbs?)' 'mlxpda (is it mlxdpa?)' 'host (is it host_doca, host_verbs?)' \
        'test_bsae (is it test_base?)' 'nothing_alike' '../tools/mlxdpa (is it mlxdpa?)'; do
        run "$run_in/run" mlxdpa "${pair%% *}"
        echo "$output"
        [ "$status" -eq 2 ]
        [ "$output" = "tests/run: no such test: $pair" ]
    done
}

@test "the longest files are run first, and a name twice is run once" {
    for name in a b c d; do bats_file $name <<<'a test "runs" { :; }'; done
    printf 'd\nc\n' >"$run_in/longest"
    MORE=JOBS=1 runner
    [ "$(awk '/ passed +/ { printf $1 }' out)" = dcab ]
    runner a a
    last '1 passed, 0 failed'
    # The files of the project exist.
    while read -r name; do
        ls "$here/tools/$name.bats" "$here/corpus/$name.bats" "$here/unit/$name.c" 2>/dev/null | grep . || { echo "longest: $name"; false; }
    done <"$here/longest"
}

@test "no two files have one name" {
    names="$(ls "$here"/tools/*.bats "$here"/corpus/*.bats | sed 's|.*/||' | sort | uniq -d)"
    echo "$names"
    [ -z "$names" ]
}

@test "no file skips in setup_file, where bats before 1.9 fails instead" {
    skips_early='/^setup_file\(\)/ { early = 1 } early && /(^|[^a-z_"])skip / { print FILENAME ": " FNR } /}$/ && (/^}/ || /^setup_file/) { early = 0 }'
    printf 'setup_file() {\n    true || skip "x"\n}\n' | awk "$skips_early" | grep .
    run awk "$skips_early" "$here"/{tools,corpus}/*.bats "$here"/helpers/*.bash
    echo "$output"
    [ "$status" -eq 0 ] && [ -z "$output" ]
}
