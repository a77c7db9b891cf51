/* rv64: random programs, on the engine and on the reference. */
#include "rv64_random.h"

/* ---- The engine against the reference ---- */

/* With sanitizers, what takes as long. */
#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 25000 };
#else
enum { PROGRAMS = 100000 };
#endif
enum { LENGTH = 48 };

/* Anything: one instruction in 40 is just bits; of the others, accesses are near x8, and jumps go
 * by a little or to near x9. */
static uint32_t any_instruction(uint64_t *seed)
{
    uint32_t word = random_instruction(seed, any_row(seed));
    const bool anywhere = below(seed, 4) == 0; /* else to a multiple of 8; both below 1024 */
    if (below(seed, 40) == 0)
        return below(seed, 2) == 0 ? word : (uint32_t)random64(seed);
    switch (word & 0x7f) {
    case 0x73: /* calls end the program */
        return rd_of(word) == 0 ? NOP : with_rd(word, A0);
    case STORES:
        return with_rs1(word, BASE) & ~(anywhere ? 0xc0000000u : 0xc0000380u);
    case LOADS:
        word = with_rs1(word, BASE) & ~(anywhere ? 0xc0000000u : 0xc0700000u);
        break;
    case AMOS:
        word = with_rs1(word, BASE);
        break;
    case 0x63: /* branches and JAL: within 64 bytes */
        return (word & ~0xfe000080u) | (word & 0x80000000u ? 0xfc000080u : 0);
    case 0x6f:
        word = (word & 0x03e00fff) | (word & 0x80000000u ? 0xfc1ff000u : 0);
        break;
    case 0x67:
        word = with_rs1(word & ~0xfc000000u, CODE_BASE);
        break;
    }
    return rd_of(word) == BASE || rd_of(word) == CODE_BASE ? with_rd(word, A0) : word;
}

static void make_program(uint64_t *seed, uint16_t halves[2 * LENGTH])
{
    for (unsigned i = 0; i < 2 * LENGTH;) {
        if (below(seed, 4) == 0 || i == 2 * LENGTH - 1) {
            halves[i++] = compressed(seed);
            continue;
        }
        uint32_t word = any_instruction(seed);
        halves[i++] = (uint16_t)word;
        halves[i++] = (uint16_t)(word >> 16);
    }
}

static void engine_and_reference_agree_on_random_programs(void **state)
{
    struct guest *g = *state;
    uint64_t seed = 88172645463325252u;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        uint16_t halves[2 * LENGTH];
        struct rv64_hart hart = {.pc = CODE + RV64_PAGE - 2 * below(&seed, 2 * LENGTH)};
        make_program(&seed, halves);
        guest_store(g, hart.pc, halves, sizeof halves);
        for (int r = 1; r < 32; r++)
            hart.x[r] = random_value(&seed);
        hart.x[BASE] = DATA + 8 * below(&seed, DATA_SIZE / 9);
        hart.x[CODE_BASE] = hart.pc;
        hart.time = random64(&seed);
        for (int turn = 0; turn < 4; turn++) {
            if (guest_run(g, &hart, below(&seed, 200)) != RV64_STOP_BUDGET)
                break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {GUEST_TEST(engine_and_reference_agree_on_random_programs)};
    return cmocka_run_group_tests_name("rv64_random", tests, NULL, NULL);
}
