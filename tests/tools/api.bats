# The public headers of each generation, compared with the facts in tests/data/api (see its README).

bats_require_minimum_version 1.5.0

setup_file() {
    export API=$DPAKIT_BUILD/obj/tests/helpers/api DATA=$BATS_TEST_DIRNAME/../data/api
    RESOURCES=$("${DPA_CLANG:-clang}" -print-resource-dir)
    export RESOURCES
}

@test "functions, values, structures and types are as NVIDIA's headers have them, or there is a reason" {
    run "$API" "$DPAKIT_BUILD" "$RESOURCES" "$DATA/facts.tsv" "$DATA/reasons.tsv"
    echo "$output"
    [ "$status" -eq 0 ]
    tail -n 1 <<<"$output" >"$DPAKIT_BUILD/api.sum"
    [ "$(awk '{ print $1 }' "$DPAKIT_BUILD/api.sum")" -gt 6000 ]
}

@test "fewer than 150 names outside DOCA Flow, telemetry and virtio have a reason" {
    run -1 "$API" "$DPAKIT_BUILD" "$RESOURCES" "$DATA/facts.tsv" /dev/null
    awk '/ (differs|is missing): / {print $3}' <<<"$output" | sort -u | grep -viE 'flow_|telemetry|virtio' >"$BATS_TEST_TMPDIR/names"
    wc -l <"$BATS_TEST_TMPDIR/names"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/names")" -lt 150 ]
}

@test "a wrong type, value or layout, a missing name and a needless reason are found" {
    local t=$BATS_TEST_TMPDIR
    {
        printf 'name\tkind\tvalue\tside\treleases\n'
        printf 'doca_dpa_destroy\tfunc\tenum doca_error (struct doca_dpa *)\thost\t3.0\n'
        printf 'doca_dpa_memset\tfunc\tenum doca_error (struct doca_dpa *)\thost\t3.0\n'
        printf 'doca_dpa_nothing\tfunc\tvoid ()\thost\t2.6 3.0\n'
        printf 'DOCA_ERROR_NO_MEMORY\tvalue\t99\thost\t2.2\n'
        printf 'doca_data\tstruct\tsize 8: ptr@0:64; u64@0:32\thost\t2.10\n'
        printf 'doca_dpa_dev_buf_t\ttypedef\tunsigned int\tdev\t2.5\n'
    } >"$t/facts"
    {
        printf '2.6\tdoca_dpa_n*\tfunc\tmissing\tonly for this release\n'
        printf '*\tdoca_dpa_destroy\tfunc\tdiffers\tneedless\n'
    } >"$t/reasons"
    run -1 "$API" "$DPAKIT_BUILD" "$RESOURCES" "$t/facts" "$t/reasons"
    sort <<<"$output" >"$t/found"
    diff - "$t/found" <<'END'
2.10 struct doca_data differs: 'size 8: ptr@0:64; u64@0:64', there 'size 8: ptr@0:64; u64@0:32'
2.2 value DOCA_ERROR_NO_MEMORY differs: '7', there '99'
2.5 typedef doca_dpa_dev_buf_t differs: 'unsigned long', there 'unsigned int'
3.0 func doca_dpa_memset differs: 'enum doca_error (struct doca_dpa *, unsigned long, int, unsigned long)', there 'enum doca_error (struct doca_dpa *)'
3.0 func doca_dpa_nothing is missing: 'void ()'
7 facts: 1 agree, 0 differ and 1 are missing for a reason, 6 are wrong
the reason for 'doca_dpa_destroy' (*, differs) is no longer needed: take it away
END
}

@test "a file with too few columns is refused by its line" {
    printf 'doca_data\tstruct\n' >"$BATS_TEST_TMPDIR/facts"
    run -2 "$API" "$DPAKIT_BUILD" "$RESOURCES" "$BATS_TEST_TMPDIR/facts" /dev/null
    [[ $output == *"fewer than 5 columns: doca_data"* ]]
}
