# NVIDIA's application gpu_packet_processing, built by its own Meson project: kernels of the emulated GPU answer ping,
# count frames of UDP and TCP, and serve pages to curl. The port has the cable v0-v1 in a network of the test's own; the
# machine's side, v1, has the address 192.168.9.1. The application has no ARP, so the machine knows its address.
# Runs only on the plain build, as dpacu does.

bats_require_minimum_version 1.5.0

# DPDK, of which the application takes the start and tables: Debian's, or a library of the tests in its place.
find_dpdk() {
    ! pkg-config --exists libdpdk || return 0
    local from=$BATS_TEST_DIRNAME/../data/dpdk
    gcc -shared -fPIC -O1 "$from/dpdk.c" -o librte_eal.so
    printf 'Name: libdpdk\nDescription: for tests\nVersion: 22.11\nCflags: -I%s\nLibs: -L%s -Wl,-rpath,%s -lrte_eal\n' \
        "$from" "$PWD" "$PWD" >libdpdk.pc
    export PKG_CONFIG_PATH=$PWD:$PKG_CONFIG_PATH
}

setup_file() {
    load corpus.bash
    make_corpus
    [ -z "$corpus_reason" ] || return 0
    cd "$BATS_FILE_TMPDIR"
    find_source applications && [ -d "$source/gpu_packet_processing" ] || return 0
    find_dpdk
    export CUDA_PATH=/opt/mellanox/cuda PATH=/opt/mellanox/cuda/bin:$PATH
    in_opt meson setup made "$source" -Denable_all_applications=false -Denable_gpu_packet_processing=true >made.log 2>&1 &&
        in_opt ninja -C made >>made.log 2>&1 || :
}

setup() {
    load corpus.bash
    load ../helpers/network
    need_source applications
    [ -d "$source/gpu_packet_processing" ] || skip "no application gpu_packet_processing in $DPAKIT_CORPUS"
    application=$BATS_FILE_TMPDIR/made/gpu_packet_processing/doca_gpu_packet_processing
    [ -x "$application" ] || { cat "$BATS_FILE_TMPDIR/made.log"; return 1; }
    need_network
    export application
    cd "$BATS_TEST_TMPDIR"
    dpadev wire mlx5_0 veth:v0 2>/dev/null
}

await() { # COMMAND...: until it is true, or the application has ended.
    until "$@"; do
        kill -0 "$running" 2>/dev/null || { cat log; return 1; }
        sleep 0.05
    done
}

says_log() { # TEXT
    grep -q -- "$1" log
}

# counted KERNEL TEXT: the application has printed the text last of this kernel, UDP or TCP.
counted() {
    grep "^\[$1\]" log | tail -n 1 | grep -q -- "$2"
}

# beside OPTIONS FUNCTION: the function runs while the application does, which ends after a signal.
beside() {
    ip address add 192.168.9.1/24 dev v1
    ip neighbour add 192.168.9.2 lladdr 02:00:00:00:00:02 dev v1 nud permanent
    # Not by the function in_opt, which would be a process of its own.
    # shellcheck disable=SC2086
    "$BATS_TEST_DIRNAME/in_opt" "$BATS_FILE_TMPDIR/root/opt" ${pin-} stdbuf -oL "$application" -g e5:00.0 -n 03:00.0 -q 1 $1 \
        >log 2>&1 3>&- &
    running=$!
    trap 'kill "$running" 2>/dev/null' EXIT
    await says_log 'Waiting for termination'
    "$2"
    kill -TERM "$running"
    wait "$running" || { echo "the application ended with $?"; cat log; return 1; }
    trap - EXIT
    cat log
    grep -q 'Application finished successfully' log
    ! grep -q '\[ERR\]' log
}

# Debian's ping is in a package of its own. Prints a line for each answer: whether it has the text of the request, and
# the right checksum.
ping_it() {
    python3 - >answers <<'END'
import socket, struct
def sum16(b):
    s = sum(struct.unpack("!%dH" % (len(b) // 2), b))
    s = (s >> 16) + (s & 0xffff)
    return ~(s + (s >> 16)) & 0xffff
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
for number in 1, 2, 3:
    text = b"are you there?%2d" % number
    request = lambda check: struct.pack("!BBHHH", 8, 0, check, 77, number) + text
    s.sendto(request(sum16(request(0))), ("192.168.9.2", 0))
    kind = 8
    while kind != 0:
        answer = s.recv(2000)[20:]
        kind, code, check, ident, sequence = struct.unpack("!BBHHH", answer[:8])
    print(ident, sequence, answer[8:] == text, sum16(answer) == 0)
END
    await says_log 'packet 2 sent at'
}

@test "a kernel answers echo requests, and the CPU gets an event of each answer" {
    in_network beside '' ping_it
    [ "$(cat answers)" = "77 1 True True
77 2 True True
77 3 True True" ]
    [ "$(grep -c 'ICMP debug event: Queue 0 packet [012] sent at' log)" -eq 3 ]
}

send_frames() {
    python3 - <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(7):
    s.sendto(b"x" * 30, ("192.168.9.2", 53 if i < 3 else 5000))
t = socket.socket()
t.setblocking(False)
t.connect_ex(("192.168.9.2", 80))
END
    await counted UDP 'DNS: 3 OTHER: 4 TOTAL: 7'
    await counted TCP 'SYN: [1-9][0-9]* FIN: 0 ACK: 0'
}

@test "kernels count frames of UDP, and TCP by its flags" {
    in_network beside '' send_frames
}

get_pages() {
    local page
    for page in index contacts other; do
        curl -sS --max-time 60 -w '%{http_code}\n' "http://192.168.9.2/$page.html"
    done >pages
    await counted TCP 'HTTP GET: 3'
}

@test "a kernel serves pages to curl, the CPU starts and ends its connections, and one core suffices" {
    command -v curl >/dev/null || skip 'curl is not installed'
    pin="taskset -c $(taskset -pc $$ | sed 's/.*[ ,-]//')"
    export pin
    in_network beside -s get_pages
    cat pages
    grep -q '<title>GPUNetIO index page</title>' pages
    grep -q '<title>GPUNetIO Contact page</title>' pages
    grep -q '<title>GPUNetIO 404 page</title>' pages
    [ "$(grep -xE '[0-9]{3}' pages | xargs)" = '200 200 404' ]
    [ "$(grep -c 'Created TCP offload session' log)" -eq 3 ]
    grep -q 'Received FIN for TCP 192.168.9.1:' log
}
