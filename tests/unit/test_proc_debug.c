/* proc: processes that pause for a core file or a debugger, and continue. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "dpa.h"

static void core_of(struct dpk_process *p, struct dpk_buf *core)
{
    char path[] = "/tmp/proc-core-XXXXXX";
    struct dpk_error err = {0};
    struct stat s;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    if (dpk_process_core(p, path, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_int_equal(dpk_file_read(path, DPK_FILE_MAX, core, &err), DPK_OK);
    unlink(path);
}

/* Threads in it: notes of type 1, each 20 + 376 bytes. */
static size_t threads_in(const struct dpk_buf *core)
{
    struct dpk_reader r = dpk_reader(core->data, core->size);
    assert_memory_equal(dpk_read_bytes(&r, 4), "\177ELF", 4);
    r = dpk_reader_slice(&r, 64 + 32, 8); /* the first program header's p_filesz */
    uint64_t size = dpk_read_le64(&r);
    assert_int_equal(size % 396, 0);
    return (size_t)(size / 396);
}

static void a_core_of_a_process_that_works_has_its_threads_and_lets_them_work_on(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_buf core = {0};
    uint64_t flag = buffer(p, 8);
    launch(p, (struct kernel){.name = "poll", .args = {flag}, .threads = 3});
    core_of(p, &core);
    assert_int_equal(threads_in(&core), 3);
    assert_int_equal(rpc(p, "add", 40, 2), 42);
    set_word(p, flag, 1);
    drain(p);
    dpk_buf_free(&core);
    dpk_process_destroy(p);
}

static void a_core_of_an_idle_process_has_the_place_where_it_would_begin(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_buf core = {0};
    core_of(p, &core);
    assert_int_equal(threads_in(&core), 1);
    dpk_buf_free(&core);
    dpk_process_destroy(p);
}

static void a_report_names_function_and_line_of_the_failure(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_buf text = {0};
    uint64_t result;
    assert_int_equal(try_rpc(p, "store", 0, 1, 0, &result, NULL), DPK_ERR_FAULT);
    dpk_process_report(p, &text);
    dpk_put_u8(&text, 0);
    assert_non_null(strstr((const char *)text.data, "store access fault at address 0x0"));
    assert_non_null(strstr((const char *)text.data, "RPC of store, rank 0, failed, the cause"));
    assert_non_null(strstr((const char *)text.data, "kernels.c:"));
    dpk_buf_free(&text);
    dpk_process_destroy(p);
}

static void names_in_a_report_are_short_and_steer_no_terminal(void **state)
{
    (void)state;
    char longest[1000] = "\33[31m";
    struct dpk_image *image = kernels_image();
    struct dpk_process *p = NULL;
    struct dpk_buf text = {0};
    uint64_t result;
    memset(longest + 5, 'x', sizeof longest - 6);
    for (size_t i = 0; i < image->function_count; i++)
        image->functions[i].name = longest;
    assert_int_equal(dpk_process_create(image, NULL, &p, NULL), DPK_OK);
    dpk_image_free(image);
    assert_int_equal(try_rpc(p, "store", 0, 1, 0, &result, NULL), DPK_ERR_FAULT);
    dpk_process_report(p, &text);
    dpk_put_u8(&text, 0);
    assert_null(strchr((const char *)text.data, '\33'));
    assert_non_null(strstr((const char *)text.data, "RPC of ?[31mxxx"));
    const char *names = strstr((const char *)text.data, "threads at work");
    assert_true(names && strlen(names) < 3000); /* a thread and its registers */
    dpk_buf_free(&text);
    dpk_process_destroy(p);
}

static void one_debugger_at_a_time_and_none_on_a_failed_process(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_debugger *d = NULL, *other = NULL;
    uint64_t result;
    assert_int_equal(dpk_debugger_create(p, &d, NULL), DPK_OK);
    assert_int_equal(dpk_debugger_create(p, &other, NULL), DPK_ERR_EXISTS);
    assert_null(other);
    dpk_debugger_destroy(d);
    assert_int_equal(rpc(p, "add", 1, 2), 3);
    assert_int_equal(try_rpc(p, "store", 0, 1, 0, &result, NULL), DPK_ERR_FAULT);
    assert_int_equal(dpk_debugger_create(p, &d, NULL), DPK_ERR_FAULT);
    dpk_debugger_destroy(NULL);
    dpk_process_destroy(p);
}

static void threads_stand_still_while_a_debugger_is_there_and_go_on_after_it(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_debugger *d = NULL;
    uint64_t log = buffer(p, 4096);
    assert_int_equal(dpk_debugger_create(p, &d, NULL), DPK_OK);
    launch(p, (struct kernel){.name = "append", .args = {log, 7}, .threads = 5});
    dpk_debugger_await(d);
    usleep(20000);
    assert_int_equal(word(p, log), 0);
    dpk_debugger_destroy(d);
    drain(p);
    assert_int_equal(word(p, log), 5);
    dpk_process_destroy(p);
}

