# Command lines of NVIDIA's pages about the DPA's tools, unchanged: run from
# /opt/mellanox/doca/tools, with sudo. Numbers of a card are those of an emulated one.

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/await.bash"
source "$BATS_TEST_DIRNAME/../helpers/device.bash"
source "$BATS_TEST_DIRNAME/../helpers/spins.bash"

# Namespaces of mounts and networks; root needs no namespace of users, which may be missing in a chroot.
apart() {
    local as_root=-r
    [ "$(id -u)" -ne 0 ] || as_root=
    unshare $as_root -mn "$@"
}

# Makes what the pages assume: installed tools, a device, and programs that run on it.
setup_file() {
    export missing=
    apart ip link set lo up 2>/dev/null || missing="no namespaces of mounts and networks here"
    [ -z "$missing" ] || return 0 # bats before 1.9 skips no test from here
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/opt/devices
    "$BATS_TEST_DIRNAME/../../packaging/install-compat" "$DPAKIT_BUILD" '' "$BATS_FILE_TMPDIR/opt/mellanox" 3
    cd "$BATS_FILE_TMPDIR/opt"
    mkdir devices bin tmp
    new_device mlx5_0
    printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
    chmod +x bin/sudo
}

setup() {
    [ -z "$missing" ] || skip "$missing"
    cd "$BATS_TEST_TMPDIR"
    cp -a "$BATS_FILE_TMPDIR/opt" .
    export DPAKIT_DEVICES=$PWD/opt/devices DPAKIT_RUNTIME=$PWD/opt/runtime
}

teardown() { end_background; }

# as_on_a_card: runs the lines on standard input in a shell with the test's own /opt and /tmp.
as_on_a_card() {
    cat >lines
    DPAKIT_DEVICES=/opt/devices DPAKIT_RUNTIME=/opt/runtime PATH="/opt/bin:$PATH" \
        apart bash -euc '
            ip link set lo up
            exec 3<lines
            mount --bind opt /opt
            mount --bind /opt/tmp /tmp # which may have hidden $TMPDIR
            export TMPDIR=/tmp
            cd /opt/mellanox/doca/tools
            . /dev/fd/3'
}

@test "DPA Execution Unit Management Tool, DOCA 2.2 to 2.10: general commands, EU groups" {
    as_on_a_card >out <<'END'
./dpaeumgmt -h >/tmp/short
./dpaeumgmt help >/tmp/long
./dpaeumgmt version
grep -q eu_group /tmp/short && grep -q partition /tmp/long
sudo ./dpaeumgmt eu_group info -d mlx5_0
sudo ./dpaeumgmt eu_group query -d mlx5_0
sudo ./dpaeumgmt eu_group create -d mlx5_0 -n "HG hello world1" -r "6-8,16,55,70"
sudo ./dpaeumgmt eu_group query -d mlx5_0
sudo ./dpaeumgmt eu_group query -d mlx5_0 -n "HG hello world1"
sudo ./dpaeumgmt eu_group query -d mlx5_0 -g 1
sudo ./dpaeumgmt eu_group destroy -d mlx5_0 -g 1
cat >/tmp/example.json <<'JSON'

{
        "eu_groups": [
                { "name": "hg1", "range": "178-180"},
                { "name": "hg2", "range": "2-10"}
        ]
}
JSON
cd /tmp
sudo /opt/mellanox/doca/tools/dpaeumgmt eu_group apply -d mlx5_0 --file_groups example.json
sudo /opt/mellanox/doca/tools/dpaeumgmt eu_group destroy -d mlx5_0 --name_group hg1
END
    cat >group <<'END'
EU group ID: 1
EU group name: HG hello world1
Member EUs are: 6,7,8,16,55,70
END
    {
        dpaeumgmt version
        cat <<'END'
Max number of DPA EU groups: 15
Max number of DPA EUs in one DPA EU group: 256
Max DPA EU number available to use: 256
Max EU group name length is 15 chars
In total there are 0 EU groups configured.
Group created successfully-
END
        cat group
        echo "1) $(cat group)"
        printf '\nIn total there are 1 EU groups configured.\n'
        cat group group
        cat <<'END'
Group with group id: 1, was destroyed successfully
1) EU group ID: 1
EU group name: hg1
Member EUs are: 178,179,180

2) EU group ID: 2
EU group name: hg2
Member EUs are: 2,3,4,5,6,7,8,9,10

In total there are 2 EU groups configured.
Group with group id: 1, was destroyed successfully
END
    } | diff - out
}

