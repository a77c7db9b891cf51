# Samples of DOCA's core (progress engines, tasks, graphs, clocks), and of DOCA DMA within a process, and between the host
# and the DPU.
setup_file() {
    load corpus.bash
    make_corpus
    make_samples doca_common/{pe_event,pe_multi_context,pe_reactive,pe_async_stop,pe_single_task_comp_cb,pe_task_error,pe_task_resubmit,pe_task_try_submit,graph,cache_invalidate,clock_cross_timestamp} \
        doca_dma/dma_{local_copy:dpu,copy_host,copy_dpu:dpu}
}
setup() {
    load corpus.bash
}

@test "pe_polling" {
    build_sample doca_common/pe_polling # by its own meson.build, as the README says
    run_sample
    says 'All tasks are completed'
}

@test "pe_event" {
    use_sample doca_common/pe_event
    run_sample
    says 'Registering PE event' 'All tasks completed'
}

@test "pe_multi_context" {
    use_sample doca_common/pe_multi_context
    run_sample
    says 'All tasks are completed'
}

@test "pe_reactive" {
    use_sample doca_common/pe_reactive
    run_sample
    says 'All tasks have completed. Stopping context' 'DMA context has been stopped. Destroying context'
}

@test "pe_async_stop" {
    use_sample doca_common/pe_async_stop
    run_sample
    says 'Stopping DMA in the middle' 'Task flushed with status'
}

@test "pe_single_task_comp_cb" {
    use_sample doca_common/pe_single_task_comp_cb
    run_sample
    says 'All tasks are completed'
}

@test "pe_task_error" {
    use_sample doca_common/pe_task_error
    run_sample
    says 'Task completed (expected value = 2)' 'CTX moved to stopping state unexpectedly' \
        'Task failed with status Input or output failed (expected value = 3)' '(expected value = 255)' \
        'state changed from stopping to idle'
    [ "$(grep -c 'Task failed' <<<"$output")" -eq 253 ]
}

@test "pe_task_resubmit" {
    use_sample doca_common/pe_task_resubmit
    run_sample
    says 'resubmitting with buffers index' 'All tasks are completed'
}

@test "pe_task_try_submit" {
    use_sample doca_common/pe_task_try_submit
    run_sample
    says 'All tasks are completed'
}

@test "graph" {
    use_sample doca_common/graph
    run_sample
    says 'Submitting all graph instances' 'All instances completed'
}

@test "cache_invalidate" {
    use_sample doca_common/cache_invalidate
    run_sample
    says 'DMA completed, Submitting cache invalidate task' 'Cache invalidate completed'
}

@test "clock_cross_timestamp" {
    use_sample doca_common/clock_cross_timestamp
    run_sample -p 03:00.0 -c host_rt -n nic_dpa
    says 'Cross-timestamp - DOCA_CLOCK_HOST_REAL_TIME: '
    run_sample -p 03:00.0 -c nic_fr
    says 'Timestamp - DOCA_CLOCK_NIC_FREE_RUNNING: '
}

@test "dma_local_copy" {
    use_sample doca_dma/dma_local_copy
    run_sample --pci-addr 03:00.0 --text 'a text to copy'
    says 'Success, memory copied and verified as correct'
}

# The host's sample exports its memory to two files, and waits for a line; the DPU's reads it.
@test "dma_copy_host and dma_copy_dpu" {
    local host t=$BATS_TEST_TMPDIR
    use_sample doca_dma/dma_copy_host
    host=$program
    use_sample doca_dma/dma_copy_dpu
    mkfifo "$t/enter"
    in_opt timeout 60 "$host" -p 03:00.0 -t 'from the host' -d "$t/descriptor" -b "$t/buffer" \
        <"$t/enter" >"$t/host.log" 2>&1 3>&- &
    exec 9>"$t/enter"
    until [ "$(wc -l <"$t/buffer" 2>/dev/null)" = 1 ] && grep -q 'press enter' "$t/host.log"; do sleep 0.1; done
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
