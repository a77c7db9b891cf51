/* runtime/device/state: the rights of debuggers, who sets them, and the life cycle on which they
 * depend. */
#include "device_world.h"

enum { DEFAULT, ENABLED, DISABLED, UNDEFINED }; /* DPAKIT_DPA_DEBUG */

static struct dpk_nv_list debug_list(uint32_t flags, unsigned value, size_t size)
{
    struct dpk_nv_list list = vendor(flags);
    uint8_t data[8] = {(uint8_t)(value << 6)};
    put_tlv(&list, DPK_NV_GLOBAL, DPK_NV_INDEX_DPAKIT_DEBUG, size, true, data, size);
    return list;
}

static struct dpk_buf debug_file(unsigned value)
{
    return by_owner(debug_list(KEEP, value, 4));
}

static enum dpk_debug_rights rights(enum dpk_device_view view)
{
    enum dpk_debug_rights may = DPK_DEBUG_ALL;
    struct dpk_error err = {0};
    if (dpk_device_debug_rights(dev, view, &may, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return may;
}

static void lock_device(void)
{
    accept(dpk_device_apply, claim_file());
    accept(dpk_device_apply, auth_file(true, false));
    reset();
}

static void without_authentication_debuggers_may_do_everything(void **state)
{
    (void)state;
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_ALL);
    accept(dpk_device_apply, claim_file());
    accept(dpk_device_apply, debug_file(DISABLED));
    reset(); /* what anybody may load anybody may debug */
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_ALL);
}

static void with_authentication_debuggers_may_look(void **state)
{
    (void)state;
    accept(dpk_device_apply, claim_file());
    accept(dpk_device_apply, auth_file(true, false));
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_ALL);
    assert_int_equal(rights(DPK_VIEW_NEXT), DPK_DEBUG_READ);
    reset();
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_READ);
    accept(dpk_device_apply, debug_file(ENABLED));
    reset();
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_READ);
}

static void the_development_life_cycle_lets_them_change_what_they_debug(void **state)
{
    (void)state;
    struct dpk_device_info info;
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_OK);
    assert_true(info.development);
    lock_device();
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_ALL);
}

static void the_owner_may_forbid_debuggers_and_allow_them_again(void **state)
{
    (void)state;
    lock_device();
    accept(dpk_device_apply, debug_file(DISABLED));
    assert_int_not_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_NONE);
    assert_int_equal(rights(DPK_VIEW_NEXT), DPK_DEBUG_NONE);
    reset();
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_NONE);
    accept(dpk_device_apply, debug_file(ENABLED));
    reset();
    assert_int_not_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_NONE);
}

static void a_value_without_a_meaning_forbids_them(void **state)
{
    (void)state;
    lock_device();
    accept(dpk_device_apply, debug_file(UNDEFINED));
    reset();
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_NONE);
}

static void users_cannot_change_it_by_name_or_as_a_tlv(void **state)
{
    (void)state;
    static const struct dpk_nv_param param = {.name = "dpa_debug",
                                              .config_name = "DPAKIT_DPA_DEBUG",
                                              .type = DPK_NV_UNSIGNED,
                                              .low_bit = 30,
                                              .bits = 2};
    static const struct dpk_nv_def def = {.name = "nv_dpakit_debug",
                                          .index = DPK_NV_INDEX_DPAKIT_DEBUG,
                                          .class_id = DPK_NV_GLOBAL,
                                          .size = 4};
    const struct dpk_device_setting setting = {.def = &def, .param = &param, .value = "1"};
    struct dpk_nv_tlv tlv = {.class_id = DPK_NV_GLOBAL,
                             .index = DPK_NV_INDEX_DPAKIT_DEBUG,
                             .priority = DPK_NV_USER,
                             .ovr_en = true,
                             .rd_en = true,
                             .size = 4,
                             .data = {ENABLED << 6}};
    struct dpk_nv_list list = {.items = &tlv, .count = 1};
    struct dpk_error err = {0};
    struct dpk_device_value value;
    for (int owned = 0; owned < 2; owned++) {
        assert_int_equal(dpk_device_set(dev, NULL, &setting, 1, &err), DPK_ERR_REFUSED);
        assert_non_null(strstr(err.message, "only a signed file can change it"));
        assert_string_equal(last_event().result, "READ_ONLY");
        assert_int_equal(dpk_device_set_tlvs(dev, &list, &err), DPK_ERR_REFUSED);
        assert_string_equal(last_event().result, "READ_ONLY");
        assert_int_equal(dpk_device_get(dev, DPK_VIEW_NEXT, &def, &value, NULL), DPK_OK);
        assert_true(value.read_only);
        if (!owned) {
            lock_device();
            accept(dpk_device_apply, debug_file(DISABLED));
            reset();
        }
    }
    assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
    reset();
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_NONE);
}

