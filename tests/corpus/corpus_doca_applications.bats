# DOCA's applications that need the libraries there are: one Meson project for all of them.
setup_file() {
    load corpus.bash
    make_corpus
}
setup() {
    load corpus.bash
}

@test "dpa_all_to_all among four processes of MPI" {
    need_source applications
    command -v mpicc >/dev/null || skip 'mpicc is not installed'
    sanitize=none # its build script asks Meson, and no environment
    [[ ${TEST_HOST_CFLAGS-} != *-fsanitize=* ]] || sanitize=address,undefined
    in_opt meson setup "$BATS_TEST_TMPDIR/b" "$source" -Denable_all_applications=false \
        -Denable_dpa_all_to_all=true -Ddpacc_mcpu=nv-dpa-bf3 -Db_sanitize=$sanitize -Db_lundef=false
    in_opt ninja -C "$BATS_TEST_TMPDIR/b"
    program=$BATS_TEST_TMPDIR/b/dpa_all_to_all/doca_dpa_all_to_all
    run in_opt timeout 100 mpirun --allow-run-as-root --oversubscribe -np 4 "$program" --msgsize 32 --pf-devices mlx5_0
    echo "$output"
    [ "$status" -eq 0 ]
    # Rank i receives the two numbers at place i of each rank, in the order of ranks.
    awk -F'[|]' '
        /send buffs/ { part = "send" }
        /recv buffs/ { part = "recv" }
        /^Rank [0-9]/ { n = split($2, v, " "); for (k = 1; k <= n; k++) at[part, substr($1, 6) + 0, k - 1] = v[k] }
        END {
            for (i = 0; i < 4; i++)
                for (j = 0; j < 4; j++)
                    for (k = 0; k < 2; k++)
                        good += at["recv", i, 2 * j + k] == at["send", j, 2 * i + k] && at["send", j, 2 * i + k] != ""
            exit good != 32
        }' <<<"$output"
}
