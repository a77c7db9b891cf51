/* Accesses of DOCA 2.2 kernels to registered host memory, one behaviour for each function. */
#include "memory_cases.h"

#include <doca_dpa.h>
#include <doca_mmap.h>
#include <string.h>
#include <unistd.h>

#include "doca_device.h"
#include "held.h"

#define OK        DOCA_SUCCESS
#define BAD_STATE DOCA_ERROR_BAD_STATE
#define READ_ONLY 0u
#define WRITABLE  DOCA_ACCESS_LOCAL_READ_WRITE
#define WORDS     2000

extern doca_dpa_app_t dpa_test_app;
doca_dpa_func_t double_words, access_all_widths, load_at, store_at, load_when_told, copy, transpose;

static struct doca_dev *dev;

/* A context with two pieces of registered memory. */
struct world {
    doca_dpa_t dpa;
    struct doca_sync_event *done;
    uint64_t *from, *to; /* WORDS each */
    doca_dpa_mem_t from_mem, to_mem;
    doca_dpa_dev_mem_t from_key, to_key;
};

static struct doca_sync_event *event_new(doca_dpa_t dpa)
{
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_create(&e) == OK);
    CHECK(doca_sync_event_publisher_add_location_dpa(e, dpa) == OK);
    CHECK(doca_sync_event_subscriber_add_location_cpu(e, dev) == OK);
    CHECK(doca_sync_event_start(e) == OK);
    return e;
}

static uint64_t *memory_new(doca_dpa_t dpa, unsigned access, doca_dpa_mem_t *mem,
                            doca_dpa_dev_mem_t *key)
{
    uint64_t *p = malloc(WORDS * sizeof *p);
    CHECK(p);
    for (uint64_t i = 0; i < WORDS; i++)
        p[i] = i * UINT64_C(0x0101010101010101);
    CHECK(doca_dpa_mem_host_register(dpa, p, WORDS * sizeof *p, access, mem, 0) == OK);
    doca_dpa_dev_mem_t again = 0;
    uint32_t rkey = 0;
    CHECK(doca_dpa_mem_dev_export(*mem, key) == OK);
    CHECK(doca_dpa_mem_handle_export(*mem, &again) == OK && again == *key);
    CHECK(doca_dpa_mem_rkey(*mem, &rkey) == OK && rkey == (uint32_t)*key);
    rkey = 0;
    CHECK(doca_dpa_mem_rkey_get(*mem, &rkey) == OK && rkey == (uint32_t)*key);
    return p;
}

/* The program has the name that dpacc gave it. */
static void look_at_name(void)
{
    char name[32] = "";
    int length = sizeof name;
    CHECK(doca_dpa_app_name_get(dpa_test_app, name, &length) == OK);
    CHECK(strcmp(name, "dpa_test_app") == 0 && length == sizeof "dpa_test_app");
    length = 3;
    CHECK(doca_dpa_app_name_get(dpa_test_app, name, &length) == DOCA_ERROR_INVALID_VALUE);
    CHECK(length == sizeof "dpa_test_app"); /* what it needs */
    length = -1;
    CHECK(doca_dpa_app_name_get(dpa_test_app, name, &length) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_dpa_app_name_get(NULL, name, &length) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_dpa_app_name_get(dpa_test_app, name, NULL) == DOCA_ERROR_INVALID_VALUE);
}

static void world_open(struct world *w)
{
    look_at_name();
    CHECK(doca_dpa_create(dev, dpa_test_app, &w->dpa, 0) == OK);
    w->done = event_new(w->dpa);
    w->from = memory_new(w->dpa, READ_ONLY, &w->from_mem, &w->from_key);
    w->to = memory_new(w->dpa, WRITABLE, &w->to_mem, &w->to_key);
}

static void world_close(struct world *w)
{
    if (w->from_mem)
        CHECK(doca_dpa_mem_unregister(w->from_mem) == OK);
    CHECK(doca_dpa_mem_unregister(w->to_mem) == OK);
    CHECK(doca_sync_event_destroy(w->done) == OK && doca_dpa_destroy(w->dpa) == OK);
    free(w->from);
    free(w->to);
}

