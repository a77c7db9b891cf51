# Samples of DOCA's core: progress engines, tasks, graphs, clocks.
setup_file() {
    load corpus.bash
    make_corpus
    make_samples doca_common/{pe_event,pe_multi_context,pe_reactive,pe_async_stop,pe_single_task_comp_cb,pe_task_error,pe_task_resubmit,pe_task_try_submit,graph,cache_invalidate,clock_cross_timestamp}
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
