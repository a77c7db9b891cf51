/* runtime/device/state: devices as files: names, permissions, damage, writers at once. */
#include "device/admin/admin.h"

#include <openssl/rand.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "golden.h"

#include "device_world.h"

/* ---- Devices as files ---- */

static void a_device_answers_to_paths_and_its_alias(void **state)
{
    (void)state;
    static const char *const words[] = {"dev0", "/dev/mst/dev0", "mt41692_pciconf0",
                                        "/dev/mst/mt41692_pciconf0"};
    for (size_t i = 0; i < 4; i++) {
        struct dpk_device *again = NULL;
        assert_int_equal(dpk_device_open(words[i], &again, NULL), DPK_OK);
        assert_string_equal(dpk_device_name(again), "dev0");
        dpk_device_close(again);
    }
}

static void an_unknown_device_names_those_there_are(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_device *none = NULL;
    assert_int_equal(dpk_device_open("mlx5_9", &none, &err), DPK_ERR_NOT_FOUND);
    assert_null(none);
    assert_non_null(strstr(err.message, "there are: dev0"));
}

static void names_that_are_taken_or_bad_are_refused(void **state)
{
    (void)state;
    assert_int_equal(create_device("dev0"), DPK_ERR_EXISTS);
    assert_int_equal(create_device("mt41692_pciconf0"), DPK_ERR_EXISTS);
    assert_int_equal(create_device(""), DPK_ERR_USAGE);
    assert_int_equal(create_device(".."), DPK_ERR_USAGE);
    assert_int_equal(create_device("a/b"), DPK_ERR_USAGE);
}

static void devices_are_listed_without_aliases(void **state)
{
    (void)state;
    struct dpk_names names = {0};
    assert_int_equal(create_device("another"), DPK_OK);
    assert_int_equal(dpk_device_list(&names, NULL), DPK_OK);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.names[0], "another");
    assert_string_equal(names.names[1], "dev0");
    dpk_names_free(&names);
    assert_int_equal(dpk_device_delete("mt41692_pciconf1", NULL), DPK_OK);
    assert_int_equal(dpk_device_list(&names, NULL), DPK_OK);
    assert_int_equal(names.count, 1);
    dpk_names_free(&names);
}

