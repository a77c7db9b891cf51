/* For tests of files: an empty directory for each, and what is in it. */
#ifndef TESTS_BASE_ROOM_H
#define TESTS_BASE_ROOM_H

#include "base/base.h"

#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "skip.h"

struct room {
    char path[64], before[4096];
    mode_t umask;
};

static inline int enter_room(void **state)
{
    struct room *room = calloc(1, sizeof *room);
    if (!room || !getcwd(room->before, sizeof room->before))
        return -1;
    snprintf(room->path, sizeof room->path, "/tmp/test_base.XXXXXX");
    room->umask = umask(022);
    *state = room;
    return mkdtemp(room->path) && chdir(room->path) == 0 ? 0 : -1;
}

static inline int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    if (where->level > 0 && remove(path) != 0)
        print_message("cannot remove %s\n", path);
    return 0;
}

static inline int leave_room(void **state)
{
    struct room *room = *state;
    umask(room->umask);
    nftw(room->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    int failed = chdir(room->before) | rmdir(room->path);
    free(room);
    return failed;
}

static inline size_t entries(const char *path)
{
    size_t count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2; /* . and .. */
}

static inline void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static inline void assert_content(const char *path, const char *text)
{
    struct dpk_buf b = {0};
    assert_int_equal(dpk_file_read(path, 4096, &b, NULL), DPK_OK);
    assert_int_equal(b.size, strlen(text));
    assert_memory_equal(b.data, text, b.size);
    dpk_buf_free(&b);
}

static inline mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static inline enum dpk_status replace_with(const char *path, const char *text,
                                           struct dpk_error *err)
{
    *err = (struct dpk_error){0};
    return dpk_file_replace(path, text, strlen(text), 0644, err);
}

/* root may write everywhere; so be nobody for the call. */
static inline enum dpk_status replace_unprivileged(const char *path, struct dpk_error *err)
{
    bool root = geteuid() == 0;
    if (root && seteuid(65534) != 0)
        skip_because("root cannot be another user here");
    enum dpk_status status = replace_with(path, "new", err);
    if (root)
        assert_int_equal(seteuid(0), 0);
    return status;
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, enter_room, leave_room)

#endif
