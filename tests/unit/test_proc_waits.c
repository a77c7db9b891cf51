/* proc: waits that only an event can end: reported once when they last long, listed while they do. */
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "dpa.h"

/* A notice takes no context. */
static struct {
    pthread_mutex_t lock;
    unsigned count;
    char text[512];
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void tell(const char *text)
{
    pthread_mutex_lock(&told.lock);
    told.count++;
    snprintf(told.text, sizeof told.text, "%s", text);
    pthread_mutex_unlock(&told.lock);
}

static unsigned times_told(void)
{
    pthread_mutex_lock(&told.lock);
    unsigned count = told.count;
    pthread_mutex_unlock(&told.lock);
    return count;
}

static int forget(void **state)
{
    (void)state;
    told.count = 0;
    return 0;
}

static struct dpk_process *telling_after(uint32_t ms)
{
    return process_with(&(struct dpk_process_options){
        .run_time_limit_ms = PATIENCE_MS, .warn = tell, .warn_after_ms = ms});
}

/* An event that is said to be number 0x50 and stays at 1. */
static struct dpk_event *stuck(void)
{
    struct dpk_event *e = dpk_event_create();
    dpk_event_name(e, 0x50);
    dpk_event_set(e, 1);
    return e;
}

static void launch_that_waits_is_told_once(void **state)
{
    (void)state;
    struct dpk_process *p = telling_after(20);
    struct dpk_event *e = stuck(), *other = stuck();
    launch(p, (struct kernel){.name = "nothing"});
    drain(p);
    launch(p, (struct kernel){.name = "nothing", .wait = e, .wait_threshold = 1});
    launch(p, (struct kernel){.name = "nothing", .wait = other, .wait_threshold = 7});
    assert_true(comes_true(times_told() > 0));
    assert_string_equal(told.text, "program kernels: launch 2 waits for event 0x50 > 1 (is 1) "
                                   "since 0 s; dpadev ps -t shows what waits, dpa-c(7) when a wait ends");
    dpk_event_set(e, 2);
    assert_true(comes_true(dpk_event_get(e) == 2));
    usleep(60000); /* the next one waits for as long */
    dpk_event_set(other, 8);
    drain(p);
    assert_int_equal(times_told(), 1);
    dpk_process_destroy(p);
    dpk_event_release(e);
    dpk_event_release(other);
}

struct host {
    struct dpk_process *process;
    struct dpk_event *event;
    pthread_t thread;
};

static void *wait_on_host(void *context)
{
    struct host *h = context;
    dpk_event_wait_gt(h->event, 3, 0xff, h->process, 0, NULL);
    return NULL;
}

static void host_that_waits_is_told(void **state)
{
    (void)state;
    struct host h = {.process = telling_after(20), .event = stuck()};
    assert_int_equal(pthread_create(&h.thread, NULL, wait_on_host, &h), 0);
    assert_true(comes_true(times_told() > 0));
    assert_string_equal(told.text,
                        "program kernels: the host waits for event 0x50 & 0xff > 3 (is 1) "
                        "since 0 s; dpadev ps -t shows what waits, dpa-c(7) when a wait ends");
    dpk_event_set(h.event, 4);
    pthread_join(h.thread, NULL);
    dpk_process_destroy(h.process);
    dpk_event_release(h.event);
}

static void waits_that_end_are_not_told(void **state)
{
    (void)state;
    struct dpk_process *p = telling_after(PATIENCE_MS);
    struct dpk_process *hasty = telling_after(1);
    struct dpk_event *e = stuck();
    launch(p, (struct kernel){.name = "nothing", .wait = e, .wait_threshold = 1});
    dpk_event_set(e, 2);
    drain(p);
    /* A launch has its own time. A host call does not wait for an event. */
    assert_int_equal(dpk_event_wait_gt(e, 9, UINT64_MAX, hasty, 30, NULL), DPK_ERR_TIMEOUT);
    rpc(hasty, "pass_time", 30000, 0);
    dpk_process_destroy(hasty);
    dpk_process_destroy(p);
    assert_int_equal(times_told(), 0);
    dpk_event_release(e);
}

static void process_that_goes_is_not_told_of(void **state)
{
    (void)state;
    struct dpk_event *e = stuck();
    for (unsigned i = 0; i < 50; i++) {
        struct dpk_process *p = telling_after(1);
        launch(p, (struct kernel){.name = "nothing", .wait = e, .wait_threshold = 1});
        usleep(i * 50);
        dpk_process_destroy(p);
    }
    dpk_event_release(e);
}

/* What the process says to `dpadev ps`. */
static void list(const char *directory, char *out, size_t size)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    size_t got = 0;
    snprintf(to.sun_path, sizeof to.sun_path, "%s/%ld.dpa", directory, (long)getpid());
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(write(fd, "list\n", 5), 5);
    for (ssize_t n; got < size - 1 && (n = read(fd, out + got, size - 1 - got)) > 0;)
        got += (size_t)n;
    out[got] = '\0';
    close(fd);
}

static bool lists(const char *directory, const char *text)
{
    char answer[4096];
    list(directory, answer, sizeof answer);
    return strstr(answer, text) != NULL;
}

static void waits_are_listed_while_they_last(void **state)
{
    (void)state;
    char directory[] = "/tmp/proc-run-XXXXXX";
    assert_non_null(mkdtemp(directory));
    setenv("DPAKIT_RUNTIME", directory, 1);
    struct host h = {.process = process(), .event = stuck()};
    unsetenv("DPAKIT_RUNTIME");
    assert_true(lists(directory, "\"waits\":[]}"));
    assert_int_equal(pthread_create(&h.thread, NULL, wait_on_host, &h), 0);
    assert_true(comes_true(lists(directory, "\"waits\":[\"the host waits for event 0x50 & 0xff > 3 "
                                            "(is 1)\"]}")));
    launch(h.process, (struct kernel){.name = "nothing", .wait = h.event, .wait_threshold = 5});
    assert_true(lists(directory, "\"waits\":[\"launch 1 waits for event 0x50 > 5 (is 1)\",\"the "
                                 "host waits for event 0x50 & 0xff > 3 (is 1)\"]}"));
    dpk_event_set(h.event, 6);
    pthread_join(h.thread, NULL);
    drain(h.process);
    assert_true(lists(directory, "\"waits\":[]}"));
    dpk_process_destroy(h.process);
    dpk_event_release(h.event);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(launch_that_waits_is_told_once, forget),
        cmocka_unit_test_setup(host_that_waits_is_told, forget),
        cmocka_unit_test_setup(waits_that_end_are_not_told, forget),
        cmocka_unit_test_setup(process_that_goes_is_not_told_of, forget),
        cmocka_unit_test(waits_are_listed_while_they_last),
    };
    return cmocka_run_group_tests_name("proc_waits", tests, NULL, NULL);
}
