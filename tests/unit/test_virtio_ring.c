/* Split virtqueues: chains that a driver offers, and each violation of the specification by a hostile
 * driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bus/virtio/virtio.h"

enum { SIZE = 8, DESC = 0x100, AVAIL = 0x200, USED = 0x300, TABLE = 0x400, MEMORY = 0x1000 };
enum { NEXT = 1, WRITE = 2, INDIRECT = 4 };

static uint8_t memory[MEMORY];
static struct dpk_virtq q;
static struct dpk_virtq_chain chain;
static struct dpk_error err;

static bool is_there(uint64_t address, size_t size)
{
    return address <= MEMORY && size <= MEMORY - address;
}

static bool read_it(void *context, uint64_t address, void *to, size_t size)
{
    (void)context;
    if (!is_there(address, size))
        return false;
    memcpy(to, memory + address, size);
    return true;
}

static bool write_it(void *context, uint64_t address, const void *from, size_t size)
{
    (void)context;
    if (!is_there(address, size))
        return false;
    memcpy(memory + address, from, size);
    return true;
}

static const struct dpk_virtq_memory bus = {.read = read_it, .write = write_it};

static void put(unsigned at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        memory[at + i] = (uint8_t)(value >> 8 * i);
}

static unsigned get(unsigned at, unsigned size)
{
    unsigned value = 0;
    for (unsigned i = size; i-- > 0;)
        value = value << 8 | memory[at + i];
    return value;
}

static void describe(unsigned table, unsigned index, uint64_t address, uint32_t size,
                     unsigned flags, unsigned next)
{
    put(table + 16 * index, address, 8);
    put(table + 16 * index + 8, size, 4);
    put(table + 16 * index + 12, flags, 2);
    put(table + 16 * index + 14, next, 2);
}

/* The driver offers one more chain. */
static void offer(unsigned head)
{
    const unsigned index = get(AVAIL + 2, 2);
    put(AVAIL + 4 + 2 * (index % SIZE), head, 2);
    put(AVAIL + 2, index + 1, 2);
}

static int start(void **state)
{
    const struct dpk_virtq_place place = {
        .size = SIZE, .indirect = true, .desc = DESC, .avail = AVAIL, .used = USED};
    (void)state;
    memset(memory, 0, sizeof memory);
    err = (struct dpk_error){0};
    return dpk_virtq_open(&q, &place, &err) == DPK_OK ? 0 : -1;
}

static void assert_broken(const char *reason)
{
    assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_BROKEN);
    if (!strstr(err.message, reason))
        fail_msg("\"%s\" is not in \"%s\"", reason, err.message);
}

/* ---- What drivers may do ---- */

static void an_empty_ring_has_no_chain(void **state)
{
    (void)state;
    assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_EMPTY);
}

static void a_chain_has_its_parts_in_order(void **state)
{
    (void)state;
    describe(DESC, 5, 0x800, 40, NEXT, 2);
    describe(DESC, 2, 0x900, 0, NEXT, 7); /* no bytes: no part */
    describe(DESC, 7, 0xa00, 16, WRITE | NEXT, 0);
    describe(DESC, 0, 0xb00, 80, WRITE, 3);
    offer(5);
    assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_CHAIN);
    assert_int_equal(chain.head, 5);
    assert_int_equal(chain.readable, 1);
    assert_int_equal(chain.writable, 2);
    assert_int_equal(chain.readable_size, 40);
    assert_int_equal(chain.writable_size, 96);
    assert_int_equal(chain.parts[0].address, 0x800);
    assert_int_equal(chain.parts[1].address, 0xa00);
    assert_int_equal(chain.parts[2].size, 80);
    assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_EMPTY);
}

static void an_indirect_table_continues_a_chain(void **state)
{
    (void)state;
    describe(DESC, 1, 0x800, 8, NEXT, 3);
    describe(DESC, 3, TABLE, 32, INDIRECT | WRITE, 9); /* WRITE means nothing here */
    describe(TABLE, 0, 0x900, 24, NEXT, 1);
    describe(TABLE, 1, 0xa00, 64, WRITE, 0);
    offer(1);
    assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_CHAIN);
    assert_int_equal(chain.readable, 2);
    assert_int_equal(chain.writable, 1);
    assert_int_equal(chain.readable_size, 32);
}

