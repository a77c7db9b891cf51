# Queues of libflexio: completion queues, Ethernet queues, queue pairs (tests/host/flexio_queue_cases.c,
# tests/host/queue_dev.c).
# cases: flexio_queue_cases.c
# cables.bats runs the case a_frame_with_addresses_comes_back.

bats_require_minimum_version 1.5.0
load ../host/setup

setup_file() {
    build_queues flexio_queue_cases.c
    make_devices "$BATS_FILE_TMPDIR/devices"
}

@test "a polled frame comes back" {
    case_ok a_polled_frame_comes_back
}

@test "stats outlive the program, and begin again" {
    dpadev stats --reset mlx5_0
    case_ok a_polled_frame_comes_back
    dpadev stats --json --reset mlx5_0 >"$BATS_TEST_TMPDIR/stats"
    jq -e '.port.tx_packets == .port.rx_packets and .port.rx_bytes == 60 * .port.rx_packets and
        .port.rx_packets % 5 == 0 and .port.rx_packets > 0 and ([.port.drops[]] | add) == 0 and
        ([.queues[] | select(.gone) | .kind] | sort | unique) == ["RQ", "SQ"]' "$BATS_TEST_TMPDIR/stats"
    dpadev stats --json mlx5_0 | jq -e '[.port | .. | numbers] | add == 0'
}

@test "DPAKIT_STRICT=memory: a doorbell is seen before stores that no fence follows, and both lines are reported" {
    local dev=$BATS_TEST_DIRNAME/../host/queue_dev.c doorbell
    doorbell="queue_dev.c:$(grep -n '/\* DOORBELL' "$dev" | cut -d: -f1)"
    run ! "$BATS_FILE_TMPDIR/cases" doorbells_need_their_fences
    [[ "$output" != *"was not fenced"* ]]
    DPAKIT_STRICT=memory run -0 "$BATS_FILE_TMPDIR/cases" doorbells_need_their_fences
    echo "$output"
    grep "the doorbell at .*$doorbell was not fenced after the store at .*queue_dev.c:$(grep -n '/\* WORD' "$dev" | cut -d: -f1): " <<<"$output"
    grep "the doorbell at .*$doorbell was not fenced after the store at .*: __dpa_thread_memory_writeback() is missing" <<<"$output"
    [ -z "$(grep -o 'the doorbell at .*' <<<"$output" | sort | uniq -d)" ] # each pair once
    DPAKIT_STRICT=memory run -0 "$BATS_FILE_TMPDIR/cases" a_polled_frame_comes_back
    [[ "$output" != *"is missing"* ]]
    DPAKIT_STRICT=memory run -0 "$BATS_FILE_TMPDIR/cases" queue_pairs_send_write_read_and_add
    [[ "$output" != *"is missing"* ]]
}

@test "each frame is one activation" {
    case_ok each_frame_is_one_activation
}

@test "an outbox reaches no queue of another UAR, and the fault names both" {
    case_ok an_outbox_reaches_no_queue_of_another_uar
    [[ "$output" == *"doorbell: completion queue 0x"*" has UAR 0x2, and the outbox reaches those of UAR 0x1: create both with one UAR"* ]]
    case_ok each_doorbell_asks_for_the_uar
    [[ "$output" == *"doorbell: send queue 0x"*" has UAR 0x1, and the outbox reaches those of UAR 0x2"* ]]
}

@test "queue pairs send write read and add" {
    case_ok queue_pairs_send_write_read_and_add
}

@test "without the interface of its wire, a port has all but queues of frames" {
    export DPAKIT_WIRE_mlx5_0=veth:absent7
    case_ok queue_pairs_send_write_read_and_add
    ! grep -F absent7 <<<"$output" || false
    run "$BATS_FILE_TMPDIR/cases" a_polled_frame_comes_back
    [ "$status" -ne 0 ]
    grep -q -e '^-E- DPAKIT_WIRE_mlx5_0: veth:absent7: ' <<<"$output"
    grep -q -e "^-E- flexio_[rs]q_create: the device's port has no wire" <<<"$output"
    ! grep -F 'flexio_cq_create' <<<"$output" || false
}

