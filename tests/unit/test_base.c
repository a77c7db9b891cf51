/* lib/base: errors, byte readers and writers, files, UUIDs, option tables. */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Errors ---------------------------------------------------------------------------------- */

static void fail_fills_the_error_and_returns_the_status(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    assert_int_equal(dpk_fail(&err, DPK_ERR_FORMAT, "%s: no magic", "a"), DPK_ERR_FORMAT);
    assert_int_equal(err.status, DPK_ERR_FORMAT);
    assert_string_equal(err.message, "a: no magic");
}

static void fail_without_an_error_returns_the_status(void **state)
{
    (void)state;
    assert_int_equal(dpk_fail(NULL, DPK_ERR_RANGE, "x"), DPK_ERR_RANGE);
    assert_int_equal(dpk_fail_nomem(NULL), DPK_ERR_NOMEM);
    errno = EACCES;
    assert_int_equal(dpk_fail_errno(NULL, "x"), DPK_ERR_IO);
}

static void fail_cuts_a_message_that_is_too_long(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    dpk_fail(&err, DPK_ERR_RANGE, "%2000d", 1);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

static void fail_drops_newlines_at_the_end(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    dpk_fail(&err, DPK_ERR_TOOL, "ld said\n\n");
    assert_string_equal(err.message, "ld said");
}

static void fail_may_quote_the_message_that_it_replaces(void **state)
{
    (void)state;
    struct dpk_error err = {.message = "old"};
    dpk_fail(&err, DPK_ERR_TOOL, "new, was %s", err.message);
    assert_string_equal(err.message, "new, was old");
}

static void fail_errno_tells_the_reason_and_maps_the_status(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    errno = EACCES;
    assert_int_equal(dpk_fail_errno(&err, "open %s", "f"), DPK_ERR_IO);
    assert_string_equal(err.message, "open f: Permission denied");
    errno = ENOENT;
    assert_int_equal(dpk_fail_errno(&err, "f"), DPK_ERR_NOT_FOUND);
    errno = ENOMEM;
    assert_int_equal(dpk_fail_errno(&err, "f"), DPK_ERR_NOMEM);
}

static void fail_nomem_says_out_of_memory(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    assert_int_equal(dpk_fail_nomem(&err), DPK_ERR_NOMEM);
    assert_string_equal(err.message, "out of memory");
}

static void prefix_goes_before_the_message_and_keeps_the_status(void **state)
{
    (void)state;
    struct dpk_error err = {.status = DPK_ERR_CRYPTO, .message = "bad key"};
    assert_int_equal(dpk_error_prefix(&err, "slot %d", 3), DPK_ERR_CRYPTO);
    assert_string_equal(err.message, "slot 3: bad key");
}

static void prefix_cuts_a_message_that_grows_too_long(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    dpk_fail(&err, DPK_ERR_RANGE, "%1020d", 1);
    dpk_error_prefix(&err, "%010d", 1);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_memory_equal(err.message, "0000000001:  ", 13);
}

static void prefix_without_an_error_is_no_success(void **state)
{
    (void)state;
    assert_int_not_equal(dpk_error_prefix(NULL, "x"), DPK_OK);
}

/* What `dpk_tool_fail` prints, in a static buffer; its exit code in `code`. */
static const char *tool_fail_text(const struct dpk_error *err, int *code)
{
    static char text[256];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    *code = dpk_tool_fail(err);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(ends[1]);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    assert_true(got >= 0);
    text[got] = 0;
    return text;
}

static void tool_fail_prints_and_gives_exit_code_1(void **state)
{
    (void)state;
    struct dpk_error err = {.status = DPK_ERR_IO, .message = "f: gone"};
    int code = 0;
    assert_string_equal(tool_fail_text(&err, &code), "-E- f: gone\n");
    assert_int_equal(code, 1);
}

static void tool_fail_gives_exit_code_2_for_usage(void **state)
{
    (void)state;
    struct dpk_error err = {.status = DPK_ERR_USAGE, .message = "unknown option -z"};
    int code = 0;
    assert_string_equal(tool_fail_text(&err, &code), "-E- unknown option -z\n");
    assert_int_equal(code, 2);
}

/* ---- Reading bytes --------------------------------------------------------------------------- */

static const uint8_t counting[] = {0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88};

static void read_honours_the_byte_order(void **state)
{
    (void)state;
    struct dpk_reader all = dpk_reader(counting, sizeof counting), r;
    assert_int_equal(dpk_read_u8((r = all, &r)), 0x81);
    assert_int_equal(dpk_read_be16((r = all, &r)), 0x8182);
    assert_int_equal(dpk_read_be32((r = all, &r)), 0x81828384);
    assert_true(dpk_read_be64((r = all, &r)) == UINT64_C(0x8182838485868788));
    assert_int_equal(dpk_read_le16((r = all, &r)), 0x8281);
    assert_int_equal(dpk_read_le32((r = all, &r)), 0x84838281);
    assert_true(dpk_read_le64((r = all, &r)) == UINT64_C(0x8887868584838281));
    assert_false(r.failed);
}

static void read_moves_on_by_what_it_read(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_u8(&r);
    dpk_read_be32(&r);
    assert_int_equal(dpk_reader_offset(&r), 5);
    assert_int_equal(dpk_reader_left(&r), 3);
}

static void read_past_the_end_gives_zero_and_sets_failed(void **state)
{
    (void)state;
    for (size_t size = 0; size < 8; size++) {
        struct dpk_reader all = dpk_reader(counting, size), r;
        assert_true(dpk_read_be64((r = all, &r)) == 0 && r.failed);
        assert_true(dpk_read_le64((r = all, &r)) == 0 && r.failed);
        if (size < 4) {
            assert_true(dpk_read_be32((r = all, &r)) == 0 && r.failed);
            assert_true(dpk_read_le32((r = all, &r)) == 0 && r.failed);
        }
        if (size < 2) {
            assert_true(dpk_read_be16((r = all, &r)) == 0 && r.failed);
            assert_true(dpk_read_le16((r = all, &r)) == 0 && r.failed);
        }
        if (size < 1)
            assert_true(dpk_read_u8((r = all, &r)) == 0 && r.failed);
    }
}

static void read_after_a_failure_gives_zero_and_nothing_is_left(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, 3);
    dpk_read_be32(&r);
    assert_int_equal(dpk_read_u8(&r), 0);
    assert_null(dpk_read_bytes(&r, 0));
    assert_int_equal(dpk_reader_left(&r), 0);
    assert_true(r.failed);
}