@test "DPA Execution Unit Management Tool, DOCA 2.2 to 2.10: EU partitions" {
    as_on_a_card >out <<'END'
sudo ./dpaeumgmt partition info -d mlx5_0
sudo ./dpaeumgmt partition create -d mlx5_0 -v 1 -r 10-20 -m 1
sudo ./dpaeumgmt partition query -d mlx5_0 -p 1
sudo ./dpaeumgmt partition destroy -d mlx5_0 -p 1
END
    cat >partition <<'END'
EU Partition ID: 1
Maximal number of groups: 1
The partition has a total of 1 associated VHCA IDs, namely: 1
Partition's member EUs are: 10,11,12,13,14,15,16,17,18,19,20
END
    diff - out <<END
Max number of DPA EU partitions: 15
Max number of VHCAs associated with a single partition: 32
Max number of DPA EU groups: 15
Note- an allocation of a partition consumes from the number of DPA EU *groups* available to create
Max number of DPA EUs available to use: 256
Partition created successfully-
$(cat partition)
$(cat partition)
Partition with partition id: 1, was destroyed successfully
END
    # Names of the flags, and a user's script around the tool.
    as_on_a_card <<'END'
sudo ./dpaeumgmt partition create -d mlx5_0 --vhca_list 0 --range_eus 0-63 --max_num_eu_group 1
[ "$(sudo ./dpaeumgmt info status -d mlx5_0 | awk '/number_of_partitions/ { print $2 }')" = 1 ]
sudo ./dpaeumgmt partition destroy --id_partition 1 --dpa_device mlx5_0
sudo ./dpaeumgmt eu_group create --dpa_device mlx5_0 --name_group a --range_eus 3
sudo ./dpaeumgmt eu_group query -d mlx5_0 --id_group 1 | grep -x 'EU group name: a'
END
}

@test "Single Point of Resource Distribution, DOCA 3.0 to 3.2: its four commands" {
    cat >opt/plan.yaml <<'END'
partitions:
  - name: default
    eu_groups: [{name: fast, range: "0-7"}]
    applications: [{name: my_app, eus: "8-11", eu_groups: [fast]}]
END
    as_on_a_card <<'END'
./dpa-resource-mgmt apply -h >/tmp/help
sudo ./dpa-resource-mgmt apply -d mlx5_0 -f /opt/plan.yaml -o /tmp -v | grep -q 'dpaeumgmt eu_group create'
grep -q my_app /tmp/default.yaml
sudo ./dpa-resource-mgmt apply --device mlx5_0 --filename /opt/plan.yaml --output /tmp --verbose >/tmp/long
for type in chip vhca resources; do
    sudo ./dpa-resource-mgmt show -d mlx5_0 -t $type
    sudo ./dpa-resource-mgmt show --device mlx5_0 --type $type --filename /tmp/shown --yaml-format --verbose >/tmp/told
    sudo ./dpa-resource-mgmt query -d mlx5_0 -t $type -y -v -f /tmp/asked >/tmp/told
    cmp /tmp/shown /tmp/asked
done >/tmp/all
grep -q fast /tmp/all
sudo ./dpa-resource-mgmt destroy -d mlx5_0 -v >/tmp/told
sudo ./dpa-resource-mgmt clear --device mlx5_0 --verbose >/tmp/told
sudo ./dpa-resource-mgmt version
[ "$(./dpaeumgmt eu_group query -d mlx5_0)" = "In total there are 0 EU groups configured." ]
END
}

