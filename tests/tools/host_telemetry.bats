# DOCA Telemetry DPA: its view of other programs (tests/host/telemetry_cases.c).

load ../host/setup
source "$BATS_TEST_DIRNAME/../helpers/await.bash"
source "$BATS_TEST_DIRNAME/../helpers/spins.bash"

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" \
        "$here/telemetry_cases.c" -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" -ldoca_telemetry_dpa \
        -ldoca_common -Wl,-rpath,"$DPAKIT_BUILD/lib"
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device mlx5_0
}

setup() {
    cp -a "$BATS_FILE_TMPDIR/devices" "$BATS_TEST_TMPDIR/" && cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
}

teardown() { end_background; }

two_programs() {
    spins a.elf 1
    spins a_name_of_many_letters 2
}

# A program that launches a kernel of two threads again and again, on two units.
launches_on_two_units() {
    printf '#include <doca_dpa_dev.h>\n__dpa_global__ void work(void) { for (volatile int i = 0; i < 100; i++) ; }\n' >work.c
    dpacc work.c -o work.a --app-name=work_app -I"$DPAKIT_BUILD/include/doca"
    cat >main.c <<'END'
#include <unistd.h>
#include <doca_dev.h>
#include <doca_dpa.h>
extern struct doca_dpa_app *work_app;
extern doca_dpa_func_t work;
int main(void)
{
    struct doca_devinfo **list;
    struct doca_dev *dev;
    struct doca_dpa *dpa;
    uint32_t count;
    if (doca_devinfo_create_list(&list, &count) || doca_dev_open(list[0], &dev) || doca_dpa_create(dev, &dpa) ||
        doca_dpa_set_app(dpa, work_app) || doca_dpa_start(dpa))
        return 1;
    while (!doca_dpa_kernel_launch_update_set(dpa, 0, 0, 0, 0, 2, &work))
        usleep(1000);
    return 2;
}
END
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} -DDOCA_ALLOW_EXPERIMENTAL_API main.c work.a "$DPAKIT_BUILD/lib/libdoca_dpa.a" -o launches \
        -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -ldoca_common -lflexio -libverbs \
        -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
    DPAKIT_EUS=2 in_background ./launches
    launched() { dpa-ps -d mlx5_0 -t | grep -q work; }
    await launched
}

@test "processes and threads are listed" {
    two_programs
    case_ok processes_and_threads_are_listed
}

@test "counters count from start to stop" {
    two_programs
    case_ok counters_count_from_start_to_stop
    dpa-statistics show -d mlx5_0 | grep -q ', ended'
}

@test "samples show which thread got which unit, and when it left it" {
    launches_on_two_units
    case_ok samples_tell_who_got_which_unit
    # On each unit, entries and exits alternate, with the same thread and number; the next pair has the next number.
    awk '
        $1 == "in" { if (at[$5] == "in") bad = 1; who[$5] = $3; turn[$5] = $7 }
        $1 == "out" && at[$5] == "in" && (who[$5] != $3 || turn[$5] != $7) { bad = 1 }
        { at[$5] = $1; units[$5]; threads[$3]; lines++ }
        END { for (u in units) count++; for (t in threads) different++
              exit bad || lines < 50 || count > 2 || different < 2 }' <(grep -E '^(in|out) ' <<<"$output")
}

@test "invalid objects are refused, and nothing runs" {
    case_ok what_is_none_is_refused
}
