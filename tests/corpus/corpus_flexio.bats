# FlexIO's samples: their own build.sh, in a copy of the folder, as it writes there.
setup_file() {
    load corpus.bash
    make_corpus
    [ -z "$corpus_reason" ] || return 0
    local folder=$BATS_FILE_TMPDIR/samples
    cp -r "$DPAKIT_CORPUS"/flexio-samples-* "$folder" 2>/dev/null || return 0
    (cd "$folder" && in_opt ./build.sh --allow-warnings) >"$BATS_FILE_TMPDIR/build.log" 2>&1 || :
}
setup() {
    load corpus.bash
    [ -z "$corpus_reason" ] || skip "$corpus_reason"
    built=$BATS_FILE_TMPDIR/samples/build
    [ -d "${built%/build}" ] || skip "no flexio-samples in $DPAKIT_CORPUS"
}

@test "the samples build without a warning, and their check of compatibility passes" {
    cat "$BATS_FILE_TMPDIR/build.log"
    grep -q 'BUILD IS SUCCESSFULLY FINISHED' "$BATS_FILE_TMPDIR/build.log"
    ! grep -i 'warning:' "$BATS_FILE_TMPDIR/build.log" || false
    cd "${built%/build}"
    in_opt ./check_compat.sh
}

@test "flexio_rpc" {
    run in_opt timeout 60 "$built/flexio_rpc/host/flexio_rpc" mlx5_0 12 30
    echo "$output"
    [ "$status" -eq 0 ]
    says 'Result: 42'
}
