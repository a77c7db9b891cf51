# DOCA UROM: a service, its workers and host programs (tests/host/urom_cases.c).
# cases: urom_cases.c

load ../host/setup
source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup_file() {
    # shellcheck disable=SC2086
    gcc -std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" \
        "$BATS_TEST_DIRNAME/../host/urom_cases.c" -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" -ldoca_urom -ldoca_common \
        -Wl,-rpath,"$DPAKIT_BUILD/lib"
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device mlx5_0 --pair
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    cp -a "$BATS_FILE_TMPDIR/devices" "$DPAKIT_DEVICES"
    services=
}

teardown() {
    local service
    for service in $services; do kill "$service" 2>/dev/null || :; wait "$service" || :; done
    cat service.log 2>/dev/null || :
    ! compgen -G "$DPAKIT_DEVICES/mlx5_0/comch-*"
}

start_service() {
    : >service.log # the line of a service before this is not awaited
    urom-service -d mlx5_0 "$@" >service.log 2>&1 3>&- &
    service=$!
    services+=" $service"
    await grep -q '^serving' service.log
}

pid_of() { sed -n "s/^worker $1: process //p" service.log | tail -n 1; }
has_ended() { ! kill -0 "$1" 2>/dev/null; }
is_stopped() { ! grep -L '^State:.T' /proc/"$1"/task/*/status | grep -q .; } # each of its threads

@test "workers run commands, on the processors and with the environment that they are given" {
    start_service
    mkfifo in
    "$BATS_FILE_TMPDIR/cases" workers_run_commands <in >out 3>&- &
    exec 8>in
    await grep -q ready out
    pid=$(pid_of 7)
    tr '\0' '\n' </proc/"$pid"/environ | grep -qx UROM_TEST=here
    # Processor 4 of the DPU is one of this machine's.
    [[ $(sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$pid/status") =~ ^[0-9]+$ ]]
    exec 8>&-
    wait $!
    await grep -q 'worker 7: ended, exit code 0' service.log
    [ "$(grep -c 'ended, exit code 0' service.log)" -eq 3 ]
}

@test "programs get the reasons of refusals" {
    start_service
    case_ok refusals_are_told
    grep -q 'there is a worker 1 already' <<<"$output"
    grep -q 'the DPU has processors 0 to 15 only' <<<"$output"
    grep -q 'the service does not have the plugins' <<<"$output"
}

@test "a missing service is reported" {
    case_ok no_service_is_told
    grep -q 'no service runs for this device (urom-service on the DPU' <<<"$output"
}

@test "the death of a worker and of the service is reported, and another service can be used" {
    start_service
    mkfifo in
    "$BATS_FILE_TMPDIR/cases" deaths_are_told <in >out 2>err 3>&- &
    program=$!
    exec 8>in
    await grep -q worker out
    pid=$(pid_of 5)
    kill -STOP "$pid"
    await is_stopped "$pid"
    printf s >&8
    await grep -q said out
    kill -KILL "$pid"
    await grep -q again out
    grep -q 'worker 5: its process has ended: signal 9 (Killed)' err
    pid=$(pid_of 5)
    kill -KILL $service
    wait $service || :
    await has_ended "$pid" # the worker ends with its service
    printf k >&8
    await grep -q gone out
    grep -q 'urom: the service has ended' err
    start_service
    printf n >&8
    wait $program
}

@test "domains connect workers" {
    start_service
    case_ok domains_connect_workers
}

@test "a program that leaves frees its worker" {
    start_service
    case_ok programs_that_leave_free_their_workers
    await grep -q 'worker 9: ended' service.log
}

# speak KIND BYTES...: a message to the service, as urom.h has it; prints what comes back in hexadecimal.
speak() {
    python3 - "$@" <<'END'
import glob, os, socket, struct, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(20)
s.connect(glob.glob(os.environ['DPAKIT_DEVICES'] + '/mlx5_0/comch-*')[0])
s.send(struct.pack('<II', 3, 0) + struct.pack('<I', int(sys.argv[1])) + bytes.fromhex(''.join(sys.argv[2:])))
try:
    print(s.recv(5000)[8:].hex())
except ConnectionError:
    print('')
END
}

@test "other versions are refused, by the service and by the library" {
    start_service
    [[ $(speak 1 63000000) == 03000000????????????????* ]]
    grep -q 'refused: the program speaks version 99, and the service version 1' service.log
    kill $service
    wait $service || :
    services=
    python3 - 3>&- <<'END' &
import hashlib, os, socket, struct
path = os.environ['DPAKIT_DEVICES'] + '/mlx5_0/comch-' + hashlib.sha256(b'doca_urom').hexdigest()[:32]
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(path)
s.listen()
c, _ = s.accept()
c.recv(5000)
c.send(struct.pack('<IIII', 3, 0, 2, 99) + bytes(128 + 4))
c.recv(5000)
os.unlink(path)
END
    await compgen -G "$DPAKIT_DEVICES/mlx5_0/comch-*"
    case_ok other_versions_are_refused
    grep -q 'the service speaks version 99, and this library version 1' <<<"$output"
    wait
}

@test "the service lives through messages that are none" {
    start_service
    speak 6 01000000
    speak 77
    speak 1
    speak 4 0000000000000000 00000000
    speak 8 "$(printf '00%.0s' {1..3000})"
    python3 - <<'END'
import glob, os, random, socket, struct
random.seed(1)
for i in range(300):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(glob.glob(os.environ['DPAKIT_DEVICES'] + '/mlx5_0/comch-*')[0])
    for _ in range(3):
        body = struct.pack('<I', random.choice([1, 4, 6, 6, 6, 9])) + random.randbytes(random.choice([0, 3, 4, 8, 170, 400]))
        try:
            s.send(struct.pack('<II', random.choice([3, 3, 3, 1, 5]), random.choice([0, 0, 0, 5, 1 << 31])) + body)
        except OSError:
            pass
    s.close()
END
    case_ok refusals_are_told
    kill -0 $service
}

@test "files that are no plugins are left out, and the service says why" {
    mkdir plugins
    cp "$DPAKIT_BUILD/lib/dpakit/urom/worker_graph.so" plugins/worker_first.so
    cp "$DPAKIT_BUILD/lib/libdpkverify.so.1" plugins/other.so
    echo text >plugins/text.so
    start_service -p plugins
    grep -q '^plugin worker_first, version 1' service.log
    grep -q 'plugins/other.so: not a UROM plugin: it exports no urom_plugin_get_version' service.log
    grep -q 'plugins/text.so: file too short' service.log
    grep -q '^serving mlx5_0, with 1 plugins' service.log
}

@test "a device without the DPU's side, or a second service, is refused" {
    new_device mlx5_1
    run urom-service -d mlx5_1
    echo "$output"
    [ "$status" -eq 1 ]
    start_service
    run urom-service -d mlx5_0
    [ "$status" -eq 1 ]
    grep -q 'there is a server "doca_urom" already' <<<"$output"
    run urom-worker
    [ "$status" -eq 2 ]
    grep -q 'urom-service starts workers' <<<"$output"
}

@test "names that the headers declare are exported, and no others" {
    declared doca_urom_ "$DPAKIT_BUILD"/include/doca/doca_urom.h | sort -u >declared
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_urom.so" | awk '$2 == "T" {print $3}' | sort >exported
    diff declared exported
    [ "$(wc -l <declared)" -ge 44 ]
}