static void only_the_owner_may_read_a_device(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(stat(file_in_world("devices/dev0"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(file_in_world("devices/dev0/device.db"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_directory_that_others_may_write_is_refused(void **state)
{
    (void)state;
    struct dpk_device *again = NULL;
    struct dpk_error err = {0};
    assert_int_equal(chmod(file_in_world("devices/dev0"), 0770), 0);
    enum dpk_status status = dpk_device_open("dev0", &again, &err);
    assert_int_equal(chmod(file_in_world("devices/dev0"), 0700), 0);
    assert_int_equal(status, DPK_ERR_REFUSED);
    assert_int_equal(chmod(file_in_world("devices"), 0777), 0);
    status = dpk_device_open("dev0", &again, &err);
    assert_int_equal(chmod(file_in_world("devices"), 0700), 0);
    assert_int_equal(status, DPK_ERR_REFUSED);
}

/* The shortest of ten, in seconds of processor time: the same however busy the machine is. */
static double time_to_open(void)
{
    double best = 1e9;
    for (int i = 0; i < 10; i++) {
        struct dpk_device *again = NULL;
        struct timespec begin, end;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        assert_int_equal(dpk_device_open("dev0", &again, NULL), DPK_OK);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        dpk_device_close(again);
        double took =
            (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
        best = took < best ? took : best;
    }
    return best;
}

/* Every load of a program is logged, and begins with opening the device. */
static void a_long_log_does_not_slow_the_device(void **state)
{
    (void)state;
    sqlite3 *db = NULL;
    double before = time_to_open();
    assert_int_equal(sqlite3_open(file_in_world("devices/dev0/device.db"), &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) "
                     "INSERT INTO log (time, uid, pid, command, action, result, detail) "
                     "SELECT i, 0, i, 'host', 'load', 'OK', 'app hello: OK' FROM n",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    assert_true(time_to_open() < 0.02 + 5 * before);
}

static void damaged_state_is_reported(void **state)
{
    (void)state;
    struct dpk_device *again = NULL;
    struct dpk_error err = {0};
    FILE *f;
    dpk_device_close(dev);
    dev = NULL;
    f = fopen(file_in_world("devices/dev0/device.db"), "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, 4096, SEEK_SET), 0);
    for (int i = 0; i < 4096; i++)
        fputc(0xa5, f);
    fclose(f);
    assert_int_equal(dpk_device_open("dev0", &again, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "damaged"));
    assert_int_equal(truncate(file_in_world("devices/dev0/device.db"), 100), 0);
    assert_int_not_equal(dpk_device_open("dev0", &again, &err), DPK_OK);
    assert_int_equal(truncate(file_in_world("devices/dev0/device.db"), 0), 0);
    assert_int_not_equal(dpk_device_open("dev0", &again, &err), DPK_OK);
}

static void two_writers_take_turns(void **state)
{
    (void)state;
    enum { WRITERS = 4, EACH = 10 };
    int before = last_event().count;
    pid_t children[WRITERS];
    dpk_device_close(dev);
    dev = NULL;
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct dpk_device *mine = NULL;
            bool ok = dpk_device_open("dev0", &mine, NULL) == DPK_OK;
            for (int k = 0; ok && k < EACH; k++) {
                struct dpk_device_setting setting = {
                    .def = &auth_def, .param = &auth_param, .value = k % 2 ? "True" : "False"};
                ok = dpk_device_set(mine, NULL, &setting, 1, NULL) == DPK_OK;
            }
            dpk_device_close(mine);
            _exit(ok ? 0 : 1);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    assert_int_equal(last_event().count, before + WRITERS * EACH);
}

/* Killed at any instant, the device has a whole owner's key or none, and opens. */
static void a_killed_writer_leaves_all_or_nothing(void **state)
{
    (void)state;
    struct dpk_buf on = claim_file(), off = by_owner(vendor(0));
    for (int round = 0; round < 12; round++) {
        dpk_device_close(dev);
        dev = NULL;
        pid_t child = fork();
        if (child == 0) {
            struct dpk_device *mine = NULL;
            if (dpk_device_open("dev0", &mine, NULL) != DPK_OK)
                _exit(1);
            for (;;) {
                (void)dpk_device_apply(mine, on.data, on.size, NULL, NULL);
                (void)dpk_device_apply(mine, off.data, off.size, NULL, NULL);
            }
        }
        usleep(15000 + 1700 * (unsigned)round);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        struct dpk_error err = {0};
        struct dpk_device_info info;
        if (dpk_device_open("dev0", &dev, &err) != DPK_OK)
            fail_msg("%s", err.message);
        if (dpk_device_info(dev, &info, &err) != DPK_OK)
            fail_msg("%s", err.message);
    }
    dpk_buf_free(&off);
    dpk_buf_free(&on);
}

static void a_factory_pair_plays_nvidias_part(void **state)
{
    (void)state;
    struct dpk_device_plan plan = {.name = "made"};
    struct dpk_signer *s = NULL;
    struct dpk_buf text = {0};
    struct stat st;
    struct dpk_nv_list list = vendor(KEEP);
    char keypair[DPK_UUID_TEXT];
    dpk_device_close(dev);
    assert_int_equal(dpk_device_create(&plan, NULL, NULL), DPK_OK);
    assert_int_equal(stat(file_in_world("devices/made/factory/nvidia.pem"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(
        dpk_signer_open(file_in_world("devices/made/factory/nvidia.pem"), NULL, &s, NULL), DPK_OK);
    assert_int_equal(
        dpk_file_read(file_in_world("devices/made/factory/nvidia.uuid"), 100, &text, NULL), DPK_OK);
    snprintf(keypair, sizeof keypair, "%.36s", (char *)text.data);
    assert_int_equal(dpk_device_open("made", &dev, NULL), DPK_OK);
    put_key(&list, world.owner, OWNER_UUID);
    accept(dpk_device_apply, sign(list, s, keypair));
    assert_true(owned_by(OWNER_UUID));
    dpk_buf_free(&text);
    dpk_signer_close(s);
    dpk_device_close(dev);
    assert_int_equal(dpk_device_delete("made", NULL), DPK_OK);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

static void the_log_keeps_what_the_loader_says(void **state)
{
    (void)state;
    assert_int_equal(dpk_device_log(dev, "load", "UNSIGNED", "app hello", NULL), DPK_OK);
    assert_string_equal(last_event().action, "load");
    assert_string_equal(last_event().result, "UNSIGNED");
}

static bool no_random;

/* Instead of OpenSSL's. */
int RAND_bytes(unsigned char *buf, int num)
{
    return !no_random && getrandom(buf, (size_t)num, 0) == num;
}

static void no_device_is_made_without_random_numbers(void **state)
{
    (void)state;
    struct dpk_names names = {0};
    no_random = true;
    assert_int_equal(create_device("another"), DPK_ERR_CRYPTO);
    no_random = false;
    assert_int_equal(dpk_device_list(&names, NULL), DPK_OK);
    assert_int_equal(names.count, 1);
    dpk_names_free(&names);
    assert_int_equal(create_device("another"), DPK_OK);
    assert_int_equal(dpk_device_delete("mt41692_pciconf1", NULL), DPK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_device_answers_to_paths_and_its_alias),
        TEST(an_unknown_device_names_those_there_are),
        TEST(names_that_are_taken_or_bad_are_refused),
        TEST(devices_are_listed_without_aliases),
        TEST(only_the_owner_may_read_a_device),
        TEST(a_directory_that_others_may_write_is_refused),
        TEST(a_long_log_does_not_slow_the_device),
        TEST(damaged_state_is_reported),
        TEST(two_writers_take_turns),
        TEST(a_killed_writer_leaves_all_or_nothing),
        TEST(a_factory_pair_plays_nvidias_part),
        TEST(the_log_keeps_what_the_loader_says),
        TEST(no_device_is_made_without_random_numbers),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
