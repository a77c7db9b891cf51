# Access of debuggers: devices that allow them to read, allow everything, or refuse them; other users; sockets.

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/await.bash"
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/device.bash"

# A locked device in production (mlx5_0), one in development (work), one that denies debuggers
# (denied), and one that is open; a program that is signed for all of them.
setup_file() {
    make_world
    cp "$test_keys/leaf.pem" .
    openssl req -new -key leaf.pem -subj "/CN=Signer" -out leaf.csr
    openssl x509 -req -in leaf.csr -CA root.der -CAform der -CAkey root.pem -days 365 \
        -set_serial 2 -outform der -out leaf.der 2>log
    cat root.der leaf.der >chain.der
    { identity_xml True
      echo "<nv_dpakit_debug ovr_en='0' rd_en='1' writer_id='0'>"
      echo "<dpa_debug>DISABLED</dpa_debug></nv_dpakit_debug></config>"; } >deny.xml
    mlxconfig-lite -p owner.pem -u $owner_uuid create_conf deny.xml deny.bin
    new_device open
    dpadev export --with-factory-keys mlx5_0 fresh.archive
    dpadev import denied fresh.archive
    dpadev create --life-cycle development --nvidia-key devices/mlx5_0/factory/nvidia.pub.pem \
        --nvidia-key-uuid "$(cat nvidia.uuid)" work
    for device in mlx5_0 denied work; do
        mlxconfig-lite -d $device apply claim.bin
        flint-lite -d $device -i root.signed -y b
        mlxconfig-lite -d $device apply auth.bin
    done
    mlxconfig-lite -d denied apply deny.bin
    for device in mlx5_0 denied work; do dpadev reset $device; done

    cp "$DPAKIT_BUILD/obj/tests/data/faults.elf" .
    echo 'int nothing;' | gcc -x c -c - -o empty.o
    objcopy --add-section .dpa_bin_faults=faults.elf empty.o host.o
    mlxdpa -e host.o -c chain.der -p leaf.pem --section-type progbits -o signed.o sign_dpa_apps

    example=$BATS_TEST_DIRNAME/../../examples/crash
    dpacc "$example/device/crash_dev.c" -o crash_app.a --app-name=crash_app -I"$DPAKIT_BUILD/include"
    # shellcheck disable=SC2086
    gcc ${TEST_HOST_CFLAGS:-} -DDEV_APP_NAME=crash_app "$example/host/crash.c" -o unsigned \
        crash_app.a -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" \
        -Wl,-rpath,"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5
    mlxdpa -e unsigned -c chain.der -p leaf.pem -o crash sign_dpa_apps
    dpacc-extract crash -o crash.elf
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    w=$BATS_FILE_TMPDIR/world
    cp -a "$w/devices" .
    export DPAKIT_DEVICES=$PWD/devices DPAKIT_RUNTIME=$PWD/run
}

teardown() {
    jobs -p | xargs -r kill -9 2>/dev/null || true
}

need_gdb() { command -v gdb-multiarch >/dev/null || skip "no gdb-multiarch"; }

# session DEVICE COMMANDS... -- DPARUN ARGUMENTS: GDB's output is in "out", dparun's in "program".
session() {
    local device=$1 commands=()
    need_gdb
    shift
    while [ "$1" != -- ]; do commands+=(-ex "$1"); shift; done
    shift
    timeout 120 gdb-multiarch -nx -batch -ex 'set confirm off' -ex 'set remotetimeout 60' \
        -ex "target remote | exec dparun -d $device --gdb - $w/signed.o $* 2>program" \
        "${commands[@]}" "$w/faults.elf" >out 2>&1 || true
    cat out program
}

# Prints the debuggers in the log of a device: action, result, and the text after the program.
debuggers_in_log() {
    dpadev log --json "$1" | jq -r '.[] | select(.action | IN("attach", "detach", "debug")) |
        "\(.action) \(.result) \(.detail)"'
}

listening() { grep -q 'waiting for GDB' "$1"; }

# ---- What they may do

