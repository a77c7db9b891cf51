# dpa-resource-mgmt: a YAML file assigns the units of a card.

load ../helpers/device

bats_require_minimum_version 1.5.0

setup_file() {
    export DPAKIT_DEVICES=$BATS_FILE_TMPDIR/devices
    new_device --pair bf0
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp -a "$BATS_FILE_TMPDIR/devices" .
    export DPAKIT_DEVICES=$PWD/devices DPAKIT_SIDE=dpu
    host=$(dpa-resource-mgmt query -d bf0 -t vhca | sed -n 's/vhca_id: \([0-9]*\) side: host/\1/p')
    cat >plan.yaml <<END
partitions:
  - name: dpu
    eu_groups:
      - {name: "a \"b\"", range: "0-9"}
    applications:
      - {name: one, eus: "42-50,99"}
      - {name: two, eus: 51, eu_groups: ["a \"b\""]}
  - name: host
    vhca_list: "$host"
    range_eus: 10-41
    max_num_eu_group: 2
    eu_groups:
      - {name: fast, range: 0-7}
    applications:
      - {name: my_app, eus: 8-10, eu_groups: fast}
END
}

@test "a file gives units to functions, groups and programs" {
    mkdir out
    dpa-resource-mgmt apply -d bf0 -f plan.yaml -o out -v >said
    [ "$(cat out/host.yaml)" = "my_app:
    eus: [8,9,10]
    eu_groups: [1]" ]
    [ "$(cat out/dpu.yaml)" = "one:
    eus: [42,43,44,45,46,47,48,49,50,99]
    eu_groups: []
two:
    eus: [51]
    eu_groups: [2]" ]
    grep -xF "dpaeumgmt partition create -d bf0 -v $host -r 10-41 -m 2" said
    [ "$(dpadev show bf0 --json | jq -c '[.partitions[0].units, (.eu_groups | map(.units))]')" = '["10-41",["10-17","0-9"]]' ]
    dpadev log bf0 | grep -q 'resources of a file applied'
    DPAKIT_SIDE=host dparun -d bf0 "$DPAKIT_BUILD/obj/tests/data/kernels.elf" --kernel nothing --threads 24
}

@test "the YAML that show writes gives the same result when it is applied" {
    dpa-resource-mgmt apply -d bf0 --filename plan.yaml
    dpa-resource-mgmt show --device bf0 --type resources -y -f shown.yaml
    before=$(dpadev show bf0 --json | jq -c '[.partitions, .eu_groups]')
    [ "$(dpa-resource-mgmt destroy -d bf0)" = "1 partitions and 2 EU groups destroyed" ]
    [ "$(dpa-resource-mgmt show -d bf0 -t resources --yaml-format)" = "partitions: []" ]
    dpa-resource-mgmt apply -d bf0 -f shown.yaml
    [ "$(dpadev show bf0 --json | jq -c '[.partitions, .eu_groups]')" = "$before" ]
    dpa-resource-mgmt show -d bf0 -t chip | grep -x 'num_cores: 16'
    dpa-resource-mgmt show -d bf0 -t vhca -y | grep -xF "  - {vhca_id: $host, side: host}"
    dpa-resource-mgmt clear -d bf0 -v | grep -xF 'dpaeumgmt partition destroy -d bf0 -p 1'
    [ "$(dpa-resource-mgmt version)" = "$(dpa-resource-mgmt --version)" ]
}

# refuses TEXT CHANGE: plan.yaml after this sed command gives one -E- line with TEXT, and changes nothing.
refuses() {
    local code=0 before
    before=$(dpadev show bf0 --json)
    sed "$2" plan.yaml >bad.yaml
    ! cmp -s plan.yaml bad.yaml
    dpa-resource-mgmt apply -d bf0 -f bad.yaml -o out >said 2>err || code=$?
    [ "$code" -eq 1 ] && [ ! -s said ] && [ "$(grep -c '' err)" -eq 1 ] &&
        grep -q '^-E- bad.yaml: ' err && grep -qF -- "$1" err ||
        { echo "$2: exit $code, $(cat said err)"; return 1; }
    [ "$(dpadev show bf0 --json)" = "$before" ]
    [ -z "$(ls out)" ]
}

@test "bad files are one line and change nothing" {
    dpa-resource-mgmt apply -d bf0 -f plan.yaml
    mkdir out
    refuses "unknown key 'vhcas'" 's/vhca_list/vhcas/'
    refuses "twice: 'name'" 's/max_num_eu_group: 2/name: b/'
    refuses "not a list of execution units" 's/10-41/10-256/'
    refuses "not a list of execution units" 's/range: 0-7/range: x/'
    refuses "not a list of vHCAs" "s/vhca_list: .*/vhca_list: y/"
    refuses "max_num_eu_group is 1 to 15" 's/max_num_eu_group: 2/max_num_eu_group: 16/'
    refuses "max_num_eu_group is 1 to 15" 's/max_num_eu_group: 2/max_num_eu_group: 1-2/'
    refuses "does not have all of these execution units" 's/range: 0-7/range: 0-32/'
    refuses "gives them to an application before" 's/eus: 51/eus: 50/'
    refuses "does not have all" 's/eus: 51/eus: 41/'
    refuses "no such EU group" 's/eu_groups: fast/eu_groups: slow/'
    refuses "the name of a partition" 's/name: host/name: ..\/host/'
    refuses "the name of an application" 's/name: my_app/name: "a: b"/'
    refuses "two partitions with the name host" 's/name: dpu/name: host/'
    refuses "is the default partition" 's/name: dpu/name: dpu\n    range_eus: 1/'
    refuses "line " 's/partitions:/partitions: [/'
    refuses "unknown key" 's/partitions:/- partitions:\n/;s/^- //;s/partitions/other/'
    refuses "is a text" 's/eus: 51/eus: [51]/'
    run dpa-resource-mgmt apply -d bf0 -f /dev/null
    [ "$status" -eq 1 ] && [[ $output == "-E- "*"it is empty"* ]]
    run dpa-resource-mgmt apply -d bf0 -f plan.yaml -o nowhere
    [ "$status" -eq 1 ] && [[ $output == "-E- nowhere/"* ]]
    yes '[' | head -n 100000 | tr -d '\n' >deep.yaml
    run dpa-resource-mgmt apply -d bf0 -f deep.yaml
    [ "$status" -eq 1 ] && [ "$output" = "-E- deep.yaml: line 1: nested deeper than 100 levels" ]
    DPAKIT_SIDE=host run dpa-resource-mgmt destroy -d bf0
    [ "$status" -eq 1 ] && [[ $output == *"does not manage"* ]]
    run dpa-resource-mgmt show -d bf0
    [ "$status" -eq 2 ]
    run dpa-resource-mgmt apply -d bf0
    [ "$status" -eq 2 ]
}
