/* llvm: loads of a region whose result may become an address. */
#include "engine/llvm/addresses.h"
#include "rv64_guest.h"
#include "rv64_words.h"

enum { JALR = 0x67, BNE = 0x1063, T0 = 5, T1 = 6 };

/* Marks[i]: whether word i, of the region at CODE, reads what may become an address. */
static void find(struct guest *g, const uint32_t *words, size_t count, bool *marks)
{
    struct jit_region region;
    uint32_t at_end[JIT_BLOCKS_MAX];
    bool leads[RV64_BLOCK_MAX];
    guest_store(g, CODE, words, count * sizeof *words);
    memset(marks, 0, count);
    assert_true(jit_region_find(g->core[0], CODE, (const uint64_t[32]){0}, 0, &region));
    llvm_addresses_find(&region, at_end);
    for (uint32_t i = 0; i < region.block_count; i++) {
        const struct jit_block *b = &region.blocks[i];
        llvm_addresses_of_block(&region, b, at_end[i], leads);
        for (uint32_t k = 0; k < b->count; k++)
            marks[(region.insns[b->first + k].pc - CODE) / 4] |= leads[k];
    }
    jit_region_free(&region);
}

#define FIND(marks, ...)                                                                           \
    find(*state, (const uint32_t[]){__VA_ARGS__},                                                  \
         sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), marks)

static void what_is_only_computed_with_is_no_address(void **state)
{
    bool marks[8];
    FIND(marks, i_type(LD, T0, A0, 0), i_type(LD, T1, A0, 8), i_type(ADDI, T0, T0, 1),
         s_type(SD, T0, A0, 16), EBREAK);
    assert_false(marks[0]);
    assert_false(marks[1]);
}

static void what_is_loaded_from_and_stored_to_is(void **state)
{
    bool marks[8];
    FIND(marks, i_type(LD, T0, A0, 0), i_type(LD, T1, T0, 8), EBREAK);
    assert_true(marks[0]);
    assert_false(marks[1]);
    FIND(marks, i_type(LD, T0, A0, 0), i_type(ADDI, T1, T0, 8), s_type(SD, A1, T1, 0), EBREAK);
    assert_true(marks[0]);
}

static void what_another_value_replaces_is_not(void **state)
{
    bool marks[8];
    FIND(marks, i_type(LD, T0, A0, 0), i_type(ADDI, T0, A0, 8), i_type(LD, T1, T0, 0), EBREAK);
    assert_false(marks[0]);
}

static void where_an_indirect_jump_leads_is(void **state)
{
    bool marks[8];
    FIND(marks, i_type(LD, T0, A0, 0), JALR | T0 << 15, EBREAK);
    assert_true(marks[0]);
}

static void it_is_found_in_later_blocks_and_turns(void **state)
{
    bool marks[8];
    FIND(marks, i_type(LD, T0, A0, 0), b_type(BNE, A1, 0, 8), EBREAK, i_type(LD, T1, T0, 8),
         EBREAK);
    assert_true(marks[0]);
    assert_false(marks[3]);
    /* A list: the value loaded in one turn is the address of the next load. */
    FIND(marks, i_type(LD, T1, A0, 8), i_type(LD, A0, A0, 0), b_type(BNE, A0, 0, -8), EBREAK);
    assert_false(marks[0]);
    assert_true(marks[1]);
}

static void a_branch_makes_no_address(void **state)
{
    bool marks[8];
    FIND(marks, i_type(LD, T0, A0, 0), b_type(BNE, T0, 0, 8), EBREAK, s_type(SD, T0, A0, 0),
         EBREAK);
    assert_false(marks[0]);
}

static void behind_a_call_all_is_read_anew(void **state)
{
    bool marks[8];
    FIND(marks, i_type(LD, T0, A0, 0), 0x008000ef /* jal ra, 8 */, EBREAK, i_type(LD, T1, T0, 0),
         EBREAK);
    assert_false(marks[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUEST_TEST(what_is_only_computed_with_is_no_address),
        GUEST_TEST(what_is_loaded_from_and_stored_to_is),
        GUEST_TEST(what_another_value_replaces_is_not),
        GUEST_TEST(where_an_indirect_jump_leads_is),
        GUEST_TEST(it_is_found_in_later_blocks_and_turns),
        GUEST_TEST(a_branch_makes_no_address),
        GUEST_TEST(behind_a_call_all_is_read_anew),
    };
    return cmocka_run_group_tests_name("llvm_addresses", tests, NULL, NULL);
}