static void read_bytes_borrows_from_the_source(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_u8(&r);
    assert_ptr_equal(dpk_read_bytes(&r, 7), counting + 1);
    assert_non_null(dpk_read_bytes(&r, 0));
    assert_false(r.failed);
}

static void read_bytes_of_too_many_gives_null_and_sets_failed(void **state)
{
    (void)state;
    const size_t sizes[] = {9, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct dpk_reader r = dpk_reader(counting, sizeof counting);
        assert_null(dpk_read_bytes(&r, sizes[i]));
        assert_true(r.failed);
    }
}

static void skip_moves_on_and_fails_past_the_end(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_skip(&r, 7);
    assert_int_equal(dpk_read_u8(&r), 0x88);
    assert_false(r.failed);
    dpk_read_skip(&r, SIZE_MAX);
    assert_true(r.failed);
}

static void reader_of_null_is_empty(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(NULL, 0);
    assert_int_equal(dpk_reader_left(&r), 0);
    assert_false(r.failed);
    dpk_read_u8(&r);
    assert_true(r.failed);
}

static void slice_counts_from_the_beginning_of_the_source(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_skip(&r, 5);
    struct dpk_reader slice = dpk_reader_slice(&r, 2, 2);
    assert_int_equal(dpk_reader_left(&slice), 2);
    assert_int_equal(dpk_read_be16(&slice), 0x8384);
    assert_false(slice.failed);
    dpk_read_u8(&slice);
    assert_true(slice.failed);
}

static void slice_may_be_empty_at_the_end(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    struct dpk_reader slice = dpk_reader_slice(&r, sizeof counting, 0);
    assert_false(slice.failed);
    assert_int_equal(dpk_reader_left(&slice), 0);
}

static void slice_outside_the_source_is_failed_and_empty(void **state)
{
    (void)state;
    const uint64_t spans[][2] = {{0, 9},          {8, 1},          {9, 0},
                                 {1, UINT64_MAX}, {UINT64_MAX, 1}, {UINT64_MAX, UINT64_MAX},
                                 {UINT64_MAX, 0}, {4, UINT64_MAX - 3}};
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    for (size_t i = 0; i < COUNT(spans); i++) {
        struct dpk_reader slice = dpk_reader_slice(&r, spans[i][0], spans[i][1]);
        assert_true(slice.failed);
        assert_int_equal(dpk_reader_left(&slice), 0);
    }
}

