/* lib/base: files that do not have their name yet, and the files that killed programs leave. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base_room.h"

/* ---- Calls that fail, or kill ---- */

static bool no_unnamed; /* as on file systems that do not have such files */
static bool deadly_sync, deadly_rename;

int openat(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (no_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

int fsync(int fd)
{
    (void)fd;
    if (deadly_sync)
        raise(SIGKILL);
    return 0;
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    if (deadly_rename)
        raise(SIGKILL);
    return (int)syscall(SYS_renameat, from_dir, from, to_dir, to);
}

static int leave_and_mend(void **state)
{
    no_unnamed = deadly_sync = deadly_rename = false;
    return leave_room(state);
}

/* A program is killed while it writes "f". */
static void write_and_die(bool *deadly)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        *deadly = true;
        (void)dpk_file_replace("f", "secret", 6, 0600, NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void write_well(const char *path)
{
    struct dpk_error err;
    if (replace_with(path, "new", &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_content(path, "new");
}

/* ---- Killed programs ---- */

static void a_file_without_a_name_leaves_nothing(void **state)
{
    (void)state;
    int fd = open(".", O_TMPFILE | O_WRONLY, 0600);
    if (fd < 0)
        skip_because("/tmp has no files without a name");
    close(fd);
    write_and_die(&deadly_sync);
    assert_int_equal(entries("."), 0);
}

static void what_a_killed_program_left_goes_with_the_next_file(void **state)
{
    (void)state;
    no_unnamed = true;
    write_and_die(&deadly_sync);
    assert_int_equal(entries("."), 1);
    write_well("g");
    assert_int_equal(entries("."), 1);
    write_and_die(&deadly_sync);
    no_unnamed = false;
    write_well("g");
    assert_int_equal(entries("."), 1);
}

static void what_is_left_before_the_rename_goes_with_the_next_file(void **state)
{
    (void)state;
    write_file("f", "old", 0600);
    write_and_die(&deadly_rename);
    assert_content("f", "old");
    assert_int_equal(entries("."), 2);
    write_well("g");
    assert_content("f", "old");
    assert_int_equal(entries("."), 2);
}

/* ---- What is not left ---- */

#define TEMP "0123456789abcdef.tmp"

static void what_somebody_works_on_stays(void **state)
{
    (void)state;
    write_file(".dpk-" TEMP, "secret", 0600);
    int fd = open(".dpk-" TEMP, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    write_well("g");
    assert_content(".dpk-" TEMP, "secret");
    close(fd);
    write_well("g");
    assert_int_equal(entries("."), 1);
}

static void what_is_not_a_temporary_file_of_ours_stays(void **state)
{
    (void)state;
    write_file(".dpk-0123.tmp", "mine", 0600);
    write_file(".dpk-0123456789abcdeg.tmp", "mine", 0600);
    write_file(".dpk-" TEMP ".txt", "mine", 0600);
    write_file("dpk-" TEMP, "mine", 0600);
    assert_int_equal(mkdir(".dpk-1"
                           "123456789abcdef.tmp",
                           0700),
                     0);
    assert_int_equal(symlink("dpk-" TEMP, ".dpk-2"
                                          "123456789abcdef.tmp"),
                     0);
    write_file(".dpk-3"
               "123456789abcdef.tmp",
               "mine", 0600);
    assert_int_equal(link(".dpk-3"
                          "123456789abcdef.tmp",
                          "kept"),
                     0);
    assert_int_equal(mkfifo(".dpk-4"
                            "123456789abcdef.tmp",
                            0600),
                     0);
    write_well("g");
    assert_int_equal(entries("."), 10);
}

static void what_another_user_left_stays(void **state)
{
    (void)state;
    write_file(".dpk-" TEMP, "secret", 0666);
    if (chown(".dpk-" TEMP, 65534, 65534) != 0)
        skip_because("only root can be another user");
    write_well("g");
    assert_int_equal(entries("."), 2);
}

/* ---- Without unnamed files ---- */

static void other_file_systems_do_as_well(void **state)
{
    (void)state;
    no_unnamed = true;
    umask(027);
    assert_int_equal(dpk_file_replace("f", "new", 3, 0666, NULL), DPK_OK);
    assert_int_equal(mode_of("f"), 0640);
    assert_int_equal(chmod("f", 0751), 0);
    write_well("f");
    assert_int_equal(mode_of("f"), 0751);
    assert_int_equal(entries("."), 1);
}

/* ---- New files in places that others may write to ---- */

static void a_new_file_takes_the_place_of_a_link(void **state)
{
    (void)state;
    struct stat st;
    write_file("precious", "mine", 0644);
    assert_int_equal(symlink("precious", "f"), 0);
    assert_int_equal(symlink("nowhere", "g"), 0);
    assert_int_equal(dpk_file_create("f", "text", 4, 0600, NULL), DPK_OK);
    assert_int_equal(dpk_file_create("g", "text", 4, 0600, NULL), DPK_OK);
    assert_true(lstat("f", &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0777) == 0600);
    assert_content("f", "text");
    assert_content("g", "text");
    assert_content("precious", "mine");
    assert_int_equal(entries("."), 3);
}

/* Else whoever made it, knowing the name, could read what is written. */
static void a_new_file_has_nothing_of_the_old_one(void **state)
{
    (void)state;
    struct stat st;
    write_file("f", "trap", 0666);
    bool root = chown("f", 65534, 65534) == 0;
    int fd = open("f", O_RDONLY);
    assert_int_equal(dpk_file_create("f", "text", 4, 0600, NULL), DPK_OK);
    assert_true(stat("f", &st) == 0 && (st.st_mode & 0777) == 0600);
    assert_true(!root || st.st_uid == 0);
    char old[5] = "";
    assert_int_equal(read(fd, old, 4), 4);
    assert_string_equal(old, "trap");
    close(fd);
}

static void a_new_file_is_no_directory_and_no_pipe(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    assert_int_equal(mkdir("d", 0700), 0);
    assert_int_equal(dpk_file_create("d", "text", 4, 0600, &err), DPK_ERR_IO);
    assert_string_equal(err.message, "d: Is a directory");
    assert_int_equal(entries("."), 1);
    assert_int_equal(mkfifo("p", 0666), 0);
    assert_int_equal(dpk_file_create("p", "text", 4, 0600, NULL), DPK_OK);
    assert_content("p", "text");
}

/* ---- Files that wait ---- */

static void a_staged_file_is_not_there_before_it_is_put(void **state)
{
    (void)state;
    const struct dpk_piece piece = {"new", 3};
    struct dpk_staged *staged = NULL;
    write_file("f", "old", 0640);
    assert_int_equal(dpk_file_stage("f", &piece, 1, 0600, &staged, NULL), DPK_OK);
    assert_content("f", "old");
    dpk_staged_drop(staged);
    assert_content("f", "old");
    assert_int_equal(entries("."), 1);
    assert_int_equal(dpk_file_stage("f", &piece, 1, 0600, &staged, NULL), DPK_OK);
    assert_int_equal(dpk_staged_put(staged, NULL), DPK_OK);
    assert_content("f", "new");
    assert_int_equal(mode_of("f"), 0640);
    assert_int_equal(entries("."), 1);
}

static void a_file_that_came_meanwhile_is_replaced(void **state)
{
    (void)state;
    const struct dpk_piece piece = {"new", 3};
    struct dpk_staged *staged = NULL;
    assert_int_equal(dpk_file_stage("f", &piece, 1, 0600, &staged, NULL), DPK_OK);
    write_file("f", "other", 0644);
    assert_int_equal(dpk_staged_put(staged, NULL), DPK_OK);
    assert_content("f", "new");
    assert_int_equal(entries("."), 1);
}

#define TEMP_TEST(name) cmocka_unit_test_setup_teardown(name, enter_room, leave_and_mend)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEMP_TEST(a_file_without_a_name_leaves_nothing),
        TEMP_TEST(what_a_killed_program_left_goes_with_the_next_file),
        TEMP_TEST(what_is_left_before_the_rename_goes_with_the_next_file),
        TEMP_TEST(what_somebody_works_on_stays),
        TEMP_TEST(what_is_not_a_temporary_file_of_ours_stays),
        TEMP_TEST(what_another_user_left_stays),
        TEMP_TEST(other_file_systems_do_as_well),
        TEMP_TEST(a_new_file_takes_the_place_of_a_link),
        TEMP_TEST(a_new_file_has_nothing_of_the_old_one),
        TEMP_TEST(a_new_file_is_no_directory_and_no_pipe),
        TEMP_TEST(a_staged_file_is_not_there_before_it_is_put),
        TEMP_TEST(a_file_that_came_meanwhile_is_replaced),
    };
    return cmocka_run_group_tests_name("base_temp", tests, NULL, NULL);
}
