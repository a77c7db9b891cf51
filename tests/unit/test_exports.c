/* Memory that other processes access: content, refused accesses, and the end of one of the
 * processes. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bus/exports/exports.h"
#include "bus/exports/table.h"

enum { SIZE = 3 << 20 }; /* more than a page, and than the kernel copies by a file */

static struct dpk_uuid new_identity(void)
{
    struct dpk_uuid u;
    dpk_uuid_new_time(&u);
    return u;
}

/* A process that exports memory with the pattern `3`. Letters control it: w withdraws the memory, f
 * frees it, x executes another program, q ends the process. It answers each letter. */
struct owner {
    pid_t process;
    int tell, hear;
    struct dpk_exporter who;
    struct dpk_export what;
};

static void serve(const struct owner *o, int from, int to, uint8_t *memory)
{
    char letter, answer;
    while (read(from, &letter, 1) == 1) {
        answer = 'y';
        if (letter == 'w')
            answer = dpk_export_remove(o->what.key) ? 'y' : 'n';
        if (letter == 'f')
            munmap(memory, SIZE);
        if (letter == 's')
            answer = memory[SIZE - 1] == 9 && memory[0] == 9 ? 'y' : 'n';
        if (letter == 'x')
            execl("/bin/sleep", "sleep", "60", (char *)NULL);
        if (write(to, &answer, 1) != 1 || letter == 'q')
            _exit(0);
    }
    _exit(0);
}