static void slice_of_a_failed_reader_is_failed(void **state)
{
    (void)state;
    struct dpk_reader r = dpk_reader(counting, sizeof counting);
    dpk_read_skip(&r, 9);
    assert_true(dpk_reader_slice(&r, 0, 1).failed);
}

/* ---- Writing bytes --------------------------------------------------------------------------- */

static void put_honours_the_byte_order(void **state)
{
    (void)state;
    static const uint8_t expected[] = {1,    0x23, 0x45, 0x23, 0x45, 0x67, 0x89, 1,    2, 3, 4,
                                       5,    6,    7,    8,    0x45, 0x23, 0x89, 0x67, 0x45, 0x23,
                                       8,    7,    6,    5,    4,    3,    2,    1};
    struct dpk_buf b = {0};
    dpk_put_u8(&b, 1);
    dpk_put_be16(&b, 0x2345);
    dpk_put_be32(&b, 0x23456789);
    dpk_put_be64(&b, UINT64_C(0x0102030405060708));
    dpk_put_le16(&b, 0x2345);
    dpk_put_le32(&b, 0x23456789);
    dpk_put_le64(&b, UINT64_C(0x0102030405060708));
    assert_int_equal(b.size, sizeof expected);
    assert_memory_equal(b.data, expected, sizeof expected);
    dpk_buf_free(&b);
}

static void store_honours_the_byte_order(void **state)
{
    (void)state;
    uint8_t bytes[14];
    dpk_store_be16(bytes, 0x8182);
    dpk_store_be32(bytes + 2, 0x81828384);
    dpk_store_le64(bytes + 6, UINT64_C(0x8887868584838281));
    assert_memory_equal(bytes, counting, 2);
    assert_memory_equal(bytes + 2, counting, 4);
    assert_memory_equal(bytes + 6, counting, 8);
}

static void buf_keeps_its_content_while_it_grows(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    for (uint32_t i = 0; i < 10000; i++)
        dpk_put_be32(&b, i);
    assert_false(b.failed);
    assert_true(b.size == 40000 && b.capacity >= b.size);
    struct dpk_reader r = dpk_reader(b.data, b.size);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(dpk_read_be32(&r), i);
    dpk_buf_free(&b);
}

static void buf_free_resets_to_empty(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put(&b, "secret", 6);
    dpk_buf_free(&b);
    assert_true(!b.data && b.size == 0 && b.capacity == 0 && !b.failed);
    dpk_buf_free(&b);
}

static void buf_wipe_free_resets_to_empty(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_buf_wipe_free(&b);
    dpk_put(&b, "secret", 6);
    dpk_buf_wipe_free(&b);
    assert_true(!b.data && b.size == 0 && b.capacity == 0);
}

static void reserve_makes_room_and_keeps_the_size(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    assert_true(dpk_buf_reserve(&b, 1000));
    assert_true(b.data && b.size == 0 && b.capacity >= 1000);
    dpk_buf_free(&b);
}

static void put_of_an_impossible_size_sets_failed_and_keeps_the_content(void **state)
{
    (void)state;
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 3, (size_t)PTRDIFF_MAX + 1, PTRDIFF_MAX};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct dpk_buf b = {0};
        dpk_put(&b, "abc", 3);
        dpk_put_fill(&b, 0, sizes[i]);
        assert_true(b.failed);
        assert_int_equal(b.size, 3);
        assert_memory_equal(b.data, "abc", 3);
        dpk_buf_free(&b);
    }
}

static void put_after_a_failure_does_nothing(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put_fill(&b, 0, SIZE_MAX);
    dpk_put(&b, "abc", 3);
    dpk_put_u8(&b, 1);
    dpk_put_align(&b, 8, 0);
    dpk_put_format(&b, "x");
    assert_true(b.failed && b.size == 0 && !b.data);
    assert_false(dpk_buf_reserve(&b, 0));
}

static void put_of_nothing_changes_nothing(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put(&b, NULL, 0);
    dpk_put_fill(&b, 1, 0);
    assert_true(!b.failed && b.size == 0);
    dpk_buf_free(&b);
}

static void fill_repeats_the_byte(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put_fill(&b, 'z', 3);
    assert_int_equal(b.size, 3);
    assert_memory_equal(b.data, "zzz", 3);
    dpk_buf_free(&b);
}