/* Launches a kernel and returns how the wait for it ended. */
#define RUN(w, ...)                                                                                \
    (doca_dpa_kernel_launch_update_set((w)->dpa, NULL, 0, (w)->done, 1, 1, __VA_ARGS__) == OK      \
         ? doca_sync_event_wait_gt((w)->done, 0, UINT64_MAX)                                       \
         : DOCA_ERROR_UNEXPECTED)

#define EXPECT_FAULT(...)                                                                          \
    do {                                                                                           \
        struct world w_;                                                                           \
        struct world *w = &w_;                                                                     \
        world_open(w);                                                                             \
        CHECK(RUN(w, __VA_ARGS__) == BAD_STATE);                                                   \
        CHECK(doca_dpa_peek_at_last_error(w->dpa) == BAD_STATE);                                   \
        world_close(w);                                                                            \
    } while (0)

static uint64_t number(const void *p)
{
    return (uintptr_t)p;
}

/* ---- Pointers ---- */

static void pointers_reach_several_memories(void)
{
    struct world w;
    world_open(&w);
    CHECK(RUN(&w, &double_words, number(w.from), w.from_key, number(w.to), w.to_key,
              (uint64_t)WORDS) == OK);
    for (uint64_t i = 0; i < WORDS; i++)
        CHECK(w.to[i] == 2 * w.from[i]);
    world_close(&w);
}

static void pointers_work_for_every_width(void)
{
    struct world w;
    struct widths v = {0xff, 0xffff, 0xffffffff, UINT64_MAX - 1, -5, 0};
    world_open(&w);
    memcpy(w.to, &v, sizeof v);
    CHECK(RUN(&w, &access_all_widths, number(w.to), w.to_key) == OK);
    memcpy(&v, w.to, sizeof v);
    CHECK(v.u8 == 0 && v.u16 == 0 && v.u32 == 0 && v.u64 == UINT64_MAX && v.i32_as_64 == -5);
    world_close(&w);
}

static void pointers_end_with_their_memory(void)
{
    const uint64_t size = WORDS * sizeof(uint64_t), last = size - sizeof(uint64_t);
    struct world good;
    world_open(&good);
    CHECK(RUN(&good, &load_at, number(good.from), good.from_key, last) == OK);
    world_close(&good);
    EXPECT_FAULT(&load_at, number(w->from), w->from_key, size);
    EXPECT_FAULT(&load_at, number(w->from), w->from_key, last + 1);
    EXPECT_FAULT(&load_at, number(w->from), w->from_key, (uint64_t)-8);
    EXPECT_FAULT(&store_at, number(w->to), w->to_key, size);
    EXPECT_FAULT(&load_at, number(w->from), w->from_key, UINT64_C(1) << 48);
}

static void pointers_do_what_the_memory_permits(void)
{
    struct world good;
    world_open(&good);
    CHECK(RUN(&good, &store_at, number(good.to), good.to_key, UINT64_C(8)) == OK);
    CHECK(good.to[1] == 7);
    world_close(&good);
    EXPECT_FAULT(&store_at, number(w->from), w->from_key, UINT64_C(8));
}

static void pointers_are_to_registered_memory_only(void)
{
    EXPECT_FAULT(&load_at, number(w->from), (doca_dpa_dev_mem_t)0, UINT64_C(0));
    EXPECT_FAULT(&load_at, number(w->from), w->from_key + (UINT64_C(1) << 32), UINT64_C(0));
    EXPECT_FAULT(&load_at, number(w->from), w->to_key, UINT64_C(0));
    EXPECT_FAULT(&load_at, number(w->from + WORDS), w->from_key, UINT64_C(0));
}

/* As keys of a card are: nobody else's. */
static void memory_is_its_devices_own(void)
{
    struct world here, there;
    struct doca_dev *first = dev, *second = open_device("mlx5_1");
    dev = second;
    world_open(&there);
    dev = first;
    world_open(&here);
    CHECK(RUN(&there, &load_at, number(there.from), there.from_key, UINT64_C(8)) == OK);
    CHECK(RUN(&here, &load_at, number(there.from), there.from_key, UINT64_C(8)) == BAD_STATE);
    world_close(&here);
    world_open(&here);
    CHECK(RUN(&here, &copy, number(here.to), here.to_key, number(there.from), there.from_key,
              UINT64_C(8)) == BAD_STATE);
    world_close(&here);
    world_open(&here);
    CHECK(RUN(&here, &copy, number(there.to), there.to_key, number(here.from), here.from_key,
              UINT64_C(8)) == BAD_STATE);
    world_close(&here);
    world_close(&there);
    CHECK(doca_dev_close(second) == OK);
}

