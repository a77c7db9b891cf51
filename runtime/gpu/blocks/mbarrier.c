/* Barriers in memory (mbarrier of PTX). A phase ends when all expected threads have arrived and all
 * expected bytes have been written. The threads of a block run on one worker, one at a time, so
 * plain accesses suffice. */
#include "device.h"

#include "private.h"

#include <string.h>

/* The word: threads that have not arrived, threads of each phase, bytes that are expected (with a
 * bias, as fewer than 0 may be), parity of the phase. */
enum { COUNT_BITS = 20, BYTES_BITS = 22, PHASE = 63, BIAS = 1 << 21 };
#define COUNT_MAX ((1u << COUNT_BITS) - 1)

struct mbarrier {
    uint32_t pending, expected;
    int64_t bytes;
    bool phase;
};

static struct mbarrier unpack(uint64_t word)
{
    return (struct mbarrier){
        .pending = (uint32_t)word & COUNT_MAX,
        .expected = (uint32_t)(word >> COUNT_BITS) & COUNT_MAX,
        .bytes = (int64_t)(word >> 2 * COUNT_BITS & ((1u << BYTES_BITS) - 1)) - BIAS,
        .phase = word >> PHASE,
    };
}

static uint64_t pack(const struct mbarrier *m)
{
    return m->pending | (uint64_t)m->expected << COUNT_BITS |
           (uint64_t)(m->bytes + BIAS) << 2 * COUNT_BITS | (uint64_t)m->phase << PHASE;
}

static uint64_t load(uint64_t at)
{
    uint64_t word;
    memcpy(&word, (const void *)at, sizeof word);
    return word;
}

static void store(uint64_t at, uint64_t word)
{
    memcpy((void *)at, &word, sizeof word);
}

static void fail(const void *pc, const char *what)
{
    block_fail(DPK_BLOCK_TRAPPED, pc, what);
}

void dpk_gpu_mbarrier_init(uint64_t at, uint32_t count)
{
    if (!count || count > COUNT_MAX)
        fail(__builtin_return_address(0), "mbarrier.init: the count is not 1 to 1048575");
    store(at, pack(&(struct mbarrier){.pending = count, .expected = count}));
}

/* Adds bytes that are expected (fewer than 0: that came), and threads that have arrived. */
static void change(uint64_t at, int64_t bytes, uint32_t arrived, const void *pc)
{
    block_check_release(block_here(), at);
    struct mbarrier m = unpack(load(at));
    m.bytes += bytes;
    if (m.bytes < -(BIAS - 1) || m.bytes > BIAS - 1)
        fail(pc, "mbarrier: it expects too many bytes");
    if (arrived > m.pending)
        fail(pc, "mbarrier.arrive: more threads than the barrier waits for");
    m.pending -= arrived;
    if (!m.pending && !m.bytes) {
        m.pending = m.expected;
        m.phase = !m.phase;
    }
    store(at, pack(&m));
}

uint64_t dpk_gpu_mbarrier_arrive(uint64_t at, uint32_t count, uint32_t bytes)
{
    const uint64_t before = load(at);
    change(at, bytes, count, __builtin_return_address(0));
    return before;
}

void dpk_gpu_mbarrier_expect(uint64_t at, uint32_t bytes)
{
    change(at, bytes, 0, __builtin_return_address(0));
}

void dpk_gpu_mbarrier_complete(uint64_t at, uint32_t bytes)
{
    change(at, -(int64_t)bytes, 0, __builtin_return_address(0));
}

uint32_t dpk_gpu_mbarrier_test(uint64_t at, uint32_t parity)
{
    const bool of = parity & 1;
    bool ended = unpack(load(at)).phase != of;
    if (!ended) {
        dpk_gpu_yield();
        ended = unpack(load(at)).phase != of;
    }
    if (ended)
        block_check_acquire(block_here(), at);
    return ended;
}