@test "sends wait for receives" {
    case_ok sends_wait_for_receives
}

@test "doorbells that are not the process's fault" {
    case_ok doorbells_that_are_not_the_process_s_fault
}

@test "files in the place of the wire must be captures of Ethernet" {
    local t=$BATS_TEST_TMPDIR bad
    head -c 100 /dev/zero >"$t/zeros"
    printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\1\0\1\0\0\0' >"$t/short"
    printf '\0\0\0\0\0\0\0\0\x3c\0\0\0\x3c\0\0\0cut' >>"$t/short"
    printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\1\0\x71\0\0\0' >"$t/cooked"
    for bad in zeros short cooked missing; do
        export DPAKIT_PACKETS=$t/$bad
        run "$BATS_FILE_TMPDIR/cases" a_polled_frame_comes_back
        echo "$bad: $output"
        [ "$status" -ne 0 ]
        grep -q '^-E- DPAKIT_PACKETS' <<<"$output"
    done
    unset DPAKIT_PACKETS
    DPAKIT_PACKETS_SENT=$t/no/such/directory run "$BATS_FILE_TMPDIR/cases" a_polled_frame_comes_back
    grep -q '^-E- DPAKIT_PACKETS_SENT' <<<"$output"
}

@test "a port is plugged into the wire that its device keeps, unless the environment says another" {
    local t=$BATS_TEST_TMPDIR
    cp -r "$BATS_FILE_TMPDIR/devices" "$t/devices"
    export DPAKIT_DEVICES=$t/devices
    dpadev wire mlx5_0 pcap:"$t/missing"
    run "$BATS_FILE_TMPDIR/cases" a_polled_frame_comes_back
    [ "$status" -ne 0 ]
    grep -q "^-E- device mlx5_0: $t/missing: " <<<"$output"
    DPAKIT_WIRE_mlx5_0=loop case_ok a_polled_frame_comes_back
    DPAKIT_WIRE_mlx5_0=lopo run "$BATS_FILE_TMPDIR/cases" a_polled_frame_comes_back
    [ "$status" -ne 0 ]
    grep -q "^-E- DPAKIT_WIRE_mlx5_0: 'lopo' is not a wire: loop, none, pcap:IN,OUT" <<<"$output"
    DPAKIT_PACKETS=$t/gone run "$BATS_FILE_TMPDIR/cases" a_polled_frame_comes_back
    grep -q "^-E- DPAKIT_PACKETS: $t/gone: " <<<"$output"
    dpadev wire mlx5_0 loop
    case_ok a_polled_frame_comes_back
}

@test "calls that need hardware fault with their name" {
    cd "$BATS_TEST_TMPDIR"
    cat >k.c <<'END'
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_queue_access.h>
__dpa_rpc__ uint64_t counters(void) { flexio_dev_nic_counters_sample(); }
__dpa_rpc__ uint64_t tables(void) { return flexio_dev_get_pcc_table_base(0); }
END
    cat >host.c <<'END'
#include <libflexio/flexio.h>
extern struct flexio_app *app;
extern flexio_func_t counters, tables;
int main(int argc, char **argv)
{
    struct flexio_process *p = NULL;
    uint64_t result;
    (void)argv;
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *c = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    flexio_process_create(c, app, NULL, &p);
    int status = flexio_process_call(p, argc > 1 ? &tables : &counters, &result);
    flexio_process_destroy(p);
    ibv_close_device(c);
    return status;
}
END
    dpacc k.c -o k.a --app-name=app -devicecc-options="-Wall -Wextra -Werror"
    # shellcheck disable=SC2086
    gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} host.c k.a -o host -I"$DPAKIT_BUILD/include" \
        -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    run ./host
    echo "$output"
    [ "$status" -eq 3 ]
    [[ $output == *"the emulated device has no counters of the port"* ]]
    run ./host tables
    [ "$status" -eq 3 ]
    [[ $output == *"the emulated device has no congestion control"* ]]
}