static void pointers_die_when_the_memory_is_unregistered(void)
{
    struct world w;
    struct doca_sync_event *have, *go = NULL;
    doca_dpa_dev_sync_event_t have_handle, go_handle;
    world_open(&w);
    have = event_new(w.dpa);
    CHECK(doca_sync_event_create(&go) == OK);
    CHECK(doca_sync_event_publisher_add_location_cpu(go, dev) == OK);
    CHECK(doca_sync_event_subscriber_add_location_dpa(go, w.dpa) == OK);
    CHECK(doca_sync_event_start(go) == OK);
    CHECK(doca_sync_event_export_to_dpa(have, w.dpa, &have_handle) == OK);
    CHECK(doca_sync_event_export_to_dpa(go, w.dpa, &go_handle) == OK);
    CHECK(doca_dpa_kernel_launch_update_set(w.dpa, NULL, 0, w.done, 1, 1, &load_when_told,
                                            number(w.from), w.from_key, have_handle,
                                            go_handle) == OK);
    CHECK(doca_sync_event_wait_gt(have, 0, UINT64_MAX) == OK);
    CHECK(doca_dpa_mem_unregister(w.from_mem) == OK);
    w.from_mem = NULL;
    CHECK(doca_sync_event_update_set(go, 1) == OK);
    CHECK(doca_sync_event_wait_gt(w.done, 0, UINT64_MAX) == BAD_STATE);
    CHECK(doca_sync_event_destroy(have) == OK && doca_sync_event_destroy(go) == OK);
    world_close(&w);
}

/* ---- In flight ---- */

/* Memory that holds whoever touches it, and a kernel that will. */
struct flight {
    struct world w;
    struct held held;
    doca_dpa_mem_t mem;
    doca_dpa_dev_mem_t key;
};

static int run_store(void *flight)
{
    const struct flight *f = flight;
    return RUN(&f->w, &store_at, number(f->held.at), f->key, UINT64_C(8));
}

static int run_copy(void *flight)
{
    const struct flight *f = flight;
    return RUN(&f->w, &copy, number(f->held.at), f->key, number(f->w.from), f->w.from_key,
               UINT64_C(64));
}

static int unregister(void *mem)
{
    return doca_dpa_mem_unregister(mem);
}

static void unregistering_memory_waits_for(int (*kernel)(void *flight))
{
    struct flight f = {.held = held_new(1)};
    int ended;
    world_open(&f.w);
    CHECK(doca_dpa_mem_host_register(f.w.dpa, f.held.at, f.held.size, WRITABLE, &f.mem, 0) == OK);
    CHECK(doca_dpa_mem_dev_export(f.mem, &f.key) == OK);
    CHECK(held_take(&f.held, kernel, &f, unregister, f.mem, &ended) == OK && ended == OK);
    world_close(&f.w);
}

static void unregistering_memory_waits_for_pointers(void)
{
    unregistering_memory_waits_for(run_store);
}

static void unregistering_memory_waits_for_copies(void)
{
    unregistering_memory_waits_for(run_copy);
}

/* ---- Copies ---- */

static void copies_are_complete(void)
{
    const uint64_t size = WORDS * sizeof(uint64_t), skip = 5, length = size - 11;
    struct world w;
    world_open(&w);
    uint8_t *to = (uint8_t *)w.to;
    const uint8_t *from = (const uint8_t *)w.from;
    memset(to, 0xee, size);
    CHECK(RUN(&w, &copy, number(to + skip), w.to_key, number(from), w.from_key, length) == OK);
    CHECK(memcmp(to + skip, from, length) == 0);
    for (uint64_t i = 0; i < size; i++)
        CHECK((i >= skip && i < skip + length) || to[i] == 0xee);
    world_close(&w);
}