static void wait_for_word(void *semaphore, unsigned stream, unsigned level, unsigned thread_id,
                          const char *text, size_t size)
{
    (void)stream, (void)level, (void)thread_id, (void)text, (void)size;
    sem_wait(semaphore);
}

/* The one worker is busy, so the thread is still in its queue when the debugger comes. */
static void threads_that_are_queued_when_a_debugger_comes_stand_still(void **state)
{
    (void)state;
    sem_t go;
    sem_init(&go, 0, 0);
    setenv("DPAKIT_WORKERS", "1", 1);
    struct dpk_process *busy = process(), *p = process();
    struct dpk_debugger *d = NULL;
    uint64_t log = buffer(p, 4096);
    dpk_process_set_sink(busy, wait_for_word, &go);
    launch(busy, (struct kernel){.name = "hello"});
    launch(p, (struct kernel){.name = "append", .args = {log, 7}});
    assert_int_equal(dpk_debugger_create(p, &d, NULL), DPK_OK);
    launch(busy, (struct kernel){.name = "nothing"});
    sem_post(&go);
    drain(busy); /* what was queued before had its chance */
    assert_int_equal(word(p, log), 0);
    dpk_debugger_await(d);
    dpk_debugger_destroy(d);
    drain(p);
    assert_int_equal(word(p, log), 1);
    unsetenv("DPAKIT_WORKERS");
    dpk_process_destroy(p);
    dpk_process_destroy(busy);
    sem_destroy(&go);
}

struct attempt {
    struct dpk_process *process;
    struct dpk_debugger *debugger;
    pthread_t thread;
    enum dpk_status status;
};

static void *try_to_debug(void *context)
{
    struct attempt *a = context;
    a->status = dpk_debugger_create(a->process, &a->debugger, NULL);
    return NULL;
}

/* Both wait for a turn to end, which sits in a message that nobody reads. */
static void of_two_debuggers_that_come_while_a_thread_runs_one_stays(void **state)
{
    (void)state;
    sem_t go;
    sem_init(&go, 0, 0);
    struct dpk_process *p = process();
    struct attempt a[2] = {{.process = p}, {.process = p}};
    dpk_process_set_sink(p, wait_for_word, &go);
    launch(p, (struct kernel){.name = "hello"});
    usleep(20000); /* it should be there by now, but need not */
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&a[i].thread, NULL, try_to_debug, &a[i]), 0);
    usleep(20000);
    sem_post(&go);
    for (size_t i = 0; i < 2; i++)
        pthread_join(a[i].thread, NULL);
    assert_int_equal((a[0].status == DPK_OK) + (a[1].status == DPK_OK), 1);
    assert_int_equal((a[0].status == DPK_ERR_EXISTS) + (a[1].status == DPK_ERR_EXISTS), 1);
    dpk_debugger_destroy(a[0].debugger);
    dpk_debugger_destroy(a[1].debugger);
    drain(p); /* nobody holds it */
    dpk_process_destroy(p);
    sem_destroy(&go);
}

struct serving {
    struct dpk_process *process;
    int fd;
};

static void *serve(void *context)
{
    struct serving *s = context;
    struct dpk_debugger *d = NULL;
    assert_int_equal(dpk_debugger_create(s->process, &d, NULL), DPK_OK);
    assert_int_equal(write(s->fd, "+", 1), 1); /* it is there */
    dpk_debugger_serve(d, s->fd, s->fd, true, NULL);
    dpk_debugger_destroy(d);
    return NULL;
}

static void destroying_a_process_ends_its_debugger(void **state)
{
    (void)state;
    char told[64] = "";
    int ends[2];
    pthread_t thread;
    struct serving s = {.process = process()};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    s.fd = ends[1];
    assert_int_equal(pthread_create(&thread, NULL, serve, &s), 0);
    assert_int_equal(read(ends[0], told, 1), 1);
    assert_int_equal(write(ends[0], "$vCont;c#a8", 11), 11);
    assert_int_equal(read(ends[0], told, 1), 1); /* acknowledged: it runs */
    dpk_process_destroy(s.process);
    pthread_join(thread, NULL);
    assert_true(read(ends[0], told, sizeof told - 1) > 0);
    assert_string_equal(told, "$X09#c1");
    close(ends[0]);
    close(ends[1]);
}

/* Its packets are short and come one by one. */
static const char *told(int fd)
{
    static char text[256];
    size_t n = 0;
    char sum[2];
    do
        assert_int_equal(read(fd, text, 1), 1);
    while (*text != '$');
    do
        assert_true(n + 1 < sizeof text && read(fd, text + n, 1) == 1);
    while (text[n++] != '#');
    text[n - 1] = 0;
    assert_int_equal(read(fd, sum, 2), 2);
    return text;
}

static const char *ask(int fd, const char *packet)
{
    char text[256];
    uint8_t sum = 0;
    for (const char *c = packet; *c; c++)
        sum = (uint8_t)(sum + (uint8_t)*c);
    int n = snprintf(text, sizeof text, "$%s#%02x", packet, sum);
    assert_int_equal(write(fd, text, (size_t)n), n);
    return told(fd);
}

