/* lib/base: whole files, read and replaced. */
#include "base/base.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "base_room.h"

/* Reads what must fail with `status` and a message that starts with `path`. */
static void assert_read_fails(const char *path, size_t max, enum dpk_status status)
{
    struct dpk_buf b = {0};
    struct dpk_error err = {0};
    assert_int_equal(dpk_file_read(path, max, &b, &err), status);
    assert_int_equal(err.status, status);
    assert_memory_equal(err.message, path, strlen(path));
    assert_true(!b.data && b.size == 0 && b.capacity == 0 && !b.failed);
}

static void read_gives_the_whole_file(void **state)
{
    (void)state;
    struct dpk_buf big = {0}, b = {0};
    for (uint32_t i = 0; i < 100000; i++)
        dpk_put_be32(&big, i);
    assert_int_equal(dpk_file_replace("f", big.data, big.size, 0644, NULL), DPK_OK);
    assert_int_equal(dpk_file_read("f", big.size, &b, NULL), DPK_OK);
    assert_int_equal(b.size, big.size);
    assert_memory_equal(b.data, big.data, b.size);
    dpk_buf_free(&b);
    dpk_buf_free(&big);
}

static void read_of_an_empty_file_gives_no_bytes(void **state)
{
    (void)state;
    write_file("f", "", 0644);
    assert_content("f", "");
}

static void read_takes_files_that_do_not_tell_their_size(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    assert_int_equal(dpk_file_read("/proc/self/status", DPK_FILE_MAX, &b, NULL), DPK_OK);
    assert_true(b.size > 100);
    dpk_buf_free(&b);
}

static void read_takes_a_pipe(void **state)
{
    (void)state;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "hello", 5), 5);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_content(path, "hello");
    close(ends[0]);
}

static void read_of_a_missing_file_is_not_found(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    struct dpk_error err = {0};
    assert_int_equal(dpk_file_read("nope", 10, &b, &err), DPK_ERR_NOT_FOUND);
    assert_string_equal(err.message, "nope: No such file or directory");
    assert_read_fails("", 10, DPK_ERR_NOT_FOUND);
}

static void read_of_a_directory_fails(void **state)
{
    (void)state;
    assert_read_fails(".", 10, DPK_ERR_IO);
}

static void read_of_more_than_max_is_out_of_range(void **state)
{
    (void)state;
    write_file("f", "12345", 0644);
    assert_read_fails("f", 4, DPK_ERR_RANGE);
    assert_read_fails("f", 0, DPK_ERR_RANGE);
    assert_read_fails("/proc/self/status", 100, DPK_ERR_RANGE);
}

static void replace_creates_a_file_with_mode_and_umask(void **state)
{
    (void)state;
    umask(027);
    assert_int_equal(dpk_file_replace("f", "new", 3, 0666, NULL), DPK_OK);
    assert_int_equal(dpk_file_replace("key", "new", 3, 0600, NULL), DPK_OK);
    assert_content("f", "new");
    assert_int_equal(mode_of("f"), 0640);
    assert_int_equal(mode_of("key"), 0600);
    assert_int_equal(entries("."), 2);
}

static void replace_may_write_nothing(void **state)
{
    (void)state;
    write_file("f", "old", 0644);
    assert_int_equal(dpk_file_replace("f", NULL, 0, 0644, NULL), DPK_OK);
    assert_content("f", "");
}

static void replace_keeps_the_mode_of_an_existing_file(void **state)
{
    (void)state;
    write_file("f", "old content", 0751);
    assert_int_equal(dpk_file_replace("f", "new", 3, 0600, NULL), DPK_OK);
    assert_content("f", "new");
    assert_int_equal(mode_of("f"), 0751);
    assert_int_equal(entries("."), 1);
}

static void replace_puts_another_file_in_place(void **state)
{
    (void)state;
    write_file("f", "old", 0644);
    int fd = open("f", O_RDONLY);
    struct dpk_error err;
    assert_int_equal(replace_with("f", "new", &err), DPK_OK);
    char text[4] = "";
    assert_int_equal(read(fd, text, 3), 3);
    assert_string_equal(text, "old"); /* a reader at that moment sees the old content, whole */
    close(fd);
}

