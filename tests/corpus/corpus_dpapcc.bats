# The RTT template of DOCA's application PCC, as NVIDIA published it, in the model of a network.

@test "the RTT template runs, shares a link, and obeys its parameters" {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    local device=${DPAKIT_CORPUS-}/doca-samples-3.2.0/applications/pcc/device
    local algo=$device/rp/rtt_template/algo
    [ -d "$algo" ] || skip "no doca-samples-3.2.0/applications/pcc in DPAKIT_CORPUS"
    dpacc "$device/rp/rtt_template/rp_rtt_template_dev_main.c" "$algo/rtt_template.c" -o rtt.a --app-name=rtt \
        --devicecc-options="-I$device -I$device/../../common/device -I$algo" -device-libs="-ldoca_pcc_dev"
    dpapcc list rtt.a >list.txt
    grep -qx 'slot 0: Rtt template v0.1 (id 0xbfff, version 0.1)' list.txt
    grep -qx '  parameter BASE_RTT = 13000, 1 to 4294967295  base rtt' list.txt
    dpapcc run rtt.a --topology incast:senders=4 --time 10ms --json -o out >as_is 2>log
    grep -q '^doca_pcc_dev_user_init, disable_event_bitmask=' log
    jq -e '.complete and .throughput_gbps > 80 and .fairness > 0.8 and .packets.dropped == 0 and
        .counters.COUNTER_RTT_EVENT == .calls.rtt and .counters.COUNTER_TX_EVENT > 1000' as_is
    # Smaller steps up: shorter queues.
    dpapcc run rtt.a --topology incast:senders=4 --time 10ms --json --param AI=1000 >careful 2>log
    [ "$(jq .queue.mean careful | cut -d. -f1)" -lt "$(jq .queue.mean as_is | cut -d. -f1)" ]
}
