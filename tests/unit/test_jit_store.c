/* The store of translated code: it returns the stored code, and does not use damaged code. */
#include "another_user.h"
#include "base_room.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "engine/jit/store.h"

static const uint8_t key[JIT_STORE_KEY] = {1, 2, 3}, other_key[JIT_STORE_KEY] = {1, 2, 4};
static const char code[] = "some code";
#define CACHE "cache/dpakit/code"

static int enter(void **state)
{
    if (enter_room(state) != 0)
        return -1;
    char path[200];
    struct room *room = *state;
    snprintf(path, sizeof path, "%s/cache", room->path);
    setenv("XDG_CACHE_HOME", path, 1);
    snprintf(path, sizeof path, "%s/devices", room->path);
    setenv("DPAKIT_DEVICES", path, 1);
    unsetenv("DPAKIT_CACHE");
    return 0;
}

static bool has(const uint8_t *wanted)
{
    struct dpk_buf got = {0};
    bool found = jit_store_get(wanted, &got);
    if (found) {
        assert_int_equal(got.size, sizeof code);
        assert_memory_equal(got.data, code, sizeof code);
    } else {
        assert_int_equal(got.size, 0);
    }
    dpk_buf_free(&got);
    return found;
}

/* The one file whose name does not begin with a dot, or does. */
static void the_file(const char *folder, bool dot, char *out, size_t size)
{
    unsigned found = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));)
        if ((e->d_name[0] == '.') == dot && strcmp(e->d_name, ".") != 0 &&
            strcmp(e->d_name, "..") != 0) {
            snprintf(out, size, "%s/%s", folder, e->d_name);
            found++;
        }
    closedir(dir);
    assert_int_equal(found, 1);
}

static void read_all(const char *path, struct dpk_buf *out)
{
    assert_int_equal(dpk_file_read(path, 1 << 20, out, NULL), DPK_OK);
}

static void write_all(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* Puts the code under the key; the path of its file. */
static void put_one(char *path, size_t size)
{
    jit_store_put(key, code, sizeof code);
    the_file(CACHE, false, path, size);
}

/* What a process of its own, which gets the key twice, says; whether it got it. In the process of
 * the tests nothing may be wrong, since it would say so once. */
static bool ask_in_child(char *said, size_t size)
{
    int pipes[2], status;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        struct dpk_buf got = {0};
        (void)jit_store_get(key, &got);
        dpk_buf_free(&got);
        _exit(jit_store_get(key, &got) ? 0 : 1);
    }
    close(pipes[1]);
    size_t used = 0;
    for (ssize_t n; (n = read(pipes[0], said + used, size - 1 - used)) > 0;)
        used += (size_t)n;
    said[used] = 0;
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
}

static void assert_refused(const char *name, const char *why)
{
    char said[1024], line[600];
    assert_false(ask_in_child(said, sizeof said));
    snprintf(line, sizeof line, "%s: %s; translated code is not taken from there; delete it\n",
             name, why);
    assert_non_null(strstr(said, line));
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* once */
}

static void assert_silent_and_empty(void)
{
    char said[1024];
    assert_false(ask_in_child(said, sizeof said));
    assert_string_equal(said, "");
}

static void what_is_put_is_got_under_its_key_alone(void **state)
{
    (void)state;
    assert_false(has(key));
    jit_store_put(key, code, sizeof code);
    assert_true(has(key));
    assert_false(has(other_key));
    jit_store_put(key, "new", 4);
    struct dpk_buf got = {0};
    assert_true(jit_store_get(key, &got));
    assert_string_equal((char *)got.data, "new");
    dpk_buf_free(&got);
}

