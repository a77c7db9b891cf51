# dpadev: devices are made, shown and deleted.
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/bytes.bash"

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    uuid=240a42de-3223-173e-9929-d51e6547f1bf
    pub=$test_keys/owner.pub
}

create() { dpadev create --nvidia-key "$pub" --nvidia-key-uuid $uuid "$@"; }

fails() { # CODE COMMAND...
    local want=$1 code=0
    shift
    "$@" >out 2>err </dev/null || code=$?
    [ "$code" -eq "$want" ] && [ "$(grep -c '^-E- ' err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] ||
        { echo "exit $code"; cat out err; return 1; }
}

@test "create, list, show, delete" {
    create b
    create a
    [ "$(dpadev list)" = $'a\nb' ]
    dpadev show a >out
    grep -qE '^Device: +a$' out
    grep -qF -- "NVIDIA key pair: $uuid, RSA-4096" out
    dpadev delete a
    [ "$(dpadev list)" = b ]
    fails 1 dpadev show a
    grep -q 'there are: b' err
}

@test "commands that only look take the only device" {
    fails 1 dpadev show
    create only
    while IFS=: read -r c pattern; do
        dpadev "$c" >said
        grep -qE -e "$pattern" said
    done <<'X'
show:^Device: +only$
log: create  OK  only$
stats:^sent by queues
report:<h1>only</h1>
X
    create other
    for c in show log stats report; do
        fails 2 dpadev $c
        grep -qF "there are several devices (dpadev list): name one: dpadev $c NAME" err
    done
    fails 2 dpadev reset
    grep -qF 'usage: dpadev reset NAME' err
}

@test "no devices at all is an empty list, and how to make one on stderr" {
    dpadev list >out 2>err
    [ ! -s out ]
    diff - err <<<'-W- no emulated device: make one with dpadev create mlx5_0'
    dpadev list --json >out 2>err
    [ "$(cat out)" = '[]' ] && [ ! -s err ]
    [ ! -e devices ]
    create x
    dpadev list 2>err && [ ! -s err ]
}

@test "create makes a test key pair for NVIDIA's part" {
    dpadev create made
    openssl rsa -in devices/made/factory/nvidia.pem -noout -text 2>/dev/null | grep -q '4096 bit'
    [ "$(stat -c %a devices/made/factory/nvidia.pem)" = 600 ]
    dpadev show made | grep -q "$(cat devices/made/factory/nvidia.uuid)"
    dpadev show made | grep -q 'factory/nvidia.pem'
}

@test "properties that were given at creation are shown" {
    create --psid MT_0000000911 --psid-branch QA --description 'my device' --serial S1 \
        --part-number P1 x
    dpadev show x >out
    for t in MT_0000000911 QA 'my device' S1 P1; do grep -q "$t" out; done
}

@test "show prints the PCI address by which DOCA programs find the device" {
    create x
    create y
    dpadev show x | grep -qE 'PCI address: +0000:03:00\.0$'
    dpadev show --json x | jq -e '.pci_address == "0000:03:00.0"'
    dpadev show --json y | jq -e '.pci_address == "0000:03:00.1"'
}

@test "a pair is one card with a function on either side" {
    create alone
    create bf0 --pair >out
    grep -qx 'Card bf0 created: mlx5_0 on the host, and on the DPU (DPAKIT_SIDE=dpu).' out
    create mlx5_4 --pair
    [ "$(dpadev list)" = $'alone\nmlx5_0\nmlx5_4' ]
    [ "$(DPAKIT_SIDE=host dpadev list)" = "$(dpadev list)" ]
    [ "$(DPAKIT_SIDE=dpu dpadev list)" = $'mlx5_0\nmlx5_4' ]
    dpadev show --json alone | jq -e '.pair == null'
    dpadev show --json bf0 | jq -e '.name == "mlx5_0" and .pair == {card: "bf0", side: "host", representors: []}'
    serial=$(dpadev show --json bf0 | jq -r .serial)
    DPAKIT_SIDE=dpu dpadev show --json bf0 | jq -e --arg vuid "${serial}MLNXS0D0F1" '.pair.side == "dpu" and
        .pair.representors == [{pci_address: "0000:03:00.1", vuid: $vuid, interface: "pf1hpf"}]'
    DPAKIT_SIDE=dpu dpadev show mlx5_4 >out
    grep -qE 'Card: +mlx5_4$' out && grep -qE 'Side: +dpu$' out && grep -q 'interface pf2hpf$' out
    # Both share one state, and each has its own port.
    DPAKIT_SIDE=dpu dpadev wire bf0 none
    [ "$(dpadev wire bf0)" = loop ] && [ "$(DPAKIT_SIDE=dpu dpadev wire bf0)" = none ]
    DPAKIT_SIDE=dpu dpadev reset bf0
    diff <(dpadev log --json bf0) <(DPAKIT_SIDE=dpu dpadev log --json bf0)
    fails 1 env DPAKIT_SIDE=dpu dpadev show alone
    grep -q 'on the host alone' err
    fails 2 env DPAKIT_SIDE=left dpadev list
    grep -q "DPAKIT_SIDE is 'left'" err
}

@test "a card is there whole or not at all" {
    create bf0 --pair
    fails 1 create bf0 --pair
    fails 1 create bf0
    fails 1 create mlx5_0 --pair
    [ "$(find devices -mindepth 1 -maxdepth 1 | wc -l)" -eq 3 ]
    # A killed create leaves the card's name without functions.
    dpadev delete bf0
    [ -z "$(find devices -mindepth 1)" ]
    ln -s mlx5_0 devices/bf0
    create bf0 --pair
    dpadev export bf0 archive
    dpadev import other archive
    [ "$(DPAKIT_SIDE=dpu dpadev list)" = $'mlx5_0\nother' ]
    dpadev export other again
    cmp archive again
}

@test "the life cycle is chosen at creation, shown and logged; production if nothing is said" {
    create x
    create --life-cycle production y
    create --life-cycle=development z
    for name in x y; do
        dpadev show $name | grep -q 'Life cycle: *production$'
        dpadev show --json $name | jq -e '.life_cycle == "production"'
    done
    dpadev show z | grep -q 'Life cycle: *development$'
    dpadev show --json z | jq -e '.life_cycle == "development"'
    dpadev log z | grep -q 'create  OK  z, in its development life cycle$'
    fails 2 dpadev create --life-cycle Development w
    grep -q -- '-E- option --life-cycle: .Development. is not production or development' err
    fails 2 dpadev show x --life-cycle production
    [ ! -e devices/w ]
}

@test "show prints the rights of debuggers, now and after the next reset" {
    create x
    create --life-cycle development y
    for name in x y; do
        mlxconfig-lite -d $name -y set DPA_AUTHENTICATION=1 >/dev/null
        dpadev show --json $name | jq -e '.debuggers.current == "change" and
            .debuggers.next_boot == if .life_cycle == "production" then "look" else "change" end'
        dpadev reset $name
    done
    dpadev show x >out
    grep -A2 'Debuggers' out
    grep -A1 'Debuggers$' out | grep -q 'Now: may look, and change nothing$'
    grep -A2 'Debuggers$' out | grep -q 'After the next reset: may look, and change nothing$'
    dpadev show y | grep -A1 'Debuggers$' | grep -q 'Now: may look and change everything$'
}

@test "the wire is loop until another is set, which show and the log print" {
    create x
    [ "$(dpadev wire x)" = loop ]
    dpadev show x | grep -qx '|-- Wire: loop'
    dpadev show --json x | jq -e '.wire == "loop"'
    [ "$(dpadev wire x 'pcap:in put,')" = "Device x: wire pcap:$PWD/in put" ]
    [ "$(dpadev wire x)" = "pcap:$PWD/in put" ]
    [ "$(dpadev wire x pcap:input 2>&1 >out)" = "-W- $PWD/input: No such file or directory" ]
    [ "$(cat out)" = "Device x: wire pcap:$PWD/input" ]
    : >input # a capture of nothing yet
    [ -z "$(dpadev wire x pcap:input,output 2>&1 >out)" ]
    [ ! -e output ]
    dpadev wire x none
    dpadev show x | grep -qx '|-- Wire: none'
    dpadev show --json x | jq -e '.wire == "none"'
    dpadev log x | tail -n 1 | grep -q 'wire  OK  none$'
    dpadev reset x
    [ "$(dpadev wire x)" = none ]
}

@test "an archive has no wire" {
    create x
    dpadev wire x none
    dpadev export x x.archive
    dpadev import y x.archive
    [ "$(dpadev wire y)" = loop ]
}

@test "an invalid wire is refused and the old wire remains" {
    create x
    dpadev wire x none
    local bad
    for bad in '' loops loop: none:x pcap pcap:, pcap:a,b,c $'pcap:a\nb,c,d' "pcap:/$(printf '%01100d' 0)"; do
        fails "$([ ${#bad} -lt 1000 ] && echo 2 || echo 1)" dpadev wire x "$bad"
    done
    fails 1 dpadev wire y none
    fails 2 dpadev wire x none none
    [ "$(dpadev wire x)" = none ]
    dpadev log x | grep -c 'wire  OK' | grep -qx 1
}

@test "no control character of a wire reaches the terminal" {
    create x
    dpadev wire x $'pcap:/a\nb\033[2J' >out
    dpadev wire x >>out
    [ "$(wc -l <out)" -eq 2 ]
    dpadev show x >>out
    dpadev show --json x >>out
    ! grep -q $'\033' out || false
}

@test "show, list and log give JSON" {
    create x
    dpadev reset x
    dpadev list --json | jq -e '. == ["x"]'
    dpadev show --json x | jq -e '.name == "x" and .psid == "MT_0000000884" and
        .dpa_authentication == {"current": false, "next_boot": false, "users_may_change": true} and
        .loadable_programs == {"current": "any", "next_boot": "any"} and
        .owner_keypair_uuid == null and .ca_certificates == []'
    dpadev log --json x | jq -e 'map(.action) == ["create", "boot"]'
}

@test "log shows a refusal and its reason once" {
    create x
    echo junk >junk
    ! mlxconfig-lite -d x apply junk || false
    ! flint-lite -d x -i junk -y b || false
    dpadev log x | tail -2 | sed 's/.*-lite  //' >log
    diff log - <<'TEXT'
apply  REJECTED_BAD_FORMAT  not an NV configuration file: it must start with MLNX.CONFIG.BIN!
burn  REJECTED_BAD_FORMAT  not a certificate container: it must start with CERTIFICATE.BIN!
TEXT
}

@test "options of create are refused elsewhere" {
    create x
    fails 2 dpadev show x --psid MT_1
    grep -qx -- '-E- show takes no --psid' err
    fails 2 dpadev delete x --nvidia-key-uuid 77dd4ef0-c633-11ed-9e20-001dd8b744ff
    dpadev show x >/dev/null
}

@test "log shows the last events when asked" {
    create x
    for _ in 1 2 3; do dpadev reset x; done
    [ "$(dpadev log x | wc -l)" -eq 4 ]
    [ "$(dpadev -n 2 log x | wc -l)" -eq 2 ]
    fails 2 dpadev -n 0 log x
}

@test "a name that is taken is refused and the device stays" {
    create x
    dpadev show x >before
    fails 1 create x
    dpadev show x >after
    cmp before after
}

@test "a failed creation leaves nothing" {
    fails 1 dpadev create --nvidia-key missing.pub --nvidia-key-uuid $uuid x
    grep -q missing.pub err
    fails 1 dpadev create --nvidia-key /dev/null --nvidia-key-uuid $uuid x
    fails 2 dpadev create --nvidia-key "$pub" x
    fails 2 create --psid MT_00000000000911 x
    [ -z "$(ls -A devices)" ]
}

@test "names with slashes or dots in front are refused" {
    fails 2 create ../x
    fails 2 create .x
    fails 2 create ''
}

@test "a device that others may write to is refused" {
    create x
    chmod g+w devices/x
    fails 1 dpadev show x
    grep -q 'others may write' err
}

@test "a damaged device is reported, and can be deleted" {
    create x
    head -c 20000 /dev/urandom >devices/x/device.db
    fails 1 dpadev show x
    grep -q 'device.db' err
    : >devices/x/device.db
    fails 1 dpadev show x
    dpadev delete x
    [ -z "$(ls -A devices)" ]
}

@test "a device with a flipped bit says how to go on, and that works" {
    create x
    serial=$(dpadev show x | grep Serial)
    dpadev export x x.archive
    at=$(grep -abo MT_0000000884 devices/x/device.db | head -1 | cut -d: -f1)
    flip devices/x/device.db $at
    fails 1 dpadev show x
    says "devices/x/device.db: the device's state is damaged (its digest is wrong)"
    says ': delete the device and import its archive, if there is one (DAMAGE in dpadev(1))'
    dpadev delete x
    dpadev import x x.archive
    [ "$(dpadev show x | grep Serial)" = "$serial" ]
}

@test "anti-rollback is chosen at creation, shown and logged" {
    create x
    create y --anti-rollback
    grep -qxF -- '|-- Anti-rollback: off' <(dpadev show x)
    grep -qxF -- '|-- Anti-rollback: on' <(dpadev show y)
    [ "$(dpadev show --json x | jq .anti_rollback.on)" = false ]
    [ "$(dpadev show --json y | jq .anti_rollback.on)" = true ]
    [ "$(dpadev log --json y | jq -r '.[0].detail')" = "y, anti-rollback" ]
    dpadev reset y
    dpadev export y y.archive
    dpadev import z y.archive
    [ "$(dpadev show --json z | jq .anti_rollback.on)" = true ]
    fails 2 dpadev reset x --anti-rollback
    says 'reset takes no --anti-rollback'
}

@test "without DPAKIT_DEVICES devices are in the state directory" {
    unset DPAKIT_DEVICES
    XDG_STATE_HOME=$PWD/state create x
    [ -d state/dpakit/x ]
    unset XDG_STATE_HOME
    HOME=$PWD/home create x
    [ -d home/.local/state/dpakit/x ]
}

@test "wrong usage is exit 2" {
    fails 2 dpadev
    fails 2 dpadev reset
    fails 2 dpadev list x
    fails 2 dpadev shwo x
    grep -q 'did you mean show?' err
}

@test "stats of a port that nobody has used" {
    create x
    dpadev stats x >out
    grep -qE '^sent by queues +0 +0$' out
    ! grep -q dropped out
    dpadev stats --json x | jq -e '.port.tx_packets == 0 and .port.drops.no_rule == 0 and .queues == []'
    fails 1 dpadev stats y
    head -c 1000000 /dev/zero >devices/x/counters
    fails 1 dpadev stats x
    grep -q 'no file of counters; remove it' err
}

@test "a cable is plugged into both devices" {
    create x
    create y
    [ "$(dpadev wire x dev:mt41692_pciconf1)" = $'Device y: wire dev:x\nDevice x: wire dev:y' ]
    [ "$(dpadev wire x)" = dev:y ] && [ "$(dpadev wire y)" = dev:x ]
    fails 2 dpadev wire x dev:x
    fails 1 dpadev wire x dev:z
    fails 2 dpadev wire x dev:../y
    [ "$(dpadev wire x)" = dev:y ]
}

@test "a switch runs until it is interrupted" {
    create x
    dpadev wire x switch:lab >out 2>err
    grep -q 'no switch lab runs yet: dpadev switch lab' err
    fails 1 dpadev stats switch:lab
    fails 2 dpadev switch ../lab
    fails 2 dpadev switch lab --ageing 0
    dpadev switch lab >log 3>&- &
    until grep -q runs log; do sleep 0.1; done
    fails 1 dpadev switch lab
    grep -q 'a switch lab runs already' err
    dpadev wire x switch:lab 2>err && [ ! -s err ]
    [ "$(dpadev list)" = x ]
    dpadev stats --json switch:lab | jq -e '.port.rx_packets_phy == 0'
    kill -INT %1
    wait %1
    [ ! -e devices/.switch-lab/port.socket ]
}
