/* runtime/device/state: rules of dpa-provisioning(7) that only files made by hand can break, and the
 * order in which they are looked at. */
#include "device/admin/admin.h"

#include <string.h>
#include <unistd.h>

#include "golden.h"

#include "device_containers.h"
#include "device_world.h"

/* ---- 1. Bytes that are not a file ---- */

/* The signed file changed and signed anew, as the owner who has no scruples would. */
static struct dpk_buf signed_again(struct dpk_buf file, size_t content)
{
    struct dpk_buf out = {0}, signature = {0};
    dpk_put(&out, file.data, content);
    assert_int_equal(dpk_signer_sign(world.owner, DPK_SHA512, out.data, out.size, &signature, NULL),
                     DPK_OK);
    for (size_t i = 0; i < 2; i++) {
        dpk_put(&out, file.data + file.size - 600 + i * 300, 44);
        dpk_put(&out, signature.data + 256 * i, 256);
    }
    dpk_buf_free(&signature);
    dpk_buf_free(&file);
    return out;
}

static void a_wrong_fingerprint_is_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.data[0] ^= 0x20;
    refuse(dpk_device_apply, signed_again(file, file.size - 600), DPK_REJECT_BAD_FORMAT);
}

/* Fingerprint 16, identity 12 + 16, file_applicable_to 12 + 32, nv_dpa_auth 12 + 4. */
enum { IDENTITY = 16, APPLICABLE = IDENTITY + 28, CONTENT = APPLICABLE + 44 };

static void a_file_without_identity_is_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    memmove(file.data + IDENTITY, file.data + APPLICABLE, file.size - APPLICABLE);
    file.size -= APPLICABLE - IDENTITY;
    refuse(dpk_device_apply, signed_again(file, file.size - 600), DPK_REJECT_BAD_FORMAT);
}

static void a_file_with_both_identities_is_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true), two = {0};
    dpk_put(&two, file.data, APPLICABLE);
    dpk_put(&two, file.data + IDENTITY, file.size - IDENTITY);
    two.data[APPLICABLE + 7] ^= DPK_NV_INDEX_ID_MLNX ^ DPK_NV_INDEX_ID_VENDOR;
    dpk_buf_free(&file);
    refuse(dpk_device_apply, signed_again(two, two.size - 600), DPK_REJECT_BAD_FORMAT);
}

static void a_file_without_file_applicable_to_is_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    memmove(file.data + APPLICABLE, file.data + CONTENT, file.size - CONTENT);
    file.size -= CONTENT - APPLICABLE;
    refuse(dpk_device_apply, signed_again(file, file.size - 600), DPK_REJECT_BAD_FORMAT);
}

static void halves_that_name_two_keys_are_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.data[file.size - 256 - 1] ^= 1; /* the key-pair UUID of the second half */
    refuse(dpk_device_apply, file, DPK_REJECT_BAD_FORMAT);
}

/* ---- 2. to 7. ---- */

static void a_file_for_another_branch_is_not_applicable(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    memcpy(list.items[1].data + 16, "QA", 2);
    refuse(dpk_device_apply, by_owner(list), DPK_REJECT_NOT_APPLICABLE);
}

