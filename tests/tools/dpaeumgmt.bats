# dpaeumgmt: partitions and groups of a device's execution units, and programs that obey them.

load ../helpers/device

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/await.bash"

# A single device, and a card with two sides.
setup_file() {
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device mlx5_0
    new_device --pair bf0
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp -a "$BATS_FILE_TMPDIR/devices" .
    export DPAKIT_DEVICES=$PWD/devices
    kernels=$DPAKIT_BUILD/obj/tests/data/kernels.elf
    host=$(dpaeumgmt info vhca -d bf0 | sed -n 's/vhca_id: \([0-9]*\) side: host.*/\1/p')
}

teardown() { end_background; }

# refuses CODE TEXT COMMAND...: exit CODE, one -E- line with TEXT, and nothing changes.
refuses() {
    local code=0 want=$1 text=$2 before
    shift 2
    before=$(dpadev show mlx5_0 --json)
    "$@" >out 2>err || code=$?
    [ "$code" -eq "$want" ] && [ ! -s out ] && [ "$(grep -c '' err)" -eq 1 ] &&
        grep -q '^-E- ' err && grep -qF -- "$text" err ||
        { echo "$*: exit $code, $(cat out err)"; return 1; }
    [ "$(dpadev show mlx5_0 --json)" = "$before" ]
}

on_dpu() { DPAKIT_SIDE=dpu "$@"; }

# ---- The examples of NVIDIA's pages

