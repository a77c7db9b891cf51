/* The owner of exported memory executes another program, which exports nothing, while a peer copies:
 * no byte of that program is read or written, whenever it comes. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bus/exports/exports.h"

enum { SIZE = 64 << 10, UNTOUCHED = 0, TOUCHED = 7, FAILED = 9 };
#define AT ((void *)0x200000000000) /* where both programs have memory */

/* What an owner says when it has exported its memory. */
struct said {
    struct dpk_exporter who;
    struct dpk_export what;
};

/* An owner that becomes the other program at the next byte of `go`, and says on `up` when it has.
 * The last byte lets it look at its memory. */
struct owner {
    pid_t process;
    int go, up;
    struct dpk_import *in;
};

static uint8_t *memory_of(int value)
{
    uint8_t *at = mmap(AT, SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != AT)
        _exit(FAILED);
    memset(at, value, SIZE);
    return at;
}

/* Standard input and output are the pipes. */
static int another_program(void)
{
    const uint8_t *memory = memory_of('Y');
    char byte = 'r';
    if (write(1, &byte, 1) != 1 || read(0, &byte, 1) != 1)
        return FAILED;
    for (size_t i = 0; i < SIZE; i++)
        if (memory[i] != 'Y')
            return TOUCHED;
    return UNTOUCHED;
}

static void be_an_owner(unsigned round, int go, int up)
{
    const struct timespec moment = {.tv_nsec = round * 7919 % 300 * 1000};
    struct said m = {
        .what = {round + 1, 3, (uintptr_t)memory_of('X'), SIZE},
    };
    struct dpk_uuid identity;
    char byte;
    dpk_uuid_new_time(&identity);
    if (dpk_export_add(&identity, &m.what, &m.who, NULL) != DPK_OK ||
        write(up, &m, sizeof m) != sizeof m || read(go, &byte, 1) != 1 || dup2(go, 0) != 0 ||
        dup2(up, 1) != 1)
        _exit(FAILED);
    nanosleep(&moment, NULL);
    execl("/proc/self/exe", "test", "another", (char *)NULL);
    _exit(FAILED);
}

static struct owner owner_new(unsigned round)
{
    int down[2], up[2];
    struct said m;
    struct dpk_error err = {0};
    assert_true(pipe2(down, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0);
    struct owner o = {fork(), down[1], up[0], NULL};
    assert_true(o.process >= 0);
    if (o.process == 0)
        be_an_owner(round, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    assert_int_equal(read(o.up, &m, sizeof m), sizeof m);
    if (dpk_import_open(&m.who, &m.what, &o.in, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return o;
}

static void owner_let(const struct owner *o)
{
    assert_int_equal(write(o->go, "g", 1), 1);
}

static void owner_becomes_another(const struct owner *o)
{
    char byte;
    owner_let(o);
    assert_int_equal(read(o->up, &byte, 1), 1);
}

/* What the other program found. */
static int owner_end(struct owner *o)
{
    int status = -1;
    owner_let(o);
    assert_int_equal(waitpid(o->process, &status, 0), o->process);
    dpk_import_close(o->in);
    close(o->go);
    close(o->up);
    return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

/* ---- At the worst moment ---- */

/* The owner that becomes another program right before the kernel copies. */
static const struct owner *changes;

static void change(void)
{
    if (changes)
        owner_becomes_another(changes);
    changes = NULL;
}

ssize_t process_vm_readv(pid_t process, const struct iovec *mine, unsigned long mine_count,
                         const struct iovec *theirs, unsigned long count, unsigned long flags)
{
    change();
    return syscall(SYS_process_vm_readv, process, mine, mine_count, theirs, count, flags);
}

ssize_t process_vm_writev(pid_t process, const struct iovec *mine, unsigned long mine_count,
                          const struct iovec *theirs, unsigned long count, unsigned long flags)
{
    change();
    return syscall(SYS_process_vm_writev, process, mine, mine_count, theirs, count, flags);
}

static void a_copy_by_number_is_of_the_owner_alone(void **state)
{
    (void)state;
    static uint8_t bytes[SIZE];
    for (int writes = 0; writes < 2; writes++) {
        struct owner o = owner_new(0);
        memset(bytes, 'Z', SIZE);
        changes = &o;
        const bool done = writes ? dpk_import_write(o.in, (uintptr_t)AT, bytes, SIZE)
                                 : dpk_import_read(o.in, (uintptr_t)AT, bytes, SIZE);
        assert_true(writes || !done);
        assert_null(memchr(bytes, 'Y', SIZE));
        change(); /* what is not by number saw none */
        assert_int_equal(owner_end(&o), UNTOUCHED);
    }
}

/* ---- At any moment ---- */

struct copier {
    const struct owner *o;
    bool writes;
    _Atomic bool stop;
    unsigned done, strange;
};

static void *copy_all_the_time(void *context)
{
    struct copier *c = context;
    static _Thread_local uint8_t bytes[SIZE];
    while (!atomic_load(&c->stop)) {
        memset(bytes, 'Z', SIZE);
        c->done += c->writes ? dpk_import_write(c->o->in, (uintptr_t)AT, bytes, SIZE)
                             : dpk_import_read(c->o->in, (uintptr_t)AT, bytes, SIZE);
        c->strange += memchr(bytes, 'Y', SIZE) != NULL;
    }
    return NULL;
}

static void programs_that_export_nothing_are_left_alone(void **state)
{
    (void)state;
    unsigned done = 0, strange = 0, touched = 0;
    for (unsigned round = 0; round < 300; round++) {
        struct owner o = owner_new(round);
        struct copier c = {.o = &o, .writes = round % 2};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, copy_all_the_time, &c), 0);
        owner_becomes_another(&o);
        sched_yield();
        atomic_store(&c.stop, true);
        pthread_join(thread, NULL);
        const int found = owner_end(&o);
        assert_int_not_equal(found, FAILED);
        touched += found == TOUCHED;
        done += c.done;
        strange += c.strange;
    }
    assert_true(done > 0);
    assert_int_equal(strange, 0);
    assert_int_equal(touched, 0);
}

/* ---- Children ---- */

/* A child that got its parent's number would not be taken for it. */
static void a_child_has_not_got_its_parents_mark(void **state)
{
    (void)state;
    static uint8_t mine[SIZE];
    struct dpk_export what = {1, 3, (uintptr_t)mine, SIZE};
    struct dpk_exporter who;
    struct dpk_import *in = NULL;
    struct dpk_uuid identity;
    int status;
    dpk_uuid_new_time(&identity);
    assert_int_equal(dpk_export_add(&identity, &what, &who, NULL), DPK_OK);
    const pid_t child = fork();
    if (child == 0) {
        who.process = (uint32_t)getpid();
        _exit(dpk_import_open(&who, &what, &in, NULL) == DPK_ERR_NOT_FOUND ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(dpk_export_remove(1));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_by_number_is_of_the_owner_alone),
        cmocka_unit_test(programs_that_export_nothing_are_left_alone),
        cmocka_unit_test(a_child_has_not_got_its_parents_mark),
    };
    if (argc == 2 && strcmp(argv[1], "another") == 0)
        return another_program();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