static void files_and_folders_are_for_the_user_alone(void **state)
{
    (void)state;
    struct stat st;
    char path[300];
    jit_store_put(key, code, sizeof code);
    assert_int_equal(stat(CACHE, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    the_file(CACHE, false, path, sizeof path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    the_file("devices", true, path, sizeof path);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(st.st_size, 32);
}

static void a_file_with_any_bit_flipped_is_not_used(void **state)
{
    (void)state;
    char path[300];
    struct dpk_buf file = {0};
    put_one(path, sizeof path);
    read_all(path, &file);
    for (size_t i = 0; i < file.size; i++) {
        file.data[i] ^= (uint8_t)(1u << (i & 7));
        write_all(path, file.data, file.size);
        assert_refused(path, "damaged");
        file.data[i] ^= (uint8_t)(1u << (i & 7));
    }
    write_all(path, file.data, file.size);
    assert_true(has(key));
    dpk_buf_free(&file);
}

static void a_file_cut_or_prolonged_anywhere_is_not_used(void **state)
{
    (void)state;
    char path[300];
    struct dpk_buf file = {0};
    put_one(path, sizeof path);
    read_all(path, &file);
    for (size_t size = 0; size < file.size; size++) {
        write_all(path, file.data, size);
        assert_refused(path, "damaged");
    }
    dpk_put_u8(&file, 0);
    write_all(path, file.data, file.size);
    assert_refused(path, "damaged");
    dpk_buf_free(&file);
}

static void a_damaged_file_is_said_once_with_its_name_and_replaced_by_the_next_put(void **state)
{
    (void)state;
    char path[300];
    put_one(path, sizeof path);
    write_all(path, "x", 1);
    assert_refused(path, "damaged");
    jit_store_put(key, code, sizeof code);
    assert_true(has(key));
}

static void a_file_under_the_name_of_another_key_is_not_used(void **state)
{
    (void)state;
    char mine[300], theirs[300];
    jit_store_put(key, code, sizeof code);
    the_file(CACHE, false, mine, sizeof mine);
    assert_int_equal(rename(mine, "kept"), 0);
    jit_store_put(other_key, code, sizeof code);
    the_file(CACHE, false, theirs, sizeof theirs);
    assert_int_equal(rename(theirs, mine), 0);
    assert_refused(mine, "damaged");
}

static void another_secret_has_other_files(void **state)
{
    (void)state;
    char path[300];
    jit_store_put(key, code, sizeof code);
    the_file("devices", true, path, sizeof path);
    assert_int_equal(rename(path, "secret"), 0);
    assert_silent_and_empty();
    jit_store_put(key, code, sizeof code);
    assert_true(has(key));
    assert_int_equal(entries(CACHE), 2);
    assert_int_equal(rename("secret", path), 0);
    assert_true(has(key));
}

static void a_file_that_others_may_open_is_not_used(void **state)
{
    (void)state;
    char path[300];
    put_one(path, sizeof path);
    for (mode_t bit = 1; bit <= 040; bit *= 2) {
        assert_int_equal(chmod(path, 0600 | bit), 0);
        assert_refused(path, "is open to other users");
    }
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(chmod(CACHE, 0755), 0);
    assert_refused(CACHE, "is open to other users");
    assert_int_equal(chmod(CACHE, 0700), 0);
    the_file("devices", true, path, sizeof path);
    assert_int_equal(chmod(path, 0644), 0);
    assert_refused(path, "is open to other users");
    assert_int_equal(chmod(path, 0600), 0);
    assert_true(has(key));
}

static void what_another_user_owns_is_not_used(void **state)
{
    (void)state;
    char path[300];
    need_another_user(1);
    put_one(path, sizeof path);
    assert_int_equal(chown(path, 1, 1), 0);
    assert_refused(path, "belongs to another user");
    assert_int_equal(chown(path, 0, 0), 0);
    assert_int_equal(chown(CACHE, 1, 1), 0);
    assert_refused(CACHE, "belongs to another user");
    assert_int_equal(chown(CACHE, 0, 0), 0);
    the_file("devices", true, path, sizeof path);
    assert_int_equal(chown(path, 1, 1), 0);
    assert_refused(path, "belongs to another user");
}

static void no_link_is_followed(void **state)
{
    (void)state;
    char path[300];
    put_one(path, sizeof path);
    assert_int_equal(rename(path, "elsewhere"), 0);
    assert_int_equal(symlink("../../elsewhere", path), 0);
    assert_refused(path, "a link");
    assert_int_equal(rename("elsewhere", path), 0);
    assert_true(has(key));
    assert_int_equal(rename(CACHE, "moved"), 0);
    assert_int_equal(symlink("../moved", CACHE), 0);
    assert_refused(CACHE, "no folder, or a link");
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        jit_store_put(other_key, code, sizeof code);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(entries("moved"), 1);
    assert_int_equal(unlink(CACHE), 0);
    assert_int_equal(rename("moved", CACHE), 0);
    the_file("devices", true, path, sizeof path);
    assert_int_equal(rename(path, "elsewhere"), 0);
    assert_int_equal(symlink("../elsewhere", path), 0);
    assert_refused(path, "a link");
}

static void what_is_no_file_is_not_waited_for(void **state)
{
    (void)state;
    char path[300];
    put_one(path, sizeof path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, "no regular file");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(path, "no regular file");
}

static void a_secret_of_another_size_is_not_used(void **state)
{
    (void)state;
    char path[300];
    jit_store_put(key, code, sizeof code);
    the_file("devices", true, path, sizeof path);
    assert_int_equal(truncate(path, 31), 0);
    assert_refused(path, "no key of 32 bytes");
    assert_int_equal(truncate(path, 33), 0);
    assert_refused(path, "too large");
}

static void nothing_is_stored_or_said_without_a_place(void **state)
{
    (void)state;
    unsetenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *before = home ? strdup(home) : NULL;
    unsetenv("HOME");
    jit_store_put(key, code, sizeof code);
    assert_silent_and_empty();
    if (before)
        setenv("HOME", before, 1);
    free(before);
    assert_int_equal(entries("."), 0);
}

static void nothing_is_stored_or_said_where_nothing_can_be_written(void **state)
{
    (void)state;
    write_all("cache", "", 0); /* for root, too */
    jit_store_put(key, code, sizeof code);
    assert_silent_and_empty();
    assert_int_equal(unlink("cache"), 0);
    write_all("devices", "", 0);
    jit_store_put(key, code, sizeof code);
    assert_int_equal(entries(CACHE), 0);
    assert_silent_and_empty();
}

static void a_folder_that_is_read_only_is_read_and_not_written(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip_because("root writes to folders that nobody may write to");
    jit_store_put(key, code, sizeof code);
    assert_int_equal(chmod(CACHE, 0500), 0);
    jit_store_put(other_key, code, sizeof code);
    assert_true(has(key));
    assert_false(has(other_key));
    assert_int_equal(chmod(CACHE, 0700), 0);
}

static void the_store_can_be_turned_off(void **state)
{
    (void)state;
    setenv("DPAKIT_CACHE", "off", 1);
    jit_store_put(key, code, sizeof code);
    assert_int_equal(entries("."), 0);
    unsetenv("DPAKIT_CACHE");
    jit_store_put(key, code, sizeof code);
    setenv("DPAKIT_CACHE", "off", 1);
    assert_silent_and_empty();
}

/* 300 MiB of holes. The store looks at them after each 16 MiB that a process writes. */
static void the_oldest_files_go_when_all_are_too_large(void **state)
{
    (void)state;
    char name[64];
    assert_int_equal(dpk_folder_make(CACHE, NULL), DPK_OK);
    for (int i = 0; i < 10; i++) {
        const struct timespec times[2] = {{.tv_sec = 1000 - i}, {.tv_sec = 1000 - i}};
        snprintf(name, sizeof name, CACHE "/%d", i);
        write_all(name, "", 0);
        assert_int_equal(truncate(name, 30 << 20), 0);
        assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
    }
    write_all(CACHE "/.new-old", "", 0);
    assert_int_equal(truncate(CACHE "/.new-old", 60 << 20), 0); /* goes first, and does not count */
    const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, CACHE "/.new-old", old, 0), 0);
    const size_t size = 20 << 20;
    char *large = calloc(1, size);
    assert_non_null(large);
    jit_store_put(other_key, large, size);
    free(large);
    jit_store_put(key, code, sizeof code);
    assert_true(has(key));
    assert_int_equal(access(CACHE "/.new-old", F_OK), -1);
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, CACHE "/%d", i);
        assert_int_equal(access(name, F_OK), i < 5 ? 0 : -1); /* 192 MiB at most are kept */
    }
}