static void align_pads_to_the_next_multiple(void **state)
{
    (void)state;
    const size_t cases[][3] = {{0, 8, 0}, {1, 8, 8},  {8, 8, 8}, {9, 8, 16},
                               {5, 3, 6}, {5, 1, 5}, {5, 0, 5}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct dpk_buf b = {0};
        dpk_put_fill(&b, 0, cases[i][0]);
        dpk_put_align(&b, cases[i][1], 0xff);
        assert_int_equal(b.size, cases[i][2]);
        if (cases[i][2] > cases[i][0])
            assert_int_equal(b.data[b.size - 1], 0xff);
        dpk_buf_free(&b);
    }
}

static void format_appends_text_without_a_nul(void **state)
{
    (void)state;
    struct dpk_buf b = {0};
    dpk_put_format(&b, "%s-%d", "ab", 12);
    dpk_put_format(&b, "%s", "");
    dpk_put_format(&b, "%0100d", 7);
    assert_int_equal(b.size, 105);
    assert_memory_equal(b.data, "ab-120", 6);
    assert_int_equal(b.data[104], '7');
    dpk_buf_free(&b);
}

/* ---- Files: every test runs in an empty directory of its own --------------------------------- */

struct room {
    char path[64], before[4096];
    mode_t umask;
};

static int enter_room(void **state)
{
    struct room *room = calloc(1, sizeof *room);
    if (!room || !getcwd(room->before, sizeof room->before))
        return -1;
    snprintf(room->path, sizeof room->path, "/tmp/test_base.XXXXXX");
    room->umask = umask(022);
    *state = room;
    return mkdtemp(room->path) && chdir(room->path) == 0 ? 0 : -1;
}

static void empty_directory(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char name[600];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' && strlen(entry->d_name) < 3)
            continue;
        if (entry->d_type == DT_DIR)
            empty_directory(name);
        if (remove(name) != 0)
            print_message("cannot remove %s\n", name);
    }
    if (dir)
        closedir(dir);
}

static int leave_room(void **state)
{
    struct room *room = *state;
    umask(room->umask);
    empty_directory(room->path);
    int failed = chdir(room->before) | rmdir(room->path);
    free(room);
    return failed;
}

