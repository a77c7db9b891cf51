# DOCA Ethernet, and the pipes of DOCA Flow that lead to its queues (tests/host/eth_*.c). DPAKIT_KILLS=300: so many of
# either side are killed.
# cases: eth_main.c
# not by themselves: live_receiver live_sender

load ../host/setup

setup_file() {
    local here=$BATS_TEST_DIRNAME/../host minor folder objects=()
    for minor in 5 6 8 10; do
        if [ "$minor" -lt 7 ]; then folder=doca-2.5; else folder=doca; fi
        # shellcheck disable=SC2086
        gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/$folder" -I"$DPAKIT_BUILD/include" \
            -DDOCA_VERSION_MAJOR=2 -DDOCA_VERSION_MINOR=$minor -DDOCA_VERSION_PATCH=0 -DDOCA_VERSION_STRING="\"2.$minor.0\"" \
            -Dpipes_of_release=pipes_of_doca_2_$minor -c "$here/flow_release.c" -o "$BATS_FILE_TMPDIR/release_$minor.o"
        objects+=("$BATS_FILE_TMPDIR/release_$minor.o")
    done
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -I"$DPAKIT_BUILD/include/doca" -I"$DPAKIT_BUILD/include" \
        "$here"/eth_*.c "${objects[@]}" -o "$BATS_FILE_TMPDIR/cases" -L"$DPAKIT_BUILD/lib" -ldoca_eth -ldoca_flow -ldoca_rdma -ldoca_common \
        -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib"
    make_devices "$BATS_FILE_TMPDIR/devices"
}

# Each test begins with the ports plugged into themselves.
setup() {
    dpadev wire mlx5_0 loop
}

@test "pipes lead to queues that are there" {
    case_ok pipes_lead_to_queues_that_are_there
    grep -q 'no running receive queue of the device has id 4 (doca_eth_rxq_apply_queue_id)' <<<"$output"
}

@test "what is not emulated is named" {
    local name
    case_ok what_is_not_emulated_is_named
    for name in outer.ip4.total_len inner 'meta.u32\[8\]' 'a tunnel that is not VXLAN' parser_meta.outer_l4_ok outer.transport \
        meta.mark outer.icmp nat64 outer.ip6.flow_label crypto 'a shared encapsulation' 'an action on parser_meta' 'an action on tun'; do
        echo "want: $name"
        grep -q -e "$name is not emulated" <<<"$output"
    done
}

@test "wrong hash pipes are refused" {
    local reason
    case_ok wrong_hash_pipes_are_refused
    for reason in 'a hash pipe with 3 entries' 'match_mask names no field to hash' 'outer.ip6.flow_label is not emulated' \
        SELECT_ENABLED 'flooding to more than 32 entries' 'only a hash pipe has a match_mask without a match' \
        'fwd.hash_pipe.algorithm is not one' 'the pipe is not a hash pipe' 'fwd.hash_pipe.pipe is not a hash pipe'; do
        echo "want: $reason"
        grep -q -e "$reason" <<<"$output"
    done
}

@test "a stopped port gets no pipe" {
    case_ok a_stopped_port_gets_no_pipe
    grep -q -- '-E- doca_flow_pipe_create: the port of the pipe was stopped (DOCA_ERROR_BAD_STATE)' <<<"$output"
}

@test "receivers are killed" {
    dpadev wire mlx5_0 dev:mlx5_1
    case_ok receivers_are_killed
}

@test "senders are killed" {
    dpadev wire mlx5_0 dev:mlx5_1
    case_ok senders_are_killed
}

# The next program gets the port; nothing else of these processes is left.
@test "either side is killed at any step" {
    all_files() { (cd "$DPAKIT_DEVICES" && find . ! -name counters ! -name 'port.*' | sort); }
    dpadev wire mlx5_0 dev:mlx5_1
    all_files >"$BATS_TEST_TMPDIR/before"
    case_ok either_side_is_killed_at_any_step
    all_files | diff "$BATS_TEST_TMPDIR/before" -
    nothing_in_shm
}

@test "every function is declared and exported" {
    # Names of DOCA 2.5 (doca2_5_tasks.c, flow_release.c) are declared for its programs alone.
    local here=$BATS_TEST_DIRNAME/../host t=$BATS_TEST_TMPDIR name of_2_5='_v2_[0-9]+$|[rt]xq_get_.*_supported$|_pkt_buffer|_packet_buffer_|_txq_get_max_lso_msg_size$'
    for name in eth flow; do
        LC_ALL=C sort -u "$here/doca_$name.txt" | diff - "$here/doca_$name.txt"
        nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_$name.so" | awk '$2 == "T" {print $3}' |
            grep -vE "doca_(eth|flow).*($of_2_5)" | LC_ALL=C sort |
            diff "$here/doca_$name.txt" -
    done
    { printf '#include <doca_%s.h>\n' eth_{rxq,txq}_{cpu,gpu}_data_path flow
      sed 's/.*/void *const p_& = (void *)\&&;/' "$here/doca_eth.txt" "$here/doca_flow.txt"; } >"$t/names.c"
    gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$DPAKIT_BUILD/include/doca" "$t/names.c"
}

# Each field is named in a line of $output.
are_named() { # NAME...
    local name
    for name; do
        echo "want: $name"
        grep -q -e "$name is not emulated" <<<"$output"
    done
}
# Fields that programs of all releases before 3.0 have (flow_release.c).
fields=(parser_meta.port_meta outer.ip4.total_len meta.mark crypto inner 'a meter' 'a mirror' 'shared RSS')

@test "pipes of DOCA 2.5 work, and refuse a field by its name" {
    case_ok pipes_of_doca_2_5
    are_named "${fields[@]}" 'the field '{flags,rss_key,ordered_lists}
}

@test "pipes of DOCA 2.6 work, and refuse a field by its name" {
    case_ok pipes_of_doca_2_6
    are_named "${fields[@]}" 'the field '{flags,rss_key,rss,ordered_lists}
}

@test "pipes of DOCA 2.8 work, and refuse a field by its name" {
    case_ok pipes_of_doca_2_8
    are_named "${fields[@]}"
}

@test "pipes of DOCA 2.10 work, and refuse a field by its name" {
    case_ok pipes_of_doca_2_10
    are_named "${fields[@]}"
}
