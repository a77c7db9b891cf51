/* proc under GDB's remote protocol: hits of a watch by threads that ran at the same time. */
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "dpa.h"
#include "guest/abi/dpa_abi.h"

/* Two threads have each changed a watched word at the same moment, and one was reported. */
struct twins {
    struct dpk_process *process;
    struct dpk_debugger *debugger;
    pthread_barrier_t both_run;
    pthread_t server;
    int client, served;
    uint64_t watched;
    unsigned told, untold; /* the threads, as the protocol numbers them */
};

static bool meet(void *context, struct dpk_caller *caller, unsigned number, const uint64_t args[6],
                 uint64_t *result, char *story, size_t size)
{
    struct twins *t = context;
    (void)caller, (void)number, (void)args, (void)result, (void)story, (void)size;
    pthread_barrier_wait(&t->both_run);
    return true;
}

static void *serve(void *context)
{
    struct twins *t = context;
    dpk_debugger_serve(t->debugger, t->served, t->served, true, NULL);
    return NULL;
}

static void say(struct twins *t, const char *body)
{
    char packet[128];
    uint8_t sum = 0;
    for (const char *c = body; *c; c++)
        sum = (uint8_t)(sum + (uint8_t)*c);
    int n = snprintf(packet, sizeof packet, "$%s#%02x", body, sum);
    assert_int_equal(write(t->client, packet, (size_t)n), n);
}

static char next_byte(struct twins *t)
{
    char byte = 0;
    struct pollfd p = {.fd = t->client, .events = POLLIN};
    if (poll(&p, 1, PATIENCE_MS) != 1 || read(t->client, &byte, 1) != 1)
        fail_msg("no answer");
    return byte;
}

/* The body of the next packet. */
static void hear(struct twins *t, char *body, size_t size)
{
    size_t n = 0;
    while (next_byte(t) != '$')
        ;
    for (char c; (c = next_byte(t)) != '#'; n++)
        if (n + 1 < size)
            body[n] = c;
    body[n < size ? n : size - 1] = '\0';
}

static void assert_heard(struct twins *t, const char *body)
{
    char heard[256];
    hear(t, heard, sizeof heard);
    assert_string_equal(heard, body);
}

/* z2 or Z2 */
static void set_watch(struct twins *t, char how)
{
    char packet[64];
    snprintf(packet, sizeof packet, "%c2,%llx,8", how, (unsigned long long)t->watched);
    say(t, packet);
    assert_heard(t, "OK");
}

/* vCont with this action for one thread; the others stay. */
static void only(struct twins *t, char action, unsigned thread)
{
    char packet[64];
    snprintf(packet, sizeof packet, "vCont;%c:%x", action, thread);
    say(t, packet);
}

static void assert_hit(struct twins *t, unsigned thread)
{
    char hit[64];
    snprintf(hit, sizeof hit, "T05thread:%x;watch:%llx;", thread, (unsigned long long)t->watched);
    assert_heard(t, hit);
}

static void assert_step(struct twins *t, unsigned thread)
{
    char step[64];
    snprintf(step, sizeof step, "T05thread:%x;", thread);
    assert_heard(t, step);
}

static int setup(void **state)
{
    struct twins *t = calloc(1, sizeof *t);
    int ends[2];
    char hit[64];
    assert_non_null(t);
    setenv("DPAKIT_WORKERS", "2", 1);
    t->process = process();
    unsetenv("DPAKIT_WORKERS");
    pthread_barrier_init(&t->both_run, NULL, 2);
    dpk_process_set_calls(t->process, DPA_SYS_FAMILY_FIRST, meet, t);
    t->watched = buffer(t->process, 8);
    assert_int_equal(dpk_debugger_create(t->process, &t->debugger, NULL), DPK_OK);
    launch(t->process, (struct kernel){.name = "call_and_count",
                                       .args = {DPA_SYS_CALL(DPA_SYS_FAMILY_FIRST, 0), t->watched},
                                       .threads = 2});
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    t->client = ends[0];
    t->served = ends[1];
    assert_int_equal(pthread_create(&t->server, NULL, serve, t), 0);
    *state = t;
    set_watch(t, 'Z');
    say(t, "vCont;c");
    hear(t, hit, sizeof hit);
    t->told = strncmp(hit, "T05thread:1;", 12) == 0 ? 1 : 2;
    t->untold = 3 - t->told;
    assert_non_null(strstr(hit, ";watch:"));
    assert_int_equal(word(t->process, t->watched), 2);
    return 0;
}

static int teardown(void **state)
{
    struct twins *t = *state;
    close(t->client);
    pthread_join(t->server, NULL);
    dpk_debugger_destroy(t->debugger);
    drain(t->process);
    dpk_process_destroy(t->process);
    pthread_barrier_destroy(&t->both_run);
    close(t->served);
    free(t);
    return 0;
}

static void a_hit_of_a_held_thread_waits_until_that_is_resumed(void **state)
{
    struct twins *t = *state;
    only(t, 's', t->told);
    assert_step(t, t->told);
    only(t, 's', t->told);
    assert_step(t, t->told);
    only(t, 'c', t->untold);
    assert_hit(t, t->untold);
}

static void a_hit_is_told_once(void **state)
{
    struct twins *t = *state;
    say(t, "vCont;c");
    assert_hit(t, t->untold);
    only(t, 's', t->untold);
    assert_step(t, t->untold);
}

static void a_hit_of_a_watch_that_is_gone_is_dropped(void **state)
{
    struct twins *t = *state;
    set_watch(t, 'z');
    only(t, 's', t->untold);
    assert_step(t, t->untold);
}

/* GDB takes them all away for a step over one of them. */
static void a_hit_outlives_a_watch_that_is_away_while_another_thread_steps(void **state)
{
    struct twins *t = *state;
    set_watch(t, 'z');
    only(t, 's', t->told);
    assert_step(t, t->told);
    set_watch(t, 'Z');
    only(t, 'c', t->untold);
    assert_hit(t, t->untold);
}

static void nothing_that_is_gone_stops_the_program(void **state)
{
    struct twins *t = *state;
    set_watch(t, 'z');
    say(t, "vCont;c");
    becomes_idle(t->process);
    assert_int_equal(write(t->client, "\3", 1), 1);
    assert_heard(t, "T02thread:1;");
}

int main(void)
{
#define with_twins(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        with_twins(a_hit_of_a_held_thread_waits_until_that_is_resumed),
        with_twins(a_hit_is_told_once),
        with_twins(a_hit_of_a_watch_that_is_gone_is_dropped),
        with_twins(a_hit_outlives_a_watch_that_is_away_while_another_thread_steps),
        with_twins(nothing_that_is_gone_stops_the_program),
    };
    return cmocka_run_group_tests_name("proc_watch", tests, NULL, NULL);
}
