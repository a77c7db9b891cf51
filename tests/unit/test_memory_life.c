/* runtime/rdma/registered: the end of keys and of their memory. */
#include "rdma/registered/registered.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include "memory_keys.h"

#define PAGE 4096u

/* Failed copies keep no lock: otherwise freeing the memory would wait for them. */
static void a_cut_file_ends_copies_of_dpa_memory(void **state)
{
    struct dpk_process *p = process_with(NULL);
    struct dpk_error err = {0};
    uint64_t address;
    const int file = memfd_create("cut", MFD_CLOEXEC);
    (void)state;
    assert_true(file >= 0 && ftruncate(file, 2 * PAGE) == 0);
    uint8_t *at = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(at != MAP_FAILED && dpk_heap_alloc(p, 2 * PAGE, &address, &err) == DPK_OK);
    struct dpk_memory m = {.kind = DPK_MEMORY_DPA,
                           .rights = ALL,
                           .address = address,
                           .size = 2 * PAGE,
                           .process = p,
                           .domains = {&ours}};
    struct dpk_memory_access a = {add(m), ALL, address, 2 * PAGE, &ours}, b = a;
    m.kind = DPK_MEMORY_HOST;
    m.host = at;
    m.process = NULL;
    b.key = add(m);
    memset(at, 7, 2 * PAGE);
    assert_true(dpk_memory_copy(&a, &b) && ftruncate(file, PAGE) == 0);
    assert_false(dpk_memory_copy(&a, &b));
    assert_false(dpk_memory_copy(&b, &a));
    a.size = b.size = PAGE; /* what is left */
    assert_true(dpk_memory_copy(&a, &b) && dpk_memory_copy(&b, &a));
    assert_int_equal(at[PAGE - 1], 7);
    assert_int_equal(dpk_copy_in(p, address, at, 2 * PAGE, &err), DPK_ERR_RANGE);
    assert_non_null(strstr(err.message, "made shorter"));
    assert_int_equal(dpk_copy_out(p, at, address, 2 * PAGE, &err), DPK_ERR_RANGE);
    assert_int_equal(dpk_heap_free(p, address, &err), DPK_OK);
    dpk_memory_remove(a.key);
    dpk_memory_remove(b.key);
    dpk_process_destroy(p);
    munmap(at, 2 * PAGE);
    close(file);
}

static void a_process_takes_its_keys_along(void **state)
{
    static int processes[2]; /* their addresses are all that is looked at */
    uint32_t keys[2][100], host = add_host(ALL);
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 100; k++)
            keys[i][k] = add((struct dpk_memory){.process = (void *)&processes[i]});
    dpk_memory_remove_process((void *)&processes[0]);
    struct dpk_memory m;
    for (int k = 0; k < 100; k++) {
        assert_false(dpk_memory_describe(keys[0][k], &m));
        assert_true(dpk_memory_describe(keys[1][k], &m));
    }
    assert_true(dpk_memory_describe(host, &m));
    dpk_memory_remove_process((void *)&processes[1]);
    dpk_memory_remove(host);
}

static void numbers_come_back_late(void **state)
{
    (void)state;
    uint32_t first = add_host(ALL);
    dpk_memory_remove(first);
    for (int i = 0; i < 500000; i++) {
        uint32_t key = add_host(ALL);
        if (key == first)
            fail_msg("it came back after %d", i);
        dpk_memory_remove(key);
    }
}

/* A slot's last number ends in zeros. */
static void every_number_that_was_a_key_is_known_as_such(void **state)
{
    char text[DPK_MEMORY_REASON_MAX];
    uint32_t key;
    (void)state;
    do {
        key = add_host(ALL);
        dpk_memory_remove(key);
    } while (key % 4096 != 0);
    const struct dpk_memory_access last = whole(key, DPK_MEMORY_READ),
                                   none = whole(0, DPK_MEMORY_READ);
    assert_non_null(strstr(dpk_memory_explain(&last, text), "is not registered any more"));
    assert_non_null(strstr(dpk_memory_explain(&none, text), "is unknown"));
}

static void many_keys_are_told_apart(void **state)
{
    enum { COUNT = 20000 };
    uint32_t *keys = calloc(COUNT, sizeof *keys);
    struct dpk_memory m = {.kind = DPK_MEMORY_REMOTE};
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        m.exported_key = i;
        keys[i] = add(m);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(dpk_memory_describe(keys[i], &m));
        assert_int_equal(m.exported_key, i);
        dpk_memory_remove(keys[i]);
        assert_false(dpk_memory_describe(keys[i], &m));
    }
    free(keys);
}

struct removal {
    uint32_t key;
    atomic_bool done;
};

