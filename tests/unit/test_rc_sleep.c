/* The NIC, while a thread of the program sleeps for it: the duties of the NIC's own thread are
 * still done. */
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "rc_world.h"

#define NOBODY 0x1234u /* no queue pair has the number */

static struct side s;
static int fd;

static bool complete(void *context, const struct dpk_rc_completion *c)
{
    return side_complete(context, c) && eventfd_write(fd, 1) == 0;
}

static bool is_told(void *of)
{
    return told(of) > 0;
}

/* The NIC's thread, which is started here, runs when no other one does. */
static void *start_idly(void *unused)
{
    struct dpk_error err = {0};
    (void)unused;
    assert_int_equal(sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}), 0);
    must(dpk_rc_qp_address(s.qp, &s.address, &err), &err);
    return NULL;
}

static void on_alarm(int number)
{
    (void)number;
}

/* The thread of the NIC is woken to look at the clock, and arrives after the sleeping thread. */
static void a_sleeper_hears_of_what_only_time_tells(void **state)
{
    static const struct dpk_rc_ops ops = {.signal = side_signal, .complete = complete};
    const struct dpk_rc_end_options options = {.ops = &ops,
                                               .context = &s,
                                               .domain = &s.domain,
                                               .sends = 1,
                                               .receives = 1,
                                               .outlives_peers = true};
    const struct dpk_rc_patience patience = {.retry_ms = 100};
    const struct sigaction action = {.sa_handler = on_alarm};
    struct dpk_rc_waiter waiter = {.fd = fd = eventfd(0, EFD_CLOEXEC), .ready = is_told, .of = &s};
    struct dpk_error err = {0};
    pthread_t thread;
    cpu_set_t one;
    (void)state;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    s.rc = nic_new();
    must(dpk_rc_end_create(s.rc, &options, &s.end, &err), &err);
    must(dpk_rc_qp_create(s.end, 3, &s.qp, &err), &err);
    must(dpk_rc_qp_connect_number(s.qp, NOBODY, &err), &err);
    dpk_rc_qp_set_patience(s.qp, &patience);
    assert_int_equal(pthread_create(&thread, NULL, start_idly, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    usleep(10000); /* it waits for something to do */
    post(&s, (struct dpk_rc_work){.opcode = DPK_RC_SEND});
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    alarm(60);
    assert_true(dpk_rc_await(s.rc, &waiter)); /* false: the alarm ended it */
    assert_int_equal(told(&s), 1);
    assert_int_equal(s.told[0].status, DPK_RC_RETRY_EXCEEDED);
    dpk_rc_rest_end(s.rc, &waiter);
    dpk_rc_end_destroy(s.end);
    dpk_rc_close(s.rc);
    dpk_buf_free(&s.address);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_sleeper_hears_of_what_only_time_tells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
