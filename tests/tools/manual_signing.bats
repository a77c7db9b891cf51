# Signing without giving mlxdpa a key: the guide's two manual recipes unchanged, and export_tbs with
# attach_signature for containers. verify and the device accept the results.

source "$BATS_TEST_DIRNAME/../helpers/signing.bash"

load_world() { source "$BATS_TEST_DIRNAME/../helpers/provision.bash"; }

setup_file() {
    load_world
    make_world
    openssl rsa -in owner.pem -pubout -out owner.pub 2>/dev/null
    mlxconfig-lite -d mlx5_0 apply claim.bin >/dev/null
}

setup() {
    load_world
    enter_world
    ids="--keypair_uuid $owner_uuid --cert_uuid $cert_uuid --life_cycle_priority OEM"
}

@test "the guide's recipe for a certificate container" {
    mlxdpa --cert_container_type add -c root.der -o unsigned-container --keypair_uuid $owner_uuid \
        --cert_uuid $cert_uuid --life_cycle_priority OEM create_cert_container
    echo "90 01 02 0C 10 00 00 00 00 00 00 00" | xxd -r -p - signature-header
    openssl dgst -sha512 -sign owner.pem -out container-signature unsigned-container
    cat unsigned-container signature-header container-signature > signed-container
    cmp signed-container root.signed
    mlxdpa verify signed-container --key owner.pub
    mlxdpa verify signed-container -d mlx5_0
    flint-lite -d mlx5_0 -i signed-container -y b
    flint-lite -d mlx5_0 query_components | grep -q $cert_uuid
}

@test "the guide's recipe for an NV configuration file" {
    mlxconfig-lite create_conf auth.xml unsigned-nvconfig
    uuidgen -r | xxd -r -p - signature-uuid
    openssl dgst -sha512 -sign owner.pem -out nvconfig-signature unsigned-nvconfig
    head -c 256 nvconfig-signature > signature-part-1 && tail -c 256 nvconfig-signature > signature-part-2
    echo "$owner_uuid" | xxd -r -p - signing-key-uuid
    echo "03 00 01 20 06 00 00 0B 00 00 00 00" | xxd -r -p - signature-1-header
    echo "03 00 01 20 06 00 00 0C 00 00 00 00" | xxd -r -p - signature-2-header
    cat unsigned-nvconfig signature-1-header signature-uuid signing-key-uuid signature-part-1 signature-2-header signature-uuid signing-key-uuid signature-part-2 > signed-nvconfig
    mlxdpa --nv_config signed-nvconfig --key owner.pub verify
    mlxdpa --nv_config signed-nvconfig -d mlx5_0 verify
    mlxconfig-lite -d mlx5_0 apply signed-nvconfig
    dpadev reset mlx5_0
    mlxconfig-lite -d mlx5_0 q DPA_AUTHENTICATION | grep -q 'True(1)'
}

@test "a container signed elsewhere equals one signed here" {
    run mlxdpa --cert_container root.container $ids -o to_sign export_tbs
    [ "$output" = to_sign.tbs ]
    openssl dgst -sha512 -sign owner.pem -out to_sign.sig to_sign.tbs
    mlxdpa --cert_container root.container $ids --signature to_sign --key owner.pub -o out attach_signature
    cmp out root.signed
    mlxdpa --cert_container to_sign.tbs --life_cycle_priority OEM --signature to_sign --key owner.pub \
        -o again attach_signature
    cmp again root.signed
}

@test "a digest is enough to sign" {
    mlxdpa --cert_container root.container $ids -o to_sign --digest export_tbs
    [ "$(stat -c %s to_sign.sha512)" -eq 64 ]
    openssl pkeyutl -sign -inkey owner.pem -pkeyopt digest:sha512 -in to_sign.sha512 -out to_sign.sig
    mlxdpa --cert_container root.container $ids --signature to_sign --key owner.pub -o out attach_signature
    cmp out root.signed
}

@test "removals are signed elsewhere too" {
    mlxdpa --cert_container_type remove --remove_all_certs -o remove --life_cycle_priority OEM \
        --keypair_uuid $owner_uuid create_cert_container
    mlxdpa --cert_container remove --life_cycle_priority OEM -o remove export_tbs
    openssl dgst -sha512 -sign owner.pem -out remove.sig remove.tbs
    mlxdpa --cert_container remove --life_cycle_priority OEM --signature remove --key owner.pub -o out \
        attach_signature
    mlxdpa verify out -d mlx5_0
}

@test "a container exported without a UUID gets one, printed" {
    run mlxdpa --cert_container root.container --keypair_uuid $owner_uuid --life_cycle_priority OEM \
        -o to_sign export_tbs
    uuid=$(sed -n 's/^Certificate UUID: //p' <<<"$output")
    [ "$(mlxdpa --json show to_sign.tbs | jq -r .cert_uuid)" = "$uuid" ]
}

@test "a signature that is not right is not attached" {
    mlxdpa --cert_container root.container $ids -o to_sign export_tbs
    openssl dgst -sha512 -sign nvidia.pem -out to_sign.sig to_sign.tbs
    attach() {
        mlxdpa --cert_container root.container $ids --signature to_sign --key owner.pub -o out "$@" \
            attach_signature
    }
    fails 1 "to_sign.sig" attach
    head -c 511 to_sign.sig >cut && mv cut to_sign.sig
    fails 1 "511 bytes" attach
    rm to_sign.sig
    fails 1 "to_sign.sig: No such file" attach
    openssl dgst -sha512 -sign owner.pem -out to_sign.sig to_sign.tbs
    fails 2 "needs --key" mlxdpa --cert_container root.container $ids --signature to_sign -o out attach_signature
    fails 2 "needs --signature" mlxdpa --cert_container root.container $ids --key owner.pub -o out attach_signature
    fails 1 "already signed" mlxdpa --cert_container root.signed $ids -o out export_tbs
    fails 2 "needs one of" mlxdpa -e x --cert_container root.container -o out export_tbs
}

@test "files that were signed elsewhere are recognized by their content" {
    [ "$(mlxdpa export_tbs root.container $ids -o to_sign)" = to_sign.tbs ]
    openssl dgst -sha512 -sign owner.pem -out to_sign.sig to_sign.tbs
    mlxdpa attach_signature root.container $ids --signature to_sign --key owner.pub -o out
    cmp out root.signed
    mlxdpa --dpa_app_uuid $owner_uuid -o removal --life_cycle_priority OEM create_dpa_app_removal
    removal="removal --life_cycle_priority OEM --keypair_uuid $owner_uuid"
    mlxdpa export_tbs $removal -o t
    openssl dgst -sha512 -sign owner.pem -out t.sig t.tbs
    mlxdpa attach_signature $removal --signature t --key owner.pub -o out
    mlxdpa verify out --key owner.pub
}

@test "a kind of file that cannot be signed elsewhere is refused with a list of kinds" {
    fails 1 "auth.bin: a NV configuration file cannot be signed elsewhere; these can: single-program" \
        mlxdpa export_tbs auth.bin -o t
    fails 1 "auth.bin: a NV configuration file cannot be signed elsewhere; these can: single-program" \
        mlxdpa attach_signature auth.bin --signature t -o out
    fails 2 "needs one of" mlxdpa export_tbs root.container -e x -o t
    fails 2 "needs one of" mlxdpa export_tbs -o t
}
