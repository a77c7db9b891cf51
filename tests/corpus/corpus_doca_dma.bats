# Samples of DOCA DMA: within a process, and between the host and the DPU.
setup_file() {
    load corpus.bash
    make_corpus
}
setup() {
    load corpus.bash
}

@test "dma_local_copy" {
    build_sample doca_dma/dma_local_copy -Dc_args="-DDOCA_ARCH_DPU $CFLAGS"
    run_sample --pci-addr 03:00.0 --text 'a text to copy'
    says 'Success, memory copied and verified as correct'
}

# The host's sample exports its memory to two files, and waits for a line; the DPU's reads it.
@test "dma_copy_host and dma_copy_dpu" {
    local host t=$BATS_TEST_TMPDIR
    build_sample doca_dma/dma_copy_host
    host=$program
    build_sample doca_dma/dma_copy_dpu -Dc_args="-DDOCA_ARCH_DPU $CFLAGS"
    mkfifo "$t/enter"
    in_opt timeout 60 "$host" -p 03:00.0 -t 'from the host' -d "$t/descriptor" -b "$t/buffer" \
        <"$t/enter" >"$t/host.log" 2>&1 3>&- &
    exec 9>"$t/enter"
    until [ "$(wc -l <"$t/buffer" 2>/dev/null)" = 1 ] && grep -q 'press enter' "$t/host.log"; do sleep 0.01; done
    export DPAKIT_SIDE=dpu
    run_sample -p 03:00.0 -d "$t/descriptor" -b "$t/buffer"
    says 'Remote DMA copy was done Successfully' 'Memory content: from the host'
    run_sample -p 03:00.0 -d "$t/descriptor" -b "$t/buffer" -ns 3 -nd 4
    says 'Memory content: from the host'
    echo >&9
    exec 9>&-
    wait
    grep -q 'Sample finished successfully' "$t/host.log"
    # The files outlive what they describe.
    run in_opt timeout 60 "$program" -p 03:00.0 -d "$t/descriptor" -b "$t/buffer"
    [ "$status" -ne 0 ]
    says 'is gone'
}
