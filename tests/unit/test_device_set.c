/* runtime/device/state: parameters that users set by name, with the rules of NVIDIA's database. */
#include "device/state/private.h"

#include "device_world.h"

/* Two TLVs with a parameter each. A rule: only one of the two parameters may be 1. */
static const struct dpk_nv_param x_param = {.name = "x",
                                            .config_name = "X",
                                            .type = DPK_NV_UNSIGNED,
                                            .bits = 32,
                                            .rule = "$x + $nv_b.y <= 1"};
static const struct dpk_nv_param y_param = {.name = "y",
                                            .config_name = "Y",
                                            .type = DPK_NV_UNSIGNED,
                                            .bits = 32,
                                            .rule = "$y + $nv_a.x <= 1"};
static const struct dpk_nv_def a = {
    .name = "nv_a", .index = 1000, .size = 4, .params = &x_param, .param_count = 1};
static const struct dpk_nv_def b = {
    .name = "nv_b", .index = 1001, .size = 4, .params = &y_param, .param_count = 1};

static enum dpk_status set(struct dpk_device *d, const char *x, const char *y,
                           struct dpk_error *err)
{
    struct dpk_nv_defs *defs = NULL;
    struct dpk_device_setting list[2];
    size_t count = 0;
    assert_int_equal(dpk_nv_defs_new(&defs, NULL), DPK_OK);
    assert_int_equal(dpk_nv_defs_add(defs, &a, NULL), DPK_OK);
    assert_int_equal(dpk_nv_defs_add(defs, &b, NULL), DPK_OK);
    if (x)
        list[count++] = (struct dpk_device_setting){.def = &a, .param = &x_param, .value = x};
    if (y)
        list[count++] = (struct dpk_device_setting){.def = &b, .param = &y_param, .value = y};
    enum dpk_status status = dpk_device_set(d, defs, list, count, err);
    dpk_nv_defs_free(defs);
    return status;
}

static void rules_see_the_device_as_it_will_be(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    assert_int_equal(set(dev, "0", "1", &err), DPK_OK);
    assert_int_equal(set(dev, "1", NULL, &err), DPK_ERR_RANGE);
    assert_non_null(strstr(err.message, "X: 1 does not fit the other settings; legal: $x + "));
    assert_int_equal(get(DPK_VIEW_NEXT, &a).data[3], 0);
    assert_int_equal(set(dev, "1", "0", &err), DPK_OK);
    assert_int_equal(set(dev, "1", "1", &err), DPK_ERR_RANGE);
    assert_int_equal(get(DPK_VIEW_NEXT, &b).data[3], 0);
}

/* Starts a process that waits for a byte from `begin`, then sets x = 1. Its exit code is the status
 * of the device. */
static pid_t set_x_later(int begin)
{
    char word;
    pid_t child = fork();
    if (child != 0)
        return child;
    struct dpk_device *mine = NULL;
    if (read(begin, &word, 1) != 1 || dpk_device_open("dev0", &mine, NULL) != DPK_OK)
        _exit(99);
    enum dpk_status said = set(mine, "1", NULL, NULL);
    dpk_device_close(mine);
    _exit((int)said);
}

/* Another process starts to set x = 1. Then this process commits y = 1, which forbids x = 1. */
static void rules_hold_against_a_writer_that_was_first(void **state)
{
    (void)state;
    sqlite3 *first = NULL;
    int status = 0, begin[2];
    assert_int_equal(set(dev, "0", "0", NULL), DPK_OK);
    dpk_device_close(dev);
    dev = NULL;
    assert_int_equal(pipe(begin), 0);
    pid_t child = set_x_later(begin[0]);
    assert_int_equal(dpk_db_open(file_in_world("devices/dev0/device.db"), &first, NULL), DPK_OK);
    assert_int_equal(dpk_db_begin(first, NULL), DPK_OK);
    assert_int_equal(
        dpk_db_exec(first, "UPDATE tlv SET data = x'00000001' WHERE view = 2 AND idx = 1001", NULL),
        DPK_OK);
    assert_int_equal(write(begin[1], "x", 1), 1);
    usleep(200000);
    assert_int_equal(dpk_db_end(first, DPK_OK, NULL), DPK_OK);
    sqlite3_close(first);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(begin[0]);
    close(begin[1]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), DPK_ERR_RANGE);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    assert_int_equal(get(DPK_VIEW_NEXT, &a).data[3], 0);
}

/* Starts a process that sets x and y together, to 0 and to 1, until it is killed. */
static pid_t toggle_both(void)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    struct dpk_device_setting list[] = {{.def = &a, .param = &x_param},
                                        {.def = &b, .param = &y_param}};
    struct dpk_device *mine = NULL;
    enum dpk_status status = dpk_device_open("dev0", &mine, NULL);
    for (unsigned i = 0; status == DPK_OK; i++) {
        list[0].value = list[1].value = i % 2 ? "1" : "0";
        status = dpk_device_set(mine, NULL, list, 2, NULL);
    }
    _exit(1);
}

static void what_is_looked_at_is_of_one_moment(void **state)
{
    (void)state;
    enum { LOOKS = 100, SECONDS = 60 };
    unsigned seen[2] = {0}, looks = 0;
    const time_t end = time(NULL) + SECONDS;
    dpk_device_close(dev);
    dev = NULL;
    pid_t child = toggle_both();
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    while (looks < LOOKS || ((seen[0] < 10 || seen[1] < 10) && time(NULL) < end)) {
        assert_int_equal(dpk_device_begin_looking(dev, NULL), DPK_OK);
        uint8_t x = get(DPK_VIEW_NEXT, &a).data[3];
        usleep(500);
        uint8_t y = get(DPK_VIEW_NEXT, &b).data[3];
        dpk_device_end_looking(dev);
        assert_int_equal(x, y);
        seen[x & 1]++;
        looks++;
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(seen[0] > 0 && seen[1] > 0);
}

static void trying_to_set_changes_and_logs_nothing(void **state)
{
    (void)state;
    struct dpk_device_setting setting = {.def = &auth_def, .param = &auth_param, .value = "True"};
    char *before = dump();
    int events = last_event().count;
    assert_int_equal(dpk_device_try_set(dev, NULL, &setting, 1, NULL), DPK_OK);
    char *after = dump();
    assert_string_equal(before, after);
    assert_int_equal(last_event().count, events);
    setting.value = "Perhaps";
    assert_int_equal(dpk_device_try_set(dev, NULL, &setting, 1, NULL), DPK_ERR_RANGE);
    free(after);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rules_see_the_device_as_it_will_be),
        TEST(rules_hold_against_a_writer_that_was_first),
        TEST(what_is_looked_at_is_of_one_moment),
        TEST(trying_to_set_changes_and_logs_nothing),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
