/* runtime/device/state: certificate containers. */
#include "device/admin/admin.h"

#include <string.h>

#include "golden.h"

#include "device_containers.h"
#include "device_world.h"

/* ---- Burning ---- */

static size_t cert_count(void)
{
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    assert_int_equal(dpk_device_certs(dev, certs, &count, NULL), DPK_OK);
    return count;
}

static void the_owner_installs_a_certificate(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_ca_list cas = {0};
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count;
    struct dpk_uuid want = uuid(CERT_UUID), keypair = uuid(OWNER_UUID);
    accept(dpk_device_burn, owners(&plan));
    assert_int_equal(dpk_device_ca_list(dev, &cas, NULL), DPK_OK);
    assert_int_equal(cas.count, 1);
    assert_int_equal(cas.roots[0].size, world.root.size);
    assert_memory_equal(cas.roots[0].data, world.root.data, world.root.size);
    dpk_ca_list_free(&cas);
    assert_int_equal(dpk_device_certs(dev, certs, &count, NULL), DPK_OK);
    assert_true(dpk_uuid_equal(&certs[0].uuid, &want));
    assert_true(dpk_uuid_equal(&certs[0].keypair, &keypair));
    assert_int_equal(certs[0].priority, DPK_LIFECYCLE_OEM);
    assert_int_equal(certs[0].container_size, 0);
    assert_non_null(strstr(certs[0].subject, "Root"));
}

static void keep_sig_keeps_the_whole_container(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count;
    plan.keep_sig = true;
    struct dpk_buf file = owners(&plan);
    size_t size = file.size;
    accept(dpk_device_burn, file);
    assert_int_equal(dpk_device_certs(dev, certs, &count, NULL), DPK_OK);
    assert_int_equal(certs[0].container_size, size);
}

static void damaged_containers_are_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_buf file = owners(&plan);
    file.size -= 4;
    refuse(dpk_device_burn, file, DPK_REJECT_BAD_FORMAT);
    refuse(dpk_device_burn, (struct dpk_buf){0}, DPK_REJECT_BAD_FORMAT);
}

static void an_unsigned_container_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.keypair_uuid = uuid(OWNER_UUID);
    refuse(dpk_device_burn, container(&plan, NULL, NULL), DPK_REJECT_UNSIGNED);
}

static void a_container_of_an_unknown_key_is_refused(void **state)
{
    (void)state;
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_UNKNOWN_KEY);
    claim();
    refuse(dpk_device_burn, container(&plan, world.other, OTHER_UUID), DPK_REJECT_UNKNOWN_KEY);
}

static void nvidia_does_not_sign_plain_oem_containers(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    refuse(dpk_device_burn, container(&plan, world.nvidia, NVIDIA_UUID), DPK_REJECT_UNKNOWN_KEY);
}

static void nvidia_signs_its_own_and_vouched_oem_containers(void **state)
{
    (void)state;
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count;
    plan.nvidia_signed_oem = true;
    accept(dpk_device_burn, container(&plan, world.nvidia, NVIDIA_UUID));
    plan = add_plan(OTHER_UUID);
    plan.priority = DPK_LIFECYCLE_NVIDIA;
    accept(dpk_device_burn, container(&plan, world.nvidia, NVIDIA_UUID));
    assert_int_equal(dpk_device_certs(dev, certs, &count, NULL), DPK_OK);
    assert_int_equal(certs[0].priority, DPK_LIFECYCLE_OEM);
    assert_int_equal(certs[1].priority, DPK_LIFECYCLE_NVIDIA);
}

static void a_wrong_container_signature_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_buf file = owners(&plan);
    file.data[file.size - 1] ^= 1;
    refuse(dpk_device_burn, file, DPK_REJECT_CERT_SIGNATURE);
    refuse(dpk_device_burn, container(&plan, world.other, OWNER_UUID), DPK_REJECT_CERT_SIGNATURE);
}

static void the_owner_cannot_sign_at_nvidias_priority(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.priority = DPK_LIFECYCLE_NVIDIA;
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_KEY_NOT_APPLICABLE);
    plan = add_plan(CERT_UUID);
    plan.nvidia_signed_oem = true;
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_KEY_NOT_APPLICABLE);
}