/* NVIDIA's key may be RSA-2048, which signs with SHA-256. */
static void a_smaller_key_of_nvidia_signs_with_sha256(void **state)
{
    (void)state;
    struct dpk_signer *small = NULL;
    EVP_PKEY *key = EVP_RSA_gen(2048);
    struct dpk_device_plan plan = {.name = "dev0", .nvidia_uuid = uuid(NVIDIA_UUID)};
    char pub[256];
    FILE *f = fopen(file_in_world("small"), "w");
    PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL);
    fclose(f);
    snprintf(pub, sizeof pub, "%s", file_in_world("small.pub"));
    f = fopen(pub, "w");
    PEM_write_PUBKEY(f, key);
    fclose(f);
    assert_int_equal(dpk_signer_open(file_in_world("small"), NULL, &small, NULL), DPK_OK);
    plan.nvidia_key = pub;
    dpk_device_close(dev);
    assert_int_equal(dpk_device_delete("dev0", NULL), DPK_OK);
    assert_int_equal(dpk_device_create(&plan, NULL, NULL), DPK_OK);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    struct dpk_buf file = sign(list, small, NVIDIA_UUID), bad = {0};
    dpk_put(&bad, file.data, file.size);
    bad.data[0x28] ^= 1; /* inside the date */
    refuse(dpk_device_apply, bad, DPK_REJECT_AUTH_FAILED);
    accept(dpk_device_apply, file);
    assert_true(owned_by(OWNER_UUID));
    dpk_signer_close(small);
    EVP_PKEY_free(key);
    unlink(file_in_world("small"));
    unlink(pub);
}

/* Each file breaks every rule from one on: what is said is the first. */
static void the_first_rule_broken_is_the_one_said(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = identity(DPK_NV_INDEX_ID_MLNX, KEEP, "MT_0000000911");
    refuse(dpk_device_apply, sign(list, NULL, OTHER_UUID), DPK_REJECT_NOT_APPLICABLE);
    refuse(dpk_device_apply, sign(mlnx(KEEP), NULL, OTHER_UUID), DPK_REJECT_UNSIGNED);
    refuse(dpk_device_apply, sign(mlnx(KEEP), world.other, OTHER_UUID), DPK_REJECT_UNKNOWN_KEY);
    refuse(dpk_device_apply, sign(mlnx(KEEP), world.other, OWNER_UUID),
           DPK_REJECT_KEY_NOT_APPLICABLE);
    list = vendor(KEEP);
    put_key(&list, world.other, OTHER_UUID);
    refuse(dpk_device_apply, sign(list, world.other, NVIDIA_UUID), DPK_REJECT_AUTH_FAILED);
}

/* ---- Effects ---- */

static void disable_override_lets_pass_what_changes_nothing(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    struct dpk_nv_list list = vendor(KEEP | DISABLE);
    put_auth(&list, true, true);
    accept(dpk_device_apply, by_owner(list));
    list = vendor(KEEP | DISABLE);
    put_key(&list, world.owner, OWNER_UUID);
    accept(dpk_device_apply, by_owner(list));
    list = vendor(KEEP | DISABLE);
    put_key(&list, world.other, OTHER_UUID);
    refuse(dpk_device_apply, by_owner(list), DPK_REJECT_NOT_APPLICABLE);
}

static void disable_override_without_keeping_is_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = by_owner(vendor(0));
    file.data[28] |= 0x10;
    refuse(dpk_device_apply, signed_again(file, file.size - 600), DPK_REJECT_BAD_FORMAT);
}

static void a_file_erases_nothing_above_itself(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = mlnx(KEEP);
    put_other(&list, 5);
    accept(dpk_device_apply, by_nvidia(list));
    list = vendor(ERASE);
    put_key(&list, world.owner, OWNER_UUID);
    accept(dpk_device_apply, by_owner(list));
    assert_int_equal(get(DPK_VIEW_NEXT, &other_def).data[0], 5);
}

static void nvidia_erases_an_owner_with_all_that_is_his(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, false));
    accept(dpk_device_apply, by_nvidia(mlnx(KEEP | ERASE)));
    assert_false(owned_by(OWNER_UUID));
    reset();
    assert_false(authentication());
    claim();
}

static void what_is_written_below_a_protected_tlv_is_refused(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, false));
    struct dpk_nv_list list = vendor(KEEP | PER_TLV);
    put_auth(&list, false, true);
    list.items[list.count - 1].priority = DPK_NV_USER;
    refuse(dpk_device_apply, by_owner(list), DPK_REJECT_NOT_APPLICABLE);
}

