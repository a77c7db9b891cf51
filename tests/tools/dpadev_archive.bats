# dpadev export and import: a provisioned device as one file, and the output of show.
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/bytes.bash"

setup_file() {
    make_world
    mlxconfig-lite -d mlx5_0 apply claim.bin >/dev/null
    mlxconfig-lite -d mlx5_0 apply auth.bin >/dev/null
    flint-lite -d mlx5_0 -i root.signed -y b >/dev/null
}
setup() { enter_world; }

# Prints a device without its name and paths.
essence() {
    dpadev show --json "$1" | jq 'del(.name, .alias, .path, .pci_address, .factory_key)'
    mlxconfig-lite -d "$1" --json --read_only q | jq 'del(.. | .device?, .name?)'
}

@test "an imported device is the exported one" {
    dpadev export mlx5_0 dev.archive
    dpadev import copy dev.archive
    diff <(essence mlx5_0) <(essence copy)
    dpadev reset copy
    [ "$(dpadev show --json copy | jq .dpa_authentication.current)" = true ]
    [ "$(dpadev show --json mlx5_0 | jq .dpa_authentication.current)" = false ]
    # Exporting again gives the same bytes.
    dpadev import again dev.archive
    dpadev export again again.archive
    cmp dev.archive again.archive
}

@test "an imported device accepts files that its owner signs" {
    dpadev export mlx5_0 dev.archive
    dpadev import copy dev.archive
    auth_xml False 1 >off.xml
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf off.xml off.bin >/dev/null
    mlxconfig-lite -d copy apply off.bin
    [ "$(dpadev show --json copy | jq .dpa_authentication.next_boot)" = false ]
}

@test "no private key is in an archive, a log or a listing unless asked for" {
    dpadev export mlx5_0 dev.archive
    openssl rsa -in nvidia.pem -outform der -out key.der 2>/dev/null
    # Searching for any 16 bytes from the private exponent on is enough to find the key.
    openssl rsa -in nvidia.pem -noout -text 2>/dev/null | sed -n '/^privateExponent/,/^prime1/p' |
        grep -v '^[a-z]' | tr -d ' :\n' | cut -c 200-240 >secret
    xxd -p key.der | tr -d '\n' | grep -qFf secret
    for out in "cat dev.archive" "dpadev show mlx5_0" "dpadev show --json mlx5_0" \
        "dpadev log mlx5_0" "dpadev log --json mlx5_0" "cat devices/mlx5_0/device.db"; do
        $out >out
        ! xxd -p out | tr -d '\n' | grep -qFf secret || false
        ! grep -qaE 'PRIVATE KEY' out || false
    done
    [ "$(find devices/mlx5_0 -type f ! -perm 600)" = "" ]
    dpadev import copy dev.archive
    [ ! -e devices/copy/factory ]
    dpadev export --with-factory-keys mlx5_0 keys.archive
    xxd -p keys.archive | tr -d '\n' | grep -qFf secret
    [ "$(stat -c %a keys.archive)" = 600 ]
    dpadev import played keys.archive
    cmp nvidia.pem devices/played/factory/nvidia.pem
    cmp nvidia.uuid devices/played/factory/nvidia.uuid
    [ "$(stat -c %a devices/played/factory/nvidia.pem)" = 600 ]
    [ "$(stat -c %a devices/played/factory)" = 700 ]
}

@test "factory keys go into no file that others may read" {
    : >open
    chmod 644 open
    refused 1 dpadev export --with-factory-keys mlx5_0 open
    says 'open: others have rights to it (mode 644)'
    [ ! -s open ]
}

@test "a device without factory keys cannot export them" {
    dpadev export mlx5_0 dev.archive
    dpadev import copy dev.archive
    refused 1 dpadev export --with-factory-keys copy keys.archive
    says 'copy has no factory keys'
    [ ! -e keys.archive ]
}

@test "an archive that is damaged makes no device" {
    dpadev export mlx5_0 dev.archive
    size=$(stat -c %s dev.archive)
    : >empty
    head -c $((size - 1)) dev.archive >cut
    head -c 100 dev.archive >short
    cat dev.archive empty <(echo) >long
    cp dev.archive flipped
    flip flipped $((size / 2))
    for in in missing . empty cut short long flipped root.der; do
        refused 1 dpadev import copy "$in" || { echo "$in"; false; }
        says "$in"
        [ ! -e devices/copy ]
    done
}