/* The kernel is stopped before its first instruction. */
static int begin_serving(struct serving *s, pthread_t *thread, struct kernel kernel)
{
    int ends[2];
    char byte;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    s->fd = ends[1];
    assert_int_equal(pthread_create(thread, NULL, serve, s), 0);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    launch(s->process, kernel);
    return ends[0];
}

static void a_step_over_a_watched_store_tells_of_the_watch(void **state)
{
    (void)state;
    char packet[64], watch[64];
    pthread_t thread;
    struct serving s = {.process = process()};
    uint64_t log = buffer(s.process, 4096);
    int fd = begin_serving(&s, &thread, (struct kernel){.name = "append", .args = {log, 7}});
    snprintf(packet, sizeof packet, "Z2,%llx,8", (unsigned long long)log);
    snprintf(watch, sizeof watch, ";watch:%llx;", (unsigned long long)log);
    assert_string_equal(ask(fd, packet), "OK");
    unsigned steps = 0;
    const char *text;
    while (!strstr(text = ask(fd, "vCont;s"), watch) && word(s.process, log) == 0)
        steps++;
    assert_int_equal(word(s.process, log), 1);
    assert_true(steps > 0 && strstr(text, watch));
    assert_null(strstr(ask(fd, "vCont;s"), "watch"));
    close(fd);
    pthread_join(thread, NULL);
    drain(s.process);
    dpk_process_destroy(s.process);
    close(s.fd);
}

static void a_client_that_goes_away_leaves_the_process_as_it_was(void **state)
{
    (void)state;
    char told;
    int ends[2];
    pthread_t thread;
    struct serving s = {.process = process()};
    uint64_t flag = buffer(s.process, 8);
    launch(s.process, (struct kernel){.name = "poll", .args = {flag}, .threads = 2});
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    s.fd = ends[1];
    assert_int_equal(pthread_create(&thread, NULL, serve, &s), 0);
    assert_int_equal(read(ends[0], &told, 1), 1);
    close(ends[0]);
    pthread_join(thread, NULL);
    set_word(s.process, flag, 1);
    drain(s.process);
    assert_int_equal(rpc(s.process, "add", 1, 2), 3);
    dpk_process_destroy(s.process);
    close(ends[1]);
}

static void threads_are_listed_with_what_they_did(void **state)
{
    (void)state;
    struct dpk_process *p = process();
    struct dpk_thread_info info[8];
    assert_int_equal(dpk_process_threads(p, info, 8), 0);
    rpc(p, "add", 1, 2);
    assert_int_equal(dpk_process_threads(p, info, 8), 1);
    assert_string_equal(info[0].function, "add");
    assert_string_equal(info[0].state, "idle");
    assert_true(info[0].rpc && info[0].instructions > 0);
    assert_int_equal(info[0].instructions, dpk_process_instructions(p));
    dpk_process_destroy(p);
}

static void tokens_differ_and_stay(void **state)
{
    (void)state;
    char directory[] = "/tmp/proc-run-XXXXXX";
    assert_non_null(mkdtemp(directory));
    setenv("DPAKIT_RUNTIME", directory, 1);
    struct dpk_process *a = process(), *b = process();
    uint64_t token = dpk_process_token(a);
    assert_true(token != 0);
    assert_true(token == dpk_process_token(a));
    assert_true(token != dpk_process_token(b));
    dpk_process_destroy(a);
    dpk_process_destroy(b);
    setenv("DPAKIT_RUNTIME", "/no/where", 1);
    a = process(); /* nobody can come: no token, and all else works */
    assert_true(dpk_process_token(a) == 0);
    assert_int_equal(rpc(a, "add", 1, 2), 3);
    dpk_process_destroy(a);
    unsetenv("DPAKIT_RUNTIME");
    assert_int_equal(rmdir(directory), 0); /* nothing is left in it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_of_a_process_that_works_has_its_threads_and_lets_them_work_on),
        cmocka_unit_test(a_core_of_an_idle_process_has_the_place_where_it_would_begin),
        cmocka_unit_test(a_report_names_function_and_line_of_the_failure),
        cmocka_unit_test(names_in_a_report_are_short_and_steer_no_terminal),
        cmocka_unit_test(one_debugger_at_a_time_and_none_on_a_failed_process),
        cmocka_unit_test(threads_stand_still_while_a_debugger_is_there_and_go_on_after_it),
        cmocka_unit_test(threads_that_are_queued_when_a_debugger_comes_stand_still),
        cmocka_unit_test(of_two_debuggers_that_come_while_a_thread_runs_one_stays),
        cmocka_unit_test(destroying_a_process_ends_its_debugger),
        cmocka_unit_test(a_step_over_a_watched_store_tells_of_the_watch),
        cmocka_unit_test(a_client_that_goes_away_leaves_the_process_as_it_was),
        cmocka_unit_test(threads_are_listed_with_what_they_did),
        cmocka_unit_test(tokens_differ_and_stay),
    };
    return cmocka_run_group_tests_name("proc_debug", tests, NULL, NULL);
}