static size_t entries(const char *path)
{
    size_t count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2; /* . and .. */
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_content(const char *path, const char *text)
{
    struct dpk_buf b = {0};
    assert_int_equal(dpk_file_read(path, 4096, &b, NULL), DPK_OK);
    assert_int_equal(b.size, strlen(text));
    assert_memory_equal(b.data, text, b.size);
    dpk_buf_free(&b);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static enum dpk_status replace_with(const char *path, const char *text, struct dpk_error *err)
{
    *err = (struct dpk_error){0};
    return dpk_file_replace(path, text, strlen(text), 0644, err);
}

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

/* root may write everywhere; so be nobody for the call. */
static enum dpk_status replace_unprivileged(const char *path, struct dpk_error *err)
{
    bool root = geteuid() == 0;
    if (root && seteuid(65534) != 0)
        skip();
    enum dpk_status status = replace_with(path, "new", err);
    if (root)
        assert_int_equal(seteuid(0), 0);
    return status;
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
        skip();
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
        skip();
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
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum dpk_status status = dpk_file_replace("f", big, sizeof big, 0644, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, before);
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

/* ---- UUIDs ----------------------------------------------------------------------------------- */

static const char uuid_text[] = "01234567-89ab-cdef-fedc-ba9876543210";

static void uuid_parse_and_format_are_inverse(void **state)
{
    (void)state;
    struct dpk_uuid u;
    char text[DPK_UUID_TEXT];
    assert_int_equal(dpk_uuid_parse(uuid_text, &u, NULL), DPK_OK);
    assert_memory_equal(u.bytes, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
    dpk_uuid_format(&u, text);
    assert_string_equal(text, uuid_text);
}

static void uuid_parse_takes_both_cases(void **state)
{
    (void)state;
    struct dpk_uuid a, b;
    assert_int_equal(dpk_uuid_parse(uuid_text, &a, NULL), DPK_OK);
    assert_int_equal(dpk_uuid_parse("01234567-89AB-cDeF-FEDC-BA9876543210", &b, NULL), DPK_OK);
    assert_true(dpk_uuid_equal(&a, &b));
}

static void uuid_parse_is_strict(void **state)
{
    (void)state;
    const char *const bad[] = {"",
                               "0",
                               "01234567-89ab-cdef-fedc-ba987654321",
                               "01234567-89ab-cdef-fedc-ba98765432100",
                               "01234567-89ab-cdef-fedc-ba987654321g",
                               "01234567-89ab-cdef-fedcba-9876543210",
                               "0123456789abcdeffedcba9876543210",
                               "0123456789abcdeffedcba98765432100000",
                               "{1234567-89ab-cdef-fedc-ba987654321}",
                               " 1234567-89ab-cdef-fedc-ba9876543210",
                               "+1234567-89ab-cdef-fedc-ba9876543210",
                               "0x234567-89ab-cdef-fedc-ba9876543210",
                               "01234567--9ab-cdef-fedc-ba9876543210",
                               "01234567-89ab-cdef-fedc-ba987654321\n",
                               "01234567_89ab_cdef_fedc_ba9876543210",
                               "\xc3\xa9_34567-89ab-cdef-fedc-ba9876543210"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct dpk_uuid u = {{7}};
        struct dpk_error err = {0};
        assert_int_equal(dpk_uuid_parse(bad[i], &u, &err), DPK_ERR_FORMAT);
        assert_non_null(strstr(err.message, "is not a UUID"));
        assert_int_equal(u.bytes[0], 7);
    }
}

static void uuid_new_time_is_version_1_and_new(void **state)
{
    (void)state;
    struct dpk_uuid a, b;
    dpk_uuid_new_time(&a);
    dpk_uuid_new_time(&b);
    assert_int_equal(a.bytes[6] >> 4, 1);
    assert_int_equal(a.bytes[8] >> 6, 2);
    assert_false(dpk_uuid_equal(&a, &b));
}

static void uuid_is_zero_looks_at_every_byte(void **state)
{
    (void)state;
    struct dpk_uuid u = {{0}};
    assert_true(dpk_uuid_is_zero(&u));
    for (size_t i = 0; i < 16; i++) {
        u = (struct dpk_uuid){{0}};
        u.bytes[i] = 1;
        assert_false(dpk_uuid_is_zero(&u));
    }
}

/* ---- Command lines --------------------------------------------------------------------------- */

static const char *food, *out;
static bool quiet;
static size_t list_count;
static const char *list_last;

static enum dpk_status parse_list(void *context, const char *arg, struct dpk_error *err)
{
    assert_ptr_equal(context, &list_count);
    if (arg && strcmp(arg, "bad") == 0)
        return dpk_fail(err, DPK_ERR_RANGE, "not that one");
    list_count++;
    list_last = arg;
    return DPK_OK;
}

static const struct dpk_option options[] = {
    {.names = "o,out", .arg = "FILE", .value = &out, .help = "where to write"},
    {.names = "food", .arg = "DISH", .value = &food, .help = "what to eat"},
    {.names = "q,quiet,silent", .flag = &quiet, .help = "say less"},
    {.names = "l,list", .arg = "ITEM", .parse = parse_list, .context = &list_count, .help = "add"},
    {.names = "twice", .parse = parse_list, .context = &list_count},
    {.names = "an-option-with-a-name", .arg = "AND-A-LONG-ARGUMENT", .value = &food, .help = "x"},
    {0}};

static struct dpk_args words;
static struct dpk_error error;

static enum dpk_status parse_as(bool single_dash, char **argv)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    food = out = list_last = NULL;
    quiet = false;
    list_count = 0;
    error = (struct dpk_error){0};
    free(words.words);
    words = (struct dpk_args){0};
    return dpk_options_parse(options, single_dash, argc, argv, &words, &error);
}

#define ARGV(...) ((char *[]){"tool", __VA_ARGS__, NULL})
#define PARSE(...) parse_as(false, ARGV(__VA_ARGS__))
#define PARSE_SINGLE(...) parse_as(true, ARGV(__VA_ARGS__))

static void assert_usage(enum dpk_status status, const char *message)
{
    assert_int_equal(status, DPK_ERR_USAGE);
    assert_int_equal(error.status, DPK_ERR_USAGE);
    assert_string_equal(error.message, message);
    assert_true(!words.words && words.count == 0);
}

static void options_take_a_value_in_every_spelling(void **state)
{
    (void)state;
    char **const spellings[] = {ARGV("--out", "f"), ARGV("--out=f"), ARGV("-o", "f"), ARGV("-of")};
    for (size_t i = 0; i < COUNT(spellings); i++) {
        assert_int_equal(parse_as(false, spellings[i]), DPK_OK);
        assert_string_equal(out, "f");
        assert_int_equal(words.count, 0);
    }
}

static void options_take_every_name_of_a_flag(void **state)
{
    (void)state;
    char **const spellings[] = {ARGV("-q"), ARGV("--quiet"), ARGV("--silent")};
    for (size_t i = 0; i < COUNT(spellings); i++) {
        assert_int_equal(parse_as(false, spellings[i]), DPK_OK);
        assert_true(quiet);
    }
}

static void options_take_any_value_even_one_with_dashes_or_none(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--out", "--quiet", "--food", "--"), DPK_OK);
    assert_string_equal(out, "--quiet");
    assert_string_equal(food, "--");
    assert_int_equal(PARSE("--out=", "--food=a=b", "-l=x"), DPK_OK);
    assert_string_equal(out, "");
    assert_string_equal(food, "a=b");
    assert_string_equal(list_last, "=x");
}

static void options_last_value_wins(void **state)
{
    (void)state;
    assert_int_equal(PARSE("-o", "one", "--out=two"), DPK_OK);
    assert_string_equal(out, "two");
}

static void options_and_words_mix_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(PARSE("one", "-q", "two", "--out", "f", "-", "", "three"), DPK_OK);
    assert_true(quiet);
    assert_string_equal(out, "f");
    const char *const expected[] = {"one", "two", "-", "", "three"};
    assert_int_equal(words.count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(words.words[i], expected[i]);
    assert_null(words.words[words.count]);
}

static void options_end_at_two_dashes(void **state)
{
    (void)state;
    assert_int_equal(PARSE("-q", "--", "--nonsense", "--", "-o"), DPK_OK);
    assert_int_equal(words.count, 3);
    assert_string_equal(words.words[0], "--nonsense");
    assert_string_equal(words.words[1], "--");
    assert_null(out);
}

static void options_may_be_absent(void **state)
{
    (void)state;
    assert_int_equal(parse_as(false, (char *[]){"tool", NULL}), DPK_OK);
    assert_int_equal(words.count, 0);
    assert_int_equal(parse_as(false, (char *[]){NULL}), DPK_OK);
    assert_int_equal(words.count, 0);
}

static void options_unknown_one_gets_a_suggestion(void **state)
{
    (void)state;
    assert_usage(PARSE("--foo"), "unknown option --foo; did you mean --food?");
    assert_usage(PARSE("a", "--quite=1"), "unknown option --quite; did you mean --quiet?");
    assert_usage(PARSE("-food"), "unknown option -food; did you mean --food?");
    assert_usage(PARSE("--o"), "unknown option --o; did you mean -o?");
}

static void options_unknown_one_unlike_any_gets_none(void **state)
{
    (void)state;
    assert_usage(PARSE("--zzzzzz"), "unknown option --zzzzzz");
    assert_usage(PARSE("-z"), "unknown option -z");
    assert_usage(PARSE("--=x"), "unknown option --");
    assert_usage(PARSE("-=x"), "unknown option -");
    assert_usage(PARSE("--,"), "unknown option --,");
    assert_usage(PARSE("-qv"), "unknown option -qv");
}

static void options_need_the_whole_name(void **state)
{
    (void)state;
    assert_usage(PARSE("--qui"), "unknown option --qui");
    assert_usage(PARSE("--outs=x"), "unknown option --outs; did you mean --out?");
    assert_usage(PARSE("--o,out=x"), "unknown option --o,out");
}

static void options_without_their_argument_fail(void **state)
{
    (void)state;
    assert_usage(PARSE("--out"), "option --out needs an argument (FILE)");
    assert_usage(PARSE("-q", "-o"), "option -o needs an argument (FILE)");
}

static void options_flag_with_a_value_fails(void **state)
{
    (void)state;
    assert_usage(PARSE("--quiet=1"), "option --quiet takes no argument");
    assert_usage(PARSE("--quiet="), "option --quiet takes no argument");
    assert_usage(PARSE("-q=1"), "option -q takes no argument");
    assert_false(quiet);
}

static void options_call_parse_once_per_use(void **state)
{
    (void)state;
    assert_int_equal(PARSE("-l", "a", "--list=b", "--list", "c"), DPK_OK);
    assert_int_equal(list_count, 3);
    assert_string_equal(list_last, "c");
    assert_int_equal(PARSE("--list=b", "--twice"), DPK_OK);
    assert_int_equal(list_count, 2);
    assert_null(list_last);
}

static void options_error_of_parse_names_the_option(void **state)
{
    (void)state;
    assert_int_equal(PARSE("word", "--list=bad"), DPK_ERR_RANGE);
    assert_string_equal(error.message, "option --list: not that one");
    assert_null(words.words);
}

static void options_fail_without_an_error_to_fill(void **state)
{
    (void)state;
    assert_int_equal(dpk_options_parse(options, false, 2, ARGV("--nope"), &words, NULL),
                     DPK_ERR_USAGE);
    assert_int_equal(dpk_options_parse(options, false, 2, ARGV("-lbad"), &words, NULL),
                     DPK_ERR_RANGE);
}

static void options_single_dash_names_are_refused_unless_asked_for(void **state)
{
    (void)state;
    assert_usage(PARSE("-quiet"), "unknown option -quiet; did you mean --quiet?");
    assert_int_equal(PARSE("-out=f"), DPK_OK); /* -o with "ut=f" */
    assert_string_equal(out, "ut=f");
}

static void options_single_dash_names_take_every_spelling(void **state)
{
    (void)state;
    char **const spellings[] = {ARGV("-out", "f"),  ARGV("-out=f"), ARGV("--out", "f"),
                                ARGV("--out=f"),    ARGV("-o", "f"), ARGV("-of"),
                                ARGV("-o=f")};
    for (size_t i = 0; i < COUNT(spellings); i++) {
        assert_int_equal(parse_as(true, spellings[i]), DPK_OK);
        assert_string_equal(out, "f");
    }
}

static void options_single_dash_letter_wins_only_if_no_name_matches_whole(void **state)
{
    (void)state;
    assert_int_equal(PARSE_SINGLE("-outs"), DPK_OK);
    assert_string_equal(out, "uts");
    assert_int_equal(PARSE_SINGLE("-list", "x"), DPK_OK);
    assert_string_equal(list_last, "x");
}

static void options_single_dash_errors_use_one_dash(void **state)
{
    (void)state;
    assert_usage(PARSE_SINGLE("-foo"), "unknown option -foo; did you mean -food?");
    assert_usage(PARSE_SINGLE("--foo"), "unknown option --foo; did you mean --food?");
    assert_usage(PARSE_SINGLE("-quiet=1"), "option -quiet takes no argument");
    assert_usage(PARSE_SINGLE("-out"), "option -out needs an argument (FILE)");
}

static void help_has_two_columns_and_leaves_out_the_hidden(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    dpk_options_help(options, to);
    assert_int_equal(fclose(to), 0);
    assert_string_equal(text, "  -o, --out FILE         where to write\n"
                              "      --food DISH        what to eat\n"
                              "  -q, --quiet, --silent  say less\n"
                              "  -l, --list ITEM        add\n"
                              "      --an-option-with-a-name AND-A-LONG-ARGUMENT\n"
                              "                         x\n");
    free(text);
}

static void closest_finds_the_nearest_within_a_third(void **state)
{
    (void)state;
    const char *const names[] = {"signature", "sign", "verify", NULL};
    assert_string_equal(dpk_closest("sing", (const char *const[]){"sing", "sign", NULL}), "sing");
    assert_string_equal(dpk_closest("sig", names), "sign");
    assert_string_equal(dpk_closest("isgn", names), "sign");
    assert_string_equal(dpk_closest("signatrue", names), "signature");
    assert_string_equal(dpk_closest("vrfy", (const char *const[]){"verfy", NULL}), "verfy");
    assert_null(dpk_closest("vrfy", names));
    assert_null(dpk_closest("", names));
    assert_null(dpk_closest("sign", (const char *const[]){NULL}));
}

static void closest_gives_up_on_very_long_words(void **state)
{
    (void)state;
    char word[1000];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    assert_null(dpk_closest(word, (const char *const[]){word, NULL}));
    assert_null(dpk_closest("aaa", (const char *const[]){word, NULL}));
    word[128] = 0;
    assert_ptr_equal(dpk_closest(word, (const char *const[]){word, NULL}), word);
}

static void version_has_three_numbers(void **state)
{
    (void)state;
    int a, b, c, end = 0;
    assert_int_equal(sscanf(dpk_version, "%d.%d.%d%n", &a, &b, &c, &end), 3);
    assert_int_equal(dpk_version[end], 0);
}

static int free_words(void **state)
{
    (void)state;
    free(words.words);
    return 0;
}

/* ---------------------------------------------------------------------------------------------- */

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, enter_room, leave_room)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_fills_the_error_and_returns_the_status),
        cmocka_unit_test(fail_without_an_error_returns_the_status),
        cmocka_unit_test(fail_cuts_a_message_that_is_too_long),
        cmocka_unit_test(fail_drops_newlines_at_the_end),
        cmocka_unit_test(fail_may_quote_the_message_that_it_replaces),
        cmocka_unit_test(fail_errno_tells_the_reason_and_maps_the_status),
        cmocka_unit_test(fail_nomem_says_out_of_memory),
        cmocka_unit_test(prefix_goes_before_the_message_and_keeps_the_status),
        cmocka_unit_test(prefix_cuts_a_message_that_grows_too_long),
        cmocka_unit_test(prefix_without_an_error_is_no_success),
        cmocka_unit_test(tool_fail_prints_and_gives_exit_code_1),
        cmocka_unit_test(tool_fail_gives_exit_code_2_for_usage),
        cmocka_unit_test(read_honours_the_byte_order),
        cmocka_unit_test(read_moves_on_by_what_it_read),
        cmocka_unit_test(read_past_the_end_gives_zero_and_sets_failed),
        cmocka_unit_test(read_after_a_failure_gives_zero_and_nothing_is_left),
        cmocka_unit_test(read_bytes_borrows_from_the_source),
        cmocka_unit_test(read_bytes_of_too_many_gives_null_and_sets_failed),
        cmocka_unit_test(skip_moves_on_and_fails_past_the_end),
        cmocka_unit_test(reader_of_null_is_empty),
        cmocka_unit_test(slice_counts_from_the_beginning_of_the_source),
        cmocka_unit_test(slice_may_be_empty_at_the_end),
        cmocka_unit_test(slice_outside_the_source_is_failed_and_empty),
        cmocka_unit_test(slice_of_a_failed_reader_is_failed),
        cmocka_unit_test(put_honours_the_byte_order),
        cmocka_unit_test(store_honours_the_byte_order),
        cmocka_unit_test(buf_keeps_its_content_while_it_grows),
        cmocka_unit_test(buf_free_resets_to_empty),
        cmocka_unit_test(buf_wipe_free_resets_to_empty),
        cmocka_unit_test(reserve_makes_room_and_keeps_the_size),
        cmocka_unit_test(put_of_an_impossible_size_sets_failed_and_keeps_the_content),
        cmocka_unit_test(put_after_a_failure_does_nothing),
        cmocka_unit_test(put_of_nothing_changes_nothing),
        cmocka_unit_test(fill_repeats_the_byte),
        cmocka_unit_test(align_pads_to_the_next_multiple),
        cmocka_unit_test(format_appends_text_without_a_nul),
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
        FILE_TEST(replace_writes_to_standard_output_that_is_a_pipe),
        FILE_TEST(replace_adds_to_standard_output_that_is_a_file),
        cmocka_unit_test(uuid_parse_and_format_are_inverse),
        cmocka_unit_test(uuid_parse_takes_both_cases),
        cmocka_unit_test(uuid_parse_is_strict),
        cmocka_unit_test(uuid_new_time_is_version_1_and_new),
        cmocka_unit_test(uuid_is_zero_looks_at_every_byte),
        cmocka_unit_test(options_take_a_value_in_every_spelling),
        cmocka_unit_test(options_take_every_name_of_a_flag),
        cmocka_unit_test(options_take_any_value_even_one_with_dashes_or_none),
        cmocka_unit_test(options_last_value_wins),
        cmocka_unit_test(options_and_words_mix_in_any_order),
        cmocka_unit_test(options_end_at_two_dashes),
        cmocka_unit_test(options_may_be_absent),
        cmocka_unit_test(options_unknown_one_gets_a_suggestion),
        cmocka_unit_test(options_unknown_one_unlike_any_gets_none),
        cmocka_unit_test(options_need_the_whole_name),
        cmocka_unit_test(options_without_their_argument_fail),
        cmocka_unit_test(options_flag_with_a_value_fails),
        cmocka_unit_test(options_call_parse_once_per_use),
        cmocka_unit_test(options_error_of_parse_names_the_option),
        cmocka_unit_test(options_fail_without_an_error_to_fill),
        cmocka_unit_test(options_single_dash_names_are_refused_unless_asked_for),
        cmocka_unit_test(options_single_dash_names_take_every_spelling),
        cmocka_unit_test(options_single_dash_letter_wins_only_if_no_name_matches_whole),
        cmocka_unit_test(options_single_dash_errors_use_one_dash),
        cmocka_unit_test(help_has_two_columns_and_leaves_out_the_hidden),
        cmocka_unit_test(closest_finds_the_nearest_within_a_third),
        cmocka_unit_test(closest_gives_up_on_very_long_words),
        cmocka_unit_test(version_has_three_numbers),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, free_words);
}
