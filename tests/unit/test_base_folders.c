/* lib/base: folders of files that appear whole. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base_room.h"

static bool
    no_flags; /* as on file systems that neither exchange names nor spare those that are there */

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    if (no_flags && flags) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

static int leave_and_mend(void **state)
{
    no_flags = false;
    return leave_room(state);
}

/* Content that is made when it is written: the file's name and the context; with "none", no memory. */
static void put(const void *context, const char *name, struct dpk_buf *out)
{
    dpk_put_format(out, "%s %s", name, (const char *)context);
    out->failed |= strcmp(context, "none") == 0;
}

static const struct dpk_piece pieces[] = {{"one", 3}, {"two", 3}};

static enum dpk_status create(const char *path)
{
    const struct dpk_folder_file files[] = {
        {.name = "a", .pieces = pieces, .count = 2, .mode = 0600},
        {.name = "b", .put = put, .context = "new", .mode = 0644}};
    return dpk_folder_create(path, 0750, files, 2, NULL);
}

static enum dpk_status replace(const char *path, const char *content)
{
    const struct dpk_folder_file files[] = {
        {.name = "a", .put = put, .context = content, .mode = 0644},
        {.name = "b", .put = put, .context = content, .mode = 0644}};
    return dpk_folder_replace(path, 0755, files, 2, NULL);
}

static void a_folder_is_made_once(void **state)
{
    struct stat st;
    (void)state;
    assert_int_equal(dpk_folder_absent("f/", NULL), DPK_OK);
    assert_int_equal(create("f/"), DPK_OK);
    assert_content("f/a", "onetwo");
    assert_content("f/b", "b new");
    assert_int_equal(stat("f", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0750);
    assert_int_equal(stat("f/a", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(dpk_folder_absent("f", NULL), DPK_ERR_EXISTS);
    assert_int_equal(create("f"), DPK_ERR_EXISTS);
    assert_int_equal(entries("."), 1);
}

static void a_folder_of_these_files_is_replaced(void **state)
{
    struct stat st;
    (void)state;
    assert_int_equal(replace("f", "1"), DPK_OK);
    assert_int_equal(unlink("f/a"), 0);
    assert_int_equal(replace("f/", "2"), DPK_OK);
    assert_content("f/a", "a 2");
    assert_content("f/b", "b 2");
    assert_int_equal(stat("f", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
    assert_int_equal(entries("f"), 2);
    assert_int_equal(entries("."), 1);
}

static void a_folder_with_anything_else_stays(void **state)
{
    struct dpk_error err = {0};
    const struct dpk_folder_file file = {.name = "a"};
    (void)state;
    assert_int_equal(replace("f", "1"), DPK_OK);
    write_file("f/c\n", "", 0644);
    assert_int_equal(replace("f", "2"), DPK_ERR_EXISTS);
    assert_content("f/a", "a 1");
    assert_int_equal(unlink("f/c\n"), 0);
    assert_int_equal(dpk_folder_replaceable("f", &file, 1, &err), DPK_ERR_EXISTS);
    assert_string_equal(err.message,
                        "f has b, which does not belong in such a folder: choose another");
    write_file("g", "", 0644);
    assert_int_equal(replace("g", "1"), DPK_ERR_IO);
    assert_int_equal(replace("no/where", "1"), DPK_ERR_NOT_FOUND);
    assert_int_equal(entries("."), 2);
}

static void content_that_cannot_be_made_leaves_the_old_folder(void **state)
{
    (void)state;
    assert_int_equal(replace("f", "none"), DPK_ERR_NOMEM);
    assert_int_equal(entries("."), 0);
    assert_int_equal(replace("f", "1"), DPK_OK);
    assert_int_equal(replace("f", "none"), DPK_ERR_NOMEM);
    assert_content("f/b", "b 1");
    assert_int_equal(entries("."), 1);
}

static void a_link_leads_to_what_is_replaced(void **state)
{
    struct stat st;
    (void)state;
    assert_int_equal(replace("f", "1"), DPK_OK);
    assert_int_equal(symlink("f", "link"), 0);
    assert_int_equal(replace("link", "2"), DPK_OK);
    assert_content("f/a", "a 2");
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static void other_file_systems_do_as_well(void **state)
{
    no_flags = true;
    a_folder_is_made_once(state);
    assert_int_equal(replace("g", "1"), DPK_OK);
    assert_int_equal(replace("g", "2"), DPK_OK);
    assert_content("g/a", "a 2");
    assert_int_equal(entries("."), 2);
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, enter_room, leave_and_mend)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_folder_is_made_once),
        FOLDER_TEST(a_folder_of_these_files_is_replaced),
        FOLDER_TEST(a_folder_with_anything_else_stays),
        FOLDER_TEST(content_that_cannot_be_made_leaves_the_old_folder),
        FOLDER_TEST(a_link_leads_to_what_is_replaced),
        FOLDER_TEST(other_file_systems_do_as_well),
    };
    return cmocka_run_group_tests_name("base_folders", tests, NULL, NULL);
}
