/* Files that are written ahead: the output has exactly the bytes of the pieces. */
#include "base_room.h"

#include <sys/resource.h>

#define SIZE ((size_t)20 << 20)

static uint8_t *old_bytes(void)
{
    uint8_t *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i >> 12 ^ i);
    return bytes;
}

static void replace(const char *path, const uint8_t *old, const struct dpk_piece *pieces,
                    size_t count)
{
    struct dpk_ahead *ahead = dpk_ahead_begin(path, old, SIZE);
    if (!ahead)
        skip_because("the file system knows no files without a name");
    assert_int_equal(dpk_file_replace_ahead(path, ahead, pieces, count, 0644, NULL), DPK_OK);
    dpk_ahead_end(ahead);
}

/* The file has the pieces, one after the other. */
static void assert_pieces(const char *path, const struct dpk_piece *pieces, size_t count)
{
    struct dpk_buf got = {0};
    size_t at = 0;
    assert_int_equal(dpk_file_read(path, DPK_FILE_MAX, &got, NULL), DPK_OK);
    for (size_t i = 0; i < count; at += pieces[i++].size) {
        assert_true(got.size - at >= pieces[i].size);
        assert_memory_equal(got.data + at, pieces[i].data, pieces[i].size);
    }
    assert_int_equal(got.size, at);
    dpk_buf_free(&got);
    assert_int_equal(entries("."), 1);
}

static void pieces_may_change_add_and_take_away_anywhere(void **state)
{
    (void)state;
    uint8_t *old = old_bytes();
    const struct dpk_piece same[] = {{old, SIZE}};
    const struct dpk_piece changed[] = {
        {old, 5000}, {"new", 3}, {old + 5003, SIZE - 5003 - 1}, {"x", 1}};
    const struct dpk_piece longer[] = {{"in front", 8}, {old, SIZE}, {old, 100}};
    const struct dpk_piece shorter[] = {{old, 4097}, {old + 10000, 50000}, {NULL, 0}};
    const struct dpk_piece none[] = {{NULL, 0}};
    const struct {
        const struct dpk_piece *pieces;
        size_t count;
    } all[] = {{same, 1}, {changed, 4}, {longer, 3}, {shorter, 3}, {none, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        replace("file", old, all[i].pieces, all[i].count);
        assert_pieces("file", all[i].pieces, all[i].count);
    }
    free(old);
}

static void modes_are_those_of_any_other_way(void **state)
{
    (void)state;
    struct stat st;
    uint8_t *old = old_bytes();
    const struct dpk_piece pieces[] = {{old, SIZE}};
    umask(027);
    replace("file", old, pieces, 1);
    assert_int_equal(stat("file", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(chmod("file", 0751), 0);
    replace("file", old, pieces, 1);
    assert_int_equal(stat("file", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0751);
    free(old);
}

static void a_link_is_followed(void **state)
{
    (void)state;
    struct stat st;
    uint8_t *old = old_bytes();
    const struct dpk_piece pieces[] = {{old, SIZE}};
    assert_int_equal(mkdir("folder", 0755), 0);
    write_file("folder/file", "", 0644);
    assert_int_equal(symlink("folder/file", "link"), 0);
    replace("link", old, pieces, 1);
    assert_int_equal(lstat("folder/file", &st), 0);
    assert_int_equal(st.st_size, SIZE);
    assert_int_equal(entries("folder"), 1);
    free(old);
}

static void what_is_begun_and_not_put_leaves_nothing(void **state)
{
    (void)state;
    uint8_t *old = old_bytes();
    dpk_ahead_end(dpk_ahead_begin("file", old, SIZE));
    assert_int_equal(entries("."), 0);
    dpk_ahead_end(NULL);
    free(old);
}

static void what_is_small_or_cannot_be_replaced_is_not_begun(void **state)
{
    (void)state;
    uint8_t *old = old_bytes();
    assert_null(dpk_ahead_begin("file", old, 1000));
    assert_null(dpk_ahead_begin("/dev/null", old, SIZE));
    assert_null(dpk_ahead_begin("no/folder/file", old, SIZE));
    const struct dpk_piece pieces[] = {{old, 1000}};
    assert_int_equal(dpk_file_replace_ahead("file", NULL, pieces, 1, 0644, NULL), DPK_OK);
    assert_pieces("file", pieces, 1);
    free(old);
}

/* A limit for the sizes of files is a disk that gets full. */
static void a_file_that_cannot_be_written_keeps_the_old_one(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct rlimit before, little;
    uint8_t *old = old_bytes();
    const struct dpk_piece large[] = {{old, SIZE}}, small[] = {{"a", 1}};
    write_file("file", "old", 0644);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    little.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    struct dpk_ahead *ahead = dpk_ahead_begin("file", old, SIZE);
    enum dpk_status whole = dpk_file_replace_ahead("file", ahead, large, 1, 0644, &err);
    dpk_ahead_end(ahead);
    ahead = dpk_ahead_begin("other", old, SIZE);
    enum dpk_status part = dpk_file_replace_ahead("other", ahead, small, 1, 0644, NULL);
    dpk_ahead_end(ahead);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(whole, DPK_ERR_IO);
    assert_string_equal(err.message, "file: File too large");
    assert_content("file", "old");
    assert_int_equal(part, DPK_OK);
    assert_content("other", "a");
    assert_int_equal(entries("."), 2);
    free(old);
}

#define IN_ROOM(test) cmocka_unit_test_setup_teardown(test, enter_room, leave_room)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(pieces_may_change_add_and_take_away_anywhere),
        IN_ROOM(modes_are_those_of_any_other_way),
        IN_ROOM(a_link_is_followed),
        IN_ROOM(what_is_begun_and_not_put_leaves_nothing),
        IN_ROOM(what_is_small_or_cannot_be_replaced_is_not_begun),
        IN_ROOM(a_file_that_cannot_be_written_keeps_the_old_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
