# libflexio's core files, crash texts and tokens: a host program's view (tests/host/debug_cases.c).
# cases: debug_cases.c

bats_require_minimum_version 1.5.0

load ../host/setup

setup_file() {
    build_cases debug
    make_devices "$BATS_FILE_TMPDIR/devices"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_RUNTIME=$BATS_TEST_TMPDIR/run
}

@test "files are named after what is asked for and the pid, and private" {
    case_ok files_are_named_after_what_is_asked_for_and_the_pid
}

@test "files that cannot be written are errors" {
    case_ok files_that_cannot_be_written_are_errors
    [ "$(grep -c '^-E- .*/no/where/' <<<"$output")" -eq 2 ]
}

@test "an unusable runtime directory is reported once, and everything else works" {
    mkdir shared
    chmod 755 shared
    DPAKIT_RUNTIME=$PWD/shared case_ok files_are_named_after_what_is_asked_for_and_the_pid
    [ "$(grep -c "dpadev ps and dpa-gdbserver do not find this program: $PWD/shared: not a directory that only this user may use" <<<"$output")" -eq 1 ]
}

@test "a file in the place of the socket is reported" {
    mkdir -m 700 run
    run -0 bash -c 'echo mine >run/$$.dpa; exec "$0" "$@"' "$BATS_FILE_TMPDIR/cases" \
        files_are_named_after_what_is_asked_for_and_the_pid
    [[ $output == *"dpadev ps and dpa-gdbserver do not find this program: cannot listen on $PWD/run/"*".dpa: it is there, and no socket"* ]]
    [ "$(cat run/*.dpa)" = mine ]
}
