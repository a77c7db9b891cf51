# need_terminal: skips the test where no pseudo-terminal can be made. "source" it in a bats file.
need_terminal() {
    command -v script >/dev/null || skip "no script here"
    script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no pseudo-terminal can be made here"
}
