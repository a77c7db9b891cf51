# doca_comm_channel and doca_cc in trees of DOCA 2.2, 2.5 and 2.6 (tests/host/comm_channel_cases.c, cc_cases.c).

bats_require_minimum_version 1.5.0
load ../host/setup

releases="2.2 2.5 2.6"

setup_file() {
    local here=$BATS_TEST_DIRNAME/../.. t=$BATS_FILE_TMPDIR release
    for release in 2.5 2.6; do
        "$here/packaging/install-compat" "$DPAKIT_BUILD" '' "$t/$release" "$release"
        PKG_CONFIG_PATH=$(echo "$t/$release"/doca/lib/*/pkgconfig | tr ' ' :)
        export PKG_CONFIG_PATH
        # shellcheck disable=SC2046
        build_of "$release" comm_channel $(pkg-config --cflags --libs doca-common doca-comm-channel)
        # shellcheck disable=SC2046
        build_of "$release" cc $(pkg-config --cflags --libs doca-common doca-comm-channel)
    done
    mkdir "$t/2.2"
    build_of 2.2 comm_channel -I"$DPAKIT_BUILD/include/doca-2.2" -L"$DPAKIT_BUILD/lib" -ldoca_comch -ldoca_common
    export DPAKIT_DEVICES=$t/devices
    new_device mlx5_0 --pair
}

# Builds the cases of a release.
build_of() { # RELEASE CASES OPTION...
    # shellcheck disable=SC2086
    gcc -std=gnu11 -g -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-} -D DOCA_ALLOW_EXPERIMENTAL_API \
        "$BATS_TEST_DIRNAME/../host/$2_cases.c" -o "$BATS_FILE_TMPDIR/$1/$2" "${@:3}" -pthread -Wl,-rpath,"$DPAKIT_BUILD/lib"
}

setup() {
    export DPAKIT_DEVICES=$BATS_TEST_TMPDIR/devices
    cp -a "$BATS_FILE_TMPDIR/devices" "$DPAKIT_DEVICES"
}

# Nothing is left of it.
teardown() {
    ! compgen -G "$DPAKIT_DEVICES/mlx5_0/comch-*"
}

# Runs a case of every release that has it.
in_each() { # CASES CASE
    local release
    for release in $releases; do
        [ -e "$BATS_FILE_TMPDIR/$release/$1" ] || continue
        case_ok "$2" "$release/$1"
    done
}

@test "comm_channel: capabilities" { in_each comm_channel capabilities; }

@test "comm_channel: properties" {
    in_each comm_channel properties
    reported 'doca_comm_channel_ep_set_max_msg_size: 4081 is not within 1 to 4080 (DOCA_ERROR_INVALID_VALUE)' \
        'doca_comm_channel_ep_listen: the endpoint has no device, or a service has no representor (DOCA_ERROR_BAD_STATE)' \
        'doca_comm_channel_ep_set_device: the endpoint is in use (DOCA_ERROR_BAD_STATE)' \
        'doca_comm_channel_ep_destroy: the argument is not an endpoint, or was destroyed (DOCA_ERROR_NOT_CONNECTED)'
}

@test "comm_channel: names find services" {
    in_each comm_channel names_find_services
    grep -q 'there is a server "name" already' <<<"$output"
    grep -q 'there is no server "nam"' <<<"$output"
}

@test "comm_channel: messages go both ways" { in_each comm_channel messages_go_both_ways; }

@test "comm_channel: messages have limits" {
    in_each comm_channel messages_have_limits
    reported 'doca_comm_channel_ep_sendto: 4081 is not within 1 to 4080 (DOCA_ERROR_INVALID_VALUE)' \
        'doca_comm_channel_ep_recvfrom: the buffer is smaller than the message of 4 bytes (DOCA_ERROR_INVALID_VALUE)'
}

@test "comm_channel: full queues let senders wait" { in_each comm_channel full_queues_let_senders_wait; }

@test "comm_channel: descriptors wake programs" { in_each comm_channel descriptors_wake_programs; }

@test "comm_channel: a dead client is found" {
    in_each comm_channel a_dead_client_is_found
    reported 'doca_comm_channel_ep_sendto: the connection has failed (DOCA_ERROR_CONNECTION_RESET)'
}

@test "comm_channel: a dead service is found" {
    in_each comm_channel a_dead_service_is_found
    reported 'doca_comm_channel_ep_recvfrom: the connection has failed (DOCA_ERROR_CONNECTION_RESET)'
}

@test "cc: capabilities" { in_each cc capabilities; }

@test "cc: sizes" { in_each cc sizes; }

@test "cc: messages go both ways" { in_each cc messages_go_both_ways; }

@test "cc: producers reach consumers" { in_each cc producers_reach_consumers; }

@test "cc: a client of doca_comm_channel connects" { in_each cc an_older_client_connects; }

@test "libraries and pkg-config files have the names of their time" {
    local f
    for f in comm_channel cc; do
        [ "$(readlink -f "$BATS_FILE_TMPDIR"/2.5/doca/lib/"$(gcc -print-multiarch)"/libdoca_$f.so)" = \
            "$(readlink -f "$BATS_FILE_TMPDIR"/2.5/dpakit/lib/libdoca_comch.so)" ]
    done
    [ "$(PKG_CONFIG_PATH=$(echo "$BATS_FILE_TMPDIR"/2.6/doca/lib/*/pkgconfig | tr ' ' :) pkg-config --modversion doca-comm-channel)" = 2.6.0 ]
}

# Names that the headers of a release declare are exported by libdoca_comch.so, and no others.
@test "every function is declared and exported" {
    local i=$DPAKIT_BUILD/include/doca-2.5 minor
    for minor in 5 6; do
        for f in doca_cc doca_cc_consumer doca_cc_producer doca_comm_channel; do echo "#include <$f.h>"; done |
            gcc -E -P -x c -I"$i" -I"$DPAKIT_BUILD/include/doca" -DDOCA_VERSION_MAJOR=2 -DDOCA_VERSION_MINOR=$minor \
                -DDOCA_VERSION_PATCH=0 -DDOCA_VERSION_STRING='""' - | tr '\n' ' ' | tr ';' '\n' |
            sed -nE 's/.*__asm__\("(doca_(cc|comm_channel)_[a-z0-9_]*)"\).*/\1/p; t; s/.*[ *](doca_(cc|comm_channel)_[a-z0-9_]*)\(.*/\1/p' |
            grep -v '_cb_t$'
    done | sort -u >"$BATS_TEST_TMPDIR/declared"
    nm -D --defined-only "$DPAKIT_BUILD/lib/libdoca_comch.so" | awk '$2 == "T" {print $3}' |
        grep -E '^doca_(cc|comm_channel)_' | sort | diff "$BATS_TEST_TMPDIR/declared" -
    [ "$(wc -l <"$BATS_TEST_TMPDIR/declared")" -ge 140 ]
}
