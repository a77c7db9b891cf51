# The claims of dpa-provisioning(7), "What an emulated device protects": what a device prevents, and what it
# does not prevent.

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/device.bash"

# A locked device and an open one; programs that are unsigned, signed for a day, and signed by a leaf
# that is valid from tomorrow; a clock that is two days ahead.
setup_file() {
    make_world
    openssl x509 -inform der -in root.der -out root.crt
    mkdir ca && echo 09 >ca/serial && : >ca/index
    printf '%s\n' '[ca]' default_ca=d '[d]' database=ca/index serial=ca/serial new_certs_dir=ca \
        default_md=sha256 policy=p '[p]' commonName=supplied >ca/conf
    cp "$test_keys/leaf.pem" today.pem
    cp "$test_keys/intermediate.pem" tomorrow.pem
    leaf today -startdate "$(date -u -d '1 hour ago' +%y%m%d%H%M%SZ)" -enddate "$(date -u -d '1 day' +%y%m%d%H%M%SZ)"
    leaf tomorrow -startdate "$(date -u -d '1 day' +%y%m%d%H%M%SZ)" -days 300
    printf '#include <stdint.h>\n__dpa_rpc__ uint64_t same(uint64_t a) { return a; }\n' >same.c
    echo 'Feature_list: {Device_Emulation: true}' >attributes.yaml
    dpa-app-attributes2blob attributes.yaml attributes
    dpacc same.c -o unsigned.a --app-name=one --dpa-proc-attr=attributes
    mlxdpa -e unsigned.a -c today.chain -p today.pem -o signed.a sign_dpa_apps
    mlxdpa -e unsigned.a -c tomorrow.chain -p tomorrow.pem -o early.a --force sign_dpa_apps
    gcc -shared -fPIC -x c -o ahead.so - <<'END'
#include <time.h>
time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += 2 * 86400;
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
END
    new_device open
    provisioned mlx5_0
}

# leaf NAME DATES...: a certificate of the key NAME.pem under the root, and the chain of both.
leaf() {
    openssl req -new -key "$1.pem" -subj "/CN=$1" -out "$1.csr"
    openssl ca -batch -config ca/conf -cert root.crt -keyfile root.pem -in "$1.csr" -notext -out "$1.crt" \
        "${@:2}" 2>log
    openssl x509 -in "$1.crt" -outform der -out "$1.der"
    cat root.der "$1.der" >"$1.chain"
}

# provisioned DEVICE: claimed with NVIDIA's test key of mlx5_0, with the CA certificate, authentication on for good.
provisioned() {
    auth_xml True 0 >auth.xml
    mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf auth.xml auth.bin
    mlxconfig-lite -d "$1" apply claim.bin
    flint-lite -d "$1" -i root.signed -y b
    mlxconfig-lite -d "$1" apply auth.bin
    dpadev reset "$1"
}

# guarded: a device with anti-rollback, of that key.
guarded() {
    dpadev create --anti-rollback --nvidia-key devices/mlx5_0/factory/nvidia.pub.pem \
        --nvidia-key-uuid "$(<nvidia.uuid)" guarded
    provisioned guarded
}

setup() { enter_world; }

loads() { run -0 dparun -d "$1" "$2" --rpc same 7 && [[ $output == *"result: 7 "* ]]; }
refused() { run dparun -d "$1" "$2" --rpc same 7 && [ "$status" -ge 11 ] && [[ $output == *"refused: $3"* ]]; }

@test "the device decides about the bytes of programs" {
    loads mlx5_0 signed.a
    refused mlx5_0 unsigned.a UNSIGNED
    refused mlx5_0 early.a CERT_INVALID
}

@test "its user may point the program at a device of his own" {
    export DPAKIT_DEVICES=$PWD/mine
    new_device mlx5_0
    loads mlx5_0 unsigned.a
}

@test "its user may put another device's state in the place of its own" {
    cp devices/open/device.db devices/mlx5_0/device.db
    loads mlx5_0 unsigned.a
}