/* Per_tlv_priority would make it a user's, who could then drop it. */
static void it_keeps_the_priority_of_its_file(void **state)
{
    (void)state;
    lock_device();
    struct dpk_nv_list list = debug_list(KEEP | PER_TLV, DISABLED, 4);
    list.items[list.count - 1].priority = DPK_NV_USER;
    accept(dpk_device_apply, by_owner(list));
    assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
    reset();
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_NONE);
}

static void one_of_another_size_is_refused(void **state)
{
    (void)state;
    lock_device();
    refuse(dpk_device_apply, by_owner(debug_list(KEEP, ENABLED, 8)), DPK_REJECT_BAD_FORMAT);
}

static void execute(const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(
        sqlite3_open_v2(file_in_world("devices/dev0/device.db"), &db, SQLITE_OPEN_READWRITE, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void a_device_without_a_life_cycle_is_in_production(void **state)
{
    (void)state;
    struct dpk_device_info info;
    lock_device();
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_OK);
    assert_false(info.development);
    assert_int_equal(rights(DPK_VIEW_CURRENT), DPK_DEBUG_READ);
}

static void a_life_cycle_that_is_none_is_damage(void **state)
{
    (void)state;
    enum dpk_debug_rights may = DPK_DEBUG_ALL;
    struct dpk_device_info info;
    lock_device();
    execute("INSERT OR REPLACE INTO meta VALUES ('life_cycle', 'developmenu')");
    assert_int_equal(dpk_device_debug_rights(dev, DPK_VIEW_CURRENT, &may, NULL), DPK_ERR_FORMAT);
    assert_int_equal(may, DPK_DEBUG_NONE);
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_ERR_FORMAT);
}

static bool imported_is_development(void)
{
    struct dpk_buf archive = {0};
    struct dpk_device *copy = NULL;
    struct dpk_device_info info = {0};
    struct dpk_error err = {0};
    assert_int_equal(dpk_device_export(dev, false, &archive, &err), DPK_OK);
    if (dpk_device_import("copy", archive.data, archive.size, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(dpk_device_open("copy", &copy, NULL), DPK_OK);
    assert_int_equal(dpk_device_info(copy, &info, NULL), DPK_OK);
    dpk_device_close(copy);
    assert_int_equal(dpk_device_delete("copy", NULL), DPK_OK);
    dpk_buf_free(&archive);
    return info.development;
}

static void archives_carry_the_life_cycle(void **state)
{
    (void)state;
    assert_true(imported_is_development());
}

static void archives_of_a_production_device_make_one(void **state)
{
    (void)state;
    assert_false(imported_is_development());
}

#define ON(test, how) cmocka_unit_test_setup_teardown(test, how, drop_device)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(without_authentication_debuggers_may_do_everything, fresh_device),
        ON(with_authentication_debuggers_may_look, fresh_device),
        ON(the_development_life_cycle_lets_them_change_what_they_debug, fresh_development),
        ON(the_owner_may_forbid_debuggers_and_allow_them_again, fresh_device),
        ON(the_owner_may_forbid_debuggers_and_allow_them_again, fresh_development),
        ON(a_value_without_a_meaning_forbids_them, fresh_development),
        ON(users_cannot_change_it_by_name_or_as_a_tlv, fresh_device),
        ON(it_keeps_the_priority_of_its_file, fresh_device),
        ON(one_of_another_size_is_refused, fresh_device),
        ON(a_device_without_a_life_cycle_is_in_production, fresh_device),
        ON(a_life_cycle_that_is_none_is_damage, fresh_device),
        ON(archives_carry_the_life_cycle, fresh_development),
        ON(archives_of_a_production_device_make_one, fresh_device),
    };
    return cmocka_run_group_tests_name("device_debug", tests, make_world, free_world);
}
