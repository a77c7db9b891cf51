# dpatop: what runs on a device, live in a terminal and as JSON.

load ../helpers/device

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/await.bash"
source "$BATS_TEST_DIRNAME/../helpers/spins.bash"
source "$BATS_TEST_DIRNAME/../helpers/terminal.bash"

setup_file() {
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device mlx5_0
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp -a "$BATS_FILE_TMPDIR/devices" .
    export DPAKIT_DEVICES=$PWD/devices
    socket=$PWD/tmux
}

teardown() {
    [ ! -S "$socket" ] || tmux -S "$socket" kill-server 2>/dev/null || true
    end_background
}

counting() { dpa-statistics show -d mlx5_0 | grep -q ', collecting'; }

# opens WIDTH HEIGHT OPTION...: dpatop in a terminal of that size.
opens() {
    command -v tmux >/dev/null || skip "no tmux"
    need_terminal
    local size=(-x "$1" -y "$2")
    shift 2
    tmux -S "$socket" -f /dev/null new-session -d "${size[@]}" "dpatop -d mlx5_0 -i 200 $*; echo code \$? >code" 3>&-
}
keys() { tmux -S "$socket" send-keys "$@"; }
screen() { tmux -S "$socket" capture-pane -p; }
shows() { screen >screen && grep -qE -- "$1" screen; }

@test "--once: processes, threads and units, with rates" {
    spins a.elf 1
    spins b.elf 2
    dpatop -d mlx5_0 --once -i 300 >json
    jq -e '.device == "mlx5_0" and .seconds >= 0.3 and ([.processes[].threads | length] == [1, 2])
        and ([.processes[].threads[].name] | unique == ["spin"])
        and all(.processes[]; .instructions > 0 and .instructions_per_second > 0 and .busy > 0)
        and all(.processes[]; .instructions == ([.threads[].instructions] | add))
        and ([.units[] | select(.busy == 1).unit] | length == 3)
        and .events[-1].action == "load"' json
    [ "$(jq -r '.processes[].pid' json | sort -n)" = "$(printf '%s\n' "${started[@]}" | sort -n)" ]
    # The units of the processes are exactly the units in use.
    [ "$(jq -r '[.processes[].units] | sort | join(",")' json)" = "253-254,255" ]
    ! counting # as before
}

@test "a collection that another tool started continues" {
    dpa-statistics collect -d mlx5_0 --enable
    dpatop -d mlx5_0 --once -i 100 >json
    counting
}

@test "the port and its queues, with rates" {
    dpadev wire mlx5_0 loop
    dpatop -d mlx5_0 --once -i 100 >json
    jq -e '.queues == [] and .port.tx_packets == 0 and .port.per_second.tx_packets == 0' json
    diff <(jq -r '.port | del(.per_second) | keys[]' json) \
        <(dpadev stats --json mlx5_0 | jq -r '[(.port | del(.drops) | keys), (.port.drops | keys)] | flatten | sort[]')
}

@test "on a terminal of 80x24: all views by key, until q" {
    opens 80 24
    await shows '^dpatop mlx5_0: 0 processes, 0 threads, every 0.2 s'
    counting
    spins a.elf 3
    await shows '^0 +[0-9]+ +3 +3 +[0-9.]+ % +[0-9.]+ [kMG] .* a.elf'
    await shows '^192 \|.*#\|$' # the last unit, all the time
    [ "$(wc -l <screen)" -eq 24 ]
    keys t
    await shows '^0 +2 +.*spin$'
    keys n
    await shows '^no queues'
    keys Tab
    await shows 'load +OK +dparun: app a.elf'
    keys h
    await shows '^< > +sort by'
    keys h p
    await shows 'a.elf'
    keys Space
    await shows 'frozen'
    keys +
    await shows 'every 0.4 s'
    keys q
    await test -s code
    [ "$(cat code)" = "code 0" ]
    ! counting
}

