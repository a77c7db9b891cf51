/* runtime/device/state: the event log has every event with its user, up to a limit. */
#include "device/admin/admin.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "golden.h"

#include "device_world.h"

static struct dpk_device_event last;
static char texts[4][2000];

static void keep_event(void *context, const struct dpk_device_event *event)
{
    (void)context;
    last = *event;
    snprintf(texts[0], sizeof texts[0], "%s", event->command);
    snprintf(texts[1], sizeof texts[1], "%s", event->action);
    snprintf(texts[2], sizeof texts[2], "%s", event->result);
    snprintf(texts[3], sizeof texts[3], "%s", event->detail);
}

static void an_event_says_who_when_and_what(void **state)
{
    (void)state;
    time_t before = time(NULL);
    assert_int_equal(dpk_device_log(dev, "load", "UNSIGNED", "app hello", NULL), DPK_OK);
    assert_int_equal(dpk_device_events(dev, 1, keep_event, NULL, NULL), DPK_OK);
    assert_true(last.time >= before && last.time <= time(NULL));
    assert_int_equal(last.uid, getuid());
    assert_int_equal(last.pid, getpid());
    assert_string_equal(texts[0], "test_device_log");
    assert_string_equal(texts[1], "load");
    assert_string_equal(texts[2], "UNSIGNED");
    assert_string_equal(texts[3], "app hello");
}

static void everything_that_changes_a_device_is_logged(void **state)
{
    (void)state;
    claim();
    assert_string_equal(last_event().action, "apply");
    assert_int_equal(set_auth("True"), DPK_OK);
    assert_string_equal(last_event().action, "set");
    assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
    assert_string_equal(last_event().action, "reset");
    reset();
    assert_string_equal(last_event().action, "boot");
    assert_int_equal(last_event().count, 5);
}

static void a_long_story_is_cut(void **state)
{
    (void)state;
    char story[4000];
    memset(story, 'x', sizeof story - 1);
    story[sizeof story - 1] = 0;
    assert_int_equal(dpk_device_log(dev, "load", "OK", story, NULL), DPK_OK);
    assert_int_equal(dpk_device_events(dev, 1, keep_event, NULL, NULL), DPK_OK);
    assert_int_equal(strlen(texts[3]), DPK_DEVICE_DETAIL_MAX);
}

static void fill_log(const char *action, unsigned count)
{
    sqlite3 *db = NULL;
    char sql[400];
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT %u) "
             "INSERT INTO log (time, uid, pid, command, action, result, detail) "
             "SELECT i, 0, i, 'host', '%s', 'OK', '' FROM n",
             count, action);
    assert_int_equal(sqlite3_open(file_in_world("devices/dev0/device.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static int loads, others;

static void count_event(void *context, const struct dpk_device_event *event)
{
    (void)context;
    if (strcmp(event->action, "load") == 0)
        loads++;
    else
        others++;
}

static void look_at_log(void)
{
    loads = others = 0;
    assert_int_equal(dpk_device_events(dev, 0, count_event, NULL, NULL), DPK_OK);
}

/* The log has grown to a number of events that ends in 000: old ones have gone. */
static void one_more_thousand(const char *action)
{
    do {
        assert_int_equal(dpk_device_log(dev, action, "OK", "", NULL), DPK_OK);
        assert_int_equal(dpk_device_events(dev, 1, keep_event, NULL, NULL), DPK_OK);
    } while (last.id % DPK_DEVICE_LOG_SLACK != 0);
}

static void old_loads_go_and_nothing_else(void **state)
{
    (void)state;
    fill_log("load", DPK_DEVICE_LOADS_KEPT + DPK_DEVICE_LOG_SLACK - 20);
    one_more_thousand("load");
    look_at_log();
    assert_int_equal(loads, DPK_DEVICE_LOADS_KEPT);
    assert_int_equal(others, 1); /* the creation, older than all of them */
}

static void old_changes_go_at_last(void **state)
{
    (void)state;
    fill_log("load", 30);
    fill_log("apply", DPK_DEVICE_OTHERS_KEPT + DPK_DEVICE_LOG_SLACK - 50);
    one_more_thousand("apply");
    look_at_log();
    assert_int_equal(others, DPK_DEVICE_OTHERS_KEPT);
    assert_int_equal(loads, 30);
}

/* Eight programs apply for half a minute, or until the log would begin to forget, each remembering
 * what it was told: every success is in the log, and no other. On a slow machine one may be told
 * that the device is busy, and tries again. */
enum { WRITERS = 8, SECONDS = 30, MOST = DPK_DEVICE_OTHERS_KEPT / WRITERS - 10 };

static void apply_for_a_while(int told, const struct dpk_buf *on, const struct dpk_buf *off)
{
    struct dpk_device *mine = NULL;
    struct dpk_error err = {0};
    uint32_t done = 0;
    enum dpk_status status = DPK_OK;
    bool ok = true;
    for (time_t end = time(NULL) + SECONDS; ok && time(NULL) < end && done + 4 <= MOST;) {
        status = dpk_device_open("dev0", &mine, &err);
        for (int i = 0; status == DPK_OK && i < 4; i++) {
            const struct dpk_buf *file = i % 2 ? off : on;
            status = dpk_device_apply(mine, file->data, file->size, NULL, &err);
            done += status == DPK_OK;
        }
        ok = status == DPK_OK || status == DPK_ERR_TIMEOUT;
        dpk_device_close(mine);
        mine = NULL;
    }
    if (!ok)
        fprintf(stderr, "after %u: %s\n", done, err.message);
    ok = write(told, &done, sizeof done) == sizeof done && ok;
    _exit(ok ? 0 : 1);
}

static int successes(pid_t pid)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_open(file_in_world("devices/dev0/device.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT count(*) FROM log WHERE action = 'apply' AND "
                                        "result = 'OK' AND pid = ?",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    sqlite3_bind_int64(stmt, 1, pid);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int count = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return count;
}

static void eight_writers_lose_nothing(void **state)
{
    (void)state;
    pid_t children[WRITERS];
    int pipes[WRITERS][2];
    uint32_t all = 0;
    claim();
    struct dpk_buf on = auth_file(true, true), off = auth_file(false, true);
    dpk_device_close(dev);
    dev = NULL;
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        children[i] = fork();
        if (children[i] == 0)
            apply_for_a_while(pipes[i][1], &on, &off);
        close(pipes[i][1]);
    }
    for (int i = 0; i < WRITERS; i++) {
        uint32_t done = 0;
        int status;
        assert_int_equal(read(pipes[i][0], &done, sizeof done), sizeof done);
        close(pipes[i][0]);
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_int_equal(successes(children[i]), done);
        all += done;
    }
    assert_true(all > 0);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    assert_true(owned_by(OWNER_UUID));
    dpk_buf_free(&off);
    dpk_buf_free(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_event_says_who_when_and_what),
        TEST(everything_that_changes_a_device_is_logged),
        TEST(a_long_story_is_cut),
        TEST(old_loads_go_and_nothing_else),
        TEST(old_changes_go_at_last),
        TEST(eight_writers_lose_nothing),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
