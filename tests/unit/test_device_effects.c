/* runtime/device/state: changes by applied files and by users, and the time when they take effect.
 * */
#include "device/admin/admin.h"

#include <string.h>

#include "golden.h"

#include "device_world.h"

/* ---- Apply: the effects ---- */

static void applied_values_count_after_the_reset(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    assert_false(authentication());
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0x80);
    assert_int_equal(get(DPK_VIEW_CURRENT, &auth_def).data[0], 0);
    reset();
    assert_true(authentication());
    assert_int_equal(get(DPK_VIEW_DEFAULT, &auth_def).data[0], 0);
}

static void the_owner_hands_over_to_another(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.other, OTHER_UUID);
    accept(dpk_device_apply, by_owner(list));
    assert_true(owned_by(OTHER_UUID));
    refuse(dpk_device_apply, by_owner(vendor(KEEP)), DPK_REJECT_UNKNOWN_KEY);
    accept(dpk_device_apply, sign(vendor(KEEP), world.other, OTHER_UUID));
}

static void a_file_that_keeps_nothing_removes_the_owner(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    struct dpk_nv_list list = vendor(0);
    put_other(&list, 7);
    accept(dpk_device_apply, by_owner(list));
    assert_false(owned_by(OWNER_UUID));
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0);
    assert_int_equal(get(DPK_VIEW_NEXT, &other_def).data[0], 7);
    claim();
}

static void a_file_that_keeps_nothing_but_carries_the_key_keeps_the_owner(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    struct dpk_nv_list list = vendor(0);
    put_key(&list, world.owner, OWNER_UUID);
    accept(dpk_device_apply, by_owner(list));
    assert_true(owned_by(OWNER_UUID));
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0);
}

static void users_override_what_the_owner_lets_them(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    assert_int_equal(set_auth("False"), DPK_OK);
    reset();
    assert_false(authentication());
    assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
    reset();
    assert_true(authentication());
}

static void users_cannot_set_what_the_owner_protects(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, false));
    assert_true(get(DPK_VIEW_NEXT, &auth_def).read_only);
    char *before = dump();
    assert_int_equal(set_auth("False"), DPK_ERR_REFUSED);
    char *after = dump();
    assert_string_equal(before, after);
    assert_string_equal(last_event().result, "READ_ONLY");
    free(after);
    free(before);
}

static void a_protected_value_beats_what_users_set_before(void **state)
{
    (void)state;
    claim();
    assert_int_equal(set_auth("False"), DPK_OK);
    accept(dpk_device_apply, auth_file(true, false));
    reset();
    assert_true(authentication());
}

static void erase_lower_priority_drops_what_users_set(void **state)
{
    (void)state;
    claim();
    assert_int_equal(set_auth("True"), DPK_OK);
    accept(dpk_device_apply, by_owner(vendor(KEEP | ERASE)));
    reset();
    assert_false(authentication());
}

static void per_tlv_priority_writes_at_the_tlvs_own(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP | PER_TLV);
    put_auth(&list, true, true);
    list.items[list.count - 1].priority = DPK_NV_USER;
    accept(dpk_device_apply, by_owner(list));
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0x80);
    assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0);
}

static void per_tlv_priority_never_rises_above_the_file(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP | PER_TLV);
    put_auth(&list, true, false); /* marked MLNX */
    accept(dpk_device_apply, by_owner(list));
    accept(dpk_device_apply, auth_file(false, true)); /* so it is at OEM and can change */
}

static void what_nvidia_protects_the_owner_cannot_override(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = mlnx(KEEP);
    put_auth(&list, true, false);
    accept(dpk_device_apply, by_nvidia(list));
    refuse(dpk_device_apply, auth_file(false, true), DPK_REJECT_NOT_APPLICABLE);
}

static void disable_override_refuses_to_change_a_tlv(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    struct dpk_nv_list list = vendor(KEEP | DISABLE);
    put_auth(&list, false, true);
    refuse(dpk_device_apply, by_owner(list), DPK_REJECT_NOT_APPLICABLE);
    list = vendor(KEEP | DISABLE);
    put_other(&list, 9);
    accept(dpk_device_apply, by_owner(list));
}

static void rd_en_0_hides_a_value_from_users(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    put_other(&list, 9);
    list.items[list.count - 1].rd_en = false;
    accept(dpk_device_apply, by_owner(list));
    struct dpk_device_value value = get(DPK_VIEW_NEXT, &other_def);
    assert_true(value.hidden);
    assert_int_equal(value.data[0], 0);
}

static void users_cannot_set_the_owners_key(void **state)
{
    (void)state;
    static const struct dpk_nv_param param = {
        .name = "public_key_exp", .config_name = "EXP", .type = DPK_NV_UNSIGNED, .bits = 32};
    static const struct dpk_nv_def def = {.name = "nv_ls_nv_public_key_0",
                                          .index = DPK_NV_INDEX_PUBLIC_KEY_0,
                                          .size = 32,
                                          .params = &param,
                                          .param_count = 1};
    struct dpk_device_setting setting = {.def = &def, .param = &param, .value = "3"};
    assert_int_equal(dpk_device_set(dev, NULL, &setting, 1, NULL), DPK_ERR_REFUSED);
}

static void a_bad_value_among_good_ones_sets_none(void **state)
{
    (void)state;
    struct dpk_device_setting settings[] = {
        {.def = &auth_def, .param = &auth_param, .value = "True"},
        {.def = &auth_def, .param = &auth_param, .value = "Perhaps"}};
    char *before = dump();
    assert_int_equal(dpk_device_set(dev, NULL, settings, 2, NULL), DPK_ERR_RANGE);
    char *after = dump();
    assert_string_equal(before, after);
    free(after);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(applied_values_count_after_the_reset),
        TEST(the_owner_hands_over_to_another),
        TEST(a_file_that_keeps_nothing_removes_the_owner),
        TEST(a_file_that_keeps_nothing_but_carries_the_key_keeps_the_owner),
        TEST(users_override_what_the_owner_lets_them),
        TEST(users_cannot_set_what_the_owner_protects),
        TEST(a_protected_value_beats_what_users_set_before),
        TEST(erase_lower_priority_drops_what_users_set),
        TEST(per_tlv_priority_writes_at_the_tlvs_own),
        TEST(per_tlv_priority_never_rises_above_the_file),
        TEST(what_nvidia_protects_the_owner_cannot_override),
        TEST(disable_override_refuses_to_change_a_tlv),
        TEST(rd_en_0_hides_a_value_from_users),
        TEST(users_cannot_set_the_owners_key),
        TEST(a_bad_value_among_good_ones_sets_none),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
