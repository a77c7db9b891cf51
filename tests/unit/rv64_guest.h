/* For the tests of rv64: a small guest, run by the engine and by the reference side by side. */
#ifndef RV64_GUEST_H
#define RV64_GUEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/jit/jit.h"
#include "engine/rv64/rv64.h"

enum { RA = 1, SP = 2, S0 = 8, S1 = 9, A0 = 10, A1 = 11, A2 = 12, A3 = 13 };
enum { EBREAK = 0x00100073, ECALL = 0x00000073, NOP = 0x00000013 };

#define CODE        UINT64_C(0x10000)
#define CODE_SIZE   UINT64_C(0x2000)
#define DATA        UINT64_C(0x20000)
#define DATA_SIZE   UINT64_C(0x2000)
#define READ_ONLY   UINT64_C(0x30000)
#define WRITE_ONLY  UINT64_C(0x31000)
#define UNMAPPED    UINT64_C(0x40000)
#define MEMORY_SIZE UINT64_C(0x100000)

/* Whether the engine translates. */
static enum jit_mode guest_mode = JIT_OFF;

/* [0] is for the engine, [1] for the reference. */
struct guest {
    struct rv64_memory *mem[2];
    struct rv64_core *core[2];
};

static inline void guest_create(struct guest *g)
{
    for (int i = 0; i < 2; i++) {
        g->mem[i] = rv64_memory_create(MEMORY_SIZE);
        assert_non_null(g->mem[i]);
        g->core[i] = rv64_core_create(g->mem[i]);
        assert_non_null(g->core[i]);
        assert_true(rv64_memory_map(g->mem[i], CODE, CODE_SIZE, RV64_R | RV64_X));
        assert_true(rv64_memory_map(g->mem[i], DATA, DATA_SIZE, RV64_R | RV64_W));
        assert_true(rv64_memory_map(g->mem[i], READ_ONLY, RV64_PAGE, RV64_R));
        assert_true(rv64_memory_map(g->mem[i], WRITE_ONLY, RV64_PAGE, RV64_W));
    }
    jit_attach(g->core[0], guest_mode, true);
}

static inline void guest_destroy(struct guest *g)
{
    for (int i = 0; i < 2; i++) {
        rv64_core_destroy(g->core[i]);
        rv64_memory_destroy(g->mem[i]);
    }
}

static inline void guest_store(struct guest *g, uint64_t address, const void *from, size_t size)
{
    for (int i = 0; i < 2; i++)
        assert_true(rv64_memory_store(g->mem[i], address, from, size));
}

static inline void guest_store64(struct guest *g, uint64_t address, uint64_t value)
{
    guest_store(g, address, &value, sizeof value);
}

static inline uint64_t guest_load64(const struct guest *g, uint64_t address)
{
    uint64_t value;
    const void *at = rv64_memory_at(g->mem[0], address, sizeof value, 0);
    assert_non_null(at);
    memcpy(&value, at, sizeof value);
    return value;
}

static inline void assert_same_hart(const struct rv64_hart *a, const struct rv64_hart *b)
{
    for (int i = 0; i < 32; i++)
        assert_int_equal(a->x[i], b->x[i]);
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->instret, b->instret);
    assert_int_equal(a->fault, b->fault);
    assert_int_equal(a->fault_address, b->fault_address);
    assert_int_equal(a->misaligned, b->misaligned);
    assert_int_equal(a->reserved_width, b->reserved_width);
    if (a->reserved_width != 0) {
        assert_int_equal(a->reserved_address, b->reserved_address);
        assert_int_equal(a->reserved_value, b->reserved_value);
    }
}

/* Runs the hart on the engine for `budget`, and the reference for as many instructions: all that
 * can be seen must be the same. */
static inline enum rv64_stop guest_run(struct guest *g, struct rv64_hart *hart, uint64_t budget)
{
    struct rv64_hart reference = *hart;
    enum rv64_stop why = rv64_run(g->core[0], hart, budget), other = RV64_STOP_BUDGET;
    while (other == RV64_STOP_BUDGET &&
           (reference.instret < hart->instret || why != RV64_STOP_BUDGET))
        other = rv64_step(g->core[1], &reference);
    reference.fault = why == RV64_STOP_BUDGET ? RV64_FAULT_NONE : reference.fault;
    assert_int_equal(why, other);
    assert_same_hart(hart, &reference);
    assert_memory_equal(rv64_memory_at(g->mem[0], DATA, DATA_SIZE, 0),
                        rv64_memory_at(g->mem[1], DATA, DATA_SIZE, 0), DATA_SIZE);
    return why;
}

/* Puts the words at CODE and runs them from there, at most 1000 instructions. */
static inline enum rv64_stop guest_execute(struct guest *g, struct rv64_hart *hart,
                                           const uint32_t *words, size_t count)
{
    guest_store(g, CODE, words, count * sizeof *words);
    hart->pc = CODE;
    return guest_run(g, hart, 1000);
}

/* One instruction, then an EBREAK. */
static inline enum rv64_stop guest_execute_one(struct guest *g, struct rv64_hart *hart,
                                               uint32_t word)
{
    return guest_execute(g, hart, (const uint32_t[]){word, EBREAK}, 2);
}

static inline int guest_setup(void **state)
{
    static struct guest guests[1];
    guest_create(guests);
    *state = guests;
    return 0;
}

static inline int guest_teardown(void **state)
{
    guest_destroy(*state);
    return 0;
}

/* Runs a group of tests twice: interpreted and translated. The first failure ends it. */
#define RUN_GUEST_TESTS(name, tests)                                                               \
    (cmocka_run_group_tests_name(name, tests, NULL, NULL) != 0 ||                                  \
     (guest_mode = JIT_SYNC,                                                                       \
      cmocka_run_group_tests_name(name ", translated", tests, NULL, NULL) != 0))

#define GUEST_TEST(name) cmocka_unit_test_setup_teardown(name, guest_setup, guest_teardown)

#endif
