/* runtime/device/state: the power goes, the disk is full, the file system is read-only: at every call
 * that changes a file the device stays whole, as before or as after. */
#include "device/admin/admin.h"

#include <string.h>

#include "cut.h"
#include "golden.h"

#include "device_containers.h"
#include "device_world.h"

static const char *const state_files[] = {"devices/dev0/device.db", "devices/dev0/device.db-wal",
                                          "devices/dev0/device.db-shm"};
static struct dpk_buf saved[3], file;

/* What the device is, log included: text of malloc. */
static char *look(int *events)
{
    struct dpk_error err = {0};
    if (dpk_device_open("dev0", &dev, &err) != DPK_OK)
        fail_msg("%s", err.message);
    *events = last_event().count;
    dpk_device_close(dev);
    dev = NULL;
    return dump();
}

static void save_state(void)
{
    dpk_device_close(dev);
    dev = NULL;
    for (size_t i = 0; i < 3; i++) {
        dpk_buf_free(&saved[i]);
        (void)dpk_file_read(file_in_world(state_files[i]), DPK_FILE_MAX, &saved[i], NULL);
    }
    assert_true(saved[0].size > 0);
}

static void restore_state(void)
{
    for (size_t i = 0; i < 3; i++) {
        unlink(file_in_world(state_files[i]));
        if (saved[i].size)
            assert_int_equal(dpk_file_replace(file_in_world(state_files[i]), saved[i].data,
                                              saved[i].size, 0600, NULL),
                             DPK_OK);
    }
}

/* ---- Deeds ---- */

/* Opens the device, does it, closes it, as a tool would. */
static bool with_device(enum dpk_status (*how)(struct dpk_device *, struct dpk_error *), char *why,
                        size_t size)
{
    struct dpk_error err = {0};
    struct dpk_device *mine = NULL;
    enum dpk_status status = dpk_device_open("dev0", &mine, &err);
    if (status == DPK_OK)
        status = how(mine, &err);
    dpk_device_close(mine);
    snprintf(why, size, "%s", err.message);
    return status == DPK_OK;
}

static enum dpk_status apply_file(struct dpk_device *d, struct dpk_error *err)
{
    return dpk_device_apply(d, file.data, file.size, NULL, err);
}

static enum dpk_status burn_file(struct dpk_device *d, struct dpk_error *err)
{
    return dpk_device_burn(d, file.data, file.size, NULL, err);
}

static enum dpk_status set_true(struct dpk_device *d, struct dpk_error *err)
{
    struct dpk_device_setting setting = {.def = &auth_def, .param = &auth_param, .value = "True"};
    return dpk_device_set(d, NULL, &setting, 1, err);
}

static bool do_apply(char *why, size_t size)
{
    return with_device(apply_file, why, size);
}

static bool do_burn(char *why, size_t size)
{
    return with_device(burn_file, why, size);
}

static bool do_set(char *why, size_t size)
{
    return with_device(set_true, why, size);
}

static bool do_drop(char *why, size_t size)
{
    return with_device(dpk_device_drop_user_settings, why, size);
}

static bool do_reset(char *why, size_t size)
{
    return with_device(dpk_device_reset, why, size);
}

/* ---- The sweep over all calls ---- */

struct sweep {
    a_deed *deed;
    char *before, *after;
    int events_before;
    unsigned calls;
    bool every; /* call is tried */
};

/* The device as it is now is one of the two; `done` NULL: either. True: the new one. */
static bool is_whole(const struct sweep *s, enum cut_mode mode, unsigned at, const bool *done)
{
    int events;
    char *now = look(&events);
    bool same = strcmp(now, s->before) == 0, changed = strcmp(now, s->after) == 0;
    free(now);
    if (!same && !changed)
        fail_msg("mode %d, call %u of %u: neither before nor after", mode, at, s->calls);
    if (done && *done != changed)
        fail_msg("mode %d, call %u of %u: said %d, did %d", mode, at, s->calls, *done, changed);
    if (events != s->events_before + changed)
        fail_msg("mode %d, call %u of %u: %d events, not %d", mode, at, s->calls, events,
                 s->events_before + changed);
    return changed;
}

/* Every deed is one transaction of one function. The sweep over one deed tries every call; the others try calls
 * beside which the kind of call changes, and every eighth. */
static bool is_tried(const struct sweep *s, enum cut_mode mode, unsigned at)
{
    const unsigned char *kind = &cut_kinds[at - 1];
    if (!cut_matters(mode, at))
        return false;
    if (s->every)
        return cut_in_stride(at);
    return at == 1 || at == s->calls || at % 8 == 0 || at >= sizeof cut_kinds ||
           kind[-1] != kind[0] || kind[1] != kind[0];
}

