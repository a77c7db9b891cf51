/* rv64: guest memory from the host's side. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/rv64/memory.h"
#include "rv64_guest.h"
#include "rv64_words.h"

static void sizes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    assert_null(rv64_memory_create(0));
    assert_null(rv64_memory_create(RV64_PAGE + 1));
    assert_null(rv64_memory_create((UINT64_C(1) << 32) + RV64_PAGE));
    struct rv64_memory *mem = rv64_memory_create(UINT64_C(1) << 32);
    assert_non_null(mem);
    assert_int_equal(rv64_memory_size(mem), UINT64_C(1) << 32);
    rv64_memory_destroy(mem);
    rv64_memory_destroy(NULL);
}

/* Pages of this process in memory. */
static long resident_pages(void)
{
    long size, resident;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld", &size, &resident), 2);
    fclose(f);
    return resident;
}

static void four_gibibytes_are_reserved_and_not_committed(void **state)
{
    (void)state;
    long before = resident_pages();
    struct rv64_memory *mem = rv64_memory_create(UINT64_C(1) << 32);
    uint64_t most = (UINT64_C(1) << 32) - RV64_PAGE;
    assert_non_null(mem);
    assert_true(rv64_memory_map(mem, RV64_PAGE, most, RV64_R | RV64_W));
    assert_true(rv64_memory_store(mem, most, &most, sizeof most)); /* the last page is there */
    /* The tables, and what a sanitizer notes for each of their words. */
    assert_in_range(resident_pages() - before + 1000, 0, 1000 + (160 << 20) / RV64_PAGE);
    rv64_memory_destroy(mem);
}

static void runs_of_pages_are_found_by_their_permissions(void **state)
{
    struct guest *g = *state;
    uint64_t address, size, from = 0;
    unsigned access;
    static const struct {
        uint64_t address, size;
        unsigned access;
    } want[] = {{CODE, CODE_SIZE, RV64_R | RV64_X},
                {DATA, DATA_SIZE, RV64_R | RV64_W},
                {READ_ONLY, RV64_PAGE, RV64_R},
                {WRITE_ONLY, RV64_PAGE, RV64_W}};
    for (size_t i = 0; i < 4; i++, from = address + size) {
        assert_true(rv64_memory_next(g->mem[0], from, &address, &size, &access));
        assert_int_equal(address, want[i].address);
        assert_int_equal(size, want[i].size);
        assert_int_equal(access, want[i].access);
    }
    assert_false(rv64_memory_next(g->mem[0], from, &address, &size, &access));
}

static void page_zero_cannot_be_mapped(void **state)
{
    struct guest *g = *state;
    assert_false(rv64_memory_map(g->mem[0], 0, RV64_PAGE, RV64_R));
    assert_false(rv64_memory_map(g->mem[0], 0, MEMORY_SIZE, RV64_R | RV64_W));
    assert_null(rv64_memory_at(g->mem[0], 0, 1, 0));
}

static void writable_and_executable_together_are_refused(void **state)
{
    struct guest *g = *state;
    assert_false(rv64_memory_map(g->mem[0], UNMAPPED, RV64_PAGE, RV64_W | RV64_X));
    assert_false(rv64_memory_map(g->mem[0], UNMAPPED, RV64_PAGE, RV64_R | RV64_W | RV64_X));
    assert_false(rv64_memory_map(g->mem[0], UNMAPPED, RV64_PAGE, 8));
    assert_null(rv64_memory_at(g->mem[0], UNMAPPED, 1, 0));
}

static void parts_of_pages_are_not_mapped(void **state)
{
    struct guest *g = *state;
    assert_false(rv64_memory_map(g->mem[0], UNMAPPED + 8, RV64_PAGE, RV64_R));
    assert_false(rv64_memory_map(g->mem[0], UNMAPPED, RV64_PAGE - 8, RV64_R));
}

static void ranges_beyond_the_memory_are_not_mapped(void **state)
{
    struct guest *g = *state;
    assert_false(rv64_memory_map(g->mem[0], MEMORY_SIZE, RV64_PAGE, RV64_R));
    assert_false(rv64_memory_map(g->mem[0], MEMORY_SIZE - RV64_PAGE, 2 * RV64_PAGE, RV64_R));
    assert_false(rv64_memory_map(g->mem[0], UNMAPPED, UINT64_C(0) - RV64_PAGE, RV64_R));
    assert_false(rv64_memory_map(g->mem[0], UINT64_C(0) - RV64_PAGE, RV64_PAGE, RV64_R));
    assert_true(rv64_memory_map(g->mem[0], MEMORY_SIZE - RV64_PAGE, RV64_PAGE, RV64_R));
}