static void *remover(void *argument)
{
    struct removal *r = argument;
    dpk_memory_remove(r->key);
    atomic_store(&r->done, true);
    return NULL;
}

static void all_who_remove_wait_for_accesses(void **state)
{
    struct removal removals[3] = {{0}};
    pthread_t threads[3];
    (void)state;
    static struct dpk_memory_domain alone;
    const struct dpk_memory m = {.kind = DPK_MEMORY_HOST,
                                 .rights = DPK_MEMORY_READ,
                                 .size = SIZE,
                                 .host = bytes,
                                 .domains = {&alone}};
    const struct dpk_memory_access a = {add(m), DPK_MEMORY_READ, 0, SIZE, &alone};
    const struct dpk_memory *first = dpk_memory_acquire(&a), *second = dpk_memory_acquire(&a);
    assert_true(first && second);
    for (int i = 0; i < 3; i++) {
        removals[i].key = a.key;
        assert_int_equal(pthread_create(&threads[i], NULL, remover, &removals[i]), 0);
    }
    assert_true(comes_true(!can(a)));
    dpk_memory_release(first);
    uint32_t other = add(m); /* others are not held up */
    usleep(20000);
    for (int i = 0; i < 3; i++)
        assert_false(atomic_load(&removals[i].done));
    assert_int_equal(atomic_load(&alone.keys), 2);
    dpk_memory_release(second);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&alone.keys), 1);
    dpk_memory_remove(other);
}

struct replacement {
    uint32_t key;
    struct dpk_memory memory;
    enum dpk_status status;
};

static void *replacer(void *argument)
{
    struct replacement *r = argument;
    r->status = dpk_memory_replace(r->key, &r->memory, NULL);
    return NULL;
}

/* Threads replace the memory of a key while another one may remove it: begins them all while an
 * access is in flight, so that they wait together. Returns the key. */
static uint32_t replace_at_once(struct replacement *replacements, unsigned count, bool removes)
{
    static struct dpk_memory_domain old;
    const struct dpk_memory m = {.kind = DPK_MEMORY_HOST,
                                 .rights = DPK_MEMORY_READ,
                                 .size = SIZE,
                                 .host = bytes,
                                 .domains = {&old}};
    const struct dpk_memory_access a = {add(m), DPK_MEMORY_READ, 0, SIZE, &old};
    struct removal removal = {.key = a.key};
    const struct dpk_memory *in_flight = dpk_memory_acquire(&a);
    pthread_t threads[8], other;
    assert_non_null(in_flight);
    for (unsigned i = 0; i < count; i++) {
        replacements[i].key = a.key;
        assert_int_equal(pthread_create(&threads[i], NULL, replacer, &replacements[i]), 0);
    }
    if (removes)
        assert_int_equal(pthread_create(&other, NULL, remover, &removal), 0);
    assert_true(comes_true(!can(a)));
    usleep(2000);
    dpk_memory_release(in_flight);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    if (removes)
        pthread_join(other, NULL);
    assert_int_equal(atomic_load(&old.keys), 0);
    return a.key;
}

static void keys_that_are_removed_and_replaced_at_once_are_gone(void **state)
{
    enum { ROUNDS = 200, COUNT = 2 };
    static struct dpk_memory_domain domains[COUNT];
    struct replacement replacements[COUNT];
    struct dpk_memory found;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < COUNT; i++)
            replacements[i].memory = (struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                                         .rights = DPK_MEMORY_READ,
                                                         .size = SIZE,
                                                         .host = bytes,
                                                         .domains = {&domains[i]}};
        const uint32_t key = replace_at_once(replacements, COUNT, true);
        assert_false(dpk_memory_describe(key, &found));
        for (unsigned i = 0; i < COUNT; i++)
            assert_int_equal(atomic_load(&domains[i].keys), 0);
    }
}

static void a_key_that_is_replaced_at_once_has_one_memory(void **state)
{
    enum { ROUNDS = 200, COUNT = 3 };
    static struct dpk_memory_domain domains[COUNT];
    struct replacement replacements[COUNT];
    struct dpk_memory found;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned all = 0;
        for (unsigned i = 0; i < COUNT; i++)
            replacements[i].memory = (struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                                         .rights = DPK_MEMORY_READ,
                                                         .size = SIZE,
                                                         .host = bytes,
                                                         .domains = {&domains[i]}};
        const uint32_t key = replace_at_once(replacements, COUNT, false);
        assert_true(dpk_memory_describe(key, &found));
        for (unsigned i = 0; i < COUNT; i++) {
            all += atomic_load(&domains[i].keys);
            assert_int_equal(replacements[i].status, DPK_OK);
            assert_int_equal(atomic_load(&domains[i].keys), dpk_memory_is_in(&found, &domains[i]));
        }
        assert_int_equal(all, 1);
        dpk_memory_remove(key);
    }
}