static void replace_follows_symbolic_links(void **state)
{
    (void)state;
    struct dpk_error err;
    assert_int_equal(mkdir("d", 0755), 0);
    write_file("d/f", "old", 0600);
    assert_int_equal(symlink("d/f", "one"), 0);
    assert_int_equal(symlink("one", "two"), 0);
    assert_int_equal(replace_with("two", "new", &err), DPK_OK);
    struct stat st;
    assert_true(lstat("two", &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(lstat("one", &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(lstat("d/f", &st) == 0 && S_ISREG(st.st_mode));
    assert_content("d/f", "new");
    assert_int_equal(mode_of("d/f"), 0600);
    assert_true(entries(".") == 3 && entries("d") == 1);
}

static void replace_refuses_a_dangling_symbolic_link(void **state)
{
    (void)state;
    struct dpk_error err;
    assert_int_equal(symlink("nowhere", "link"), 0);
    assert_int_equal(replace_with("link", "new", &err), DPK_ERR_NOT_FOUND);
    assert_string_equal(err.message, "link: symbolic link to a file that is missing");
    assert_int_equal(entries("."), 1);
}

static void replace_takes_a_name_as_long_as_the_system_does(void **state)
{
    (void)state;
    struct dpk_error err;
    char name[256];
    memset(name, 'n', 255);
    name[255] = 0;
    assert_int_equal(replace_with(name, "new", &err), DPK_OK);
    assert_content(name, "new");
}

static void replace_in_a_missing_directory_fails(void **state)
{
    (void)state;
    struct dpk_error err;
    assert_int_equal(replace_with("no/f", "new", &err), DPK_ERR_NOT_FOUND);
    assert_string_equal(err.message, "no/f: No such file or directory");
    assert_int_equal(replace_with("", "new", &err), DPK_ERR_NOT_FOUND);
    assert_int_equal(entries("."), 0);
}

static void replace_behind_a_file_as_directory_fails(void **state)
{
    (void)state;
    struct dpk_error err;
    write_file("f", "old", 0644);
    assert_int_equal(replace_with("f/g", "new", &err), DPK_ERR_IO);
    assert_int_equal(replace_with("f/", "new", &err), DPK_ERR_IO);
    assert_content("f", "old");
}

static void replace_of_a_directory_fails(void **state)
{
    (void)state;
    struct dpk_error err;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(replace_with("d", "new", &err), DPK_ERR_IO);
    assert_string_equal(err.message, "d: Is a directory");
    assert_int_equal(entries("."), 1);
    assert_int_equal(entries("d"), 0);
}

static void replace_in_an_unwritable_directory_fails_and_leaves_nothing(void **state)
{
    (void)state;
    struct dpk_error err;
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(mkdir("d", 0755), 0);
    write_file("d/f", "old", 0666);
    assert_int_equal(chmod("d", 0555), 0);
    assert_int_equal(replace_unprivileged("d/new", &err), DPK_ERR_IO);
    assert_string_equal(err.message,
                        "d/new: cannot create a file in its directory: Permission denied");
    assert_int_equal(replace_unprivileged("d/f", &err), DPK_ERR_IO);
    assert_content("d/f", "old");
    assert_int_equal(entries("d"), 1);
    assert_int_equal(chmod("d", 0755), 0);
}

static void replace_refuses_a_write_protected_file(void **state)
{
    (void)state;
    struct dpk_error err;
    assert_int_equal(chmod(".", 0777), 0);
    write_file("f", "old", 0444);
    assert_int_equal(replace_unprivileged("f", &err), DPK_ERR_IO);
    assert_content("f", "old");
    assert_int_equal(entries("."), 1);
}

static void replace_keeps_the_owner_of_an_existing_file(void **state)
{
    (void)state;
    struct dpk_error err;
    struct stat st;
    write_file("f", "old", 04755);
    if (chown("f", 65534, 65534) != 0)
        skip_because("only root can give files away");
    assert_int_equal(chmod("f", 04755), 0);
    assert_int_equal(replace_with("f", "new", &err), DPK_OK);
    assert_true(stat("f", &st) == 0 && st.st_uid == 65534 && st.st_gid == 65534);
    assert_int_equal(mode_of("f"), 04755);
}

static void replace_does_not_take_over_set_id_bits_of_another_owner(void **state)
{
    (void)state;
    struct dpk_error err;
    if (geteuid() != 0)
        skip_because("only root can be another user");
    assert_int_equal(chmod(".", 0777), 0);
    write_file("f", "old", 0644);
    assert_int_equal(chmod("f", 06777), 0);
    assert_int_equal(replace_unprivileged("f", &err), DPK_OK);
    assert_int_equal(mode_of("f"), 0777);
}

static void replace_that_fails_halfway_keeps_the_old_file_and_leaves_nothing(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct rlimit old, small;
    static const uint8_t big[100000];
    write_file("f", "old", 0644);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 5000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0); /* SIGXFSZ would end this program */
    enum dpk_status status = dpk_file_replace("f", big, sizeof big, 0644, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, DPK_ERR_IO);
    assert_string_equal(err.message, "f: File too large");
    assert_content("f", "old");
    assert_int_equal(entries("."), 1);
}

static void replace_of_a_full_device_tells_so(void **state)
{
    (void)state;
    struct dpk_error err;
    struct stat st;
    assert_int_equal(replace_with("/dev/full", "new", &err), DPK_ERR_IO);
    assert_string_equal(err.message, "/dev/full: No space left on device");
    assert_true(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
}

static void replace_writes_to_a_pipe(void **state)
{
    (void)state;
    struct dpk_error err;
    assert_int_equal(mkfifo("p", 0600), 0);
    int fd = open("p", O_RDONLY | O_NONBLOCK);
    assert_int_equal(replace_with("p", "new", &err), DPK_OK);
    char text[4] = "";
    assert_int_equal(read(fd, text, 4), 3);
    assert_string_equal(text, "new");
    close(fd);
}

/* dpk_file_replace on /dev/stdout, which is `fd` meanwhile. */
static enum dpk_status replace_stdout(int fd, struct dpk_error *err)
{
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    dup2(fd, STDOUT_FILENO);
    enum dpk_status status = replace_with("/dev/stdout", "new", err);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    return status;
}

/* Somebody puts another file there between the look and the write. */
static void what_was_looked_at_is_written_to_and_not_what_took_its_name(void **state)
{
    (void)state;
    const struct dpk_piece piece = {"new", 3};
    struct dpk_staged *staged = NULL;
    char got[8] = "";
    assert_int_equal(mkfifo("looked", 0600), 0);
    assert_int_equal(dpk_file_stage("looked", &piece, 1, 0644, &staged, NULL), DPK_OK);
    int reader = open("looked", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_int_equal(rename("looked", "moved"), 0);
    write_file("looked", "not mine", 0644);
    assert_int_equal(dpk_staged_put(staged, NULL), DPK_OK);
    assert_int_equal(read(reader, got, sizeof got), 3);
    assert_string_equal(got, "new");
    assert_content("looked", "not mine");
    close(reader);
}

/* A symbolic link that is turned meanwhile: the file that was looked at is replaced. */
static void link_that_is_turned_meanwhile_leads_nowhere_else(void **state)
{
    (void)state;
    const struct dpk_piece piece = {"new", 3};
    struct dpk_staged *staged = NULL;
    write_file("first", "old", 0644);
    write_file("second", "not mine", 0644);
    assert_int_equal(symlink("first", "turned"), 0);
    assert_int_equal(dpk_file_stage("turned", &piece, 1, 0644, &staged, NULL), DPK_OK);
    assert_int_equal(unlink("turned"), 0);
    assert_int_equal(symlink("second", "turned"), 0);
    assert_int_equal(dpk_staged_put(staged, NULL), DPK_OK);
    assert_content("first", "new");
    assert_content("second", "not mine");
}

static void replace_writes_to_standard_output_that_is_a_pipe(void **state)
{
    (void)state;
    struct dpk_error err;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(replace_stdout(ends[1], &err), DPK_OK);
    char text[4] = "";
    assert_int_equal(read(ends[0], text, 4), 3);
    assert_string_equal(text, "new");
    close(ends[0]);
    close(ends[1]);
}

static void replace_adds_to_standard_output_that_is_a_file(void **state)
{
    (void)state;
    struct dpk_error err;
    write_file("log", "old", 0644);
    int fd = open("log", O_WRONLY | O_APPEND);
    assert_int_equal(replace_stdout(fd, &err), DPK_OK);
    close(fd);
    assert_content("log", "oldnew");
    assert_int_equal(entries("."), 1);
}

static void apart_finds_an_output_that_is_an_input_by_any_name(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    write_file("in", "x", 0600);
    write_file("other", "x", 0600);
    assert_int_equal(symlink("in", "link"), 0);
    const char *const inputs[] = {NULL, "missing", "other", "in"};
    assert_int_equal(dpk_file_apart("./link", inputs, 4, &err), DPK_ERR_USAGE);
    assert_string_equal(err.message, "./link: output and input are one file");
    assert_int_equal(dpk_file_apart("link", inputs, 3, &err), DPK_OK);
    assert_int_equal(dpk_file_apart("missing", inputs, 4, &err), DPK_OK);
    assert_int_equal(dpk_file_apart(NULL, inputs, 4, &err), DPK_OK);
    const char *const device[] = {"/dev/null"};
    assert_int_equal(dpk_file_apart("/dev/null", device, 1, &err), DPK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(apart_finds_an_output_that_is_an_input_by_any_name),
        FILE_TEST(read_gives_the_whole_file),
        FILE_TEST(read_of_an_empty_file_gives_no_bytes),
        FILE_TEST(read_takes_files_that_do_not_tell_their_size),
        FILE_TEST(read_takes_a_pipe),
        FILE_TEST(read_of_a_missing_file_is_not_found),
        FILE_TEST(read_of_a_directory_fails),
        FILE_TEST(read_of_more_than_max_is_out_of_range),
        FILE_TEST(replace_creates_a_file_with_mode_and_umask),
        FILE_TEST(replace_may_write_nothing),
        FILE_TEST(replace_keeps_the_mode_of_an_existing_file),
        FILE_TEST(replace_puts_another_file_in_place),
        FILE_TEST(replace_follows_symbolic_links),
        FILE_TEST(replace_refuses_a_dangling_symbolic_link),
        FILE_TEST(replace_takes_a_name_as_long_as_the_system_does),
        FILE_TEST(replace_in_a_missing_directory_fails),
        FILE_TEST(replace_behind_a_file_as_directory_fails),
        FILE_TEST(replace_of_a_directory_fails),
        FILE_TEST(replace_in_an_unwritable_directory_fails_and_leaves_nothing),
        FILE_TEST(replace_refuses_a_write_protected_file),
        FILE_TEST(replace_keeps_the_owner_of_an_existing_file),
        FILE_TEST(replace_does_not_take_over_set_id_bits_of_another_owner),
        FILE_TEST(replace_that_fails_halfway_keeps_the_old_file_and_leaves_nothing),
        FILE_TEST(replace_of_a_full_device_tells_so),
        FILE_TEST(replace_writes_to_a_pipe),
        FILE_TEST(what_was_looked_at_is_written_to_and_not_what_took_its_name),
        FILE_TEST(link_that_is_turned_meanwhile_leads_nowhere_else),
        FILE_TEST(replace_writes_to_standard_output_that_is_a_pipe),
        FILE_TEST(replace_adds_to_standard_output_that_is_a_file),
    };
    return cmocka_run_group_tests_name("base_files", tests, NULL, NULL);
}
