/* runtime/device/state: which changes are synced to disk, and which calls work on a read-only disk.
 * */
#include "device/admin/admin.h"

#include <string.h>

#include "cut.h"
#include "golden.h"

#include "device_world.h"

static const char *const state_files[] = {"devices/dev0/device.db", "devices/dev0/device.db-wal",
                                          "devices/dev0/device.db-shm"};
static bool log_a_load(char *why, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_device *mine = NULL;
    enum dpk_status status = dpk_device_open("dev0", &mine, &err);
    if (status == DPK_OK)
        status = dpk_device_log(mine, "load", "OK", "app hello: OK", &err);
    dpk_device_close(mine);
    snprintf(why, size, "%s", err.message);
    return status == DPK_OK;
}

static bool log_a_refusal(char *why, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_device *mine = NULL;
    enum dpk_status status = dpk_device_open("dev0", &mine, &err);
    if (status == DPK_OK)
        status = dpk_device_log(mine, "load", "UNSIGNED", "app hello", &err);
    dpk_device_close(mine);
    snprintf(why, size, "%s", err.message);
    return status == DPK_OK;
}

static void loads_cost_no_syncs_but_now_and_then(void **state)
{
    (void)state;
    char why[1024];
    unsigned syncs = 0;
    dpk_device_close(dev);
    dev = NULL;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(cut_do(CUT_NOTHING, 0, log_a_load, why, sizeof why), CUT_DONE);
        syncs += cut->syncs;
    }
    assert_true(syncs > 0 && syncs <= 20);
    for (size_t i = 1; i < 3; i++) { /* the journal stays small */
        struct stat st;
        assert_true(stat(file_in_world(state_files[i]), &st) != 0 || st.st_size < 150 * 4096);
    }
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    assert_int_equal(last_event().count, 101);
}

static void refused_loads_are_synced(void **state)
{
    (void)state;
    char why[1024];
    dpk_device_close(dev);
    dev = NULL;
    assert_int_equal(cut_do(CUT_NOTHING, 0, log_a_refusal, why, sizeof why), CUT_DONE);
    assert_true(cut->syncs > 0);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

/* ---- Where nothing may be written ---- */

static bool set_true(char *why, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_device *mine = NULL;
    struct dpk_device_setting setting = {.def = &auth_def, .param = &auth_param, .value = "True"};
    enum dpk_status status = dpk_device_open("dev0", &mine, &err);
    if (status == DPK_OK)
        status = dpk_device_set(mine, NULL, &setting, 1, &err);
    dpk_device_close(mine);
    snprintf(why, size, "%s", err.message);
    return status == DPK_OK;
}

static bool is_set(void)
{
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    bool set = get(DPK_VIEW_NEXT, &auth_def).data[0] == 0x80;
    dpk_device_close(dev);
    dev = NULL;
    return set;
}

/* An owner, and a user's value for the next boot, which the journal has: whoever set it was killed
 * as soon as it was there. */
static void close_with_journal(void)
{
    struct stat st;
    char why[1024];
    claim();
    dpk_device_close(dev);
    dev = NULL;
    for (unsigned at = 1; !is_set(); at++)
        assert_int_equal(cut_do(CUT_KILL, at, set_true, why, sizeof why), CUT_KILLED);
    assert_int_equal(stat(file_in_world(state_files[1]), &st), 0);
    assert_true(st.st_size > 0);
}

static void clear_journal(void)
{
    struct stat st;
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(file_in_world(state_files[0]), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_true(stat(file_in_world(state_files[1]), &st) != 0);
}

static bool look_around(char *why, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_device *mine = NULL;
    struct dpk_device_info info = {0};
    struct dpk_device_value value = {0};
    enum dpk_status status = dpk_device_open("dev0", &mine, &err);
    if (status == DPK_OK)
        status = dpk_device_info(mine, &info, &err);
    if (status == DPK_OK)
        status = dpk_device_get(mine, DPK_VIEW_NEXT, &auth_def, &value, &err);
    if (status == DPK_OK)
        status = dpk_device_log(mine, "load", "OK", "app hello: OK", &err);
    dpk_device_close(mine);
    snprintf(why, size, "%s", err.message);
    return status == DPK_OK && info.has_owner && value.data[0] == 0x80;
}

static bool boot(char *why, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_device *mine = NULL;
    enum dpk_status status = dpk_device_open("dev0", &mine, &err);
    if (status == DPK_OK)
        status = dpk_device_reset(mine, &err);
    dpk_device_close(mine);
    snprintf(why, size, "%s", err.message);
    return status == DPK_OK;
}

static void expect_readable_only(void)
{
    char why[1024];
    if (cut_do(CUT_READ_ONLY, 0, look_around, why, sizeof why) != CUT_DONE)
        fail_msg("not to be read: %s", why);
    assert_int_equal(cut_do(CUT_READ_ONLY, 0, boot, why, sizeof why), CUT_REFUSED);
    assert_non_null(strstr(why, "device.db: the device's state is read-only"));
}

static void a_read_only_device_is_read_with_its_journal(void **state)
{
    (void)state;
    close_with_journal();
    expect_readable_only();
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

static void a_read_only_device_is_read_without_a_journal(void **state)
{
    (void)state;
    close_with_journal();
    clear_journal();
    expect_readable_only();
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

/* Half of what it is would be in the journal. */
static void a_read_only_device_that_was_copied_in_part_is_refused(void **state)
{
    (void)state;
    char why[1024];
    close_with_journal();
    unlink(file_in_world(state_files[2]));
    assert_int_equal(cut_do(CUT_READ_ONLY, 0, look_around, why, sizeof why), CUT_REFUSED);
    assert_non_null(strstr(why, "device.db-shm: copy the whole directory"));
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

/* A device that dpakit 0.1 made has no seal, and cannot get a seal here. */
static void a_read_only_device_of_before_is_read_as_it_is(void **state)
{
    (void)state;
    sqlite3 *db = NULL;
    close_with_journal();
    assert_int_equal(sqlite3_open(file_in_world(state_files[0]), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, BECOMES_UNSEALED, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    expect_readable_only();
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(loads_cost_no_syncs_but_now_and_then),
        TEST(refused_loads_are_synced),
        TEST(a_read_only_device_is_read_with_its_journal),
        TEST(a_read_only_device_is_read_without_a_journal),
        TEST(a_read_only_device_that_was_copied_in_part_is_refused),
        TEST(a_read_only_device_of_before_is_read_as_it_is),
    };
    return cmocka_run_group_tests(tests, make_world_and_cut, free_world);
}