@test "dates of certificates are those of the clock of whoever runs the program, LD_PRELOAD included" {
    [ -z "${TEST_HOST_CFLAGS:-}" ] || skip "a sanitizer wants to be preloaded first"
    LD_PRELOAD=$PWD/ahead.so refused mlx5_0 signed.a CERT_INVALID
    LD_PRELOAD=$PWD/ahead.so loads mlx5_0 early.a
}

@test "the holder of NVIDIA's test key can take the device from its owner; archives do not have the key" {
    dpadev export mlx5_0 archive
    dpadev import copy archive
    [ ! -e devices/copy/factory/nvidia.pem ]
    identity_xml True | sed 's/nv_file_id_vendor/nv_file_id_mlnx/; s/<erase_lower_priority>False/<erase_lower_priority>True/' >take.xml
    echo '</config>' >>take.xml
    mlxconfig-lite -p nvidia.pem -u "$(cat nvidia.uuid)" create_conf take.xml take.bin
    mlxconfig-lite -d mlx5_0 apply take.bin
    dpadev reset mlx5_0
    dpadev show mlx5_0 | grep 'Owner key pair: none'
    loads mlx5_0 unsigned.a
}

# older_files DEVICE: applies newer files and then the older files again; the result is in $status.
older_files() {
    local version
    for version in 1 2; do
        sed "s/<file_version>0/<file_version>$version/; s/<dpa_auth_en>True/<dpa_auth_en>$([ $version = 2 ] && echo True || echo False)/" \
            auth.xml >v$version.xml
        mlxconfig-lite -p owner.pem -u "$owner_uuid" create_conf v$version.xml v$version.bin
        mlxconfig-lite -d "$1" apply v$version.bin
    done
    run mlxconfig-lite -d "$1" apply v1.bin
    echo "$output"
}

@test "an older configuration file applies again, unless anti-rollback is on" {
    older_files mlx5_0
    [ "$status" -eq 0 ]
    dpadev reset mlx5_0
    loads mlx5_0 unsigned.a

    guarded
    older_files guarded
    [ "$status" -ne 0 ]
    [[ $output == *"REJECTED_FORBIDDEN_VERSION"* ]]
    dpadev reset guarded
    refused guarded unsigned.a UNSIGNED
}

@test "a signed program loads until its CA certificate goes, which anti-rollback keeps away" {
    guarded
    loads guarded signed.a
    mlxdpa --cert_container_type remove --cert_uuid $cert_uuid -o none --life_cycle_priority OEM create_cert_container
    mlxdpa --cert_container none -p owner.pem --keypair_uuid $owner_uuid --life_cycle_priority OEM -o gone \
        sign_cert_container
    for device in mlx5_0 guarded; do
        flint-lite -d $device -i gone -y b
        refused $device signed.a UNKNOWN_CA
    done
    flint-lite -d mlx5_0 -i root.signed -y b
    loads mlx5_0 signed.a
    run flint-lite -d guarded -i root.signed -y b
    [ "$status" -ne 0 ]
    [[ $output == *"REJECTED_FORBIDDEN_VERSION"* ]]
    refused guarded signed.a UNKNOWN_CA
}

@test "the signature covers neither name nor attributes of the full profile nor the host's code" {
    ar x signed.a
    # Changes everything around the program: its name, attributes, a host function.
    objcopy -O binary --only-section=.dpa_proc_attr_one --set-section-flags .dpa_proc_attr_one=alloc hostStubs.o area
    head -c -3 area >other
    printf '%s' ELS >>other
    objcopy --rename-section .dpa_bin_one=.dpa_bin_two --rename-section .dpa_sig_one=.dpa_sig_two \
        --rename-section .dpa_proc_attr_one=.dpa_proc_attr_two --update-section .dpa_proc_attr_one=other \
        --redefine-sym same=another hostStubs.o two.o
    run -1 cmp -s hostStubs.o two.o
    mlxdpa -e two.o --ca root.der verify >out
    cat out
    grep -q '^two (bf3):' out
    grep -qE '^  attributes +warning' out
    loads mlx5_0 two.o
    mlxdpa -e unsigned.a -c today.chain -p today.pem --profile compact -o compact.a sign_dpa_apps
    ar x compact.a
    objcopy --update-section .dpa_proc_attr_one=other hostStubs.o changed.o
    refused mlx5_0 changed.o DIGEST_MISMATCH
}