static void chains_are_given_back_in_any_order(void **state)
{
    bool interrupts = false;
    (void)state;
    describe(DESC, 0, 0x800, 8, WRITE, 0);
    describe(DESC, 1, 0x900, 8, WRITE, 0);
    offer(0);
    offer(1);
    assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_CHAIN);
    assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_CHAIN);
    assert_true(dpk_virtq_give(&q, &bus, 1, 8, &interrupts) && interrupts);
    put(AVAIL, 1, 2); /* no interrupts */
    assert_true(dpk_virtq_give(&q, &bus, 0, 3, &interrupts) && !interrupts);
    assert_int_equal(get(USED + 2, 2), 2);
    assert_int_equal(get(USED + 4, 4), 1);
    assert_int_equal(get(USED + 8, 4), 8);
    assert_int_equal(get(USED + 12, 4), 0);
    assert_int_equal(get(USED + 16, 4), 3);
    offer(1); /* again */
    assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_CHAIN);
}

static void indices_wrap(void **state)
{
    bool interrupts;
    (void)state;
    describe(DESC, 4, 0x800, 8, WRITE, 0);
    for (unsigned i = 0; i < 0x10004; i++) {
        offer(4);
        assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_CHAIN);
        assert_true(dpk_virtq_give(&q, &bus, 4, i, &interrupts));
    }
    assert_int_equal(get(USED + 2, 2), 4);
    assert_int_equal(get(USED + 4 + 8 * 3 + 4, 4), 0x10003);
}

/* ---- What drivers must not do ---- */

static void loops_are_refused(void **state)
{
    (void)state;
    describe(DESC, 0, 0x800, 8, NEXT, 1);
    describe(DESC, 1, 0x900, 0, NEXT, 0); /* adds no part */
    offer(0);
    assert_broken("is a loop");
    start(NULL);
    describe(DESC, 0, TABLE, 32, INDIRECT, 0);
    describe(TABLE, 0, 0x900, 8, NEXT, 1);
    describe(TABLE, 1, 0x900, 8, NEXT, 0);
    offer(0);
    assert_broken("is a loop");
}

static void indices_out_of_range_are_refused(void **state)
{
    (void)state;
    offer(SIZE);
    assert_broken("offers descriptor 8 of a table of 8");
    start(NULL);
    describe(DESC, 0, 0x800, 8, NEXT, 0xffff);
    offer(0);
    assert_broken("leads to descriptor 65535 of a table of 8");
    start(NULL);
    describe(DESC, 0, TABLE, 32, INDIRECT, 0);
    describe(TABLE, 0, 0x900, 8, NEXT, 2);
    offer(0);
    assert_broken("leads to descriptor 2 of a table of 2");
    start(NULL);
    put(AVAIL + 2, SIZE + 1, 2);
    assert_broken("offers 9 chains in a ring of 8");
    start(NULL);
    put(AVAIL + 2, 0xffff, 2); /* backwards */
    assert_broken("offers 65535 chains in a ring of 8");
}

static void a_chain_that_the_device_has_is_refused(void **state)
{
    (void)state;
    describe(DESC, 0, 0x800, 8, WRITE, 0);
    offer(0);
    offer(0);
    assert_int_equal(dpk_virtq_take(&q, &bus, &chain, &err), DPK_VIRTQ_CHAIN);
    assert_broken("offers descriptor 0, which the device has");
}

