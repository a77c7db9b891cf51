/* lib/base/pins.c: memory is not taken back while accesses to it are in flight. */
#include "base/base.h"

#include <sched.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ROUNDS  2000
#define READERS 3

struct world {
    struct dpk_pins pins;
    int value; /* not atomic: 1 as long as there may be pins */
    atomic_bool end;
    atomic_uint wrong, pinned, refused;
};

static void *reader(void *argument)
{
    struct world *w = argument;
    while (!atomic_load(&w->end)) {
        if (!dpk_pin(&w->pins)) {
            atomic_fetch_add(&w->refused, 1);
            continue;
        }
        atomic_fetch_add(&w->pinned, 1);
        atomic_fetch_add(&w->wrong, w->value != 1);
        sched_yield(); /* so that whoever closes finds it in flight */
        atomic_fetch_add(&w->wrong, w->value != 1);
        dpk_unpin(&w->pins);
    }
    return NULL;
}

static void memory_that_was_taken_back_is_not_used(void **state)
{
    struct world w = {.value = 1};
    pthread_t readers[READERS];
    (void)state;
    dpk_pins_open(&w.pins);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, reader, &w), 0);
    for (int i = 0; i < ROUNDS; i++) {
        unsigned before = atomic_load(&w.pinned);
        while (atomic_load(&w.pinned) == before)
            sched_yield();
        dpk_pins_close(&w.pins);
        w.value = 0;
        w.value = 1;
        dpk_pins_open(&w.pins);
    }
    atomic_store(&w.end, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    assert_int_equal(atomic_load(&w.wrong), 0);
    assert_true(atomic_load(&w.pinned) >= ROUNDS);
}

static void what_is_closed_refuses(void **state)
{
    struct dpk_pins pins = {0};
    (void)state;
    dpk_pins_open(&pins);
    assert_true(dpk_pin(&pins) && dpk_pin(&pins)); /* they nest */
    dpk_unpin(&pins);
    dpk_unpin(&pins);
    dpk_pins_close(&pins);
    dpk_pins_close(&pins);
    assert_false(dpk_pin(&pins));
    dpk_pins_open(&pins);
    assert_true(dpk_pin(&pins));
    dpk_unpin(&pins);
}

/* The thread that has the pin is the parent's. */
static void a_child_of_fork_does_not_wait(void **state)
{
    struct dpk_pins pins = {0};
    int status = 1;
    (void)state;
    dpk_pins_open(&pins);
    assert_true(dpk_pin(&pins));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(30);
        dpk_pins_close(&pins);
        _exit(dpk_pin(&pins));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    dpk_unpin(&pins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_was_taken_back_is_not_used),
        cmocka_unit_test(what_is_closed_refuses),
        cmocka_unit_test(a_child_of_fork_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
