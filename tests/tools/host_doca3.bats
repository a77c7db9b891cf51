# DOCA 3.x: libdoca_common and libdoca_dpa, with a device program that dpacc compiled
# (tests/host/doca3_*.c). Flags and order of the command lines are those of NVIDIA's samples.
# cases: doca3_dpa_cases.c doca3_foreign_cases.c doca3_common_cases.c doca3_trap_cases.c doca3_fault_cases.c
# cases: doca3_thread_cases.c doca3_program_cases.c
# host_doca_core.bats and host_doca_dpa.bats run the cases commands_have_flags_of_their_own, files_give_flags_of_commands,
# others_get_complaints_and_flags_of_dpdk, help_is_of_the_command and threads_of_a_group_know_their_ranks.

load ../host/setup
source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "forged exports are refused" {
    case_ok forged_exports_are_refused
    # Missing configuration is reported once for each cause.
    [ "$(grep -c '^-E- doca_mmap_start: the map has no memory (doca_mmap_set_memrange) (DOCA_ERROR_BAD_CONFIG)$' <<<"$output")" -eq 1 ]
    [ "$(grep -c '^-E- doca_mmap_start: the map has no device' <<<"$output")" -eq 1 ]
}

@test "missing configuration is reported for each object, in the SDK's log each time" {
    case_ok what_is_not_configured_is_told_of_each_object
    [ "$(grep -c '^-E- doca_mmap_start: the map has no memory (doca_mmap_set_memrange) (DOCA_ERROR_BAD_CONFIG)$' <<<"$output")" -eq 2 ]
    [ "$(grep -c '\[DOCA\]\[ERR\].*doca_mmap_start: the map has no memory (doca_mmap_set_memrange) (DOCA_ERROR_BAD_CONFIG)$' <<<"$output")" -eq 6 ]
}

@test "kernels of a context overlap" {
    case_ok kernels_of_a_context_overlap
    DPAKIT_WORKERS=1 case_ok kernels_of_a_context_overlap
}

# Only this case waits long enough for a report; other cases end before its ten seconds.
@test "a launch that waits in vain is shown by ps at once, and reported once without ps" {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_RUNTIME=$PWD/run
    mkfifo go
    "$BATS_FILE_TMPDIR/cases" a_launch_that_waits_in_vain_is_told <go >out 2>err &
    exec 9>go
    await grep -q '^event 0x' out
    event=$(sed -n 's/^event //p' out)
    dpadev ps -t | grep -qx "  launch 1 waits for event $event > 1 (is 1)"
    dpadev ps --json | jq -e ".[0].waits == [\"launch 1 waits for event $event > 1 (is 1)\"]"
    await grep -q . err
    exec 9>&-
    wait $!
    cat err
    [ "$(grep -c . err)" -eq 1 ]
    grep -qE "^-W- program [^:]+: launch 1 waits for event $event > 1 \(is 1\) since 10 s; " err
}

# Of two waits for one event, only the first is reported.
@test "a host that waits in vain without a DPA is reported once" {
    cd "$BATS_TEST_TMPDIR"
    mkfifo go
    "$BATS_FILE_TMPDIR/cases" a_wait_without_a_dpa_is_told <go >out 2>err &
    exec 9>go
    await grep -q '^event 0x' out
    event=$(sed -n 's/^event //p' out)
    await grep -q . err
    sleep 1 # the other one's turn
    exec 9>&-
    wait $!
    cat err
    [ "$(grep -v '^-E- doca_sync_event_wait_gt: the event was stopped' err)" = "-W- the host waits for event $event > 5 (is 3) since 10 s, and no DPA works on it" ]
}

@test "a host whose wait is woken by many updates is not reported" {
    case_ok a_wait_with_many_updates_is_not_told
    ! grep 'the host waits' <<<"$output"
}

@test "a queue that is full ends its process" {
    case_ok a_queue_that_is_full_ends_its_process
    [ "$(grep -c '^-E- program .*: a completion queue of 4 elements is full$' <<<"$output")" -eq 1 ]
}

@test "the program's lines go to stdout up to info, to stderr from warning on" {
    "$BATS_FILE_TMPDIR/cases" lines_go_where_their_level_says >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
    [ "$(sed 's/.*\] //' "$BATS_TEST_TMPDIR/out" | tr '\n' ' ')" = "info info info debug " ]
    # Wrong calls of the case are reported there, too.
    [ "$(grep -F '[say]' "$BATS_TEST_TMPDIR/err" | sed 's/.*\] //' | tr '\n' ' ')" = \
        "critical error 1 warning critical error 1 warning critical error 1 warning " ]
    grep -Eq '^\[[0-9]{2}:[0-9]{2}:[0-9]{2}:[0-9]{6}\]\[[0-9]+\]\[DOCA\]\[INF\]\[doca3_common_cases.c:[0-9]+\]\[say\] info$' \
        "$BATS_TEST_TMPDIR/out"
}

@test "the version is the program's, and ends it" {
    run "$BATS_FILE_TMPDIR/cases" the_version_is_the_programs
    [ "$status" -eq 0 ]
    [ "$output" = "version 1 of the test" ]
}

@test "the libraries' lines go to their backend, without one to stderr" {
    "$BATS_FILE_TMPDIR/cases" lines_of_the_libraries_go_to_their_backend >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ]
    grep -q '^-E- doca_dpa_mem_alloc: ' "$BATS_TEST_TMPDIR/err"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 1 ]
    grep -q '\[DOCA\]\[ERR\].*doca_dpa_mem_alloc: ' "$BATS_TEST_TMPDIR/out"
}

@test "logs and traces go to files" {
    cd "$BATS_TEST_TMPDIR"
    case_ok logs_and_traces_go_to_files
    grep -q '/printed$' <<<"$output"
    ! grep -q 'to the log' <<<"$output" || false
    [[ $output == *'not/there/log: No such file or directory'* ]]
}

@test "device logs come out up to the level, prints always" {
    case_ok messages_come_out_up_to_the_level
    local n=0 expected=(
        "critical 1 error 2 warning three info 4 printed"
        "critical 1 error 2 warning three info 4 debug printed"
        "critical 1 error 2 printed"
        "printed")
    while read -r line; do
        [ "$line" = "${expected[n]}" ]
        n=$((n + 1))
    done < <(sed 's:^/[ 0-9]*/::; s/.*\] //' <<<"$output" | tr '\n' ' ' | sed 's/ -- */\n/g')
    [ "$n" -eq 4 ]
}

@test "a host program compiles with every warning" {
    gcc -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$DPAKIT_BUILD/include/doca" \
        -I"$DPAKIT_BUILD/include" -fsyntax-only "$BATS_TEST_DIRNAME/../host/doca3_dpa_cases.c"
}

@test "headers of both sides go together, alone, twice, in C and C++" {
    local i=$DPAKIT_BUILD/include/doca h
    cd "$BATS_TEST_TMPDIR"
    for h in "$i"/doca_*.h; do
        h=${h##*/}
        printf '#include <%s>\n#include <%s>\nextern int some;\n' "$h" "$h" >"$h.c"
        echo "#include <$h>" >>all
    done
    cp all forward.c
    tac all >backward.c
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -DDOCA_ALLOW_EXPERIMENTAL_API -I"$i" -fsyntax-only ./*.c
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$i" -fsyntax-only -x c++ ./*.c
}
