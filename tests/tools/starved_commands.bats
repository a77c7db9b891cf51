# Typical commands of every tool, short of memory: in each run one allocation fails, of a
# library or of the tool itself. STARVE_ALL=1 tries each, which takes an hour; otherwise a few, spread
# over the run.

setup_file() {
    source "$BATS_TEST_DIRNAME/../helpers/signing.bash"
    source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
    make_world
    make_device_elf
    printf '.section .dpa_bin_one,"",@progbits\n.incbin "dev.elf"\n.section .dpa_sig_one,"",@progbits\n.zero 9000\n' >host.s
    gcc -c host.s -o host
    openssl req -x509 -new -key owner.pem -outform der -out leaf.der -subj /CN=Leaf -days 300
    openssl rsa -in owner.pem -pubout -out owner.pub
    printf '%s: 1\n' type dpa_app_subtype dpa_app_version dpa_os_api_version dpa_fw_api_version \
        dpa_app_description_string >meta.yaml
    mlxdpa -e host -c leaf.der -p owner.pem -o host.signed sign_dpa_apps
    mlxconfig-lite -d mlx5_0 apply claim.bin
    mlxconfig-lite -d mlx5_0 backup backup.raw
    mlxconfig-lite gen_tlvs_file tlvs.txt
    sed -i 's/0$/1/' tlvs.txt
    dpadev export mlx5_0 archive
    printf 'Feature_list:\n  one: true\n' >attributes.yaml
    printf '#include <stdint.h>\n#include <libflexio-dev/flexio_dev.h>\n%s\n' \
        '__dpa_rpc__ uint64_t twice(uint64_t a) { return 2 * a; }' >kernel.c
    dpacc kernel.c -o kernel.a --app-name=kernel
}

setup() {
    source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
    source "$BATS_TEST_DIRNAME/../helpers/starve.bash"
    needs_allocations_of_its_own
    enter_world
}

@test "OpenSSL that has no memory to start crashes nothing" {
    starve_from 20 140 3 mlxdpa --json show host.signed
}

@test "libxml2 that has no memory crashes nothing, and no part of a document is taken for all" {
    starve_from 340 600 6 mlxconfig-lite create_conf claim.xml out/claim.bin
}

@test "mlxdpa signs programs" {
    starve mlxdpa -e host -c leaf.der -p owner.pem -o out/signed sign_dpa_apps
}

@test "mlxdpa makes single-program containers" {
    starve mlxdpa -s dev.elf -m meta.yaml --dpa_app_uuid $owner_uuid --life_cycle_priority OEM -o out/app \
        create_single_dpa_app
}

@test "mlxdpa makes and signs certificate containers" {
    starve mlxdpa --cert_container_type add -c root.der -o out/container --life_cycle_priority OEM \
        create_cert_container
    starve mlxdpa --cert_container root.container -p owner.pem --keypair_uuid $owner_uuid \
        --cert_uuid $cert_uuid --life_cycle_priority OEM -o out/signed sign_cert_container
}

@test "mlxdpa shows, lists and verifies" {
    starve mlxdpa show host.signed
    starve mlxdpa list host.signed
    starve mlxdpa verify host.signed --ca leaf.der
}

@test "mlxconfig-lite makes and applies files" {
    starve mlxconfig-lite -p owner.pem -u $owner_uuid create_conf auth.xml out/auth.bin
    starve mlxconfig-lite -d mlx5_0 apply auth.bin
}

@test "mlxconfig-lite asks and sets" {
    starve mlxconfig-lite -d mlx5_0 q
    starve mlxconfig-lite -d mlx5_0 --json q
    starve mlxconfig-lite -d mlx5_0 -y set DPA_AUTHENTICATION=1
    starve mlxconfig-lite -d mlx5_0 -y set_raw backup.raw
}

@test "mlxconfig-lite saves and converts" {
    starve mlxconfig-lite -d mlx5_0 backup out/raw
    starve mlxconfig-lite raw2xml backup.raw out/xml
    starve mlxconfig-lite gen_tlvs_file out/tlvs
    starve mlxconfig-lite -a gen_xml_template tlvs.txt out/template
}

@test "flint-lite burns, verifies and asks" {
    starve flint-lite -i root.signed --key owner.pub verify
    starve flint-lite -d mlx5_0 -i root.signed -y b
    starve flint-lite -d mlx5_0 q
}

@test "dpadev makes and resets devices" {
    starve dpadev create mlx5_1 --nvidia-key owner.pub --nvidia-key-uuid $owner_uuid
    starve dpadev reset mlx5_0
}

@test "dpadev plugs a cable into both devices, or into none" {
    dpadev create mlx5_1
    STARVE_POINTS=24 starve dpadev wire mlx5_0 dev:mlx5_1
    [ "$(dpadev wire mlx5_0) $(dpadev wire mlx5_1)" = "dev:mlx5_1 dev:mlx5_0" ]
}

@test "dpadev deletes devices, or says what is left of one" {
    begin dpadev delete mlx5_0
    for ((n = 1; n <= calls; n++)); do
        start_again
        starve_once $n dpadev delete mlx5_0
        [ $code -eq 0 ] || [ $code -eq 1 ]
        [ $code -eq 0 ] || grep -qx -- '-E- mlx5_0 is deleted, but its remains are not: .*' err || nothing_happened
    done
}

@test "dpadev shows devices" {
    starve dpadev list
    starve dpadev show mlx5_0
    starve dpadev show --json mlx5_0
    starve dpadev log mlx5_0
}

@test "dpadev exports and imports devices" {
    starve dpadev export mlx5_0 out/archive
    starve dpadev import mlx5_2 archive
}

@test "dpacc compiles, and makes attributes" {
    # The message of a step is printed, too.
    ERROR_LINES=100 STARVE_POINTS=10 starve dpacc kernel.c -o out/kernel.a --app-name=kernel
    starve dpa-app-attributes2blob attributes.yaml out/blob
}

@test "dpacc-extract takes programs out, and lists them" {
    starve dpacc-extract kernel.a -o out/elf
    starve dpacc-extract --list kernel.a
}

@test "dparun verifies and runs programs" {
    starve dparun host.signed --verify-only
    # Nothing in it is hot. With DPAKIT_JIT=sync, libLLVM would get no memory, which ends any process.
    DPAKIT_JIT=on starve dparun kernel.a --rpc twice 21
}
