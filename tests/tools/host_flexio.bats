# libflexio with libibverbs and libmlx5: a host program's view (tests/host/flexio_cases.c).
# cases: flexio_cases.c

load ../host/setup
load ../helpers/forks

setup_file() {
    build_cases flexio
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "devices are listed by name" {
    case_ok devices_are_listed_by_name
}

@test "a child of a fork gets errors and no hangs" {
    forks_whole
    case_ok a_child_of_a_fork_gets_errors_and_no_hangs
}

@test "an address that is not a function of the program is not called, and an error says so" {
    case_ok what_is_no_function_of_the_program_is_not_called
    [ "$(grep -c '^-E- flexio_process_call: not a function' <<<"$output")" -eq 2 ]
}

@test "a fault ends one process and no other, with function and address on stderr" {
    case_ok a_fault_ends_one_process_and_no_other
    grep -q '^-E- flexio_process_call: .*load.*0x8' <<<"$output"
}

@test "a program may exit with everything open" {
    ASAN_OPTIONS=detect_leaks=0 run timeout 60 "$BATS_FILE_TMPDIR/cases" \
        a_program_may_exit_with_everything_open
    echo "$output"
    [ "$status" -eq 7 ]
}

@test "names in the log steer no terminal" {
    case_ok names_in_the_log_steer_no_terminal
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" != *$'\e'* ]]
}

@test "the log level is set and returned" {
    case_ok the_log_level_is_set_and_returned
    [ "$(grep -c '^-I- .*not_there' <<<"$output")" -eq 1 ]
}

@test "a device without authentication runs everything, and warns of bad signatures" {
    case_ok signature_sections
    [ "$(grep -cE '^[a-z]+ 0$' <<<"$output")" -eq 8 ]
    for name in tiny one over huge bare; do
        grep -q "^-W- program $name .*BAD_FORMAT" <<<"$output"
    done
    [ "$(grep -c '^-W-' <<<"$output")" -eq 5 ]
}

@test "a device with authentication refuses everything unsigned and says why in one line" {
    mkdir "$BATS_TEST_TMPDIR/locked"
    make_locked_device "$BATS_TEST_TMPDIR/locked"
    case_ok signature_sections
    [ "$(grep -cE '^[a-z]+ 1$' <<<"$output")" -eq 8 ]
    for name in none empty zero; do
        grep -q -- "^-E- program $name refused: UNSIGNED" <<<"$output"
    done
    for name in tiny one over huge bare; do # a length that lies is not "unsigned"
        grep -q -- "^-E- program $name refused: BAD_FORMAT" <<<"$output"
    done
    [ "$(grep -c '^-E-' <<<"$output")" -eq 8 ]
}

@test "no devices at all: an empty list, and one line on stderr that says how to make one" {
    cat >"$BATS_TEST_TMPDIR/t.c" <<'C'
#include <doca_dev.h>
#include <infiniband/verbs.h>
static int verbs(void)
{
    int n = -1;
    struct ibv_device **list = ibv_get_device_list(&n);
    if (!list || n != 0 || list[0])
        return 1;
    ibv_free_device_list(list);
    return 0;
}
static int doca(void)
{
    struct doca_devinfo **list;
    uint32_t n = 7;
    if (doca_devinfo_create_list(&list, &n) != DOCA_SUCCESS || n != 0)
        return 1;
    return doca_devinfo_destroy_list(list) != DOCA_SUCCESS;
}
int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? doca() || doca() || verbs() : verbs() || verbs();
}
C
    # shellcheck disable=SC2086
    gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" \
        "$BATS_TEST_TMPDIR/t.c" -o "$BATS_TEST_TMPDIR/t" \
        -L"$DPAKIT_BUILD/lib" -Wl,--no-as-needed -ldoca_common -lflexio -libverbs -Wl,-rpath,"$DPAKIT_BUILD/lib"
    for kind in "" doca; do
        # shellcheck disable=SC2086
        DPAKIT_DEVICES=$BATS_TEST_TMPDIR/none "$BATS_TEST_TMPDIR/t" $kind 2>"$BATS_TEST_TMPDIR/err"
        diff - "$BATS_TEST_TMPDIR/err" <<<'-W- no emulated device: make one with dpadev create mlx5_0'
    done
}