static void new_pages_are_zero_and_so_are_pages_mapped_again(void **state)
{
    static const uint8_t zeros[2 * RV64_PAGE];
    struct guest *g = *state;
    for (int turn = 0; turn < 2; turn++) {
        assert_true(rv64_memory_map(g->mem[0], UNMAPPED, 2 * RV64_PAGE, RV64_R | RV64_W));
        uint8_t *at = rv64_memory_at(g->mem[0], UNMAPPED, 2 * RV64_PAGE, RV64_R | RV64_W);
        assert_non_null(at);
        assert_memory_equal(at, zeros, sizeof zeros);
        memset(at, 0xff, sizeof zeros);
        assert_true(rv64_memory_map(g->mem[0], UNMAPPED, 2 * RV64_PAGE, 0));
        assert_null(rv64_memory_at(g->mem[0], UNMAPPED, 1, 0));
    }
}

/* ---- A host of larger pages ---- */

/* These two functions replace those of the C library. They behave like a kernel with pages of
 * `large_page` bytes from the address `large_from`. 0: the real functions. */
static size_t large_page;
static const uint8_t *large_from;

#ifndef __SANITIZE_THREAD__ /* which calls them before dlsym works */
long sysconf(int name)
{
    long (*real)(int);
    if (name == _SC_PAGESIZE && large_page != 0)
        return (long)large_page;
    *(void **)&real = dlsym(RTLD_NEXT, "sysconf");
    return real(name);
}

int madvise(void *at, size_t size, int advice)
{
    if (large_page != 0) {
        if ((size_t)((uint8_t *)at - large_from) % large_page != 0)
            return -1;
        size = (size + large_page - 1) / large_page * large_page;
    }
    return (int)syscall(SYS_madvise, at, size, advice);
}
#endif

/* Unmaps `size` bytes at `at` of three large pages, and maps them again: they are zeros then, and all
 * others as they were. */
static void unmap_of(struct guest *g, uint64_t begin, uint64_t all, uint64_t at, uint64_t size)
{
    assert_true(rv64_memory_map(g->mem[0], begin, all, RV64_R | RV64_W));
    uint8_t *bytes = rv64_memory_at(g->mem[0], begin, all, RV64_R | RV64_W);
    assert_non_null(bytes);
    memset(bytes, 0xa5, all);
    assert_true(rv64_memory_map(g->mem[0], at, size, 0));
    assert_true(rv64_memory_map(g->mem[0], at, size, RV64_R | RV64_W));
    for (uint64_t i = 0; i < all; i++)
        assert_int_equal(bytes[i], begin + i - at < size ? 0 : 0xa5);
}

static void unmapping_keeps_what_else_a_page_of_the_host_has(void **state)
{
    static const size_t large[] = {16 << 10, 64 << 10};
    for (size_t i = 0; i < 2; i++) {
        struct guest *g = *state;
        large_page = large[i];
        large_from = (uint8_t *)rv64_memory_at(g->mem[0], DATA, 1, 0) - DATA;
        const uint64_t begin = 0x40000, page = large[i], all = 3 * page;
        unmap_of(g, begin, all, begin, RV64_PAGE);
        unmap_of(g, begin, all, begin + page - RV64_PAGE, RV64_PAGE);
        unmap_of(g, begin, all, begin + page, page + RV64_PAGE);
        unmap_of(g, begin, all, begin + RV64_PAGE, 2 * page);
        unmap_of(g, begin, all, begin, all);
        large_page = 0;
    }
}

/* What translated code reads instead of asking for each page. */
static void assert_tables_tell_of_pages(const struct rv64_memory *mem)
{
    for (uint64_t at = 0; at < mem->size; at += RV64_NEAR) {
        const unsigned here = rv64_page_access(mem, at),
                       next =
                           at + RV64_NEAR < mem->size ? rv64_page_access(mem, at + RV64_NEAR) : 0,
                       near = mem->near[at / RV64_NEAR], both = here & next,
                       rw = (both & RV64_R) && (both & RV64_W) ? RV64_RW : 0u;
        if (near != (both | rw))
            fail_msg("%#llx: %#x, and its pages %u and %u", (unsigned long long)at, near, here,
                     next);
    }
}