@test "groups are made, listed and destroyed as the guide shows" {
    [ "$(dpaeumgmt eu_group query -d mlx5_0)" = "In total there are 0 EU groups configured." ]
    run dpaeumgmt eu_group create -d mlx5_0 -n "HG hello world1" -r "6-8,16,55,70"
    [ "$status" -eq 0 ]
    cat >group <<'END'
EU group ID: 1
EU group name: HG hello world1
Member EUs are: 6,7,8,16,55,70
END
    [ "$output" = "Group created successfully-
$(cat group)" ]
    [ "$(dpaeumgmt eu_group query -d mlx5_0)" = "1) $(cat group)

In total there are 1 EU groups configured." ]
    [ "$(dpaeumgmt eu_group query -d mlx5_0 -g 1)" = "$(cat group)" ]
    [ "$(dpaeumgmt eu_group query -d mlx5_0 -n "HG hello world1")" = "$(cat group)" ]
    [ "$(dpaeumgmt eu_group destroy -d mlx5_0 -g 1)" = "Group with group id: 1, was destroyed successfully" ]
    dpaeumgmt eu_group create -d mlx5_0 -n again -r 3
    [ "$(dpaeumgmt eu_group destroy -d mlx5_0 --name_group again)" = "Group with group id: 1, was destroyed successfully" ]
    dpadev log mlx5_0 | grep -q 'dpaeumgmt  units  OK  EU group 1 (again) created'
}

@test "a file of groups takes the place of all groups" {
    dpaeumgmt eu_group create -d mlx5_0 -n old -r 1
    cat >example.json <<'END'

{
        "eu_groups": [
                { "name": "hg1", "range": "178-180"},
                { "name": "hg2", "range": "2-10"}
        ]
}
END
    run dpaeumgmt eu_group apply --dpa_device mlx5_0 --file_groups example.json
    [ "$status" -eq 0 ]
    [ "$output" = "1) EU group ID: 1
EU group name: hg1
Member EUs are: 178,179,180

2) EU group ID: 2
EU group name: hg2
Member EUs are: 2,3,4,5,6,7,8,9,10

In total there are 2 EU groups configured." ]
}

@test "partitions are made, listed and destroyed as the guide shows" {
    run dpaeumgmt partition create -d mlx5_0 -v 1 -r 10-20 -m 1
    [ "$status" -eq 0 ]
    cat >partition <<'END'
EU Partition ID: 1
Maximal number of groups: 1
The partition has a total of 1 associated VHCA IDs, namely: 1
Partition's member EUs are: 10,11,12,13,14,15,16,17,18,19,20
END
    [ "$output" = "Partition created successfully-
$(cat partition)" ]
    [ "$(dpaeumgmt partition query -d mlx5_0 -p 1)" = "$(cat partition)" ]
    dpaeumgmt info status -d mlx5_0 | grep -x 'number_of_partitions: 1'
    [ "$(dpaeumgmt partition destroy -d mlx5_0 -p 1)" = "Partition with partition id: 1, was destroyed successfully" ]
    dpaeumgmt partition create -d mlx5_0 --vhca_list 273 --range_eus 0-7 --max_num_eu_group 1
    dpaeumgmt partition destroy --id_partition 1 -d mlx5_0
    [ "$(dpaeumgmt partition -d mlx5_0 query)" = "In total there are 0 EU partitions configured." ]
}

@test "info shows the limits; help and version answer" {
    [ "$(dpaeumgmt eu_group info -d mlx5_0)" = "Max number of DPA EU groups: 15
Max number of DPA EUs in one DPA EU group: 256
Max DPA EU number available to use: 256
Max EU group name length is 15 chars" ]
    dpaeumgmt partition info -d mlx5_0 | grep -x 'Max number of DPA EU partitions: 15'
    dpaeumgmt partition info -d mlx5_0 | grep -x 'Max number of VHCAs associated with a single partition: 32'
    dpaeumgmt info chip -d mlx5_0 | grep -x 'num_cores: 16'
    dpaeumgmt help | grep -q 'eu_group'
    [ "$(dpaeumgmt version)" = "$(dpaeumgmt -V)" ]
}

# Lines that read the tool's output in scripts of users.
@test "the output has all that scripts read" {
    dpaeumgmt partition create -d mlx5_0 --vhca_list 3,4 --range_eus 0-3 --max_num_eu_group 1
    [ "$(dpaeumgmt partition query -d mlx5_0 | awk '
        /EU Partition ID:/ { id = $NF } /VHCA IDs, namely:/ { v = $NF }
        /member EUs are:/ { print id "|" v "|" $NF }')" = "1|3,4|0,1,2,3" ]
    [ "$(dpaeumgmt partition query -d mlx5_0 | awk '/In total there are/ { print $5 }')" = 1 ]
    [ "$(dpaeumgmt info status -d mlx5_0 | awk '/processes:/ { print $2 }')" = 0 ]
}

@test "a file of partitions takes the place of all partitions" {
    dpaeumgmt partition create -d mlx5_0 -v 9 -r 0-9 -m 1
    echo '{"eu_partitions": [{"vhca_list": "1-2", "range_eus": "0-9", "max_num_eu_group": 2},
        {"vhca_list": "5", "range_eus": "20", "max_num_eu_group": 1}]}' >p.json
    dpaeumgmt partition apply -d mlx5_0 --file_partitions p.json | tail -n 1 | grep -x 'In total there are 2 EU partitions configured.'
    [ "$(dpadev show mlx5_0 --json | jq -c '.partitions | map([.vhcas, .units])')" = '[[[1,2],"0-9"],[[5],"20"]]' ]
}

# ---- Bad input

@test "bad commands, lists and files are one line and change nothing" {
    dpaeumgmt partition create -d mlx5_0 -v 1 -r 10-20 -m 3
    dpaeumgmt eu_group create -d mlx5_0 -n taken -r 3-5
    refuses 2 "no such command" dpaeumgmt eu_group make -d mlx5_0
    refuses 2 "needs -n NAME and -r EUS" dpaeumgmt eu_group create -d mlx5_0 -n a
    for list in "" x 256 5-4 1- 1,,2 "1 2" -3 99999999999; do
        refuses 2 "not a list of execution units" dpaeumgmt eu_group create -d mlx5_0 -n a -r="$list"
    done
    refuses 1 "does not have all of these execution units" dpaeumgmt eu_group create -d mlx5_0 -n a -r 9-10
    refuses 1 "has the name taken" dpaeumgmt eu_group create -d mlx5_0 -n taken -r 1
    refuses 1 "1 to 15 characters" dpaeumgmt eu_group create -d mlx5_0 -n 1234567890123456 -r 1
    refuses 1 "printable" dpaeumgmt eu_group create -d mlx5_0 -n $'a\nb' -r 1
    refuses 1 "no EU group 9" dpaeumgmt eu_group destroy -d mlx5_0 -g 9
    refuses 1 "no EU group with the name x" dpaeumgmt eu_group query -d mlx5_0 -n x
    refuses 1 "vHCA 1 is in partition 1 already" dpaeumgmt partition create -d mlx5_0 -v 1 -r 30 -m 1
    refuses 1 "in partition 1 already" dpaeumgmt partition create -d mlx5_0 -v 2 -r 20-30 -m 1
    refuses 1 "in EU group 1 (taken)" dpaeumgmt partition create -d mlx5_0 -v 2 -r 5 -m 1
    refuses 1 "room for 12 EU groups, and 11 of 15 are left" dpaeumgmt partition create -d mlx5_0 -v 2 -r 30 -m 12
    refuses 2 "not a list of vHCAs" dpaeumgmt partition create -d mlx5_0 -v 1,x -r 30 -m 1
    refuses 2 "not a list of vHCAs" dpaeumgmt partition create -d mlx5_0 -v 65536 -r 30 -m 1
    refuses 2 "more than 32" dpaeumgmt partition create -d mlx5_0 -v 1-33 -r 30 -m 1
    refuses 1 "no partition 2" dpaeumgmt partition destroy -d mlx5_0 -p 2
    refuses 1 "does not manage" dpaeumgmt partition create -d bf0 -v 9 -r 30 -m 1
    refuses 1 "nowhere.json" dpaeumgmt eu_group apply -d mlx5_0 -f nowhere.json
    echo '{"eu_groups": [{"name": "a", "name": "b", "range": "1"}]}' >bad.json
    refuses 1 'the key "name" is there twice in one object' dpaeumgmt eu_group apply -d mlx5_0 -f bad.json
    local text
    while IFS= read -r text; do
        echo "$text" >bad.json
        refuses 1 "bad.json" dpaeumgmt eu_group apply -d mlx5_0 -f bad.json
    done <<'END'

[]
{"eu_groups": 1}
{"eu_groups": [1]}
{"eu_groups": [{"name": 1, "range": "1"}]}
{"eu_groups": [{"name": "a", "range": "300"}]}
{"eu_groups": [{"name": "a", "range": "1"}, {"name": "a", "range": "2"}]}
{"eu_groups": [{"name": "a", "range": "1"}, {"name": "\u001b[31m", "range": "2"}]}
END
    yes '[' | head -n 100000 | tr -d '\n' >deep.json
    refuses 1 "no JSON" dpaeumgmt partition apply -d mlx5_0 -f deep.json
}

@test "there are at most 15 groups, numbered from the lowest that is free" {
    for i in $(seq 15); do dpaeumgmt eu_group create -d mlx5_0 -n "g$i" -r "$i" >/dev/null; done
    refuses 1 "no room" dpaeumgmt eu_group create -d mlx5_0 -n g16 -r 16
    dpaeumgmt eu_group destroy -d mlx5_0 -n g7
    dpaeumgmt eu_group create -d mlx5_0 -n new -r 16 | grep -x 'EU group ID: 7'
}

# ---- Programs obey

@test "a function without units gets the command to run, and this command helps" {
    local code=0 hint
    dparun -d bf0 "$kernels" --rpc add 1 2 2>err || code=$?
    [ $code -eq 1 ]
    hint=$(sed -n 's/^-E- .* has no partition of execution units, .* needs: //p' err)
    [ "$hint" = "DPAKIT_SIDE=dpu dpaeumgmt partition create -d mlx5_1 -v $host -r 0-15 -m 1" ]
    eval "$hint"
    dparun -d bf0 "$kernels" --rpc add 1 2
}

@test "a function without a partition cannot run; with one it has virtual units" {
    refuses 1 "has no partition of execution units" dparun -d bf0 "$kernels" --rpc add 1 2
    on_dpu dparun -d bf0 "$kernels" --rpc add 1 2
    on_dpu dpaeumgmt partition create -d bf0 -v "$host" -r 20-39 -m 2
    dpaeumgmt partition query -d bf0 >out
    grep -qx "Partition's member EUs are: $(seq -s, 0 19)" out
    grep -qx "In total there are 1 EU partitions configured." out
    on_dpu dpaeumgmt partition query -d bf0 -p 1 | grep -qx "Partition's member EUs are: $(seq -s, 20 39)"
    dparun -d bf0 "$kernels" --kernel nothing --threads 20
    refuses 1 "there are 20 execution units" dparun -d bf0 "$kernels" --kernel nothing --threads 21
    on_dpu dparun -d bf0 "$kernels" --kernel nothing --threads 236
    code=0
    on_dpu dparun -d bf0 "$kernels" --kernel nothing --threads 237 2>err || code=$?
    [ "$code" -eq 1 ] && grep -q 'there are 236 execution units' err
    dpaeumgmt eu_group create -d bf0 -n virtual -r 0-3 | grep -x 'Member EUs are: 0,1,2,3'
    [ "$(dpadev show bf0 --json | jq -r '.eu_groups[0].units')" = 20-23 ]
    DPAKIT_EUS=3 dparun -d bf0 "$kernels" --kernel nothing --threads 3
}

@test "a vHCA that the card does not have gets no partition" {
    run on_dpu dpaeumgmt partition create -d bf0 -v $((host + 1)) -r 1 -m 1
    [ "$status" -ne 0 ]
    [[ $output == "-E- the card has no vHCA $((host + 1)); it has $host and $((host + 32768)) ("*")" ]]
    # The command that it suggests runs as printed.
    hint=${output##*(}
    [ "$(bash -c "${hint%)}" | cut -d ' ' -f 2 | tr '\n' ' ')" = "$host $((host + 32768)) " ]
    run on_dpu dpaeumgmt partition create -d bf0 -v "$host,7" -r 1 -m 1
    [ "$status" -ne 0 ]
    on_dpu dpaeumgmt partition create -d bf0 -v "$host" -r 1 -m 1
}

@test "with its own partition no function needs DPAKIT_EUS, which a run without one may use" {
    DPAKIT_EUS=8-11 dparun -d bf0 "$kernels" --kernel nothing --threads 4
}

@test "nothing changes while a process runs; when it was killed, it does not run" {
    in_background dparun -d mlx5_0 "$kernels" --kernel spin --run-time-limit 600000
    running() { [ "$(dpaeumgmt info status -d mlx5_0 | awk '/processes:/ { print $2 }')" = 1 ]; }
    await running
    refuses 1 "1 DPA process runs on the card" dpaeumgmt partition create -d mlx5_0 -v 1 -r 1 -m 1
    refuses 1 "1 DPA process runs on the card" dpaeumgmt eu_group create -d mlx5_0 -n a -r 1
    kill -9 "${started[0]}"
    wait "${started[0]}" || true
    dpaeumgmt partition create -d mlx5_0 -v 1 -r 1 -m 1
    [ "$(ls devices/mlx5_0/live)" = units ]
}

@test "units are shared by all programs of a card" {
    on_dpu dpaeumgmt partition create -d bf0 -v "$host" -r 0-3 -m 1
    in_background dparun -d bf0 "$kernels" --kernel spin --threads 3 --run-time-limit 600000
    has_three() { [ "$(dpa-ps -d bf0 -t | grep -c spin)" = 3 ]; }
    await has_three
    dparun -d bf0 "$kernels" --kernel nothing
    in_background dparun -d bf0 "$kernels" --kernel nothing --threads 2
    sleep 0.3
    kill -0 "${started[1]}" # it waits: one unit is free
    dparun -d bf0 "$kernels" --rpc add 1 2 # which needs no unit
    on_dpu dparun -d bf0 "$kernels" --kernel nothing --threads 200
    kill -9 "${started[0]}"
    wait "${started[1]}"
}

@test "partitions end with a reset, and are not in archives" {
    dpaeumgmt partition create -d mlx5_0 -v 1 -r 1 -m 1
    dpadev show mlx5_0 | grep -q 'Partition 1: units 1, of vHCA 1'
    dpadev export mlx5_0 archive
    dpadev import other archive
    [ "$(dpaeumgmt partition query -d other)" = "In total there are 0 EU partitions configured." ]
    dpadev reset mlx5_0
    [ "$(dpaeumgmt partition query -d mlx5_0)" = "In total there are 0 EU partitions configured." ]
}

@test "a device that may only be read runs programs by itself" {
    [ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
    dparun -d mlx5_0 "$kernels" --rpc add 1 2
    chmod -R a-w devices/mlx5_0
    run dparun -d mlx5_0 "$kernels" --rpc add 1 2
    chmod -R u+w devices/mlx5_0
    [ "$status" -eq 0 ]
}
