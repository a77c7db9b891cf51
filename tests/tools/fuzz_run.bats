# fuzz/run prints findings at the end, so that a truncated log still has them.

setup() {
    cd "$BATS_TEST_TMPDIR" && mkdir -p fuzz bin
    cp "$BATS_TEST_DIRNAME/../../fuzz/run" fuzz
    : >fuzz/seeds.bash
}

# NAME: makes a fuzzer from the script on standard input; $at is the folder for findings.
fuzzer() {
    { echo '#!/bin/bash'
      echo 'for word; do case $word in -artifact_prefix=*) at=${word#*=};; esac; done'
      cat; } >bin/"$1"
    chmod +x bin/"$1"
}

@test "findings are printed at the end: the fuzzer, the end of its output, the input" {
    fuzzer bad <<'END'
printf 'said %d\n' {1..100}
printf '#%d\tNEW\n' {1..100}
printf 'in \033color\n'
printf 'ab\0c' >"${at}crash-0123"
head -c 4096 /dev/zero >"${at}timeout-4567"
exit 77
END
    fuzzer good <<'END'
sleep 1
echo '#7 DONE cov: 12 ft: 1'
echo 'stat::number_of_executed_units: 7'
END
    run fuzz/run . bad good
    [ "$status" -eq 1 ]
    # The last line of a finished fuzzer is not printed after a finding.
    echo "$output" >whole
    sed -n '/^== fuzz bad found:$/,$p' whole >end
    grep -xE 'fuzz good +ok +7 runs, +12 edges' whole
    grep -xE 'fuzz bad +FAILED' whole
    {
        echo '== fuzz bad found:'
        printf 'said %d\n' {62..100}
        echo 'in ^[color'
        echo "bad: $PWD/bad/crash-0123, 4 bytes"
        printf 'ab\0c' | base64
        echo "bad: $PWD/bad/timeout-4567, 4096 bytes"
        echo '1 passed, 1 failed'
    } >wanted
    diff wanted end
}

@test "a fuzzer that cannot start is reported as a failure" {
    echo ':' | fuzzer good
    run fuzz/run . absent good
    [ "$status" -eq 1 ]
    [[ "$output" == *"== fuzz absent found:"*"bin/absent: No such file"*"1 passed, 1 failed" ]]
    [[ "$output" != *crash-* ]]
}

@test "fuzzers that find nothing leave no report" {
    echo ':' | fuzzer good
    run fuzz/run . good
    [ "$status" -eq 0 ]
    [[ "$output" != *==* ]]
    [ "${lines[-1]}" = "1 passed, 0 failed" ]
}
