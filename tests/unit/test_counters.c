/* Counters of a device: several processes and threads add to one file. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/counters/counters.h"

enum { THREADS = 4, EACH = 250000 };

static char directory[] = "/tmp/dpk-counters-XXXXXX";
static char path[sizeof directory + 16];
static struct dpk_counters_seen seen;

static int begin(void **state)
{
    (void)state;
    memcpy(directory + sizeof directory - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/counters", directory);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

static struct dpk_counters *opened(void)
{
    struct dpk_counters *c = NULL;
    assert_int_equal(dpk_counters_open(directory, &c, NULL), DPK_OK);
    return c;
}

static void *count(void *context)
{
    struct dpk_counters *c = context;
    struct dpk_counts *row = dpk_counters_claim(c, DPK_COUNTED_SQ, 7);
    for (unsigned i = 0; i < EACH; i++) {
        dpk_count(row, DPK_SENT, 1);
        dpk_count(dpk_counters_port(c), i % 3 ? DPK_RECEIVED : DPK_DROP_NO_RULE, 1);
    }
    dpk_counters_release(c, row);
    return NULL;
}

static void threads_lose_no_count(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct dpk_counters *c = opened();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, c), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    dpk_counters_read(c, false, &seen);
    assert_int_equal(seen.port[DPK_SENT], THREADS * EACH);
    assert_int_equal(seen.port[DPK_RECEIVED] + seen.port[DPK_DROP_NO_RULE], seen.port[DPK_SENT]);
    dpk_counters_close(c);
}

static void counters_outlive_processes(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct dpk_counters *theirs = NULL;
        if (dpk_counters_open(directory, &theirs, NULL) == DPK_OK)
            dpk_count(dpk_counters_claim(theirs, DPK_COUNTED_RQ, 9), DPK_RECEIVED, 5);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    struct dpk_counters *c = opened();
    dpk_counters_read(c, false, &seen);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.queues[0].number, 9);
    assert_int_equal(seen.queues[0].process, child);
    assert_true(seen.queues[0].gone);
    /* The next process that has queues takes its row, and what it counted stays the port's. */
    dpk_counters_release(c, dpk_counters_claim(c, DPK_COUNTED_SQ, 1));
    dpk_counters_read(c, true, &seen);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.queues[0].number, 1);
    assert_int_equal(seen.port[DPK_RECEIVED], 5);
    dpk_counters_read(c, false, &seen);
    assert_int_equal(seen.port[DPK_RECEIVED], 0);
    dpk_counters_close(c);
}

/* As a wire does with frames that were sent and never taken. */
static void what_is_taken_back_after_a_reset_is_no_huge_number(void **state)
{
    (void)state;
    struct dpk_counters *c = opened();
    dpk_count(dpk_counters_port(c), DPK_WIRE_OUT, 5);
    dpk_count(dpk_counters_port(c), DPK_WIRE_OUT, -UINT64_C(2));
    dpk_counters_read(c, true, &seen);
    assert_int_equal(seen.port[DPK_WIRE_OUT], 3);
    dpk_count(dpk_counters_port(c), DPK_WIRE_OUT, -UINT64_C(1));
    dpk_counters_read(c, false, &seen);
    assert_int_equal(seen.port[DPK_WIRE_OUT], 0);
    dpk_counters_close(c);
}

static void more_queues_than_rows_count_for_the_port(void **state)
{
    (void)state;
    struct dpk_counters *c = opened();
    for (uint32_t i = 0; i < DPK_COUNTERS_QUEUES; i++)
        assert_ptr_not_equal(dpk_counters_claim(c, DPK_COUNTED_SQ, i), dpk_counters_port(c));
    assert_ptr_equal(dpk_counters_claim(c, DPK_COUNTED_SQ, 5000), dpk_counters_port(c));
    dpk_counters_read(c, false, &seen);
    assert_int_equal(seen.count, DPK_COUNTERS_QUEUES);
    dpk_counters_close(c);
}

/* Whatever the file says is shown, or refused. */
static void a_hostile_file_does_no_harm(void **state)
{
    (void)state;
    struct dpk_counters *c = opened();
    dpk_counters_close(c);
    uint8_t bytes[4096];
    memset(bytes, 0xff, sizeof bytes);
    int fd = open(path, O_RDWR);
    assert_int_equal(pwrite(fd, bytes, sizeof bytes, 64), sizeof bytes);
    c = opened();
    dpk_counters_read(c, false, &seen);
    assert_in_range(seen.count, 1, DPK_COUNTERS_QUEUES);
    assert_non_null(dpk_counters_claim(c, DPK_COUNTED_RQ, 3));
    dpk_counters_close(c);
    assert_int_equal(pwrite(fd, bytes, 8, 0), 8);
    struct dpk_error err = {0};
    assert_int_equal(dpk_counters_open(directory, &c, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "remove it"));
    close(fd);
}

static void a_link_is_refused(void **state)
{
    (void)state;
    struct dpk_counters *c = NULL;
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(dpk_counters_open(directory, &c, NULL), DPK_ERR_IO);
    assert_null(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_lose_no_count, begin, end),
        cmocka_unit_test_setup_teardown(counters_outlive_processes, begin, end),
        cmocka_unit_test_setup_teardown(what_is_taken_back_after_a_reset_is_no_huge_number, begin,
                                        end),
        cmocka_unit_test_setup_teardown(more_queues_than_rows_count_for_the_port, begin, end),
        cmocka_unit_test_setup_teardown(a_hostile_file_does_no_harm, begin, end),
        cmocka_unit_test_setup_teardown(a_link_is_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
