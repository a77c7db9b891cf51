/* rv64: loops whose branches compare what grows by the same step at each turn, of which translated code
 * takes many turns at once. */
#include "rv64_guest.h"
#include "rv64_words.h"

static const uint32_t branches[] = {0x0063, 0x1063, 0x4063, 0x5063, 0x6063, 0x7063};
enum { BRANCHES = sizeof branches / sizeof *branches };

/* Pairs of what is compared, as the loop begins. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(a_loop_of_one_block_ends_by_its_branch),
        GUEST_TEST(a_loop_of_two_blocks_ends_by_either_branch),
    };
    return RUN_GUEST_TESTS("rv64_loops", tests);
}
