# The commands of an example's README, as a reader would paste them, from a tree whose build is this
# one. "source" it in a bats file.
paste_readme() { # EXAMPLE
    local top=$BATS_TEST_TMPDIR/top
    mkdir "$top"
    ln -s "$(realpath "$BATS_TEST_DIRNAME/../../examples")" "$top/examples"
    ln -s "$DPAKIT_BUILD" "$top/build"
    sed -n '/^```sh$/,/^```$/p' "$top/examples/$1/README.md" | grep -v '^```' |
        sed -E "s|^( *)gcc |\1gcc ${TEST_HOST_CFLAGS:-} |" >"$BATS_TEST_TMPDIR/commands"
    [ -s "$BATS_TEST_TMPDIR/commands" ]
    run env -u DPAKIT_DEVICES TMPDIR="$BATS_TEST_TMPDIR" bash -c "cd '$top' && set -e && . '$BATS_TEST_TMPDIR/commands'"
    echo "$output"
    [ "$status" -eq 0 ]
}
