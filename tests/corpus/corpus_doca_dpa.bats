# Samples of DOCA DPA and of DOCA DMA on the host.
setup_file() {
    load corpus.bash
    make_corpus
}
setup() {
    load corpus.bash
}

@test "dpa_kernel_launch" {
    build_sample doca_dpa/dpa_kernel_launch
    run_sample --pf-device mlx5_0
}

@test "dpa_basic_initiator_target" {
    build_sample doca_dpa/dpa_basic_initiator_target
    run_sample --pf-device mlx5_0
}

@test "dpa_initiator_target" {
    build_sample doca_dpa/dpa_initiator_target
    # It sends the same word again and again, changed meanwhile, and does not ask whether it was received: a
    # receiver that is translated first is too late.
    [ "${DPAKIT_JIT:-}" != sync ] || export DPAKIT_JIT=on
    run_sample --pf-device mlx5_0
    for value in 1 2 3 4; do says "Value of DPA received buffer is $value"; done
}

@test "dpa_ping_pong" {
    build_sample doca_dpa/dpa_ping_pong
    run_sample --pf-device mlx5_0
}

# It gives each unit the work of minutes on a card, and the host carries all units out by turns: so few
# of them, and a hundredth of the work.
@test "dpa_nvqual on five units ends in the time that it was given" {
    build_sample doca_dpa/dpa_nvqual
    export DPAKIT_EUS=5
    run_sample --pf-device mlx5_0 --test-duration-sec 10 --user-factor 0.01
    says 'DPA run has completed.' '"total_harts": 5,' '"used_harts": [1,2,3,4],' '"unused_harts": [],'
}
