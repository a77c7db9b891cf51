/* rv64: loops whose branches compare values that grow by the same step in each turn. Translated
 * code executes many of their turns at once. */
#include "rv64_guest.h"
#include "rv64_words.h"

static const uint32_t branches[] = {0x0063, 0x1063, 0x4063, 0x5063, 0x6063, 0x7063};
enum { BRANCHES = sizeof branches / sizeof *branches };

/* Pairs of compared values at the start of the loop. */
static const uint64_t pairs[][2] = {
    {0, 60},
    {60, 0},
    {7, 7},
    {0, UINT64_MAX},
    {UINT64_MAX - 10, 10},
    {INT64_MAX - UINT64_C(20), UINT64_C(1) << 63},
    {(UINT64_C(1) << 62) - 10, (UINT64_C(1) << 62) + 10},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* The first pair is in x6 and x7, the second in x8 and x9. */
static void run_from_all_pairs(struct guest *g, const uint32_t *words, size_t count)
{
    guest_store(g, CODE, words, count * sizeof *words);
    for (size_t i = 0; i < PAIRS * PAIRS; i++) {
        const uint64_t *first = pairs[i / PAIRS], *second = pairs[i % PAIRS];
        struct rv64_hart hart = {.pc = CODE,
                                 .x[6] = first[0],
                                 .x[7] = first[1],
                                 .x[8] = second[0],
                                 .x[9] = second[1],
                                 .x[A0] = DATA};
        (void)guest_run(g, &hart, 500);
    }
}

static void a_loop_of_one_block_ends_by_its_branch(void **state)
{
    static const uint32_t steps[] = {1, 4, 3, 0u - 1, 0u - 8};
    for (size_t b = 0; b < BRANCHES; b++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            run_from_all_pairs(*state,
                               (const uint32_t[]){
                                   s_type(SD, 8, A0, 0),
                                   i_type(ADDI, A0, A0, 8),
                                   i_type(ADDI, 8, 8, steps[s]),
                                   b_type(branches[b], 8, 9, -12),
                                   EBREAK,
                               },
                               5);
}

/* Each of the two blocks ends with a branch. That of the first leaves the loop, or does not matter. */
static void a_loop_of_two_blocks_ends_by_either_branch(void **state)
{
    for (size_t first = 0; first < BRANCHES; first++)
        for (size_t second = 0; second < BRANCHES; second++)
            for (int leaves = 0; leaves < 2; leaves++)
                run_from_all_pairs(*state,
                                   (const uint32_t[]){
                                       i_type(ADDI, 6, 6, second % 2 == 0 ? 1 : 0u - 1),
                                       b_type(branches[first], 6, 7, leaves ? 20 : 4),
                                       s_type(SD, 8, A0, 0),
                                       i_type(ADDI, A0, A0, 8),
                                       i_type(ADDI, 8, 8, first % 2 == 0 ? 0u - 1 : 1),
                                       b_type(branches[second], 8, 9, -20),
                                       EBREAK,
                                   },
                                   7);
}

/* A loop of two blocks within another loop, which enters the inner loop at its second block. The
 * pairs contain the number of turns of the inner loop. */
static void a_loop_is_entered_by_its_second_block(void **state)
{
    static const uint32_t sizes[] = {8, 0u - 8};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t outer = 1; outer < 4; outer++)
            run_from_all_pairs(*state,
                               (const uint32_t[]){
                                   i_type(ADDI, 5, 0, outer),
                                   i_type(ADDI, 14, A0, 1024), /* the outer loop */
                                   i_type(ADDI, 11, 6, 0),
                                   b_type(branches[0], 0, 0, 12), /* to the second block */
                                   i_type(LD, 12, 14, 0),         /* the inner loop */
                                   b_type(branches[0], 11, 7, 20),
                                   i_type(ADDI, 11, 11, 1),
                                   s_type(SD, 11, 14, 8),
                                   i_type(ADDI, 14, 14, sizes[s]),
                                   b_type(branches[0], 0, 0, -20),
                                   i_type(ADDI, 5, 5, 0u - 1),
                                   b_type(branches[1], 5, 0, -40),
                                   EBREAK,
                               },
                               13);
}

/* Two groups of loads, of which one comes to where the other began. */
static void a_loop_reads_what_it_has_read_before(void **state)
{
    static const uint32_t steps[] = {8, 16, 0u - 8};
    static const uint32_t distances[] = {8, 32, 40, 256, 0u - 64};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
            run_from_all_pairs(*state,
                               (const uint32_t[]){
                                   i_type(ADDI, 14, A0, 1024),
                                   i_type(ADDI, 11, A0, distances[d]),
                                   i_type(LD, 12, A0, 0),
                                   i_type(LD, 13, 11, 0),
                                   i_type(ADDI, 12, 12, 1),
                                   s_type(SD, 12, 14, 0),
                                   i_type(ADDI, A0, A0, steps[s]),
                                   i_type(ADDI, 11, 11, steps[s]),
                                   i_type(ADDI, 6, 6, 1),
                                   b_type(branches[4], 6, 7, -28),
                                   EBREAK,
                               },
                               11);
}

static uint32_t add(uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return 0x33 | rs2 << 20 | rs1 << 15 | rd << 7;
}

static uint32_t srli(uint32_t rd, uint32_t rs1, uint32_t by)
{
    return i_type(0x5013, rd, rs1, by);
}

/* The compared value grows by 1 or 3, or by x6. */
static const uint32_t steps_in_x11[] = {0x00100593, 0x00300593, 0x00030593};

static void a_loop_goes_on_until_a_shift_leaves_something(void **state)
{
    static const uint32_t shifts[] = {6, 62};
    for (size_t s = 0; s < sizeof steps_in_x11 / sizeof *steps_in_x11; s++)
        for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++)
            for (size_t b = 0; b < 2; b++) {
                const uint32_t back = b_type(branches[b], 12, 0, -16);
                const uint32_t shift = srli(12, 8, shifts[k]), grow = add(8, 8, 11),
                               put = s_type(SD, 8, A0, 0), on = i_type(ADDI, A0, A0, 8);
                const uint32_t loops[][4] = {
                    {put, on, grow, shift},
                    {put, grow, shift, on},
                    {shift, put, on, grow}, /* the shifted value is that of the turn before */
                    {i_type(ADDI, 8, 8, 8), shift, put, i_type(ADDI, 8, 8, 0u - 5)},
                    {grow, shift, put,
                     i_type(ADDI, 12, 12, 0u - 1)}, /* it is not the compared value */
                };
                for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
                    run_from_all_pairs(*state,
                                       (const uint32_t[]){steps_in_x11[s], loops[i][0], loops[i][1],
                                                          loops[i][2], loops[i][3], back, EBREAK},
                                       7);
            }
}