static void copies_need_registered_memory(void)
{
    const uint64_t size = WORDS * sizeof(uint64_t);
    EXPECT_FAULT(&copy, number(w->to), (doca_dpa_dev_mem_t)0, number(w->from), w->from_key,
                 UINT64_C(8));
    EXPECT_FAULT(&copy, number(w->to), w->to_key, number(w->from), w->to_key, UINT64_C(8));
    EXPECT_FAULT(&copy, number(w->to), w->to_key, number(w->from), w->from_key, size + 1);
    EXPECT_FAULT(&copy, number(w->from), w->from_key, number(w->to), w->to_key, UINT64_C(8));
}

static void matrices_are_transposed(void)
{
    enum { ROWS = 5, COLUMNS = 3 };
    static const uint64_t elements[] = {1, 2, 4, 8, 3};
    struct world w;
    world_open(&w);
    uint8_t *to = (uint8_t *)w.to, *from = (uint8_t *)w.from;
    for (unsigned i = 0; i < 256; i++)
        from[i] = (uint8_t)i;
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
        const uint64_t width = elements[e], length = ROWS * COLUMNS * width;
        memset(to, 0xee, 256);
        CHECK(doca_sync_event_update_set(w.done, 0) == OK);
        CHECK(RUN(&w, &transpose, number(to), w.to_key, number(from), w.from_key, length, width,
                  (uint64_t)COLUMNS, (uint64_t)ROWS) == OK);
        for (uint64_t r = 0; r < ROWS; r++)
            for (uint64_t c = 0; c < COLUMNS; c++)
                CHECK(memcmp(to + (c * ROWS + r) * width, from + (r * COLUMNS + c) * width,
                             width) == 0);
        CHECK(to[length] == 0xee);
    }
    world_close(&w);
}

static void matrices_are_as_large_as_they_say(void)
{
    EXPECT_FAULT(&transpose, number(w->to), w->to_key, number(w->from), w->from_key, UINT64_C(64),
                 UINT64_C(4), UINT64_C(4), UINT64_C(5));
    EXPECT_FAULT(&transpose, number(w->to), w->to_key, number(w->from), w->from_key, UINT64_C(64),
                 UINT64_C(4), UINT64_C(1) << 32, UINT64_C(1) << 32);
    EXPECT_FAULT(&transpose, number(w->to), w->to_key, number(w->from), w->to_key, UINT64_C(64),
                 UINT64_C(4), UINT64_C(4), UINT64_C(4));
}

/* An address of nobody, one of another version, and a second peer. */
static void endpoints_say_why(struct world *w)
{
    doca_dpa_worker_t worker = NULL;
    doca_dpa_ep_t a = NULL, b = NULL;
    doca_dpa_ep_addr_t address = NULL;
    size_t size = 0;
    CHECK(doca_dpa_worker_create(w->dpa, &worker, 0) == OK);
    CHECK(doca_dpa_ep_create(worker, 0, &a) == OK && doca_dpa_ep_create(worker, 0, &b) == OK);
    CHECK(doca_dpa_ep_addr_get(b, &address, &size) == OK);
    char *damaged = malloc(size);
    CHECK(damaged && memset(damaged, 0, size));
    CHECK(doca_dpa_ep_connect(a, (doca_dpa_ep_addr_t)damaged) == DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_dpa_ep_connect(a, address) == OK);
    CHECK(doca_dpa_ep_connect(a, address) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_dpa_worker_destroy(worker) == DOCA_ERROR_IN_USE);
    CHECK(doca_dpa_ep_addr_free(address) == OK);
    free(damaged);
    CHECK(doca_dpa_ep_destroy(a) == OK && doca_dpa_ep_destroy(b) == OK);
    CHECK(doca_dpa_worker_destroy(worker) == OK);
}

