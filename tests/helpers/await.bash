# await COMMAND...: until it succeeds, a minute at most. "source" it in a bats file.
await() {
    local i
    for ((i = 0; i < 600; i++)); do
        ! "$@" || return 0
        sleep 0.1
    done
    echo "in vain: $*"
    return 1
}