static void a_loop_steps_by_a_register(void **state)
{
    for (size_t s = 0; s < sizeof steps_in_x11 / sizeof *steps_in_x11; s++)
        for (size_t b = 1; b < BRANCHES; b++)
            for (uint32_t swapped = 0; swapped < 2; swapped++)
                run_from_all_pairs(*state,
                                   (const uint32_t[]){
                                       steps_in_x11[s],
                                       s_type(SD, 8, A0, 0),
                                       i_type(ADDI, A0, A0, 8),
                                       add(8, 8, 11),
                                       b_type(branches[b], 8 + swapped, 9 - swapped, -12),
                                       EBREAK,
                                   },
                                   6);
}

/* The address grows by a register, and so does the shifted value. */
static void a_loop_goes_through_memory_by_a_register(void **state)
{
    static const uint32_t steps[] = {8, 24, 4, 0, 0u - 8};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        run_from_all_pairs(*state,
                           (const uint32_t[]){
                               i_type(ADDI, 11, 0, steps[s]),
                               i_type(ADDI, A0, A0, 1024),
                               add(12, 8, A0),
                               s_type(SD, 8, 12, 0),
                               add(8, 8, 11),
                               srli(13, 8, 9),
                               b_type(branches[0], 13, 0, -16),
                               EBREAK,
                           },
                           8);
}

