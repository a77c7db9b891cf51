# The commands of an example's README, as a reader would paste them, from a tree whose build is this
# one, or $ready_build (helpers/device.bash). "source" it in a bats file.
paste_readme() { # EXAMPLE
    local top=$BATS_TEST_TMPDIR/top
    mkdir "$top"
    ln -s "$(realpath "$BATS_TEST_DIRNAME/../../examples")" "$top/examples"
    ln -s "${ready_build:-$DPAKIT_BUILD}" "$top/build"
    sed -n '/^```sh$/,/^```$/p' "$top/examples/$1/README.md" | grep -v '^```' |
        sed -E "s|^( *)gcc |\1gcc ${TEST_HOST_CFLAGS:-} |" >"$BATS_TEST_TMPDIR/commands"
    [ -s "$BATS_TEST_TMPDIR/commands" ]
    run env -u DPAKIT_DEVICES TMPDIR="$BATS_TEST_TMPDIR" bash -c "cd '$top' && set -e && . '$BATS_TEST_TMPDIR/commands'"
    echo "$output"
    [ "$status" -eq 0 ]
}

# The recipe of examples/README.md for a dpakit that is installed in PREFIX, then the commands of EXAMPLE's
# README in the folder that the recipe makes.
paste_installed() { # PREFIX EXAMPLE...
    local prefix=$1 page=$1/share/doc/dpakit/examples/README.md commands=$BATS_TEST_TMPDIR/commands
    shift
    {
        sed -n '/^```sh$/,/^```$/p' "$page" | sed "s|PREFIX|$prefix|g"
        for example; do
            printf '(set -e\n'
            sed -n '/^```sh$/,/^```$/p' "$prefix/share/doc/dpakit/examples/$example/README.md"
            printf ')\n'
        done
    } | grep -v '^```' | sed -E "s|^( *)gcc |\1gcc ${TEST_HOST_CFLAGS:-} |" >"$commands"
    mkdir "$BATS_TEST_TMPDIR/reader"
    run env -u DPAKIT_DEVICES -u LD_LIBRARY_PATH -u DPAKIT_BUILD TMPDIR="$BATS_TEST_TMPDIR" \
        bash -c "cd '$BATS_TEST_TMPDIR/reader' && set -e && . '$commands'"
    echo "$output"
    [ "$status" -eq 0 ]
}
