# RDMA between devices of two machines: two network namespaces, joined by a cable.

source "$BATS_TEST_DIRNAME/../helpers/device.bash"
source "$BATS_TEST_DIRNAME/../helpers/machines.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    local from=$BATS_TEST_DIRNAME/../../examples p
    export PKG_CONFIG_PATH=$DPAKIT_BUILD/lib/pkgconfig PATH=$DPAKIT_BUILD/bin:$PATH
    for p in rdma_send rdma_receive; do
        cc -DDOCA_ALLOW_EXPERIMENTAL_API -I"$from/common" "$from/rdma_send_receive/"{$p,exchange}.c "$from/common/sample.c" \
            $(pkg-config --cflags --libs doca-common doca-argp doca-rdma) -o $p
    done
    cc "$from/rdma_say/rdma_say.c" $(pkg-config --cflags --libs doca-common doca-rdma) -o rdma_say
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export PATH=$DPAKIT_BUILD/bin:$PATH DPAKIT_DEVICES=$PWD/devices LD_LIBRARY_PATH=$DPAKIT_BUILD/lib
    programs=$BATS_FILE_TMPDIR
    new_device mlx5_0
    new_device mlx5_1
}

@test "a device has no fabric until it gets one" {
    [ "$(dpadev fabric mlx5_0)" = off ]
    run dpadev show mlx5_0
    [[ $output != *Fabric* ]]
    need_ucx
    [ "$(cat set)" = "Device mlx5_0: fabric ucx:127.0.0.1" ]
    [ "$(dpadev fabric mlx5_0)" = ucx:127.0.0.1 ]
    dpadev show mlx5_0 | grep 'Fabric: ucx:127.0.0.1'
    dpadev log mlx5_0 | grep 'fabric.*ucx:127.0.0.1'
    dpadev fabric mlx5_0 off
    [ "$(dpadev fabric mlx5_0)" = off ]
}

@test "a fabric names an address of IP" {
    local bad
    for bad in ucx: ucx:host tcp:192.0.2.1 ucx:0.0.0.0 ucx:224.0.0.1 ucx:1.2.3.4:5 ucx:$(printf '1%.0s' {1..100}); do
        run dpadev fabric mlx5_0 "$bad"
        [ "$status" -eq 2 ]
    done
    [ "$(dpadev fabric mlx5_0)" = off ]
}

@test "a fabric at the address of another machine is a warning" {
    need_ucx
    dpadev fabric mlx5_0 ucx:192.0.2.77 2>warned
    grep -- '-W- .*192.0.2.77, which must be an address of this machine' warned
    [ "$(dpadev fabric mlx5_0)" = ucx:192.0.2.77 ]
}

enter() {
    until [ -s sender ] && [ -s receiver ]; do sleep 0.05; done
    echo
}

a_text_arrives() {
    two_machines
    enter | there timeout 30 "$programs/rdma_receive" -d mlx5_1 -ld receiver -re sender >receiver.log 2>&1 &
    local receives=$!
    enter | "$programs/rdma_send" -d mlx5_0 -s 'some text' -ld sender -re receiver
    wait $receives
    grep 'Received: some text' receiver.log
    kill $other
}

@test "a program sends a text to a program on another machine" {
    need_machines
    export programs
    on_machines a_text_arrives
}

# Without a fabric, the description of the other side says nothing about its machine.
a_text_needs_a_fabric() {
    two_machines
    dpadev fabric mlx5_0 off
    enter | there timeout 30 "$programs/rdma_receive" -d mlx5_1 -ld receiver -re sender >receiver.log 2>&1 &
    ! enter | "$programs/rdma_send" -d mlx5_0 -s 'some text' -ld sender -re receiver >sender.log 2>&1
    grep 'this device has no fabric (dpadev fabric NAME ucx:ADDRESS)' sender.log
    kill $other
}

@test "a device without a fabric says that it needs one" {
    need_machines
    export programs
    on_machines a_text_needs_a_fabric
}

# ---- Queue pairs that connect by number and GID ----

# Runs a program of libibverbs on both machines: the server there, the client here.
between() { # PROGRAM [OPTION ...]
    there sh -c 'echo $$ >server.pid; exec timeout 60 "$@"' sh "$@" -d mlx5_1 >server.log 2>&1 &
    local serves=$!
    until there grep -q ':4A38 .* 0A ' /proc/net/tcp /proc/net/tcp6; do # it listens at port 19000
        kill -0 $serves || { cat server.log; return 1; }
        sleep 0.05
    done
    DPAKIT_DEVICES=${our_devices:-$DPAKIT_DEVICES} timeout 60 "$@" -d mlx5_0 192.0.2.2 >client.log 2>&1 || {
        kill "$(cat server.pid)"
        cat client.log server.log
        return 1
    }
    wait $serves
}

