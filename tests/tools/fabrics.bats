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
