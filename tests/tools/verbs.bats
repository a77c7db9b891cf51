# Our libibverbs.so.1 and libmlx5.so.1 come before the system's: emulated devices beside cards,
# for programs that know nothing of dpakit (those of Debian's ibverbs-utils).

load ../helpers/verbs_programs
load ../helpers/network

@test "Debian's ibv_devices and ibv_devinfo show an emulated device" {
    utils
    device mlx5_0
    device mlx5_1
    ours ibv_devices 2>errors | tee devices.list
    grep -qE '^ +mlx5_0\s+[0-9a-f]{16}$' devices.list
    grep -qE '^ +mlx5_1\s+[0-9a-f]{16}$' devices.list
    [ ! -s errors ]
    ours ibv_devinfo -v -d mlx5_0 | tee info
    grep -qE 'vendor_part_id:\s+41692$' info
    grep -qE 'state:\s+PORT_ACTIVE' info
    grep -qE 'GID\[ *0\]:\s+fe80:.*RoCE v1' info
    grep -qE 'GID\[ *1\]:\s+fe80:.*RoCE v2' info
    grep -qE 'GID\[ *3\]:\s+::ffff:169\.254\.[0-9.]+, RoCE v2' info
    [ "$(tr -d : <info | awk '$1 == "node_guid" {print $2}')" = "$(awk '$1 == "mlx5_0" {print $2}' devices.list)" ]
}

@test "if emulated devices cannot be listed, verbs programs print the reason once" {
    utils
    echo >file
    # The devices of the system are listed, if there are any.
    DPAKIT_DEVICES=$PWD/file ours ibv_devices >out 2>errors || true
    cat errors
    [ "$(grep -c "^-E- $PWD/file: Not a directory$" errors)" -eq 1 ]
    ! grep -q 'Function not implemented' errors
    # A user without a folder for devices has no devices.
    env -u DPAKIT_DEVICES -u XDG_STATE_HOME -u HOME LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" ibv_devices >out 2>errors || true
    ! grep -e '^-E-' errors
}

@test "ibv_rc_pingpong and ibv_srq_pingpong run between two processes, polling and with events" {
    utils
    device mlx5_0
    for options in "-n 100" "-n 100 -e" "-n 20 -s 100000 -e" "-n 100 -N -e"; do
        # shellcheck disable=SC2086
        pair ibv_rc_pingpong -d mlx5_0 -g 0 $options
        grep -q 'usec/iter' client
        grep -q 'usec/iter' server
    done
    pair ibv_srq_pingpong -d mlx5_0 -g 0 -n 100 -e -q 4
    grep -q 'usec/iter' client
}

@test "ibv_uc_pingpong and ibv_ud_pingpong run between two processes, polling and with events" {
    utils
    device mlx5_0
    for options in "-n 100" "-n 100 -e" "-n 20 -s 100000 -e"; do
        # shellcheck disable=SC2086
        pair ibv_uc_pingpong -d mlx5_0 -g 0 $options
        grep -q 'usec/iter' client
    done
    for options in "-n 100 -s 1024" "-n 100 -s 512 -e"; do
        # shellcheck disable=SC2086
        pair ibv_ud_pingpong -d mlx5_0 -g 0 $options
        grep -q 'usec/iter' client
    done
}

# Gets a number that perftest printed, which must be positive.
figure() { # COLUMN
    awk -v c="$1" '/^ *[0-9]/ {x = $c} END {exit !(x > 0)}' client
}

@test "perftest's bandwidth tests run, with both ways to post, several queue pairs, all sizes and both directions" {
    utils
    device mlx5_0
    pair ib_write_bw -d mlx5_0 -F -n 5 -a --use_old_post_send
    [ "$(grep -cE '^ *[0-9]+ +5 ' client)" -eq 23 ]
    pair ib_read_bw -d mlx5_0 -F -n 100 -q 4
    figure 4
    pair ib_send_bw -d mlx5_0 -F -n 100 -s 100000 -b
    figure 4
    pair ib_atomic_bw -d mlx5_0 -F -n 100
    figure 4
}

