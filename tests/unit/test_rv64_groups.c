/* rv64: accesses near one another, which translated code checks together. */
#include "rv64_guest.h"
#include "rv64_translations.h"
#include "rv64_words.h"

/* At the beginning and the end of what is mapped, and where it may be read only, each faults where it
 * would alone. */
static void accesses_that_are_checked_together_fault_apart(void **state)
{
    static const uint32_t distances[] = {8, 120, 248, 256, 264, 1024, 2040};
    static const uint64_t edges[] = {DATA,       DATA + RV64_PAGE,      DATA + DATA_SIZE,
                                     READ_ONLY,  READ_ONLY + RV64_PAGE, WRITE_ONLY + RV64_PAGE,
                                     MEMORY_SIZE};
    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
        for (unsigned stores = 0; stores < 4; stores++) {
            const uint32_t words[] = {stores & 1 ? s_type(SD, A2, A1, 0) : i_type(LD, A2, A1, 0),
                                      stores & 2 ? s_type(SD, A3, A1, distances[d])
                                                 : i_type(LD, A3, A1, distances[d]),
                                      i_type(ADDI, A1, A1, 8), EBREAK};
            guest_store(*state, CODE, words, sizeof words);
            for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
                for (uint64_t by = 0; by <= distances[d] + 16; by += distances[d] / 8) {
                    struct rv64_hart hart = {
                        .pc = CODE, .x[A1] = edges[e] - distances[d] - 8 + by, .x[A3] = by};
                    (void)guest_run(*state, &hart, 100);
                }
            assert_true(guest_mode == JIT_OFF ||
                        count_translations(((struct guest *)*state)->core[0]) > 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(accesses_that_are_checked_together_fault_apart),
    };
    return RUN_GUEST_TESTS("rv64_groups", tests);
}