static void tables_of_pieces_follow_the_pages(void **state)
{
    static const unsigned rights[] = {0,      RV64_R,          RV64_R,          RV64_W,
                                      RV64_X, RV64_R | RV64_W, RV64_R | RV64_X, RV64_R | RV64_W};
    struct guest *g = *state;
    uint64_t seed = 7;
    assert_tables_tell_of_pages(g->mem[0]);
    for (unsigned i = 0; i < 500; i++) {
        const uint64_t pages = MEMORY_SIZE / RV64_PAGE,
                       first = 1 + below(&seed, (uint32_t)pages - 1);
        const uint64_t count = 1 + below(&seed, (uint32_t)(pages - first < 9 ? pages - first : 9));
        assert_true(rv64_memory_map(g->mem[0], first * RV64_PAGE, count * RV64_PAGE,
                                    rights[below(&seed, 8)]));
        assert_tables_tell_of_pages(g->mem[0]);
    }
}

static void a_change_of_permissions_keeps_the_bytes(void **state)
{
    struct guest *g = *state;
    guest_store64(g, DATA, 42);
    assert_true(rv64_memory_map(g->mem[0], DATA, RV64_PAGE, RV64_R | RV64_X));
    assert_int_equal(guest_load64(g, DATA), 42);
    assert_null(rv64_memory_at(g->mem[0], DATA, 8, RV64_W));
    /* with its neighbours: the mapped page keeps its bytes, the new one is zero */
    assert_true(rv64_memory_map(g->mem[0], DATA - RV64_PAGE, 2 * RV64_PAGE, RV64_R));
    assert_int_equal(guest_load64(g, DATA), 42);
    assert_int_equal(guest_load64(g, DATA - RV64_PAGE), 0);
}

static void pointers_are_given_for_what_is_mapped_as_asked(void **state)
{
    struct guest *g = *state;
    assert_non_null(rv64_memory_at(g->mem[0], DATA, DATA_SIZE, RV64_R | RV64_W));
    assert_non_null(rv64_memory_at(g->mem[0], DATA + DATA_SIZE - 1, 1, RV64_W));
    assert_null(rv64_memory_at(g->mem[0], DATA + DATA_SIZE - 1, 2, RV64_R));
    assert_null(rv64_memory_at(g->mem[0], DATA - 1, 2, RV64_R));
    assert_null(rv64_memory_at(g->mem[0], DATA, 1, RV64_X));
    assert_null(rv64_memory_at(g->mem[0], READ_ONLY, 1, RV64_R | RV64_W));
    assert_non_null(
        rv64_memory_at(g->mem[0], READ_ONLY + RV64_PAGE - 8, 16, 0)); /* and its neighbour */
    assert_null(rv64_memory_at(g->mem[0], READ_ONLY + RV64_PAGE - 8, 16, RV64_R));
    assert_null(rv64_memory_at(g->mem[0], DATA, UINT64_MAX, RV64_R));
    assert_null(rv64_memory_at(g->mem[0], UINT64_MAX, 2, RV64_R));
    assert_null(rv64_memory_at(g->mem[0], MEMORY_SIZE, 1, 0));
    assert_non_null(rv64_memory_at(g->mem[0], DATA, 0, RV64_R));
    assert_null(rv64_memory_at(g->mem[0], MEMORY_SIZE + 1, 0, 0));
}

static void stores_of_the_host_are_whole_or_not_at_all(void **state)
{
    struct guest *g = *state;
    uint64_t end = READ_ONLY + 2 * RV64_PAGE, value = UINT64_MAX;
    assert_true(rv64_memory_store(g->mem[0], READ_ONLY, &value, sizeof value));
    assert_int_equal(guest_load64(g, READ_ONLY), UINT64_MAX);
    assert_false(rv64_memory_store(g->mem[0], end - 4, &value, sizeof value));
    assert_int_equal(guest_load64(g, end - 8), 0);
    assert_false(rv64_memory_store(g->mem[0], 0, &value, 1));
    assert_true(rv64_memory_store(g->mem[0], end, NULL, 0));
}