@test "perftest runs by unreliable queue pairs, and by datagrams" {
    utils
    device mlx5_0
    for test in "ib_write_bw -c UC" "ib_send_bw -c UC" "ib_send_bw -c UD -s 1024" \
        "ib_send_bw -c UD -s 64 --use_old_post_send"; do
        # shellcheck disable=SC2086
        pair $test -d mlx5_0 -F -n 100
        figure 4
    done
    for test in "ib_send_lat -c UC" "ib_send_lat -c UD" "ib_send_lat -c UD -e" "ib_write_lat -c UC"; do
        # shellcheck disable=SC2086
        pair $test -d mlx5_0 -F -n 100
        figure 6
    done
}

@test "perftest's latency tests run, polling and with events" {
    utils
    device mlx5_0
    for test in "ib_send_lat -e -s 1000" ib_write_lat ib_read_lat "ib_atomic_lat -A CMP_AND_SWAP"; do
        # shellcheck disable=SC2086
        pair $test -d mlx5_0 -F -n 100
        figure 6
    done
}

@test "two devices of the machine talk to each other" {
    utils
    device mlx5_0
    device mlx5_1
    peer_options="-d mlx5_1" pair ibv_rc_pingpong -d mlx5_0 -g 0 -n 100 -e
    grep -q 'usec/iter' client
}

# A peer that always has work in flight: a peer that only waits for a message notices nothing, as on a card.
@test "a path may have any place of the table of GIDs, and 3 is an IPv4 address of RoCE v2" {
    utils
    device mlx5_0
    for place in 1 2 3; do pair ibv_rc_pingpong -d mlx5_0 -g "$place" -n 10; done
    pair ibv_ud_pingpong -d mlx5_0 -g 3 -s 1024 -n 10
    pair ib_write_bw -d mlx5_0 -F -n 100 -x 3
    pair ib_send_lat -c UD -d mlx5_0 -F -n 100 -x 3
    run pair ibv_rc_pingpong -d mlx5_0 -g 4 -n 10
    [ "$status" -eq 1 ]
}

addressed() {
    export LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
    ip link set lo up
    ip addr add 192.0.2.1/24 dev v0
    ip addr add 192.0.2.7/24 dev v0 label v0:b
    ip addr add 2001:db8::1/64 dev v0 nodad
    ip addr add 192.0.2.2/24 dev v1
    ibv_devinfo -v -d mlx5_0 | sed -n 's/.*GID\[ *\([0-9]*\)\]:\s*/\1 /p'
    rping -s -a 192.0.2.1 -C 1 -p 18000 >server 2>&1 &
    until timeout 20 rping -c -a 192.0.2.1 -C 1 -p 18000 >client 2>&1; do
        kill -0 $! || { cat server client; return 1; }
        sleep 0.1
    done
    wait
}

@test "the table of GIDs has the addresses of the interface that a port is plugged into" {
    utils
    need_network
    device mlx5_0
    dpadev wire mlx5_0 veth:v0 >/dev/null
    in_network addressed
    grep -qE '^1 fe80:.*RoCE v2$' <<<"$output"
    grep -qx '2 0000:0000:0000:0000:0000:ffff:c000:0201, RoCE v1' <<<"$output"
    grep -qx '3 ::ffff:192.0.2.1, RoCE v2' <<<"$output"
    grep -qx '5 ::ffff:192.0.2.7, RoCE v2' <<<"$output"
    grep -qx '7 2001:db8::1, RoCE v2' <<<"$output"
    [ "$(wc -l <<<"$output")" -eq 8 ]
}

@test "a peer that is killed ends a program with an error, and no crash" {
    utils
    device mlx5_0
    meet ib_write_bw -d mlx5_0 -F -D 60
    in_background env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" stdbuf -oL ib_write_bw -d mlx5_0 -F -D 60 -p "$port" 127.0.0.1 \
        >client 2>&1
    client=$!
    await grep -q '#bytes' client
    kill -9 "$server"
    code=0
    wait "$client" || code=$?
    cat client
    [ "$code" -eq 1 ]
    grep -q 'Completion with error at client' client
    grep -q 'Failed status 12: ' client
}

@test "without the peer's GID a queue pair is not connected, as on a card with RoCE" {
    utils
    device mlx5_0
    run pair ibv_rc_pingpong -d mlx5_0 -n 10
    [ "$status" -eq 1 ]
    [[ $output == *"Failed to modify QP to RTR"* ]]
}

