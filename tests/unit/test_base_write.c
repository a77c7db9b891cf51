/* A partial write reports why the rest was not written. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "engine/debug/debug.h"

static char path[64];

static int setup(void **state)
{
    (void)state;
    const char name[] = "/tmp/test_base_write.XXXXXX";
    memcpy(path, name, sizeof name);
    const int fd = mkstemp(path);
    signal(SIGXFSZ, SIG_IGN);
    return fd >= 0 ? close(fd) : -1;
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

/* A file gets no larger, as on a full disk. */
static void limit_files(rlim_t size)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_short_write_is_told_by_its_reason(void **state)
{
    (void)state;
    static const char bytes[100];
    struct stat st;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    limit_files(150);
    errno = 0;
    assert_int_equal(dpk_write_all(fd, bytes, sizeof bytes), 0);
    assert_int_equal(dpk_write_all(fd, bytes, sizeof bytes), -1);
    assert_int_equal(errno, EFBIG);
    assert_true(fstat(fd, &st) == 0 && st.st_size == 150);
    errno = 0;
    assert_int_equal(dpk_pwrite_all(fd, bytes, sizeof bytes, 20), 0);
    assert_int_equal(dpk_pwrite_all(fd, bytes, sizeof bytes, 120), -1);
    assert_int_equal(errno, EFBIG);
    limit_files(RLIM_INFINITY);
    close(fd);
}

static void a_trace_stays_a_document(void **state)
{
    (void)state;
    struct dpk_trace *t;
    struct dpk_buf content = {0};
    const struct dpk_trace_event e = {.phase = 'i', .category = "c", .name = "an event"};
    assert_int_equal(dpk_trace_open(path, UINT64_MAX, &t, NULL), DPK_OK);
    limit_files(2000);
    for (int i = 0; i < 100; i++) {
        dpk_trace_put(t, &e);
        dpk_trace_flush(t);
    }
    limit_files(RLIM_INFINITY);
    dpk_trace_put(t, &e); /* no more: there would be a gap */
    dpk_trace_close(t);
    assert_int_equal(dpk_file_read(path, DPK_FILE_MAX, &content, NULL), DPK_OK);
    assert_in_range(content.size, 1000, 2000);
    assert_memory_equal(content.data + content.size - 5, "}\n]}\n", 5);
    dpk_buf_free(&content);
    limit_files(10);
    struct dpk_error err = {0};
    assert_int_equal(dpk_trace_open(path, UINT64_MAX, &t, &err), DPK_ERR_IO);
    assert_non_null(strstr(err.message, "File too large"));
    limit_files(RLIM_INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_short_write_is_told_by_its_reason, setup, teardown),
        cmocka_unit_test_setup_teardown(a_trace_stays_a_document, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