static void guest_and_host_see_the_same_bytes(void **state)
{
    struct guest *g = *state;
    struct rv64_hart hart = {.x[A1] = DATA, .x[A2] = 0x0102030405060708};
    guest_execute_one(g, &hart, 0x00c5b023); /* sd a2, 0(a1) */
    const uint8_t *at = rv64_memory_at(g->mem[0], DATA, 8, RV64_R);
    assert_non_null(at);
    assert_memory_equal(at, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
}

struct restless {
    struct rv64_core *core;
    pthread_t thread;
    atomic_bool stop;
    atomic_uint ran, faulted;
};

/* Runs on after every fault, from the start. */
static void *run_and_run(void *argument)
{
    struct restless *r = argument;
    while (!r->stop) {
        struct rv64_hart hart = {.pc = CODE, .x[A1] = DATA, .x[A2] = 1};
        enum rv64_stop why = rv64_run(r->core, &hart, 500);
        assert_true(why == RV64_STOP_BUDGET || why == RV64_STOP_FAULT);
        r->ran += why == RV64_STOP_BUDGET;
        r->faulted += why == RV64_STOP_FAULT;
    }
    return NULL;
}

static bool all_ran(const struct restless h[3])
{
    return h[0].ran && h[1].ran && h[2].ran;
}

static bool all_faulted(const struct restless h[3])
{
    return h[0].faulted && h[1].faulted && h[2].faulted;
}

/* Neither code nor data that goes away under a hart brings the host down. */
static void pages_change_while_harts_run(void **state)
{
    struct guest *g = *state;
    static const uint32_t code[] = {
        0x00c5b52f /* amoadd.d a0, a2, (a1) */,
        0x00c5b423 /* sd a2, 8(a1) */,
        0x0105b683 /* ld a3, 16(a1) */,
        0xff5ff06f /* j -12 */,
    };
    static const unsigned data[] = {0, RV64_R, RV64_R | RV64_W, RV64_W};
    struct restless harts[3] = {0};
    guest_store(g, CODE, code, sizeof code);
    for (int i = 0; i < 3; i++) {
        harts[i].core = g->core[0];
        assert_int_equal(pthread_create(&harts[i].thread, NULL, run_and_run, &harts[i]), 0);
    }
    for (unsigned i = 0; i < 4000 || !all_faulted(harts); i++) {
        assert_true(rv64_memory_map(g->mem[0], DATA, RV64_PAGE, data[i % 4]));
        if (i % 16 == 0) {
            assert_true(rv64_memory_map(g->mem[0], CODE, RV64_PAGE, 0));
            assert_true(rv64_memory_map(g->mem[0], CODE, RV64_PAGE, RV64_R | RV64_X));
            assert_true(rv64_memory_store(g->mem[0], CODE, code, sizeof code));
        }
    }
    assert_true(rv64_memory_map(g->mem[0], DATA, RV64_PAGE, RV64_R | RV64_W));
    while (!all_ran(harts))
        usleep(100);
    for (int i = 0; i < 3; i++)
        harts[i].stop = true;
    for (int i = 0; i < 3; i++)
        pthread_join(harts[i].thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(sizes_that_cannot_be_are_refused),
        cmocka_unit_test(four_gibibytes_are_reserved_and_not_committed),
        GUEST_TEST(runs_of_pages_are_found_by_their_permissions),
        GUEST_TEST(page_zero_cannot_be_mapped),
        GUEST_TEST(writable_and_executable_together_are_refused),
        GUEST_TEST(parts_of_pages_are_not_mapped),
        GUEST_TEST(ranges_beyond_the_memory_are_not_mapped),
        GUEST_TEST(new_pages_are_zero_and_so_are_pages_mapped_again),
        GUEST_TEST(unmapping_keeps_what_else_a_page_of_the_host_has),
        GUEST_TEST(tables_of_pieces_follow_the_pages),
        GUEST_TEST(a_change_of_permissions_keeps_the_bytes),
        GUEST_TEST(pointers_are_given_for_what_is_mapped_as_asked),
        GUEST_TEST(stores_of_the_host_are_whole_or_not_at_all),
        GUEST_TEST(guest_and_host_see_the_same_bytes),
        GUEST_TEST(pages_change_while_harts_run),
    };
    return cmocka_run_group_tests_name("rv64_memory", tests, NULL, NULL);
}