verbs_programs_connect() {
    two_machines
    local options
    for options in "-n 200" "-n 200 -e" "-n 20 -s 300000"; do
        # shellcheck disable=SC2086
        between ibv_rc_pingpong -p 19000 -g 3 $options
    done
    grep 'remote address: .*GID ::ffff:192.0.2.2' client.log
    for options in "-n 200" "-n 200 -e" "-n 200 -s 1 -r 10"; do # datagrams
        # shellcheck disable=SC2086
        again between ibv_ud_pingpong -p 19000 -g 3 $options
    done
    grep 'remote address: .*GID ::ffff:192.0.2.2' client.log
    command -v ib_write_bw >/dev/null || { kill $other; return 0; }
    between ib_write_bw -p 19000 -x 3 -F -n 100 -s 65536
    between ib_read_bw -p 19000 -x 3 -F -n 100 -s 65536
    between ib_send_bw -p 19000 -x 3 -F -n 100 -s 4096
    between ib_atomic_bw -p 19000 -x 3 -F -n 100
    between ib_send_lat -c UD -p 19000 -x 3 -F -n 100 -s 64
    between ib_send_bw -c UD -p 19000 -x 3 -F -n 5000 -s 1024 # none is lost, though a link holds 64
    kill $other
}

# ---- The connection manager ----

again() { "$@" || "$@" || "$@"; }

# As between, for programs that listen by the connection manager alone.
meet() { # SERVER CLIENT
    there sh -c "echo \$\$ >server.pid; exec timeout 60 $1" >server.log 2>&1 &
    local serves=$!
    until there grep -q "$listening" /proc/net/tcp; do
        kill -0 $serves || { cat server.log; return 1; }
        sleep 0.05
    done
    timeout 60 $2 >client.log 2>&1 || { cat client.log server.log; kill "$(cat server.pid)" || :; return 1; }
    wait $serves || { cat client.log server.log; return 1; }
}

# Port 13579 of TCP, where rdma_say listens for other machines.
a_word_is_said() {
    two_machines
    there sh -c 'echo $$ >server.pid; exec timeout 60 "$@"' sh "$programs/rdma_say" listen mlx5_1 13579 >heard 2>&1 &
    local listens=$!
    until there grep -q ':350B .* 0A ' /proc/net/tcp; do
        kill -0 $listens || { cat heard; return 1; }
        sleep 0.05
    done
    ! timeout 60 "$programs/rdma_say" say mlx5_0 192.0.2.2 13580 'nobody is there' >refused.log 2>&1 || return 1
    grep 'nobody listens' refused.log
    timeout 60 "$programs/rdma_say" say mlx5_0 192.0.2.2 13579 'from the other machine'
    wait $listens
    diff heard - <<'END'
from the other machine
the caller went
END
    # Programs of one machine still meet at this port, and the address of the fabric.
    "$programs/rdma_say" listen mlx5_0 13579 >heard &
    listens=$!
    until timeout 60 "$programs/rdma_say" say mlx5_0 192.0.2.1 13579 'from this machine' 2>errors; do sleep 0.05; done
    wait $listens
    grep -x 'from this machine' heard
    kill $other
}

@test "a program of DOCA RDMA calls a program on another machine" {
    need_machines
    export programs
    on_machines a_word_is_said
}

# Its port of TCP is taken: the listener serves its own machine, and says so.
a_port_is_taken() {
    two_machines
    python3 -c 'import socket, time; s = socket.create_server(("192.0.2.1", 13579)); open("taken", "w").close(); time.sleep(60)' &
    local takes=$! listens
    until [ -e taken ]; do sleep 0.05; done
    "$programs/rdma_say" listen mlx5_0 13579 >heard 2>warned &
    listens=$!
    until timeout 60 "$programs/rdma_say" say mlx5_0 127.0.0.1 13579 'from this machine' 2>errors; do sleep 0.05; done
    wait $listens
    grep 'other machines cannot call: .*13579' warned
    grep -x 'from this machine' heard
    kill $takes $other
}

@test "a listener of DOCA RDMA without its port of TCP serves its own machine" {
    need_machines
    export programs
    on_machines a_port_is_taken
}

programs_meet() {
    two_machines
    listening=':4A38 .* 0A ' # at port 19000
    meet "rping -s -a 192.0.2.2 -p 19000 -C 20 -v" "rping -c -a 192.0.2.2 -p 19000 -C 20 -v -V"
    [ "$(grep -c 'ping data: rdma-ping' client.log)" -eq 20 ]
    meet "rping -s -p 19000 -C 3" "rping -c -a 192.0.2.2 -I 192.0.2.1 -p 19000 -C 3"
    ! timeout 60 rping -c -a 192.0.2.2 -p 19001 -C 3 >refused.log 2>&1 || return 1
    grep RDMA_CM_EVENT_REJECTED refused.log
    ! timeout 60 rping -c -a 192.0.2.2 -I 127.0.0.1 -p 19000 -C 3 >bound.log 2>&1 || return 1
    if command -v ib_write_bw >/dev/null; then
        meet "ib_write_bw -d mlx5_1 -R -F -p 19000 -n 100" "ib_write_bw -d mlx5_0 -R -F -p 19000 -n 100 192.0.2.2"
        meet "ib_send_lat -d mlx5_1 -R -F -p 19000 -n 100" "ib_send_lat -d mlx5_0 -R -F -p 19000 -n 100 192.0.2.2"
    fi
    listening=':1C06 .* 0A ' # the port of udaddy, which sends datagrams
    # The last datagrams of a process that ends may be lost. Then the client, which waits for them, tries again.
    again meet "udaddy -b 192.0.2.2 -C 20" "timeout 10 udaddy -s 192.0.2.2 -C 20"
    again meet "udaddy -c 3" "timeout 10 udaddy -s 192.0.2.2 -c 3"
    ! meet "rping -s -p 7174" "udaddy -s 192.0.2.2" >refused.log 2>&1 || return 1 # it wants connections
    listening=':4A38 .* 0A '
    if command -v fio >/dev/null; then
        meet "fio --name=job --ioengine=rdma --thread --rw=read --bs=64k --size=4m --port=19000" \
            "fio --name=job --ioengine=rdma --thread --rw=write --verb=write --hostname=192.0.2.2 --port=19000 --bs=64k --size=4m"
    fi
    kill $other
}

