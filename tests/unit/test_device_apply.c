/* runtime/device/state: the checks of an NV configuration file, in their order. */
#include "device/admin/admin.h"

#include <string.h>

#include "golden.h"

#include "device_world.h"

/* ---- Apply: the seven checks ---- */

static void a_new_device_is_open_and_empty(void **state)
{
    (void)state;
    struct dpk_ca_list cas = {0};
    struct dpk_device_info info;
    assert_false(authentication());
    assert_int_equal(dpk_device_ca_list(dev, &cas, NULL), DPK_OK);
    assert_int_equal(cas.count, 0);
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_OK);
    assert_false(info.has_owner);
    assert_string_equal(info.psid, "MT_0000000884");
}

static void nvidia_installs_the_first_owner_at_once(void **state)
{
    (void)state;
    claim();
    assert_true(owned_by(OWNER_UUID));
}

static void an_unsigned_file_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    put_auth(&list, true, true);
    refuse(dpk_device_apply, sign(list, NULL, OWNER_UUID), DPK_REJECT_UNSIGNED);
}

static void an_unsigned_file_with_a_wrong_digest_is_unsigned(void **state)
{
    (void)state;
    struct dpk_buf file = sign(vendor(KEEP), NULL, OWNER_UUID);
    file.data[0x28] ^= 1; /* inside the identity's date */
    refuse(dpk_device_apply, file, DPK_REJECT_UNSIGNED);
}

/* The unsigned file, digest TLV included, signed by hand as the guide says. */
static struct dpk_buf by_hand(bool right_digest)
{
    static const uint8_t heads[2][12] = {{3, 0, 1, 0x20, 6, 0, 0, 11},
                                         {3, 0, 1, 0x20, 6, 0, 0, 12}};
    struct dpk_nv_list list = vendor(KEEP);
    struct dpk_uuid id, key = uuid(OWNER_UUID);
    struct dpk_buf signature = {0};
    put_auth(&list, true, true);
    struct dpk_buf file = sign(list, NULL, OWNER_UUID);
    dpk_uuid_new_time(&id);
    if (!right_digest)
        file.data[file.size - 288] ^= 1;
    assert_int_equal(
        dpk_signer_sign(world.owner, DPK_SHA512, file.data, file.size, &signature, NULL), DPK_OK);
    for (size_t i = 0; i < 2; i++) {
        dpk_put(&file, heads[i], 12);
        dpk_put(&file, id.bytes, 16);
        dpk_put(&file, key.bytes, 16);
        dpk_put(&file, signature.data + 256 * i, 256);
    }
    dpk_buf_free(&signature);
    return file;
}

static void a_file_signed_by_hand_is_applied(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, by_hand(true));
}

static void a_signed_file_with_a_wrong_digest_is_refused(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, by_hand(false), DPK_REJECT_DIGEST_ERR);
}

static void damaged_files_are_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.size -= 4;
    refuse(dpk_device_apply, file, DPK_REJECT_BAD_FORMAT);
    refuse(dpk_device_apply, (struct dpk_buf){0}, DPK_REJECT_BAD_FORMAT);
}

static void contradicting_flags_are_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.data[28] |= 0x90; /* disable_override and erase_lower_priority */
    refuse(dpk_device_apply, file, DPK_REJECT_BAD_FORMAT);
}

static void a_partial_owner_key_is_bad_format(void **state)
{
    (void)state;
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    list.count--;
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_BAD_FORMAT);
}

static void an_owner_key_that_is_no_rsa_key_is_bad_format(void **state)
{
    (void)state;
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    list.items[list.count - 1].data[255] &= 0xfe;
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_BAD_FORMAT);
}

static void file_tlvs_that_nobody_knows_are_bad_format(void **state)
{
    (void)state;
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    put_tlv(&list, DPK_NV_FILE, 18, 4, true, "", 1);
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_BAD_FORMAT);
}

static void a_file_for_another_psid_is_not_applicable(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, by_owner(identity(DPK_NV_INDEX_ID_VENDOR, KEEP, "MT_0000000911")),
           DPK_REJECT_NOT_APPLICABLE);
}

static void a_file_for_this_psid_is_applied(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, by_owner(identity(DPK_NV_INDEX_ID_VENDOR, KEEP, "MT_0000000884")));
}

static void a_file_of_an_unknown_key_is_refused(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, sign(vendor(KEEP), world.other, OTHER_UUID), DPK_REJECT_UNKNOWN_KEY);
}

static void before_the_claim_the_owner_is_unknown(void **state)
{
    (void)state;
    refuse(dpk_device_apply, auth_file(true, true), DPK_REJECT_UNKNOWN_KEY);
}

static void the_owner_cannot_sign_as_nvidia(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, by_owner(mlnx(KEEP)), DPK_REJECT_KEY_NOT_APPLICABLE);
}

static void nvidia_cannot_sign_as_vendor_without_an_owner_key(void **state)
{
    (void)state;
    struct dpk_nv_list list = vendor(KEEP);
    put_auth(&list, true, true);
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_KEY_NOT_APPLICABLE);
}

static void a_wrong_signature_fails_authentication(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.data[file.size - 1] ^= 1;
    refuse(dpk_device_apply, file, DPK_REJECT_AUTH_FAILED);
}

static void a_changed_value_fails_authentication(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.data[0x64] ^= 0x80; /* dpa_auth_en */
    refuse(dpk_device_apply, file, DPK_REJECT_AUTH_FAILED);
}

static void another_key_under_the_owners_uuid_fails_authentication(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, sign(vendor(KEEP), world.other, OWNER_UUID), DPK_REJECT_AUTH_FAILED);
}

static void nvidia_installs_no_second_owner(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.other, OTHER_UUID);
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_NOT_APPLICABLE);
    list = mlnx(KEEP);
    put_key(&list, world.other, OTHER_UUID);
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_NOT_APPLICABLE);
    assert_true(owned_by(OWNER_UUID));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_device_is_open_and_empty),
        TEST(nvidia_installs_the_first_owner_at_once),
        TEST(an_unsigned_file_is_refused),
        TEST(an_unsigned_file_with_a_wrong_digest_is_unsigned),
        TEST(a_file_signed_by_hand_is_applied),
        TEST(a_signed_file_with_a_wrong_digest_is_refused),
        TEST(damaged_files_are_bad_format),
        TEST(contradicting_flags_are_bad_format),
        TEST(a_partial_owner_key_is_bad_format),
        TEST(an_owner_key_that_is_no_rsa_key_is_bad_format),
        TEST(file_tlvs_that_nobody_knows_are_bad_format),
        TEST(a_file_for_another_psid_is_not_applicable),
        TEST(a_file_for_this_psid_is_applied),
        TEST(a_file_of_an_unknown_key_is_refused),
        TEST(before_the_claim_the_owner_is_unknown),
        TEST(the_owner_cannot_sign_as_nvidia),
        TEST(nvidia_cannot_sign_as_vendor_without_an_owner_key),
        TEST(a_wrong_signature_fails_authentication),
        TEST(a_changed_value_fails_authentication),
        TEST(another_key_under_the_owners_uuid_fails_authentication),
        TEST(nvidia_installs_no_second_owner),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
