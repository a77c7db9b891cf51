# Queues by commands of the ConnectX PRM (tests/host/devx_cases.c, devx_kernel_cases.c), linked as programs of libmlx5 are.
# cases: devx_cases.c

load ../host/setup

setup_file() {
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} "$BATS_TEST_DIRNAME/../host/devx_cases.c" \
        -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" -lmlx5 -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$BATS_FILE_TMPDIR/devices"
    # The sanitizer's dlopen does not look where our libibverbs says that its engine is.
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
}

@test "requests in rings of the program are carried out" { case_ok requests_are_carried_out; }

@test "a request with a wrong key ends the queue pair" { case_ok wrong_keys_are_refused; }

@test "commands change the state of a queue pair, and QUERY_QP shows it" {
    case_ok states_change_and_can_be_asked
    reported 'INIT2RTR_QP: the queue pair is in state 0, not 1'
}

@test "a collapsed completion queue has one entry" { case_ok a_collapsed_queue_has_one_entry; }

@test "capabilities, GIDs, event queues and address handles can be asked for" {
    case_ok the_device_can_be_asked
    reported 'capabilities of type 0 (general) and 4 (RoCE), not 7' 'no index 60000'
}

@test "wrong commands are refused with the reason" {
    case_ok wrong_commands_are_refused
    reported 'CREATE_CQ: its 64 bytes are less than 96' 'cqe_sz' 'dbr_umem_valid' 'log_cq_size is 23' 'no UAR 0x7' \
        'CREATE_QP: .*(st)' 'no protection domain 0xffffff' 'log_rq_stride' 'send_dbr_mode' 'cqn_snd' 'rq_type' \
        'RST2INIT_QP: qpn' 'its 100 bytes are less than' 'port 9' 'it changes no queue pair' \
        'completion queues do not change' 'completion queues have no answer' 'QUERY_QP: its answer has 100 bytes' \
        'no device has the GID'
}

@test "a kernel of the emulated GPU fills the rings" {
    local here=$BATS_TEST_DIRNAME/../host
    cd "$BATS_TEST_TMPDIR"
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -c "$here/devx_kernel_cases.c" -o cases.o
    dpacu -O1 -c "$here/devx_kernel.cu" -o kernel.o
    # shellcheck disable=SC2086
    dpacu cases.o kernel.o ${TEST_HOST_CFLAGS:-} -o kernel -L"$DPAKIT_BUILD/lib" -lmlx5 -libverbs
    timeout 60 ./kernel
}