@test "GDB on a device in production looks, and changes nothing" {
    session mlx5_0 'break count' continue 'print $a0' 'set $a0 = 1' 'set $pc = (long) store' \
        'set $ra = 4096' 'print table[0] = 100' 'set *(int *) count = 0x13' 'call store((long) table, 1)' \
        'monitor policy' 'print table[0]' delete continue -- --rpc count 10
    grep -qx '\$1 = 10' out
    [ "$(grep -c "remote failure reply '\(E.\)\?mlx5_0 has DPA_AUTHENTICATION on" out)" -eq 3 ]
    [ "$(grep -c '^Cannot access memory at address' out)" -eq 3 ]
    [ "$(grep -c '^mlx5_0 has .*debuggers may look, and change nothing$' out)" -eq 1 ]
    grep -q 'not changed: mlx5_0 has DPA_AUTHENTICATION on and is in its production life' out
    grep -q 'exited normally' out
    grep -q '^result: 13 ' program
    grep -q '^-I- mlx5_0 has DPA_AUTHENTICATION on .*may look, and change nothing$' program
    debuggers_in_log mlx5_0 >log
    cat log
    grep -qx 'attach OK app faults: may look' log
    grep -q '^debug READ_ONLY app faults: registers, pc from ' log
    grep -qE '^detach OK app faults: 0 writes to code, 0 bytes; 0 jumps; [0-9]+ changes refused' log
}

@test "GDB on a device in development changes code, and the log has it" {
    session work 'break count' continue 'set *(int *) store = 0x00008067' 'print table[0] = 100' \
        'set $a0 = 1' delete continue -- --rpc count 4
    grep -q '^result: 100 ' program
    ! grep -q 'may look' program
    debuggers_in_log work >log
    grep -qx 'attach OK app faults: may change everything' log
    grep -q '^debug OK app faults: write of [0-9]* bytes of code at 0x' log
    grep -qE '^detach OK app faults: [1-9][0-9]* writes to code, [0-9]+ bytes' log
}

@test "GDB on an open device changes what it likes, and the log has it" {
    session open 'break count' continue 'print table[0] = 100' 'set $a0 = 1' delete continue \
        -- --rpc count 4
    grep -q '^result: 100 ' program
    debuggers_in_log open | grep -qx 'attach OK app faults: may change everything'
}

@test "a lock that comes while GDB is there counts at once" {
    session open 'break count' continue 'print table[0] = 1' \
        'shell mlxconfig-lite -d open -y set DPA_AUTHENTICATION=True && dpadev reset open' \
        'print table[0] = 100' 'set $a0 = 1' 'monitor policy' delete continue -- --rpc count 4
    grep -qx '\$1 = 1' out
    grep -q '^Cannot access memory at address' out
    grep -q "remote failure reply '\(E.\)\?open has DPA_AUTHENTICATION on" out
    grep -qx 'open has .*debuggers may look, and change nothing' out
    grep -q 'exited normally' out
    debuggers_in_log open | grep -qx 'debug READ_ONLY app faults: may look from now on'
}

# This test needs its own device: the others have their settings already.
@test "a denial that comes while GDB is there sends it away, and the program goes on" {
    dpadev import later "$w/fresh.archive"
    mlxconfig-lite -d later apply "$w/claim.bin"
    mlxconfig-lite -d later apply "$w/deny.bin"
    session later 'break count' continue \
        'shell mlxconfig-lite -d later -y set DPA_AUTHENTICATION=True && dpadev reset later' \
        'set $a0 = 1' -- --rpc count 10
    grep -q "later allows no debuggers: it has DPA_AUTHENTICATION on and DPAKIT_DPA_DEBUG DISABLED" out
    grep -q '^result: 13 ' program
    grep -qx -- '-W- no debugger: later allows no debuggers: it has DPA_AUTHENTICATION on and DPAKIT_DPA_DEBUG DISABLED' program
    debuggers_in_log later | grep -qx 'debug NOT_ALLOWED app faults'
}

@test "a device that denies debuggers lets none come, whichever way" {
    run -0 dparun -d denied "$w/signed.o" --rpc count 10
    for where in - 0 ./gdb.socket; do
        run -1 --separate-stderr timeout 60 dparun -d denied --gdb $where "$w/signed.o" --rpc count 10
        [[ $stderr == "-E- "*"denied allows no debuggers: it has DPA_AUTHENTICATION on and DPAKIT_DPA_DEBUG DISABLED" ]]
        [ ! -e gdb.socket ]
    done
    run -1 dpa-gdbserver denied -T 1 -s 0
    [[ $output == "-E- denied allows no debuggers; see dpadev show" ]]
    [ "$(debuggers_in_log denied | grep -c '^attach NOT_ALLOWED')" -eq 4 ]
    dpadev show denied | grep -A1 'Debuggers$' | grep -q 'Now: may not come$'
}

# begin_crash DEVICE: the host program waits, its token is $token, its pid $host.
begin_crash() {
    mkfifo line
    "$w/crash" "$1" wait <line >crash.log 2>&1 &
    host=$!
    exec 9>line
    await grep -q token crash.log
    token=$(grep -o '0x[0-9a-f]*' crash.log)
}

@test "a token opens nothing that the device denies, on the process's own socket either" {
    begin_crash denied
    perl -MIO::Socket::UNIX -e '
        alarm 60;
        my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "no socket";
        print $s $ARGV[1], "\n";
        $s->flush;
        print scalar <$s>;' "run/$host.dpa" "debug ${token#0x} $PWD/devices/denied" >out
    cat out
    grep -q '^denied allows no debuggers' out
    debuggers_in_log denied | grep -qx 'attach NOT_ALLOWED app crash_app'
}

@test "a process is found on its very device, not on another of that name" {
    begin_crash open
    mkdir else
    DPAKIT_DEVICES=$PWD/else new_device open
    DPAKIT_DEVICES=$PWD/else run -1 timeout 60 dpa-gdbserver open -T "$token" -s ./gdb.socket
    [[ $output == "-E- open: no process of this user there has this token" ]]
    ln -s devices "a link"
    for place in "$PWD/devices" "a link"; do
        DPAKIT_DEVICES=$place dpa-gdbserver open -T "$token" -s ./gdb.socket >server.log 9>&- &
        await grep -q Listening server.log
        kill $!
        wait $! || true
        rm server.log
    done
}

@test "a token on a device in production lets GDB look" {
    need_gdb
    begin_crash mlx5_0
    dpa-gdbserver mlx5_0 -T "$token" -s ./gdb.socket >server.log 2>&1 9>&- &
    await test -S gdb.socket
    timeout 120 gdb-multiarch -nx -batch -ex 'set confirm off' -ex 'set remotetimeout 60' \
        -ex 'target remote ./gdb.socket' -ex 'break value_of' -ex 'shell echo go >&9' -ex continue \
        -ex 'print visited' -ex 'print visited = 7' -ex 'set $pc = $pc + 4' -ex 'print visited' \
        -ex detach "$w/crash.elf" >out 2>&1 || true
    cat out
    grep -qx '\$1 = 0' out
    [ "$(grep -c '= 0$' out)" -eq 2 ]
    grep -q "failure reply '\(E.\)\?mlx5_0 has DPA_AUTHENTICATION on" out
    detached() { debuggers_in_log mlx5_0 | grep -q '^detach OK app crash_app: 0 writes to code'; }
    await detached
    [ ! -e gdb.socket ] || await test ! -e gdb.socket
}

@test "no user can set the rights of debuggers" {
    for how in "set DPAKIT_DPA_DEBUG=ENABLED" "set DPAKIT_DPA_DEBUG=0"; do
        # shellcheck disable=SC2086
        run -1 mlxconfig-lite -d denied -y $how
        [[ $output == *"DPAKIT_DPA_DEBUG is read-only"* ]]
    done
    mlxconfig-lite -d denied -y reset
    dpadev reset denied
    mlxconfig-lite -d denied --read_only q DPAKIT_DPA_DEBUG | grep -q 'RO.*DISABLED(2)'
    dpadev show --json denied | jq -e '.debuggers.current == "nothing"'
}

# ---- Who may come

@test "a TCP client of another user is refused, reported and logged, and GDB can connect afterwards" {
    need_gdb
    [ "$(id -u)" -eq 0 ] || skip "only root can be another user"
    # Without PORT, any free one.
    dparun -d open --gdb "$w/faults.elf" --rpc count 10 >program 2>log &
    await listening log
    port=$(sed -n 's/.*127.0.0.1:\([0-9]*\)$/\1/p' log)
    # Its command would end the program, if it were obeyed.
    timeout 60 setpriv --reuid=65534 --clear-groups bash -c \
        'exec 3<>/dev/tcp/127.0.0.1/'"$port"'; printf "\$k#6b" >&3; cat <&3 >/dev/null' || true
    await grep -q -- '^-W- refused: a client of user 65534, not of this user$' log
    timeout 120 gdb-multiarch -nx -batch -ex 'set remotetimeout 60' \
        -ex "target remote 127.0.0.1:$port" -ex continue "$w/faults.elf" >out 2>&1
    wait $!
    grep -q 'exited normally' out
    grep -q '^result: 13 ' program
    debuggers_in_log open | grep -q 'attach NOT_ALLOWED app faults.elf: a client of user 65534'
}

@test "dpa-gdbserver refuses a TCP client of another user" {
    [ "$(id -u)" -eq 0 ] || skip "only root can be another user"
    begin_crash open
    dpa-gdbserver open -T "$token" -s 0 >server.log 2>server.err 9>&- &
    await grep -q '^Listening on port ' server.log
    port=$(sed -n 's/^Listening on port //p' server.log)
    timeout 60 setpriv --reuid=65534 --clear-groups bash -c \
        'exec 3<>/dev/tcp/127.0.0.1/'"$port"'; cat <&3 >/dev/null' || true
    await grep -q -- '^-W- refused: a client of user 65534' server.err
    debuggers_in_log open | grep -q '^attach NOT_ALLOWED a client of user 65534'
}

# ---- Sockets

@test "the socket of dparun goes with it, by signals too" {
    for signal in TERM HUP; do # and INT, which a script's background jobs ignore
        dparun -d open --gdb ./gdb.socket "$w/faults.elf" --rpc count 10 2>log &
        await listening log
        [ "$(stat -c %a gdb.socket)" -eq 600 ]
        kill -$signal $!
        wait $! || true
        [ ! -e gdb.socket ]
        rm log
    done
}

@test "the socket of dpa-gdbserver goes with it, by a signal too" {
    begin_crash open
    for signal in TERM HUP; do
        dpa-gdbserver open -T "$token" -s ./gdb.socket >server.log 9>&- &
        await grep -q Listening server.log
        kill -$signal $!
        wait $! || true
        [ ! -e gdb.socket ]
        rm server.log
    done
}

@test "a stale socket is replaced; another file, or a socket in use, is not" {
    dparun -d open --gdb ./gdb.socket "$w/faults.elf" --rpc count 10 2>log &
    await listening log
    run -1 dparun -d open --gdb ./gdb.socket "$w/faults.elf" --rpc count 10
    [[ $output == *"another program listens there"* ]]
    kill -9 $!
    wait $! || true
    [ -S gdb.socket ]
    rm log
    dparun -d open --gdb ./gdb.socket "$w/faults.elf" --rpc count 10 2>log &
    await listening log
    kill $!
    wait $! || true
    echo mine >gdb.socket
    run -1 dparun -d open --gdb ./gdb.socket "$w/faults.elf" --rpc count 10
    [[ $output == *"is there, and no socket" ]]
    [ "$(cat gdb.socket)" = mine ]
}

@test "help and manual recommend a Unix socket" {
    for tool in dparun dpa-gdbserver; do
        $tool --help | grep -q '\./gdb\.socket'
        grep -q 'gdb\.socket' "$BATS_TEST_DIRNAME/../../man/$tool.1"
    done
}