static void cut_everywhere(struct sweep *s, enum cut_mode mode, const char *words)
{
    char why[1024];
    unsigned kept = 0, changed = 0;
    for (unsigned at = 1; at <= s->calls; at++) {
        if (!is_tried(s, mode, at))
            continue;
        restore_state();
        enum cut_end end = cut_do(mode, at, s->deed, why, sizeof why);
        bool done = end == CUT_DONE;
        if (end == CUT_CRASHED || (end == CUT_REFUSED && words && !strstr(why, words)))
            fail_msg("mode %d, call %u of %u: end %d: %s", mode, at, s->calls, end, why);
        if (is_whole(s, mode, at, end == CUT_KILLED ? NULL : &done)) {
            changed++;
            continue;
        }
        kept++;
        /* The run continues from there. */
        if (cut_do(CUT_NOTHING, 0, s->deed, why, sizeof why) != CUT_DONE)
            fail_msg("mode %d, call %u of %u: then %s", mode, at, s->calls, why);
        done = true;
        is_whole(s, mode, at, &done);
    }
    assert_true(kept > 0);
    assert_true(changed > 0 || mode == CUT_TORN || mode == CUT_FULL || CUT_STRIDE > 1);
}

/* Now it is as before; `deed` changes it. */
static void stays_whole(a_deed *deed, bool every)
{
    char why[1024];
    int events;
    struct sweep s = {.deed = deed, .every = every};
    save_state();
    s.before = look(&s.events_before);
    restore_state();
    if (cut_do(CUT_NOTHING, 0, deed, why, sizeof why) != CUT_DONE)
        fail_msg("%s", why);
    s.calls = cut->calls;
    cut_remember();
    s.after = look(&events);
    assert_string_not_equal(s.before, s.after);
    assert_int_equal(events, s.events_before + 1);
    cut_everywhere(&s, CUT_KILL, NULL);
    cut_everywhere(&s, CUT_TORN, NULL);
    cut_everywhere(&s, CUT_FAIL, "device.db");
    cut_everywhere(&s, CUT_FULL, "o space left on");
    restore_state();
    assert_int_equal(cut_do(CUT_READ_ONLY, 0, deed, why, sizeof why), CUT_REFUSED);
    assert_non_null(strstr(why, "read-only"));
    assert_false(is_whole(&s, CUT_READ_ONLY, 0, NULL));
    restore_state();
    free(s.after);
    free(s.before);
    dpk_buf_free(&file);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

static void claiming_is_whole_or_not_at_all(void **state)
{
    (void)state;
    file = claim_file();
    stays_whole(do_apply, true);
}

/* More pages than the journal may keep: closing copies them into the database. */
static void a_large_file_is_applied_whole_or_not_at_all(void **state)
{
    (void)state;
    claim();
    for (uint32_t first = 5000; first < 5400; first += 200) {
        struct dpk_nv_list list = vendor(KEEP);
        uint8_t value[256] = {7};
        for (uint32_t i = 0; i < 200; i++)
            put_tlv(&list, DPK_NV_GLOBAL, first + i, sizeof value, true, value, sizeof value);
        if (first == 5000)
            accept(dpk_device_apply, by_owner(list));
        else
            file = by_owner(list);
    }
    stays_whole(do_apply, false);
}

static void removing_the_owner_is_whole_or_not_at_all(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    file = by_owner(vendor(0));
    stays_whole(do_apply, false);
}

static void burning_is_whole_or_not_at_all(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.keep_sig = true;
    file = owners(&plan);
    stays_whole(do_burn, false);
}

static void removing_certificates_is_whole_or_not_at_all(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan one = add_plan(CERT_UUID), two = add_plan(OTHER_UUID);
    struct dpk_container_plan off = removal(NULL);
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, owners(&two));
    file = owners(&off);
    stays_whole(do_burn, false);
}

static void setting_is_whole_or_not_at_all(void **state)
{
    (void)state;
    stays_whole(do_set, false);
}

static void dropping_settings_is_whole_or_not_at_all(void **state)
{
    (void)state;
    assert_int_equal(set_auth("True"), DPK_OK);
    stays_whole(do_drop, false);
}

static void a_cold_boot_is_whole_or_not_at_all(void **state)
{
    (void)state;
    claim();
    assert_int_equal(set_auth("True"), DPK_OK);
    stays_whole(do_reset, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(claiming_is_whole_or_not_at_all),
        TEST(a_large_file_is_applied_whole_or_not_at_all),
        TEST(removing_the_owner_is_whole_or_not_at_all),
        TEST(burning_is_whole_or_not_at_all),
        TEST(removing_certificates_is_whole_or_not_at_all),
        TEST(setting_is_whole_or_not_at_all),
        TEST(dropping_settings_is_whole_or_not_at_all),
        TEST(a_cold_boot_is_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, make_world_and_cut, free_world);
}