/* Each call, twice. */
static void refused_calls_say_why(void)
{
    struct world w;
    world_open(&w);
    for (int i = 0; i < 2; i++) {
        doca_dpa_mem_t mem = NULL;
        doca_dpa_worker_t worker = NULL;
        doca_dpa_ep_t ep = NULL;
        doca_dpa_dev_uintptr_t at = 0;
        CHECK(doca_dpa_mem_host_register(w.dpa, w.from, 8, 1u << 30, &mem, 0) ==
              DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_mem_host_register(w.dpa, NULL, 8, 0, &mem, 0) == DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_mem_unregister(NULL) == DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_worker_create(NULL, &worker, 0) != OK);
        CHECK(doca_dpa_ep_create(NULL, 0, &ep) == DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_ep_destroy(NULL) == DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_mem_alloc(w.dpa, 0, &at) == DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_mem_free(4096) != OK);
        CHECK(doca_dpa_mem_host_register(w.dpa, w.from, 0, 0, &mem, 0) == DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_ep_addr_free(NULL) == DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_h2d_memcpy(w.dpa, 16, NULL, 8) == DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_memset(NULL, 16, 0, 8) == DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_dpa_kernel_launch_update_add(w.dpa, NULL, 0, NULL, 0, 0, &double_words) ==
              DOCA_ERROR_INVALID_VALUE);
        CHECK(doca_sync_event_export_remote(w.done, NULL) == DOCA_ERROR_INVALID_VALUE);
        endpoints_say_why(&w);
    }
    world_close(&w);
}

/* Threads of a kernel. The last thread reports its end. */
static void double_by(struct world *w, unsigned threads, uint64_t told)
{
    CHECK(doca_dpa_kernel_launch_update_set(w->dpa, NULL, 0, w->done, told, threads, &double_words,
                                            number(w->from), w->from_key, number(w->to), w->to_key,
                                            (uint64_t)WORDS) == OK);
}

/* DPAKIT_EUS=20: a worker's threads leave four units. */
static void workers_occupy_units(void)
{
    struct world w;
    doca_dpa_worker_t worker = NULL, second = NULL;
    uint64_t done = 0;
    world_open(&w);
    for (uint64_t i = 1; i < 5; i += 2) {
        CHECK(doca_dpa_worker_create(w.dpa, &worker, 0) == OK);
        CHECK(doca_dpa_worker_create(w.dpa, &second, 0) == DOCA_ERROR_NO_MEMORY && !second);
        double_by(&w, 4, i);
        CHECK(doca_sync_event_wait_gt(w.done, i - 1, UINT64_MAX) == OK);
        double_by(&w, 5, i + 1);
        usleep(100000);
        CHECK(doca_sync_event_get(w.done, &done) == OK && done == i);
        CHECK(doca_dpa_worker_destroy(worker) == OK);
        CHECK(doca_sync_event_wait_gt(w.done, i, UINT64_MAX) == OK);
    }
    world_close(&w);
    /* A context that goes first gives them back, too. */
    world_open(&w);
    CHECK(doca_dpa_worker_create(w.dpa, &worker, 0) == OK);
    world_close(&w);
    world_open(&w);
    CHECK(doca_dpa_worker_create(w.dpa, &second, 0) == OK);
    CHECK(doca_dpa_worker_destroy(worker) == OK);
    double_by(&w, 4, 1);
    CHECK(doca_sync_event_wait_gt(w.done, 0, UINT64_MAX) == OK);
    CHECK(doca_dpa_worker_destroy(second) == OK);
    world_close(&w);
}

static const struct test_case cases[] = {
    CASE(refused_calls_say_why),
    CASE(workers_occupy_units),
    CASE(pointers_reach_several_memories),
    CASE(pointers_work_for_every_width),
    CASE(pointers_end_with_their_memory),
    CASE(pointers_do_what_the_memory_permits),
    CASE(pointers_are_to_registered_memory_only),
    CASE(memory_is_its_devices_own),
    CASE(pointers_die_when_the_memory_is_unregistered),
    CASE(unregistering_memory_waits_for_pointers),
    CASE(unregistering_memory_waits_for_copies),
    CASE(copies_are_complete),
    CASE(copies_need_registered_memory),
    CASE(matrices_are_transposed),
    CASE(matrices_are_as_large_as_they_say),
};

int main(int argc, char **argv)
{
    const struct test_case *c = find_case(cases, sizeof cases / sizeof *cases, argc, argv);
    if (!c)
        return 98;
    dev = open_device("mlx5_0");
    c->run();
    CHECK(doca_dev_close(dev) == OK);
    return 0;
}
