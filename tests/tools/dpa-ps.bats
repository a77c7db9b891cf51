# dpa-ps and dpa-statistics: what runs on a device, and what its threads execute.

load ../helpers/device

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/await.bash"
source "$BATS_TEST_DIRNAME/../helpers/spins.bash"

setup_file() {
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device mlx5_0
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp -a "$BATS_FILE_TMPDIR/devices" .
    export DPAKIT_DEVICES=$PWD/devices
}

teardown() { end_background; }

@test "processes and threads are listed by number" {
    [ "$(dpa-ps -d mlx5_0)" = "ProcessID Process Name" ]
    spins a.elf 2
    spins b.elf 3
    dpa-ps -d /dev/mst/mt41692_pciconf0 -t | tee out
    [ "$(head -n 2 out)" = "ProcessID Process Name
  ThreadID Thread Name" ]
    grep -xE '0 {12} .+' out && grep -xE '1 {12} .+' out
    [ "$(grep -cxE '  [0-9a-f]+ +spin' out)" -eq 5 ]
    [ "$(dpa-ps -d mlx5_0 -i -p 1 | cut -d' ' -f1)" = 1 ]
    [ "$(dpa-ps -d mlx5_0 -i --process-id "0,1" | wc -l)" -eq 2 ]
    kill -9 "${started[0]}"
    alone() { [ "$(dpa-ps -d mlx5_0 --suppress-header-info | wc -l)" -eq 1 ]; }
    await alone
}

# fields THREAD-LINE: prints the fields that scripts read, by their pattern.
fields='^ *([0-9A-Fa-fx]+) +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+) +(.+)$'

@test "collect with a time counts and prints" {
    spins a.elf 1
    dpa-statistics collect -d mlx5_0 -p 0 -r -t 300 | tee out
    [[ $(grep spin out) =~ $fields ]]
    [ "${BASH_REMATCH[2]}" -gt 0 ] && [ "${BASH_REMATCH[3]}" -gt 0 ] && [ "${BASH_REMATCH[4]}" -gt 0 ]
    # The collection has ended: nothing more is counted.
    dpa-statistics show -d mlx5_0 -i >one
    sleep 0.1
    dpa-statistics show -d mlx5_0 -i >two
    cmp one two
}

@test "enable, disable and reset" {
    dpa-statistics collect -d mlx5_0 --enable
    spins a.elf 1
    counted() { dpa-statistics show -d mlx5_0 | grep spin >line && [[ $(cat line) =~ $fields ]] &&
        [ "${BASH_REMATCH[3]}" -gt 1000000 ] && [ "${BASH_REMATCH[5]}" -eq 1 ]; }
    await counted # it began when counting was on
    dpa-statistics show -d mlx5_0 | grep -q 'Collection time: .* collecting'
    dpa-statistics collect -d mlx5_0 --disable
    dpa-statistics show -d mlx5_0 | grep -q 'Collection time: .* ended'
    dpa-statistics collect -d mlx5_0 -r -t 1 | grep spin >line
    [[ $(cat line) =~ $fields ]] && [ "${BASH_REMATCH[5]}" -eq 0 ]
}

@test "without a mode it counts until Ctrl-C, and ends counting" {
    spins a.elf 1
    in_background bash -c 'trap - INT; exec dpa-statistics collect -d mlx5_0 >out'
    collecting() { dpa-statistics show -d mlx5_0 | grep -q collecting; }
    await collecting
    sleep 0.1
    kill -INT "${started[1]}"
    wait "${started[1]}"
    [[ $(grep spin out) =~ $fields ]]
    ! collecting
}

@test "only the chosen process is counted" {
    spins a.elf 1
    spins b.elf 1
    dpa-statistics collect -d mlx5_0 -p 1 -r -t 200 >/dev/null
    dpa-statistics show -d mlx5_0 -i | grep spin >lines
    [[ $(sed -n 1p lines) =~ $fields ]] && [ "${BASH_REMATCH[3]}" -eq 0 ]
    [[ $(sed -n 2p lines) =~ $fields ]] && [ "${BASH_REMATCH[3]}" -gt 0 ]
}

@test "bad input is one line" {
    local code args
    while read -r code args; do
        run $args
        [ "$status" -eq "$code" ] && [ "${#lines[@]}" -eq 1 ] && [[ $output == "-E- "* ]] ||
            { echo "$args: $status $output"; false; }
    done <<'END'
2 dpa-ps -d mlx5_0 -p x
2 dpa-ps -d mlx5_0 -p 100
1 dpa-ps -d mlx5_9
2 dpa-statistics collect -d mlx5_0 -t 0
2 dpa-statistics collect -d mlx5_0 --enable --disable
2 dpa-statistics collect -d mlx5_0 --enable -t 5
1 dpa-statistics collect -d mlx5_0 -p 7 --enable
2 dpa-statistics show -d mlx5_0 -r
2 dpa-statistics print -d mlx5_0
END
}

@test "show says that nothing was collected, and how to start" {
    dpadev create fresh
    run dpa-statistics show -d fresh
    echo "$output"
    [ "$status" -eq 1 ]
    [ "$output" = "-E- fresh: nothing was collected: begin with dpa-statistics collect --enable -d fresh" ]
    dpa-statistics collect --enable -d fresh
    dpa-statistics show -d fresh
}
