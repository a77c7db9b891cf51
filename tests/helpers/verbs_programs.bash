# Programs of Debian's rdma-core and perftest on emulated devices. "load" it in a bats file.

. "${BASH_SOURCE[0]%/*}/device.bash"

setup_file() {
    for name in mlx5_0 mlx5_1; do DPAKIT_DEVICES=$BATS_FILE_TMPDIR new_device $name; done
}

setup() {
    . "$BATS_TEST_DIRNAME/../helpers/await.bash"
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    mkdir devices
    system=$(dirname "$(gcc -print-file-name=libibverbs.so.1)")
}

teardown() { end_background; }

# Debian's programs are not made for a sanitizer.
utils() {
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only: Debian's programs carry no sanitizer"
    command -v ibv_devinfo >/dev/null || skip "no ibv_devinfo: package ibverbs-utils"
}

device() { # NAME
    cp -a "$BATS_FILE_TMPDIR/$1" devices/
}

ours() { LD_LIBRARY_PATH=$DPAKIT_BUILD/lib "$@"; }

# Starts a server, whose process is $server, and which listens at the port $port. What it prints
# goes to the file `server`.
meet() { # PROGRAM [OPTION ...]
    command -v "$1" >/dev/null || skip "no $1: packages ibverbs-utils, rdmacm-utils, perftest"
    while :; do
        port=$((10000 + RANDOM % 20000))
        in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" "$@" -p "$port" >server 2>&1
        server=$!
        await listens "$server" "$port"
        # Another program may have the port.
        kill -0 "$server" 2>/dev/null || ! grep -qi 'listen\|bind\|in use' server || continue
        break
    done
}

# Runs a server and its client, whose output goes to the file `client`. Fails if one of them does.
# $peer_options: options that the client has beside.
pair() { # PROGRAM [OPTION ...]
    local port server
    meet "$@"
    # shellcheck disable=SC2086
    ours timeout 100 "$@" ${peer_options:-} -p "$port" 127.0.0.1 >client 2>&1 || { cat client server; return 1; }
    wait "$server" || { cat client server; return 1; }
}