receivers_leave() {
    two_machines
    listening=':4A38 .* 0A '
    local i
    for i in {1..5}; do
        meet "./leave 192.0.2.2" "./leave 192.0.2.2 to"
    done
    kill $other
}

# Acknowledgements of sends wait until a program that polls sends or polls again. This program does neither.
@test "a send is complete though its receiver ends at once" {
    need_machines
    cat >leave.c <<'END'
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[64] = "text";

/* leave ADDRESS: takes a send, and ends at once. leave ADDRESS to: sends it, and says its status. */
int main(int argc, char **argv)
{
    struct rdma_addrinfo hints = {.ai_flags = argc < 3 ? RAI_PASSIVE : 0, .ai_port_space = RDMA_PS_TCP}, *at;
    struct ibv_qp_init_attr attr = {.cap = {4, 4, 1, 1, 0}, .qp_type = IBV_QPT_RC, .sq_sig_all = 1};
    struct rdma_cm_id *id, *listener;
    struct ibv_wc wc;
    if (rdma_getaddrinfo(argv[1], "19000", &hints, &at) || rdma_create_ep(&listener, at, NULL, &attr))
        return 1;
    id = listener;
    if (argc < 3 && (rdma_listen(listener, 1) || rdma_get_request(listener, &id)))
        return 2;
    struct ibv_mr *mr = rdma_reg_msgs(id, text, sizeof text);
    if (!mr || (argc < 3 && rdma_post_recv(id, NULL, text, sizeof text, mr)))
        return 3;
    if (argc < 3 ? rdma_accept(id, NULL) : rdma_connect(id, NULL))
        return 4;
    if (argc >= 3 && rdma_post_send(id, NULL, text, sizeof text, mr, 0))
        return 5;
    while (ibv_poll_cq(argc < 3 ? id->recv_cq : id->send_cq, 1, &wc) == 0)
        ;
    puts(ibv_wc_status_str(wc.status));
    exit(wc.status);
}
END
    cc leave.c -o leave -I"$DPAKIT_BUILD/include" -lrdmacm -libverbs || skip "no headers of librdmacm"
    on_machines receivers_leave
}

@test "programs of librdmacm call programs on another machine" {
    need_machines
    command -v rping >/dev/null || skip "no rdmacm-utils"
    on_machines programs_meet
}

@test "Debian's programs of libibverbs connect to another machine by its GID" {
    need_machines
    command -v ibv_rc_pingpong >/dev/null || skip "no ibverbs-utils"
    on_machines verbs_programs_connect
}

far_gids_need_a_fabric() {
    two_machines
    dpadev fabric mlx5_0 off
    our_devices=$PWD/alone # without the device of the other machine
    mkdir alone
    cp -a devices/mlx5_0 alone/
    ! between ibv_rc_pingpong -p 19000 -g 3 || false
    grep 'Failed to modify QP to RTR' client.log
    DPAKIT_DEVICES=$our_devices dpadev fabric mlx5_0 ucx:192.0.2.1
    between ibv_rc_pingpong -p 19000 -g 3 -n 10
    kill $other
}

@test "a GID of another machine needs a fabric" {
    need_machines
    command -v ibv_rc_pingpong >/dev/null || skip "no ibverbs-utils"
    on_machines far_gids_need_a_fabric
}

@test "the address of the fabric is the GID that people name by index 3" {
    need_ucx
    dpadev fabric mlx5_0 ucx:192.0.2.1 2>/dev/null
    cat >gids.c <<'END'
#include <infiniband/verbs.h>
#include <stdio.h>
int main(void)
{
    struct ibv_device **all = ibv_get_device_list(NULL);
    struct ibv_context *context = ibv_open_device(all[0]);
    union ibv_gid gid;
    for (int i = 0; ibv_query_gid(context, 1, i, &gid) == 0 && gid.raw[0] + gid.raw[10] != 0; i++)
        printf("%d %d.%d.%d.%d\n", i, gid.raw[12], gid.raw[13], gid.raw[14], gid.raw[15]);
    return 0;
}
END
    cc gids.c -o gids -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -libverbs
    ./gids >out
    grep -qx '2 192.0.2.1' out
    grep -qx '3 192.0.2.1' out
    [ "$(wc -l <out)" -eq 4 ]
}