/* The branch compares what is computed of a register that steps, and a constant. */
static void a_loop_ends_by_what_it_computes_of_its_counter(void **state)
{
    static const uint32_t steps[] = {1, 4, 0u - 1};
    for (size_t b = 0; b < BRANCHES; b++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            run_from_all_pairs(*state,
                               (const uint32_t[]){
                                   s_type(SD, 8, A0, 0),
                                   i_type(ADDI, A0, A0, 8),
                                   i_type(ADDI, 11, 8, 40),
                                   i_type(ADDI, 8, 8, steps[s]),
                                   b_type(branches[b], 11, 9, -16),
                                   EBREAK,
                               },
                               6);
            run_from_all_pairs(*state,
                               (const uint32_t[]){
                                   s_type(SD, 8, A0, 0),
                                   i_type(ADDI, A0, A0, 8),
                                   i_type(ADDI, 8, 8, steps[s]),
                                   i_type(ADDI, 11, 0, 60),
                                   b_type(branches[b], 8, 11, -16),
                                   EBREAK,
                               },
                               6);
        }
}

/* The same with a loop that steps by a register. */
static void a_loop_ends_by_what_it_computes_of_a_step_in_a_register(void **state)
{
    static const uint32_t steps[] = {8, 3, 0, 0u - 8};
    for (size_t b = 0; b < BRANCHES; b++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            run_from_all_pairs(*state,
                               (const uint32_t[]){
                                   i_type(ADDI, 12, 0, steps[s]),
                                   s_type(SD, 8, A0, 0),
                                   i_type(ADDI, A0, A0, 8),
                                   i_type(ADDI, 11, 8, 24),
                                   add(8, 8, 12),
                                   b_type(branches[b], 11, 9, -16),
                                   EBREAK,
                               },
                               7);
}

static uint32_t addw(uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return 0x3b | rd << 7 | rs1 << 15 | rs2 << 20;
}

/* Sums of 32 bits: where they begin with more bits, where the loop is left before it adds, and where it reads
 * what it has added. x6 to x9 are what they begin with, or end at. */
static void a_loop_adds_words_of_32_bits(void **state)
{
    for (uint64_t i = 0; i < 1024; i += 8)
        guest_store64(*state, DATA + i, (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
    run_from_all_pairs(*state,
                       (const uint32_t[]){
                           i_type(0x2003, 11, A0, 0), /* lw */
                           addw(8, 8, 11),
                           addw(6, 11, 6),
                           i_type(ADDI, A0, A0, 4),
                           i_type(ADDI, 12, 12, 1),
                           i_type(ADDI, 13, 0, 50),
                           b_type(0x1063, 12, 13, -24),
                           EBREAK,
                       },
                       8);
    for (size_t b = 0; b < BRANCHES; b++) {
        run_from_all_pairs(*state,
                           (const uint32_t[]){
                               i_type(0x2003, 11, A0, 0),
                               i_type(ADDI, A0, A0, 4),
                               b_type(branches[b], 11, 9, 12),
                               addw(8, 8, 11),
                               b_type(0x1063, 11, 7, -16),
                               EBREAK,
                           },
                           6);
        run_from_all_pairs(*state,
                           (const uint32_t[]){
                               i_type(0x2003, 11, A0, 0),
                               addw(8, 8, 11),
                               i_type(ADDI, A0, A0, 4),
                               b_type(branches[b], 8, 9, -12),
                               EBREAK,
                           },
                           5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(a_loop_of_one_block_ends_by_its_branch),
        GUEST_TEST(a_loop_of_two_blocks_ends_by_either_branch),
        GUEST_TEST(a_loop_is_entered_by_its_second_block),
        GUEST_TEST(a_loop_reads_what_it_has_read_before),
        GUEST_TEST(a_loop_goes_on_until_a_shift_leaves_something),
        GUEST_TEST(a_loop_steps_by_a_register),
        GUEST_TEST(a_loop_goes_through_memory_by_a_register),
        GUEST_TEST(a_loop_ends_by_what_it_computes_of_its_counter),
        GUEST_TEST(a_loop_ends_by_what_it_computes_of_a_step_in_a_register),
        GUEST_TEST(a_loop_adds_words_of_32_bits),
    };
    return RUN_GUEST_TESTS("rv64_loops", tests);
}
