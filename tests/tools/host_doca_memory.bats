# DOCA 2.2: what kernels do with registered host memory (tests/host/memory_cases.c).
# cases: memory_cases.c

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_FILE_TMPDIR i=$DPAKIT_BUILD/include
    make_devices "$t/devices"
    dpacc "$here/memory_dev.c" -o "$t/program.a" -hostcc=gcc --app-name=dpa_test_app \
        --devicecc-options="-Wall -Wextra -Werror -O2" -I"$i/doca-2.2"
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$i/doca-2.2" -I"$i" -I"$i/doca" \
        "$here/memory_cases.c" "$t/program.a" -o "$t/cases" -L"$DPAKIT_BUILD/lib" -ldoca_dpa \
        -ldoca_common -lflexio -libverbs -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

@test "pointers end with their memory" {
    case_ok pointers_end_with_their_memory
    grep -q 'access fault at .* (external pointer to host address 0x[0-9a-f]*: out of range: key 0x[0-9a-f]* has' <<<"$output"
}

@test "pointers do what the memory permits" {
    case_ok pointers_do_what_the_memory_permits
    grep -q 'store access fault at .* (external pointer to host address 0x[0-9a-f]*: key 0x[0-9a-f]* allows no local write)' <<<"$output"
}

@test "copies need registered memory" {
    case_ok copies_need_registered_memory
    grep -q 'memcpy of [0-9]* bytes from 0x[0-9a-f]* to 0x[0-9a-f]*: key 0x[0-9a-f]* ' <<<"$output"
}

# Each message is printed once, though each cause occurred twice.
@test "refused calls say why" {
    case_ok refused_calls_say_why
    local text
    for text in 'doca_dpa_mem_host_register: access 0x40000000 is not one of DOCA_ACCESS_...' \
        'doca_dpa_mem_host_register: no address,' \
        'doca_dpa_mem_unregister: the memory is not registered' \
        'doca_dpa_worker_create: an argument is NULL, or an object was destroyed' 'doca_dpa_ep_create: the worker is invalid' \
        'doca_dpa_ep_destroy: the endpoint is invalid' 'doca_dpa_mem_alloc: 0 bytes' \
        'doca_dpa_mem_free: no memory of doca_dpa_mem_alloc begins at 0x1000'; do
        echo "want: $text"
        [ "$(grep -c "^-E- $text" <<<"$output")" -eq 1 ]
    done
    # There are two endpoints, one for each round.
    [ "$(grep -c '^-E- doca_dpa_ep_connect: the queue pair is connected already' <<<"$output")" -eq 2 ]
    [ "$(grep -c '^-E- doca_dpa_ep_connect: .*(DOCA_ERROR_INVALID_VALUE)' <<<"$output")" -eq 2 ]
    reported 'doca_dpa_worker_destroy: the worker is invalid, or endpoints use it'
}

@test "a worker's threads occupy sixteen units" {
    DPAKIT_EUS=20 case_ok workers_occupy_units
    reported 'doca_dpa_worker_create: its 16 threads need an execution unit each: only 4 .* free'
}
