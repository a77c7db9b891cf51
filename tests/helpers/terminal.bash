# need_terminal: skips the test where no pseudo-terminal can be made. "source" it in a bats file.
need_terminal() {
    command -v script >/dev/null || skip "no script here"
    script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no pseudo-terminal can be made here"
}

no_echo() { [ -s tty ] && stty -a -F "$(cat tty)" 2>/dev/null | grep -q -- ' -echo '; }

# typed TEXT COMMAND...: runs it on a terminal of its own where TEXT is typed once nothing is echoed;
# what it shows goes to the file "screen". Needs await.bash.
typed() {
    local text=$1
    shift
    need_terminal
    (await no_echo; echo "$text") |
        script -qec "$(printf '%q ' sh -c 'tty >tty; exec "$@"' sh "$@")" /dev/null >screen
}