static struct owner owner_new(uint32_t key)
{
    int down[2], up[2];
    struct owner o = {0};
    assert_true(pipe2(down, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0);
    o.process = fork();
    assert_true(o.process >= 0);
    if (o.process == 0) {
        close(down[1]);
        close(up[0]);
        uint8_t *memory =
            mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const struct dpk_uuid identity = new_identity();
        if (memory == MAP_FAILED)
            _exit(1);
        memset(memory, 3, SIZE);
        o.what = (struct dpk_export){key, 5, (uintptr_t)memory, SIZE};
        if (dpk_export_add(&identity, &o.what, &o.who, NULL) != DPK_OK ||
            write(up[1], &o, sizeof o) != sizeof o)
            _exit(1);
        serve(&o, down[0], up[1], memory);
    }
    struct owner said;
    close(down[0]);
    close(up[1]);
    assert_int_equal(read(up[0], &said, sizeof said), sizeof said);
    o.who = said.who;
    o.what = said.what;
    o.tell = down[1];
    o.hear = up[0];
    return o;
}

static void tell(const struct owner *o, char letter)
{
    assert_int_equal(write(o->tell, &letter, 1), 1);
}

static char hear(const struct owner *o)
{
    char answer = 0;
    return read(o->hear, &answer, 1) == 1 ? answer : '-';
}

static void owner_end(struct owner *o)
{
    kill(o->process, SIGKILL);
    waitpid(o->process, NULL, 0);
    close(o->tell);
    close(o->hear);
}

static struct dpk_import *import_of(struct owner *o)
{
    struct dpk_import *in = NULL;
    struct dpk_error err = {0};
    if (dpk_import_open(&o->who, &o->what, &in, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return in;
}

static bool is_all(const uint8_t *bytes, uint8_t value)
{
    for (size_t i = 0; i < SIZE; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static unsigned count_files(void)
{
    unsigned count = 0;
    for (int i = 0; i < 1024; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

static uint8_t bytes[SIZE];

static void memory_is_read_and_written(void **state)
{
    (void)state;
    const unsigned before = count_files();
    struct owner o = owner_new(7);
    struct dpk_import *in = import_of(&o);
    const uint64_t at = o.what.address;
    assert_int_equal(o.what.rights, 5);
    assert_true(dpk_import_read(in, at, bytes, SIZE) && is_all(bytes, 3));
    bytes[0] = bytes[1] = 0;
    assert_true(dpk_import_read(in, at + SIZE - 1, bytes, 1) && bytes[0] == 3 && bytes[1] == 0);
    memset(bytes, 9, SIZE);
    assert_true(dpk_import_write(in, at, bytes, SIZE - 1));
    assert_true(dpk_import_write(in, at + SIZE - 1, bytes, 1));
    tell(&o, 's');
    assert_int_equal(hear(&o), 'y');
    dpk_import_close(in);
    owner_end(&o);
    assert_int_equal(count_files(), before);
}

static void what_was_withdrawn_is_refused(void **state)
{
    (void)state;
    struct owner o = owner_new(7);
    struct dpk_import *in = import_of(&o), *again = NULL;
    struct dpk_error err = {0};
    tell(&o, 'w');
    assert_int_equal(hear(&o), 'y');
    assert_false(dpk_import_read(in, o.what.address, bytes, 8));
    assert_false(dpk_import_read(in, o.what.address, bytes, SIZE));
    assert_false(dpk_import_write(in, o.what.address, bytes, SIZE));
    assert_int_equal(dpk_import_open(&o.who, &o.what, &again, &err), DPK_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "not any more"));
    assert_null(again);
    dpk_import_close(in);
    owner_end(&o);
}

static void what_was_freed_is_no_memory(void **state)
{
    (void)state;
    struct owner o = owner_new(7);
    struct dpk_import *in = import_of(&o);
    tell(&o, 'f');
    assert_int_equal(hear(&o), 'y');
    assert_false(dpk_import_read(in, o.what.address, bytes, 8));
    assert_false(dpk_import_read(in, o.what.address, bytes, SIZE));
    assert_false(dpk_import_write(in, o.what.address, bytes, SIZE));
    dpk_import_close(in);
    owner_end(&o);
}

static void expect_gone(struct dpk_import *in, struct owner *o)
{
    struct dpk_import *again = NULL;
    assert_false(dpk_import_read(in, o->what.address, bytes, 8));
    assert_false(dpk_import_read(in, o->what.address, bytes, SIZE));
    assert_false(dpk_import_write(in, o->what.address, bytes, 8));
    dpk_import_close(in);
    assert_int_equal(dpk_import_open(&o->who, &o->what, &again, NULL), DPK_ERR_NOT_FOUND);
}

static void an_owner_that_dies_ends_copies(void **state)
{
    (void)state;
    struct owner o = owner_new(7);
    struct dpk_import *in = import_of(&o);
    owner_end(&o);
    expect_gone(in, &o);
}

/* The number is the same process's, and the addresses may be memory of the other program. */
static void another_program_is_not_the_owner(void **state)
{
    (void)state;
    char path[64], name[32] = "";
    struct owner o = owner_new(7);
    struct dpk_import *in = import_of(&o);
    tell(&o, 'x');
    assert_int_equal(hear(&o), '-'); /* its pipes close on exec */
    snprintf(path, sizeof path, "/proc/%d/comm", (int)o.process);
    for (int i = 0; i < 10000 && strncmp(name, "sleep", 5) != 0; i++) {
        const int file = open(path, O_RDONLY);
        assert_true(file >= 0 && read(file, name, sizeof name) >= 0);
        close(file);
    }
    expect_gone(in, &o);
    owner_end(&o);
}

static void refuse(struct dpk_exporter who, struct dpk_export what, enum dpk_status expected)
{
    struct dpk_import *in = NULL;
    struct dpk_error err = {0};
    const unsigned before = count_files();
    assert_int_equal(dpk_import_open(&who, &what, &in, &err), expected);
    assert_null(in);
    assert_true(err.message[0] != 0);
    assert_int_equal(count_files(), before);
}

static void what_a_stranger_says_is_checked(void **state)
{
    (void)state;
    struct owner o = owner_new(7);
    struct dpk_exporter who = o.who;
    struct dpk_export what = o.what;
    int pipes[2];
    const int fake = memfd_create("dpakit-exports", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const int whole = memfd_create("dpakit-exports", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const int big = F_SEAL_SHRINK | F_SEAL_GROW;
    assert_true(pipe2(pipes, O_CLOEXEC) == 0 && fake >= 0 && whole >= 0);
    assert_true(ftruncate(fake, sizeof(struct table)) == 0);
    assert_true(ftruncate(whole, sizeof(struct table)) == 0 && fcntl(whole, F_ADD_SEALS, big) == 0);
    const struct {
        uint32_t process, file;
        enum dpk_status expected;
    } strangers[] = {
        {0, who.file, DPK_ERR_FORMAT},
        {UINT32_MAX, who.file, DPK_ERR_FORMAT},
        {who.process, UINT32_MAX, DPK_ERR_FORMAT},
        {0x7ffffff0, who.file, DPK_ERR_NOT_FOUND},
        {who.process, 1000, DPK_ERR_NOT_FOUND},
        {(uint32_t)getpid(), (uint32_t)pipes[0], DPK_ERR_NOT_FOUND},
        {(uint32_t)getpid(), (uint32_t)fake, DPK_ERR_FORMAT}, /* it could get shorter */
        {(uint32_t)getpid(), (uint32_t)whole, DPK_ERR_NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        who.process = strangers[i].process;
        who.file = strangers[i].file;
        refuse(who, what, strangers[i].expected);
    }
    who = o.who;
    who.identity.bytes[3] ^= 1;
    refuse(who, what, DPK_ERR_NOT_FOUND);
    what.key = 8;
    refuse(o.who, what, DPK_ERR_NOT_FOUND);
    what.key = 0;
    refuse(o.who, what, DPK_ERR_NOT_FOUND);
    what = o.what;
    what.size++;
    refuse(o.who, what, DPK_ERR_NOT_FOUND);
    what = o.what;
    what.address--;
    refuse(o.who, what, DPK_ERR_NOT_FOUND);
    close(fake);
    close(whole);
    close(pipes[0]);
    close(pipes[1]);
    owner_end(&o);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Takes a place in a table as a peer that is inside, and stays so. */
static void stay_inside(struct owner *o)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/fd/%u", o->who.process, o->who.file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    struct table *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 1};
    if (t == MAP_FAILED || fcntl(file, F_OFD_SETLK, &lock) != 0)
        _exit(1);
    atomic_store(&t->places[5].key, o->what.key);
    atomic_store(&t->places[5].busy, 1);
}

/* The owner does not wait for a dead peer. It waits for a living peer, but not forever. */
static void an_owner_waits_for_those_who_live(void **state)
{
    (void)state;
    for (int lives = 0; lives < 2; lives++) {
        struct owner o = owner_new(7);
        int ready[2];
        char byte;
        assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
        const pid_t peer = fork();
        if (peer == 0) {
            stay_inside(&o);
            if (write(ready[1], "r", 1) == 1 && lives)
                pause();
            _exit(0);
        }
        assert_int_equal(read(ready[0], &byte, 1), 1);
        if (!lives)
            waitpid(peer, NULL, 0);
        const double begin = seconds();
        tell(&o, 'w');
        assert_int_equal(hear(&o), lives ? 'n' : 'y');
        assert_true(!lives || seconds() - begin > 0.5);
        kill(peer, SIGKILL);
        waitpid(peer, NULL, 0);
        close(ready[0]);
        close(ready[1]);
        owner_end(&o);
    }
}

/* Children of an owner and of a peer: one exports what is its own, the other's locks are its own. */
static void children_have_exports_of_their_own(void **state)
{
    (void)state;
    struct owner o = owner_new(7);
    struct dpk_import *in = import_of(&o);
    static uint8_t mine[16] = "mine";
    const struct dpk_uuid identity = new_identity();
    const struct dpk_export what = {9, 1, (uintptr_t)mine, sizeof mine};
    struct dpk_exporter who, childs;
    int status = -1;
    assert_int_equal(dpk_export_add(&identity, &what, &who, NULL), DPK_OK);
    const pid_t child = fork();
    if (child == 0) {
        const struct dpk_uuid another = new_identity();
        struct dpk_import *second = NULL;
        const bool good = dpk_export_remove(9) /* nothing of its own */ &&
                          dpk_export_add(&another, &what, &childs, NULL) == DPK_OK &&
                          childs.process == (uint32_t)getpid() &&
                          dpk_import_read(in, o.what.address, bytes, 8) &&
                          dpk_import_open(&o.who, &o.what, &second, NULL) == DPK_OK &&
                          dpk_import_read(second, o.what.address, bytes, SIZE);
        dpk_import_close(second);
        dpk_import_close(in);
        _exit(good ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    struct dpk_export seen = what;
    struct dpk_import *self = NULL;
    assert_int_equal(dpk_import_open(&who, &seen, &self, NULL), DPK_OK);
    assert_true(dpk_import_read(self, what.address, bytes, 5) && memcmp(bytes, "mine", 5) == 0);
    assert_true(dpk_import_read(in, o.what.address, bytes, 8));
    dpk_import_close(self);
    assert_true(dpk_export_remove(9));
    dpk_import_close(in);
    owner_end(&o);
}

/* Several threads copy what another process exports, each with an import of its own and one in common,
 * until that process takes it back. */
struct copier {
    struct owner *o;
    struct dpk_import *common;
    unsigned done;
};

static void *copy_until_refused(void *context)
{
    struct copier *c = context;
    static _Thread_local uint8_t mine[1 << 14];
    struct dpk_export what = c->o->what;
    struct dpk_import *in = NULL;
    if (dpk_import_open(&c->o->who, &what, &in, NULL) != DPK_OK)
        return NULL;
    while (dpk_import_read(in, what.address, mine, sizeof mine) &&
           dpk_import_write(c->common, what.address, mine, 64) && mine[0] == 3)
        c->done++;
    dpk_import_close(in);
    return NULL;
}

static void threads_copy_until_memory_is_taken_back(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct owner o = owner_new(7);
    struct dpk_import *common = import_of(&o);
    struct copier copiers[THREADS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        copiers[i] = (struct copier){&o, common, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, copy_until_refused, &copiers[i]), 0);
    }
    const struct timespec moment = {.tv_nsec = 100000000};
    nanosleep(&moment, NULL);
    tell(&o, 'w');
    assert_int_equal(hear(&o), 'y');
    unsigned done = 0;
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        done += copiers[i].done;
    }
    assert_true(done > 0);
    dpk_import_close(common);
    owner_end(&o);
}

/* Whichever of the two is killed, at whichever moment: the other continues. In two of three rounds, the
 * moment is after the first copy. */
static void either_side_may_be_killed(void **state)
{
    (void)state;
    enum { ROUNDS = 300 };
    const unsigned before = count_files();
    unsigned failed = 0;
    atomic_uint *copies =
        mmap(NULL, sizeof *copies, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(copies, MAP_FAILED);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct owner o = owner_new(7);
        atomic_store(copies, 0);
        const pid_t peer = fork();
        if (peer == 0) {
            struct dpk_import *in = NULL;
            if (dpk_import_open(&o.who, &o.what, &in, NULL) != DPK_OK)
                _exit(1);
            while (dpk_import_read(in, o.what.address, bytes, 1 << 16))
                atomic_fetch_add(copies, 1);
            dpk_import_close(in);
            _exit(2);
        }
        const struct timespec turn = {.tv_nsec = 10000};
        while (i % 3 && !atomic_load(copies))
            nanosleep(&turn, NULL);
        const struct timespec moment = {.tv_nsec = i * 7919 % 300 * 10000};
        nanosleep(&moment, NULL);
        int status = 0;
        if (i % 2) { /* the peer, then the owner takes its memory back */
            kill(peer, SIGKILL);
            tell(&o, 'w');
            assert_int_equal(hear(&o), 'y');
            owner_end(&o);
            waitpid(peer, &status, 0);
        } else {
            owner_end(&o);
            waitpid(peer, &status, 0);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) > 0);
            failed += WEXITSTATUS(status) == 2;
        }
    }
    assert_true(failed >= ROUNDS / 3); /* were killed in the midst */
    munmap(copies, sizeof *copies);
    assert_int_equal(count_files(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_read_and_written),
        cmocka_unit_test(what_was_withdrawn_is_refused),
        cmocka_unit_test(what_was_freed_is_no_memory),
        cmocka_unit_test(an_owner_that_dies_ends_copies),
        cmocka_unit_test(another_program_is_not_the_owner),
        cmocka_unit_test(what_a_stranger_says_is_checked),
        cmocka_unit_test(an_owner_waits_for_those_who_live),
        cmocka_unit_test(children_have_exports_of_their_own),
        cmocka_unit_test(threads_copy_until_memory_is_taken_back),
        cmocka_unit_test(either_side_may_be_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
