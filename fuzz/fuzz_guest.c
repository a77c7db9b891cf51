/*
 * Any bytes as guest code: the engine and the reference run it alike, interpreted or translated,
 * and the guest writes only to its writable pages. AddressSanitizer and pages without access on
 * both sides of the guest's memory protect host memory, and the guest knows the distance of some
 * bytes of the host, which must not change.
 */
#include <string.h>

#include "engine/jit/jit.h"
#include "guarded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CODE      UINT64_C(0x10000)
#define DATA      UINT64_C(0x20000)
#define READ_ONLY UINT64_C(0x30000)
#define LAST      UINT64_C(0xfffff000) /* the page before the end of guest memory */
enum { TURNS = 4, BUDGET = 500, HEAD = 64 };

struct guest {
    struct rv64_memory *mem;
    struct rv64_core *core;
    struct rv64_hart hart;
};

/* Bytes of the host that the guest must neither read nor change. */
static uint64_t secret[64];
enum { SECRET = 0x5e };

static void must(bool good)
{
    if (!good)
        abort();
}

/* `mem` serves all inputs: its pages start as zeros each time. */
static void create(struct guest *g, struct rv64_memory *mem, const uint8_t *code, size_t size)
{
    static const uint8_t pattern[RV64_PAGE] = {0xa5};
    *g = (struct guest){.mem = mem};
    must(rv64_memory_map(mem, CODE, READ_ONLY + RV64_PAGE - CODE, 0));
    must(rv64_memory_map(mem, LAST, RV64_PAGE, 0));
    must((g->core = rv64_core_create(mem)) != NULL);
    must(rv64_memory_map(mem, CODE, 2 * RV64_PAGE, RV64_R | RV64_X));
    must(rv64_memory_map(mem, DATA, 2 * RV64_PAGE, RV64_R | RV64_W));
    must(rv64_memory_map(mem, READ_ONLY, RV64_PAGE, RV64_R));
    must(rv64_memory_map(mem, LAST, RV64_PAGE, RV64_R | RV64_W));
    must(rv64_memory_store(mem, CODE, code, size));
    must(rv64_memory_store(mem, READ_ONLY, pattern, sizeof pattern));
}

/* Sets the registers to interesting addresses, moved a little by the input, or to input bytes.
 * `distance` is the distance from the guest's memory to the secret. */
static void set_registers(struct rv64_hart *hart, const uint8_t *head, uint64_t distance)
{
    const uint64_t near[] = {0,
                             CODE,
                             DATA,
                             DATA + 2 * RV64_PAGE,
                             READ_ONLY,
                             LAST,
                             UINT64_C(1) << 32,
                             UINT64_C(0) - 8,
                             UINT64_C(1) << 63,
                             distance + sizeof secret / 2,
                             distance + DATA};
    enum { NEAR = sizeof near / sizeof *near };
    for (unsigned i = 1; i < 32; i++) {
        uint64_t word;
        memcpy(&word, head + (i * 8) % (HEAD - 8), sizeof word);
        hart->x[i] = i % 3 == 0 ? word : near[i % NEAR] + (uint64_t)(int64_t)(int8_t)head[i];
    }
    hart->pc = CODE + (head[0] & 0x3e);
}

static void check_same(const struct guest *a, const struct guest *b, uint64_t address, size_t size)
{
    must(memcmp(rv64_memory_at(a->mem, address, size, 0), rv64_memory_at(b->mem, address, size, 0),
                size) == 0);
}

static void check_untouched(const struct guest *g, const uint8_t *code, size_t size)
{
    const uint8_t *page = rv64_memory_at(g->mem, READ_ONLY, RV64_PAGE, 0);
    must(page[0] == 0xa5 && page[1] == 0 && memcmp(page + 1, page + 2, RV64_PAGE - 2) == 0);
    must(size == 0 || memcmp(rv64_memory_at(g->mem, CODE, size, 0), code, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct guarded guarded;
    static struct rv64_memory *plain;
    struct guest fast, slow;
    if (size < HEAD || size - HEAD > RV64_PAGE)
        return 0;
    if (plain == NULL) {
        guarded = guarded_memory();
        must((plain = rv64_memory_create(UINT64_C(1) << 32)) != NULL);
    }
    const uint8_t *code = data + HEAD;
    memset(secret, SECRET, sizeof secret);
    create(&fast, guarded.mem, code, size - HEAD);
    create(&slow, plain, code, size - HEAD);
    set_registers(&fast.hart, data, (uintptr_t)secret - guarded.base);
    slow.hart = fast.hart;
    rv64_core_set_strict(fast.core, data[1] & 1);
    rv64_core_set_strict(slow.core, data[1] & 1);
    rv64_core_set_extensions(fast.core, data[1] & 8 ? 0 : RV64_ZBA);
    rv64_core_set_extensions(slow.core, data[1] & 8 ? 0 : RV64_ZBA);
    jit_attach(fast.core, data[1] & 2 ? JIT_SYNC : JIT_OFF, (data[1] & 4) != 0);
    for (int turn = 0; turn < TURNS; turn++) {
        enum rv64_stop why = rv64_run(fast.core, &fast.hart, BUDGET), other = RV64_STOP_BUDGET;
        while (other == RV64_STOP_BUDGET &&
               (slow.hart.instret < fast.hart.instret || why != RV64_STOP_BUDGET))
            other = rv64_step(slow.core, &slow.hart);
        must(why == other && fast.hart.pc == slow.hart.pc);
        must(fast.hart.misaligned == slow.hart.misaligned);
        must(why != RV64_STOP_FAULT || (fast.hart.fault == slow.hart.fault &&
                                        fast.hart.fault_address == slow.hart.fault_address));
        must(memcmp(fast.hart.x, slow.hart.x, sizeof fast.hart.x) == 0);
        if (why == RV64_STOP_FAULT)
            break;
        if (why == RV64_STOP_EBREAK)
            fast.hart.pc = slow.hart.pc += 2;
    }
    check_same(&fast, &slow, DATA, 2 * RV64_PAGE);
    check_same(&fast, &slow, LAST, RV64_PAGE);
    check_untouched(&fast, code, size - HEAD);
    check_untouched(&slow, code, size - HEAD);
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        must(secret[i] == UINT64_C(0x0101010101010101) * SECRET);
    rv64_core_destroy(fast.core);
    rv64_core_destroy(slow.core);
    return 0;
}