@test "DPA PS Tool, DOCA 2.7 to 3.2: processes, threads, and one process" {
    spins opt/bench_app.elf 2
    spins opt/bench_app.elf 1
    as_on_a_card >out <<'END'
sudo ./dpa-ps -d mlx5_0 -t
sudo ./dpa-ps -d mlx5_0 -i -p "0,1"
sudo ./dpa-ps --device mlx5_0 --threads --suppress-header-info --process-id 1
./dpa-ps -h >/tmp/help
./dpa-ps --help | cmp - /tmp/help
END
    # The header is one line of two columns, and one of threads.
    [ "$(sed 's/ *$//; s/ \{2,\}/  /g' out)" = "ProcessID Process Name
  ThreadID Thread Name
0  bench_app.elf
  0  spin
  1  spin
1  bench_app.elf
  0  spin
0  bench_app.elf
1  bench_app.elf
1  bench_app.elf
  0  spin" ]
}

@test "DPA Statistics Tool, DOCA 2.9 to 3.2: the four ways to collect, and show" {
    spins opt/bench_app.elf 1
    as_on_a_card >out <<'END'
sudo dpa-statistics collect -d mlx5_0 -p 0 -r -t 50
sudo /opt/mellanox/doca/tools/dpa-statistics collect -d mlx5_0 -t 50 >/tmp/all
sudo ./dpa-statistics collect -d mlx5_0 --enable
sudo ./dpa-statistics collect -d mlx5_0 --disable
sudo ./dpa-statistics show -d mlx5_0 >/tmp/shown
sudo ./dpa-statistics show --device mlx5_0 --process-id 0 | cmp - /tmp/shown
sudo timeout --foreground -s INT 1 ./dpa-statistics collect -d mlx5_0 >/tmp/endless || true
grep -q spin /tmp/all && grep -q spin /tmp/shown && grep -q spin /tmp/endless
END
    # Texts that a user's script looks for.
    grep -qE '^ *([0-9A-Fa-fx]+) +([0-9]+) +([0-9]+) +([0-9]+) +([0-9]+) +(\S+)' out
    [[ $(sed 's/ \{1,\}/ /g' out) == *"ThreadID Cycles Instruction Time Executions Thread Name"* ]]
}

@test "FlexIO Build, DOCA 2.7: the device code of an application" {
    mkdir -p opt/mellanox/doca/applications/l2_reflector/device
    echo '__dpa_rpc__ unsigned long two(void) { return 2; }' \
        >opt/mellanox/doca/applications/l2_reflector/device/l2_reflector_device.c
    as_on_a_card >out <<'END'
PATH=/opt/mellanox/doca/tools:$PATH
build_flexio_device.sh l2_reflector_device /opt/mellanox/doca/applications/l2_reflector/device/l2_reflector_device.c /tmp/dpacc-output/
dparun -d mlx5_0 /tmp/dpacc-output/l2_reflector_device.a --rpc two
END
    [ "$(cat out)" = "result: 2 (0x2)" ]
}

@test "DPACC Compiler: its tools, and what users do with them" {
    echo '__dpa_rpc__ unsigned long two(void) { return 2; }' >opt/two.c
    as_on_a_card <<'END'
cd /tmp
/opt/mellanox/doca/tools/dpacc /opt/two.c -o two.a -hostcc=gcc -mcpu=nv-dpa-bf3 --app-name="two_app"
/opt/mellanox/doca/tools/dpacc-extract two.a -o two.elf
/opt/mellanox/doca/tools/dpa-objdump -sSdxl --mcpu=nv-dpa-bf3 two.elf | grep -q '<two>:'
/opt/mellanox/doca/tools/dpa-clang -mcpu=nv-dpa-bf3 -O2 -c /opt/two.c -o two.o
/opt/mellanox/doca/tools/dpa-nm two.o | grep -q ' T two'
/opt/mellanox/doca/tools/dpa-ar rc libtwo.a two.o
END
}

@test "DPA GDB Server Tool, DOCA 2.6 to 3.2: its default port, another, and a unit" {
    cp -r "$BATS_TEST_DIRNAME/../../examples/crash" opt/crash
    (cd opt/crash && dpacc device/crash_dev.c -o crash_app.a --app-name=crash_app &&
        gcc ${TEST_HOST_CFLAGS:-} -DDEV_APP_NAME=crash_app host/crash.c -o crash crash_app.a \
            -I"$DPAKIT_BUILD/include" -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 \
            -Wl,-rpath,"$DPAKIT_BUILD/lib")
    as_on_a_card >out <<'END'
cd /opt/crash
mkfifo line
./crash mlx5_0 wait <line >crash.log &
exec 9>line
until grep -q token crash.log; do sleep 0.1; done
token=$(grep -o '0x[0-9a-f]*' crash.log)
debug() { # PORT
    until grep -q Listening server.log; do sleep 0.1; done
    gdb-multiarch -batch -ex "target remote :$1" -ex 'print/x 6 * 7' -ex detach >gdb.log 2>&1
    grep '^\$1' gdb.log
    rm server.log
}
: >server.log
sudo dpa-gdbserver mlx5_0 -T $token >server.log &
debug 1981
: >server.log
sudo dpa-gdbserver mlx5_0 -s 1982 -T $token -E 30 >server.log &
debug 1982
echo go >&9
wait
END
    [ "$(grep -c '^\$1 = 0x2a$' out)" -eq 2 ]
    run -2 dpa-gdbserver mlx5_0 -T 1 -E 256
    [[ $output == "-E- "*"256"* ]]
}