@test "a device that is there is listed without a word" {
    case_ok devices_are_listed_by_name
    ! grep 'no emulated device' <<<"$output" || false
}

@test "flexio.h is valid C11 and C++17, alone and twice" {
    printf '#include <libflexio/flexio.h>\n#include <libflexio/flexio.h>\n' >"$BATS_TEST_TMPDIR/t.c"
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$DPAKIT_BUILD/include" -fsyntax-only \
        "$BATS_TEST_TMPDIR/t.c"
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$DPAKIT_BUILD/include" -fsyntax-only -x c++ \
        "$BATS_TEST_TMPDIR/t.c"
}

@test "libflexio exports what its headers declare, and no names but its own" {
    declared flexio_ "$DPAKIT_BUILD"/include/libflexio/*.h >"$BATS_TEST_TMPDIR/declared"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libflexio.so" | awk '{print $3}' | sort \
        >"$BATS_TEST_TMPDIR/exported"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/declared")" -ge 24 ]
    diff "$BATS_TEST_TMPDIR/declared" <(grep '^flexio_' "$BATS_TEST_TMPDIR/exported" | grep -vE '_v(2_2|24_01)$')
    ! grep -v '^flexio_\|^dpk_\|^ibv_dpakit_' "$BATS_TEST_TMPDIR/exported" || false
}

@test "every function of FlexIO 24.01 is declared" {
    declared flexio_ "$DPAKIT_BUILD"/include/libflexio/*.h >"$BATS_TEST_TMPDIR/declared"
    run grep -vxFf "$BATS_TEST_TMPDIR/declared" "$BATS_TEST_DIRNAME/../host/flexio_24.01.txt"
    echo "$output"
    [ "$status" -eq 1 ] # nothing is left
}

# A call of each declared function, with NULL and 0 for everything; prints what it returned.
null_calls() {
    printf '#include <libflexio/flexio.h>\nint main(void) {\n'
    printf '#include <libflexio/flexio.h>\n' | gcc -E -P -I"$DPAKIT_BUILD/include" - | tr '\n' ' ' |
        awk -v RS='[;{}]' 'match($0, /flexio_[a-z0-9_]+ ?\(/) && !/typedef|=|return/ {
            name = substr($0, RSTART, RLENGTH - 1)
            count = split(substr($0, RSTART + RLENGTH), parameter, ",")
            type = substr($0, 1, RSTART - 1)
            gsub(/ /, "", type)
            call = name "("
            for (i = 1; i <= count; i++)
                if (parameter[i] !~ /\.\.\./)
                    call = call (i > 1 ? ", " : "") (parameter[i] ~ /\*/ ? "NULL" : "0")
            printf "    printf(\"%s %s %%lld\\n\", (long long)%s));\n", type, name, call
        }'
    printf '    return 0;\n}\n'
}

@test "every function takes NULL: what there is nothing to destroy of is fine, all else fails" {
    cd "$BATS_TEST_TMPDIR"
    null_calls >null.c
    [ "$(grep -c '    printf' null.c)" -ge 84 ]
    # shellcheck disable=SC2086
    gcc -std=gnu11 -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include" null.c -o null \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
    ./null >results 2>/dev/null
    [ "$(wc -l <results)" -ge 84 ]
    awk '$1 == "flexio_status" {
        nothing_to_do = $2 ~ /_destroy$|_list_free$/ && $2 != "flexio_log_dev_destroy"
        if ($3 != !nothing_to_do) { print; wrong = 1 }
    } END { exit wrong }' results
}