@test "rows are sorted by the column that is chosen, and scroll" {
    spins a.elf 40
    opens 80 24
    keys t
    await shows '^PROCESS +THREAD +BUSYv'
    keys '<' r
    await shows '^PROCESS +THREAD\^'
    # Sorted as numbers, not as texts: 9 before a, and 10 after f.
    screen | sed -n 's/^0  *\([0-9a-f]*\) .*spin$/\1/p' | head -n 12 | xargs >numbers
    [ "$(cat numbers)" = "0 1 2 3 4 5 6 7 8 9 a b" ]
    keys End
    await shows '^0 +27 '
    ! grep -qE '^0 +0 ' screen
    keys Home
    await shows '^0 +0 '
    keys q
    await test -s code
}

@test "it follows the size of the terminal, however small" {
    spins a.elf 1
    opens 80 24
    await shows '^ 64 \|'
    tmux -S "$socket" resize-window -x 40 -y 10
    await shows '^q quit'
    gone() { screen >screen && ! grep -q '^ 64 ' screen && grep -q '^PROCESS' screen; }
    await gone
    tmux -S "$socket" resize-window -x 5 -y 2
    tmux -S "$socket" resize-window -x 150 -y 50
    await shows 'a.elf$'
    keys q
    await test -s code
    [ "$(cat code)" = "code 0" ]
}

@test "at 60 columns everything is there, with fewer columns" {
    spins a.elf 1
    opens 60 30
    await shows '^224 \|'
    await shows '^PROCESS .*BUSY.* NAME$'
    await shows 'a.elf'
    await shows '^Dropped: 0'
    await shows '^q quit .*r reverse$'
    screen >screen
    ! grep -qE 'UNITS|EXEC/S' screen
    keys h
    await shows 'how often threads began. dpatop\(1\)$'
    keys q
    await test -s code
}

@test "a signal ends it, and counting; the terminal is as before" {
    need_terminal
    cat >run.sh <<'END'
sh -c 'echo $$ >pid; exec dpatop -d mlx5_0 -i 100'
echo "code $?"
stty -a
END
    mkfifo keys
    exec 8<>keys
    TERM=xterm in_background script -qec 'sh run.sh' /dev/null <keys >shown
    await counting
    kill -TERM "$(cat pid)"
    wait "${started[0]}"
    exec 8>&-
    grep -q 'code 0' shown
    grep -qE ' echo( |$)' shown && ! counting
}

@test "names of others steer no terminal" {
    printf '#include <stdint.h>\n__dpa_global__ void idle(void) { for (;;); }\n' >k.c
    dpacc k.c -o k.a --app-name=app
    in_background dparun -d mlx5_0 k.a --kernel idle --run-time-limit 600000
    named() { dpa-ps -d mlx5_0 -t | grep -q idle; }
    await named
    # A program may write anything to its file: here, into its name.
    printf '\033[2J\007evil' | dd of=devices/mlx5_0/live/0 bs=1 seek=16 conv=notrunc status=none
    dpatop -d mlx5_0 --once -i 100 | jq -r '.processes[0].name' >name
    grep -qx '?\[2J?evil' name
}

@test "bad input is one line" {
    local code args
    while read -r code args; do
        run $args </dev/null
        [ "$status" -eq "$code" ] && [ "${#lines[@]}" -eq 1 ] && [[ $output == "-E- "* ]] ||
            { echo "$args: $status $output"; false; }
    done <<'END'
2 dpatop
2 dpatop -d mlx5_0
1 dpatop -d mlx5_9 --once
2 dpatop -d mlx5_0 -i 99
2 dpatop -d mlx5_0 -n 0
2 dpatop -d mlx5_0 --once now
END
    need_terminal
    TERM=unheard-of script -qec 'dpatop -d mlx5_0' /dev/null >shown || true
    grep -q '^-E- the terminal is not known' shown
    ! counting
}
