# What tests need that wait for others. "source" it in a bats file.

# await COMMAND...: until it succeeds, a minute at most.
await() {
    local i
    for ((i = 0; i < 600; i++)); do
        ! "$@" || return 0
        sleep 0.1
    done
    echo "in vain: $*"
    return 1
}

# await listens PID PORT
listens() { # PID PORT: at a port of TCP or of the connection manager; or it has ended
    ! kill -0 "$1" 2>/dev/null || grep -qE "$(printf ':%04X [0-9A-F]+:0000 0A' "$2")" /proc/net/tcp /proc/net/tcp6 ||
        grep -qE " 00010000 .* @dpakit-cm-[^ ]*-$2-" /proc/net/unix
}

# in_background COMMAND...: starts it and sets $! to its process. A file that uses this has
# `teardown() { end_background; }`: what a test that failed did not end, ends there.
started=()
in_background() {
    # bats waits for all that holds its own descriptor, 3; 9 is what tests write commands to.
    "$@" <&0 3>&- 9>&- &
    started+=($!)
}

end_background() {
    [ ${#started[@]} -eq 0 ] || kill -9 "${started[@]}" 2>/dev/null || true
    wait
}