static void wrong_lengths_are_refused(void **state)
{
    static const uint32_t sizes[] = {0, 8, 24, (SIZE + 1) * 16};
    (void)state;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        start(NULL);
        describe(DESC, 0, TABLE, sizes[i], INDIRECT, 0);
        offer(0);
        assert_broken("an indirect table has 0x");
    }
    start(NULL);
    describe(DESC, 0, UINT64_MAX - 6, 8, 0, 0);
    offer(0);
    assert_broken("exceeds the address space");
    start(NULL);
    describe(DESC, 0, 0x800, 0x80000000, NEXT, 1);
    describe(DESC, 1, 0x800, 0x80000000, WRITE, 0);
    offer(0);
    assert_broken("more than 2^32 bytes");
    start(NULL); /* each table is short enough, both are not */
    for (unsigned i = 0; i < SIZE; i++)
        describe(TABLE, i, 0x900, 8, i + 1 < SIZE ? NEXT : 0, i + 1);
    describe(DESC, 0, 0x800, 8, NEXT, 1);
    describe(DESC, 1, TABLE, SIZE * 16, INDIRECT, 0);
    offer(0);
    assert_broken("more descriptors than the 8 of the queue");
}

static void wrong_kinds_are_refused(void **state)
{
    (void)state;
    describe(DESC, 0, 0x800, 8, WRITE | NEXT, 1);
    describe(DESC, 1, 0x900, 8, 0, 0);
    offer(0);
    assert_broken("a readable descriptor follows a writable descriptor");
    start(NULL);
    describe(DESC, 0, TABLE, 16, INDIRECT, 0);
    describe(TABLE, 0, TABLE, 16, INDIRECT, 0);
    offer(0);
    assert_broken("an indirect table has an indirect descriptor");
    start(NULL);
    describe(DESC, 0, TABLE, 16, INDIRECT | NEXT, 1);
    offer(0);
    assert_broken("an indirect descriptor has a next descriptor");
    start(NULL);
    q.place.indirect = false;
    describe(DESC, 0, TABLE, 16, INDIRECT, 0);
    offer(0);
    assert_broken("which was not negotiated");
}

static void memory_that_is_not_there_is_refused(void **state)
{
    bool interrupts;
    struct dpk_virtq_place place = {.size = SIZE, .desc = MEMORY, .avail = AVAIL, .used = MEMORY};
    (void)state;
    assert_int_equal(dpk_virtq_open(&q, &place, &err), DPK_OK);
    offer(0);
    assert_broken("descriptor 0 of a table at 0x1000 cannot be read");
    assert_false(dpk_virtq_give(&q, &bus, 0, 0, &interrupts));
    place.avail = MEMORY;
    assert_int_equal(dpk_virtq_open(&q, &place, &err), DPK_OK);
    assert_broken("the available ring at 0x1000 cannot be read");
}

static void wrong_places_are_refused(void **state)
{
    const struct dpk_virtq_place good = {.size = 8, .desc = 16, .avail = 2, .used = 4};
    struct dpk_virtq_place p[] = {good, good, good, good, good, good, good};
    (void)state;
    p[0].size = 0;
    p[1].size = 24;
    p[2].size = 2048;
    p[3].desc = 8;
    p[4].avail = 1;
    p[5].used = 2;
    p[6].desc = UINT64_MAX - 63;
    assert_int_equal(dpk_virtq_open(&q, &good, &err), DPK_OK);
    for (unsigned i = 0; i < sizeof p / sizeof *p; i++)
        assert_int_equal(dpk_virtq_open(&q, &p[i], &err), DPK_ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_empty_ring_has_no_chain, start),
        cmocka_unit_test_setup(a_chain_has_its_parts_in_order, start),
        cmocka_unit_test_setup(an_indirect_table_continues_a_chain, start),
        cmocka_unit_test_setup(chains_are_given_back_in_any_order, start),
        cmocka_unit_test_setup(indices_wrap, start),
        cmocka_unit_test_setup(loops_are_refused, start),
        cmocka_unit_test_setup(indices_out_of_range_are_refused, start),
        cmocka_unit_test_setup(a_chain_that_the_device_has_is_refused, start),
        cmocka_unit_test_setup(wrong_lengths_are_refused, start),
        cmocka_unit_test_setup(wrong_kinds_are_refused, start),
        cmocka_unit_test_setup(memory_that_is_not_there_is_refused, start),
        cmocka_unit_test_setup(wrong_places_are_refused, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
