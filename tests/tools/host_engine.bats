# Progress engines, tasks, graphs (tests/host/doca3_engine_cases.c).

load ../host/setup

setup_file() {
    build_doca3
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "a handle is readable when there is work" {
    case_ok a_handle_is_readable_when_there_is_work
}

@test "tasks that are tried are checked" {
    case_ok tasks_that_are_tried_are_checked
}

@test "a task is used again with other buffers" {
    case_ok a_task_is_used_again_with_other_buffers
}

@test "a failure stops the context" {
    case_ok a_failure_stops_the_context
}

@test "many contexts share an engine" {
    case_ok many_contexts_share_an_engine
}

@test "nodes of a graph run in order" {
    case_ok nodes_of_a_graph_run_in_order
}

@test "a node that fails ends its graph" {
    case_ok a_node_that_fails_ends_its_graph
}

@test "graphs are nodes of graphs" {
    case_ok graphs_are_nodes_of_graphs
}

@test "advice changes nothing" {
    case_ok advice_changes_nothing
}

@test "clocks are read together" {
    case_ok clocks_are_read_together
}