static void processes_that_put_and_get_at_once_see_whole_files(void **state)
{
    (void)state;
    enum { PROCESSES = 2, ROUNDS = 300, SIZE = 20000 };
    for (int p = 0; p < PROCESSES; p++) {
        if (fork() != 0)
            continue;
        uint8_t bytes[SIZE];
        struct dpk_buf got = {0};
        bool right = true;
        for (int i = 0; i < ROUNDS; i++) {
            memset(bytes, p + 1, sizeof bytes);
            jit_store_put(key, bytes, sizeof bytes - (size_t)p);
            right &= jit_store_get(key, &got) && got.size > 0 &&
                     got.size == SIZE + 1u - got.data[0] && got.data[0] == got.data[got.size - 1];
            dpk_buf_free(&got);
        }
        _exit(right ? 0 : 1);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    char path[300];
    the_file(CACHE, false, path, sizeof path); /* and no temporary file */
    the_file("devices", true, path, sizeof path);
}

#define IN_ROOM(test) cmocka_unit_test_setup_teardown(test, enter, leave_room)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(what_is_put_is_got_under_its_key_alone),
        IN_ROOM(files_and_folders_are_for_the_user_alone),
        IN_ROOM(a_file_with_any_bit_flipped_is_not_used),
        IN_ROOM(a_file_cut_or_prolonged_anywhere_is_not_used),
        IN_ROOM(a_damaged_file_is_said_once_with_its_name_and_replaced_by_the_next_put),
        IN_ROOM(a_file_under_the_name_of_another_key_is_not_used),
        IN_ROOM(another_secret_has_other_files),
        IN_ROOM(a_file_that_others_may_open_is_not_used),
        IN_ROOM(what_another_user_owns_is_not_used),
        IN_ROOM(no_link_is_followed),
        IN_ROOM(what_is_no_file_is_not_waited_for),
        IN_ROOM(a_secret_of_another_size_is_not_used),
        IN_ROOM(nothing_is_stored_or_said_without_a_place),
        IN_ROOM(nothing_is_stored_or_said_where_nothing_can_be_written),
        IN_ROOM(a_folder_that_is_read_only_is_read_and_not_written),
        IN_ROOM(the_store_can_be_turned_off),
        IN_ROOM(the_oldest_files_go_when_all_are_too_large),
        IN_ROOM(processes_that_put_and_get_at_once_see_whole_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