@test "an archive does not replace a device" {
    dpadev export mlx5_0 dev.archive
    refused 1 dpadev import mlx5_0 dev.archive
    says 'there is a device (or alias) of that name'
}

@test "export and import say how they are used" {
    refused 2 dpadev export mlx5_0
    says 'usage: dpadev export NAME FILE'
    refused 2 dpadev import copy
    refused 2 dpadev show mlx5_0 --with-factory-keys
    refused 2 dpadev import ../copy root.der
}

@test "export and import are in the log" {
    dpadev export mlx5_0 dev.archive
    dpadev export --with-factory-keys mlx5_0 keys.archive
    dpadev log --json -n 2 mlx5_0 | jq -e 'map([.action, .detail]) ==
        [["export", ""], ["export", "with factory keys"]]'
    dpadev import copy dev.archive
    dpadev log --json copy | jq -e 'length == 1 and .[0].action == "import" and .[0].result == "OK"'
}

@test "show draws the whole trust as a tree" {
    dpadev show mlx5_0 >out
    sed -n '/^|-- Keys/,$p' out | sed "s|$DPAKIT_DEVICES|DEVICES|; s/$(cat nvidia.uuid)/NVIDIA/
        s/20..-..-..T..:..:..Z/TIME/g; s/SHA-256: .*/SHA-256: DIGEST/" >tree
    diff tree - <<TEXT
|-- Keys that sign for the device
|   |-- NVIDIA key pair: NVIDIA, RSA-4096
|   |   |-- May: configure at MLNX priority, burn its own CA certificates and OEM ones that it vouches for, remove any
|   |   \`-- Private half, for tests: DEVICES/mlx5_0/factory/nvidia.pem
|   \`-- Owner key pair: $owner_uuid, RSA-4096
|       \`-- May: configure at OEM priority, burn and remove OEM and User CA certificates, hand the device over
|-- CA certificates: 1 of 8 places taken
|   \`-- $cert_uuid, OEM
|       |-- Subject: O=Example, CN=Example DPA root CA
|       |-- Installed with key pair $owner_uuid, the owner's
|       |-- Valid: TIME to TIME
|       \`-- SHA-256: DIGEST
|-- Anti-rollback: off
|-- Debuggers
|   |-- Now: may look and change everything
|   \`-- After the next reset: may look, and change nothing
\`-- Programs that may be loaded
    |-- DPA authentication: off, after the next reset on
    |   \`-- Users may change it: yes
    |-- Now: any program, signed or not
    \`-- After the next reset: programs whose certificate chain ends in one of these CA certificates
TEXT
    grep -qF "SHA-256: $(sha256sum <root.der | cut -d' ' -f1)" out
}

@test "show points out certificates whose key is gone, and a locked device without certificates" {
    identity_xml False >remove.xml && echo '</config>' >>remove.xml
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf remove.xml remove.bin >/dev/null
    mlxconfig-lite -d mlx5_0 apply remove.bin
    dpadev show mlx5_0 | grep -qF "Installed with key pair $owner_uuid, no longer trusted here"
    dpadev show --json mlx5_0 | jq -e '.ca_certificates[0].installed_by == "unknown"'
    dpadev create other --nvidia-key <(openssl rsa -in nvidia.pem -pubout 2>/dev/null) \
        --nvidia-key-uuid "$(cat nvidia.uuid)"
    mlxconfig-lite -d other apply claim.bin
    auth_xml True 0 >lock.xml
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf lock.xml lock.bin >/dev/null
    mlxconfig-lite -d other apply lock.bin
    dpadev reset other
    dpadev show other | grep -qF 'Now: no program: there is no CA certificate'
    dpadev show other | grep -qF 'Users may change it: no, it was set with ovr_en 0'
    dpadev show --json other | jq -e '.loadable_programs.current == "none"
        and .dpa_authentication == {"current": true, "next_boot": true, "users_may_change": false}'
}