@test "without an emulated device nothing changes, and nothing of dpakit is loaded beside" {
    utils
    for program in ibv_devices "ibv_devinfo -v" "ibv_rc_pingpong -d mlx5_0"; do
        code=0 ours_code=0
        # shellcheck disable=SC2086
        $program >theirs 2>&1 || code=$?
        # shellcheck disable=SC2086
        ours $program >mine 2>&1 || ours_code=$?
        cmp theirs mine
        [ "$code" -eq "$ours_code" ]
    done
    LD_DEBUG=files ours ibv_devices >loaded 2>&1 || true
    grep -q "calling init: $DPAKIT_BUILD/lib/libibverbs.so.1" loaded
    ! grep -q 'calling init: .*/\(libdpakit\|libflexio\|libsqlite3\|libcrypto\)' loaded || false
}

# A card for the list of devices: files in the place of /sys and /dev.
with_a_card() { # COMMAND ...
    local class=$PWD/sys/class
    mkdir -p "$class"/infiniband_verbs/uverbs0 "$class"/infiniband/rxe_0 dev/infiniband
    echo 6 >"$class/infiniband_verbs/abi_version"
    echo rxe_0 >"$class/infiniband_verbs/uverbs0/ibdev"
    echo 2 >"$class/infiniband_verbs/uverbs0/abi_version"
    echo 231:192 >"$class/infiniband_verbs/uverbs0/dev"
    echo '1: CA' >"$class/infiniband/rxe_0/node_type"
    echo 1122:3344:5566:7788 >"$class/infiniband/rxe_0/node_guid"
    touch dev/infiniband/uverbs0 dev/null
    SYSFS_PATH=$PWD/sys unshare -rm sh -c \
        'mount --bind /dev/null dev/null && mount --rbind dev /dev && exec "$@"' sh "$@"
}

@test "a card is listed first, by the system's library, and opened by it" {
    utils
    unshare -rm true 2>/dev/null || skip "no mount namespace may be made here"
    device mlx5_0
    with_a_card ibv_devices | tee theirs
    grep -qE '^ +rxe_0\s+1122334455667788$' theirs # else this machine lists no such card: no test
    with_a_card env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" ibv_devices | tee mine
    head -3 mine | cmp - theirs
    [ "$(wc -l <mine)" -eq 4 ]
    tail -1 mine | grep -qE '^ +mlx5_0\s'
    code=0
    with_a_card ibv_devinfo -d rxe_0 >theirs 2>&1 || code=$?
    run with_a_card env LD_LIBRARY_PATH="$DPAKIT_BUILD/lib" ibv_devinfo -d rxe_0
    [ "$status" -eq "$code" ]
    [ "$output" = "$(cat theirs)" ]
}

@test "every function of the system's libraries is there, under every version it has" {
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only"
    cat >all.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char name[200], version[100];
    int missing = 0, found = 0;
    void *library = dlopen(argv[1], RTLD_NOW);
    if (argc != 2 || !library)
        return fprintf(stderr, "%s\n", dlerror()), 2;
    while (scanf("%199[^@ \n]%*[@]%99s ", name, version) == 2)
        if (dlvsym(library, name, version))
            found++;
        else
            missing++, printf("%s %s\n", name, version);
    printf("%d found\n", found);
    return missing > 0 || found < 50;
}
C
    gcc -Wall -Wextra -Werror all.c -o all
    for library in libibverbs libmlx5 librdmacm; do
        readelf --dyn-syms -W "$system/$library.so.1" |
            awk '$7 != "UND" && $4 != "NOTYPE" && $5 != "LOCAL" && $8 ~ /@/ && $8 !~ /^[A-Z0-9_.]+@/ {print $8}' |
            ./all "$DPAKIT_BUILD/lib/$library.so.1"
        readelf -V -W "$system/$library.so.1" | sed -n 's/.*Name: \([A-Z0-9_]*[0-9.]*\)$/\1/p' |
            grep _ | sort -u >theirs
        readelf -V -W "$DPAKIT_BUILD/lib/$library.so.1" | sed -n 's/.*Name: \([A-Z0-9_]*[0-9.]*\)$/\1/p' |
            sort -u | comm -23 theirs - | tee missing
        [ -s theirs ] && [ ! -s missing ]
    done
}