static void bad_metadata_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.keypair_uuid = uuid(OWNER_UUID);
    struct dpk_buf file = container(&plan, NULL, NULL);
    file.data[45] &= 0xdf; /* no DPA root of trust */
    refuse(dpk_device_burn, sign_by_hand(file), DPK_REJECT_CERT_METADATA);
    plan.cert_uuid = (struct dpk_uuid){0};
    refuse(dpk_device_burn, sign_by_hand(container(&plan, NULL, NULL)), DPK_REJECT_CERT_METADATA);
}

static void refuse_cert(const struct cert_spec *spec)
{
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_buf der = {0};
    X509 *cert = make_cert(spec);
    put_cert(&der, cert);
    plan.cert = der.data;
    plan.cert_size = der.size;
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_CERT_CER509);
    X509_free(cert);
    dpk_buf_free(&der);
}

static void certificates_that_are_no_roots_are_refused(void **state)
{
    (void)state;
    claim();
    EVP_PKEY *small = EVP_RSA_gen(2048);
    refuse_cert(&(struct cert_spec){
        .subject = "no CA", .key = world.root_key, .constraints = "critical,CA:FALSE"});
    refuse_cert(
        &(struct cert_spec){.subject = "small", .key = small, .constraints = "critical,CA:TRUE"});
    X509 *root = make_cert(&(struct cert_spec){.subject = "Somebody", .key = small});
    refuse_cert(&(struct cert_spec){.subject = "issued",
                                    .key = world.root_key,
                                    .issuer = root,
                                    .issuer_key = small,
                                    .constraints = "critical,CA:TRUE"});
    X509_free(root);
    EVP_PKEY_free(small);
}

static void garbage_for_a_certificate_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.keypair_uuid = uuid(OWNER_UUID);
    struct dpk_buf file = container(&plan, NULL, NULL);
    memset(file.data + 76, 'x', 100);
    refuse(dpk_device_burn, sign_by_hand(file), DPK_REJECT_CERT_CER509);
}

static void the_same_uuid_twice_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    accept(dpk_device_burn, owners(&plan));
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_SAME_UUID);
}

static void the_ninth_certificate_has_no_place(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    for (int i = 0; i < DPK_DEVICE_CERT_PLACES; i++) {
        accept(dpk_device_burn, owners(&plan));
        plan.cert_uuid.bytes[15]++;
    }
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_NO_PLACE);
    assert_int_equal(cert_count(), DPK_DEVICE_CERT_PLACES);
}

static void a_certificate_is_removed_by_its_uuid(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan one = add_plan(CERT_UUID), two = add_plan(OTHER_UUID);
    struct dpk_container_plan off = removal(CERT_UUID);
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, owners(&two));
    accept(dpk_device_burn, owners(&off));
    assert_int_equal(cert_count(), 1);
    refuse(dpk_device_burn, owners(&off), DPK_REJECT_REMOVAL_NO_MATCH);
}

static void the_owner_removes_all_but_nvidias(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan one = add_plan(CERT_UUID), nvidias = add_plan(OTHER_UUID);
    struct dpk_container_plan off = removal(NULL), that = removal(OTHER_UUID);
    nvidias.priority = DPK_LIFECYCLE_NVIDIA;
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, container(&nvidias, world.nvidia, NVIDIA_UUID));
    refuse(dpk_device_burn, owners(&that), DPK_REJECT_KEY_NOT_APPLICABLE);
    accept(dpk_device_burn, owners(&off));
    assert_int_equal(cert_count(), 1);
    off.priority = DPK_LIFECYCLE_NVIDIA;
    accept(dpk_device_burn, container(&off, world.nvidia, NVIDIA_UUID));
    assert_int_equal(cert_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_owner_installs_a_certificate),
        TEST(keep_sig_keeps_the_whole_container),
        TEST(damaged_containers_are_bad_format),
        TEST(an_unsigned_container_is_refused),
        TEST(a_container_of_an_unknown_key_is_refused),
        TEST(nvidia_does_not_sign_plain_oem_containers),
        TEST(nvidia_signs_its_own_and_vouched_oem_containers),
        TEST(a_wrong_container_signature_is_refused),
        TEST(the_owner_cannot_sign_at_nvidias_priority),
        TEST(bad_metadata_is_refused),
        TEST(certificates_that_are_no_roots_are_refused),
        TEST(garbage_for_a_certificate_is_refused),
        TEST(the_same_uuid_twice_is_refused),
        TEST(the_ninth_certificate_has_no_place),
        TEST(a_certificate_is_removed_by_its_uuid),
        TEST(the_owner_removes_all_but_nvidias),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
