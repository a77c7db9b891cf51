/* lib/base: loops shared among threads, large files, files in pieces. */
#include "base/base.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ROUNDS 1000

static void count_round(void *context, size_t i)
{
    atomic_int *rounds = context;
    atomic_fetch_add(&rounds[i], 1);
}

static void every_round_runs_once_whatever_the_number_of_threads(void **state)
{
    (void)state;
    static const unsigned threads[] = {0, 1, 2, 7, 100000};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        static atomic_int rounds[ROUNDS + 1];
        memset(rounds, 0, sizeof rounds);
        dpk_parallel(ROUNDS, threads[t], count_round, rounds);
        for (size_t i = 0; i < ROUNDS; i++)
            assert_int_equal(atomic_load(&rounds[i]), 1);
        assert_int_equal(atomic_load(&rounds[ROUNDS]), 0);
    }
    dpk_parallel(0, 4, count_round, NULL);
}

static void note_order(void *context, size_t i)
{
    size_t *next = context;
    assert_int_equal(i, *next);
    ++*next;
}

static void one_thread_goes_in_order(void **state)
{
    (void)state;
    size_t next = 0;
    dpk_parallel(ROUNDS, 1, note_order, &next);
    assert_int_equal(next, ROUNDS);
}

static void threads_are_shared_among_few_jobs(void **state)
{
    (void)state;
    assert_int_equal(dpk_parallel_share(1, 8), 8);
    assert_int_equal(dpk_parallel_share(2, 8), 4);
    assert_int_equal(dpk_parallel_share(3, 8), 3);
    assert_int_equal(dpk_parallel_share(8, 8), 1);
    assert_int_equal(dpk_parallel_share(1000, 8), 1);
    assert_int_equal(dpk_parallel_share(5, 1), 1);
    assert_int_equal(dpk_parallel_share(0, 8), 8);
    assert_true(dpk_parallel_share(1, 0) >= 1);
    assert_int_equal(dpk_parallel_share(1, 1000000), dpk_parallel_share(1, 0x100));
}

static void *mask_of_thread(void *mask)
{
    pthread_sigmask(SIG_BLOCK, NULL, mask);
    return NULL;
}

/* A program that looks after its crashes, or after pages that are not there yet, hears of both. */
static void threads_leave_signals_to_the_program_but_those_of_their_own_faults(void **state)
{
    (void)state;
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t mask, before, after;
    pthread_t thread;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    assert_int_equal(dpk_pthread_start(&thread, mask_of_thread, &mask), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        assert_false(sigismember(&mask, faults[i]));
    assert_true(sigismember(&mask, SIGTERM) && sigismember(&mask, SIGALRM));
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int i = 1; i < NSIG; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

static void pieces_become_one_file(void **state)
{
    (void)state;
    char path[] = "/tmp/test_pieces.XXXXXX";
    struct dpk_buf b = {0};
    const struct dpk_piece pieces[] = {{"one ", 4}, {NULL, 0}, {"two", 3}, {" three", 6}};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(dpk_file_replace_pieces(path, pieces, 4, 0644, NULL), DPK_OK);
    assert_int_equal(dpk_file_read(path, 100, &b, NULL), DPK_OK);
    assert_int_equal(b.size, 13);
    assert_memory_equal(b.data, "one two three", 13);
    dpk_buf_free(&b);
    assert_int_equal(dpk_file_replace_pieces(path, NULL, 0, 0644, NULL), DPK_OK);
    assert_int_equal(dpk_file_read(path, 100, &b, NULL), DPK_OK);
    assert_int_equal(b.size, 0);
    dpk_buf_free(&b);
    unlink(path);
}

/* Large enough to be read by several threads, with a mark wherever one of them may begin or end. */
static void large_file_is_read_whole(void **state)
{
    (void)state;
    static const off_t marks[] = {0, (16 << 20) - 1, 16 << 20, (32 << 20) - 1, 32 << 20, 40000000};
    enum { COUNT = sizeof marks / sizeof *marks };
    char path[] = "/tmp/test_base.XXXXXX";
    struct dpk_buf file = {0};
    struct dpk_error err = {0};
    size_t marked = 0;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(pwrite(fd, &"abcdef"[i], 1, marks[i]), 1);
    close(fd);
    enum dpk_status status = dpk_file_read(path, DPK_FILE_MAX, &file, &err);
    unlink(path);
    assert_int_equal(status, DPK_OK);
    assert_int_equal(file.size, marks[COUNT - 1] + 1);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(file.data[marks[i]], "abcdef"[i]);
    for (size_t i = 0; i < file.size; i++)
        marked += file.data[i] != 0;
    assert_int_equal(marked, COUNT);
    dpk_buf_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_round_runs_once_whatever_the_number_of_threads),
        cmocka_unit_test(one_thread_goes_in_order),
        cmocka_unit_test(threads_are_shared_among_few_jobs),
        cmocka_unit_test(threads_leave_signals_to_the_program_but_those_of_their_own_faults),
        cmocka_unit_test(pieces_become_one_file),
        cmocka_unit_test(large_file_is_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