/* Memory that one thread registers and takes back, over and over, and others use meanwhile. */
struct traffic {
    _Atomic uint32_t key;
    uint64_t value; /* not atomic: whoever has no access may not see it change */
    atomic_bool end;
    atomic_uint wrong, hits;
};

static void *user(void *argument)
{
    struct traffic *t = argument;
    while (!atomic_load(&t->end)) {
        const struct dpk_memory *m = dpk_memory_acquire(
            &(struct dpk_memory_access){atomic_load(&t->key), DPK_MEMORY_READ, BASE, 8, &ours});
        if (!m)
            continue;
        atomic_fetch_add(&t->wrong, t->value != 1 || m->size != 8);
        sched_yield();
        atomic_fetch_add(&t->wrong, t->value != 1);
        atomic_fetch_add(&t->hits, 1);
        dpk_memory_release(m);
    }
    return NULL;
}

static void memory_that_was_taken_back_is_not_used(void **state)
{
    enum { ROUNDS = 2000, USERS = 3 };
    static struct traffic t = {.value = 1};
    pthread_t users[USERS];
    (void)state;
    for (int i = 0; i < USERS; i++)
        assert_int_equal(pthread_create(&users[i], NULL, user, &t), 0);
    for (int i = 0; i < ROUNDS; i++) {
        unsigned before = atomic_load(&t.hits);
        uint32_t key = add((struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                               .rights = DPK_MEMORY_READ,
                                               .address = BASE,
                                               .size = 8,
                                               .host = (uint8_t *)&t.value,
                                               .domains = {&ours}});
        atomic_store(&t.key, key);
        while (atomic_load(&t.hits) == before)
            sched_yield();
        dpk_memory_remove(key);
        t.value = 0;
        t.value = 1;
    }
    atomic_store(&t.end, true);
    for (int i = 0; i < USERS; i++)
        pthread_join(users[i], NULL);
    assert_int_equal(atomic_load(&t.wrong), 0);
}

/* A key that peers may read is taken back from them before its memory changes or goes, and its place among
 * those that are shared is free again: there are 1024 places. */
static void keys_that_are_shared_are_taken_back(void **state)
{
    enum { ROUNDS = 1100 };
    struct dpk_memory m = {.kind = DPK_MEMORY_HOST,
                           .rights = DPK_MEMORY_READ,
                           .size = SIZE / 2,
                           .host = bytes,
                           .domains = {&ours}};
    struct dpk_memory_share share;
    struct dpk_uuid identity;
    (void)state;
    dpk_uuid_new_time(&identity);
    for (unsigned i = 0; i < ROUNDS; i++) {
        m.host = bytes;
        const uint32_t key = add(m);
        assert_int_equal(dpk_memory_share(key, &identity, &share), DPK_OK);
        assert_int_equal(share.what.address, (uintptr_t)bytes);
        assert_int_equal(dpk_memory_share(key, &identity, &share), DPK_OK); /* one place */
        m.host = bytes + SIZE / 2;
        assert_int_equal(dpk_memory_replace(key, &m, NULL), DPK_OK);
        /* A peer may know the key by its old memory. */
        assert_int_equal(dpk_memory_share(key, &identity, &share), DPK_ERR_NOT_FOUND);
        assert_true(dpk_memory_remove(key));
        const uint32_t other = add(m);
        assert_int_equal(dpk_memory_share(other, &identity, &share), DPK_OK);
        assert_true(dpk_memory_remove(other));
        assert_int_equal(dpk_memory_share(other, &identity, &share), DPK_ERR_NOT_FOUND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: cmocka takes SIGBUS for each test, and the library does so once. */
        cmocka_unit_test(a_cut_file_ends_copies_of_dpa_memory),
        cmocka_unit_test(a_process_takes_its_keys_along),
        cmocka_unit_test(numbers_come_back_late),
        cmocka_unit_test(every_number_that_was_a_key_is_known_as_such),
        cmocka_unit_test(many_keys_are_told_apart),
        cmocka_unit_test(all_who_remove_wait_for_accesses),
        cmocka_unit_test(keys_that_are_removed_and_replaced_at_once_are_gone),
        cmocka_unit_test(a_key_that_is_replaced_at_once_has_one_memory),
        cmocka_unit_test(memory_that_was_taken_back_is_not_used),
        cmocka_unit_test(keys_that_are_shared_are_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