/* Until the reset it is Current that counts, also for what is taken away. */
static void removed_authentication_counts_until_the_reset(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, false));
    reset();
    accept(dpk_device_apply, by_owner(vendor(0)));
    assert_true(authentication());
    reset();
    assert_false(authentication());
}

/* ---- Burning ---- */

static void the_first_rule_a_container_breaks_is_the_one_said(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.priority = DPK_LIFECYCLE_NVIDIA;
    plan.keypair_uuid = uuid(OTHER_UUID);
    refuse(dpk_device_burn, container(&plan, NULL, NULL), DPK_REJECT_UNSIGNED);
    refuse(dpk_device_burn, container(&plan, world.other, OTHER_UUID), DPK_REJECT_UNKNOWN_KEY);
    plan.keypair_uuid = uuid(OWNER_UUID);
    refuse(dpk_device_burn, container(&plan, world.other, OWNER_UUID), DPK_REJECT_CERT_SIGNATURE);
    refuse(dpk_device_burn, container(&plan, world.owner, OWNER_UUID),
           DPK_REJECT_KEY_NOT_APPLICABLE);
    /* A bad certificate under a UUID that is there, with no place left. */
    plan = add_plan(CERT_UUID);
    plan.keypair_uuid = uuid(OWNER_UUID);
    for (int i = 0; i < DPK_DEVICE_CERT_PLACES; i++) {
        accept(dpk_device_burn, owners(&plan));
        plan.cert_uuid.bytes[15]++;
    }
    plan.cert_uuid = uuid(CERT_UUID);
    struct dpk_buf file = container(&plan, NULL, NULL);
    memset(file.data + 76, 'x', 100);
    refuse(dpk_device_burn, sign_by_hand(file), DPK_REJECT_CERT_CER509);
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_SAME_UUID);
}

/* Installed certificates outlive their owner's key, and count. */
static void certificates_stay_when_the_owner_goes(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_ca_list cas = {0};
    accept(dpk_device_burn, owners(&plan));
    accept(dpk_device_apply, by_owner(vendor(0)));
    assert_int_equal(dpk_device_ca_list(dev, &cas, NULL), DPK_OK);
    assert_int_equal(cas.count, 1);
    dpk_ca_list_free(&cas);
    plan = add_plan(OTHER_UUID);
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_UNKNOWN_KEY);
}

static void the_next_owner_removes_what_the_last_one_left(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID), off = removal(CERT_UUID);
    accept(dpk_device_burn, owners(&plan));
    struct dpk_nv_list list = vendor(0);
    put_key(&list, world.other, OTHER_UUID);
    accept(dpk_device_apply, by_owner(list));
    refuse(dpk_device_burn, owners(&off), DPK_REJECT_UNKNOWN_KEY);
    accept(dpk_device_burn, container(&off, world.other, OTHER_UUID));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_wrong_fingerprint_is_bad_format),
        TEST(a_file_without_identity_is_bad_format),
        TEST(a_file_with_both_identities_is_bad_format),
        TEST(a_file_without_file_applicable_to_is_bad_format),
        TEST(halves_that_name_two_keys_are_bad_format),
        TEST(a_file_for_another_branch_is_not_applicable),
        TEST(a_smaller_key_of_nvidia_signs_with_sha256),
        TEST(the_first_rule_broken_is_the_one_said),
        TEST(disable_override_lets_pass_what_changes_nothing),
        TEST(disable_override_without_keeping_is_bad_format),
        TEST(a_file_erases_nothing_above_itself),
        TEST(nvidia_erases_an_owner_with_all_that_is_his),
        TEST(what_is_written_below_a_protected_tlv_is_refused),
        TEST(removed_authentication_counts_until_the_reset),
        TEST(the_first_rule_a_container_breaks_is_the_one_said),
        TEST(certificates_stay_when_the_owner_goes),
        TEST(the_next_owner_removes_what_the_last_one_left),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
