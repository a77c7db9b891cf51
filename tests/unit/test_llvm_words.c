/* llvm: which bytes that a block loads and joins are words, and that they are read as the guest says. */
#include "engine/llvm/words.h"
#include "rv64_guest.h"
#include "rv64_words.h"

enum { LB = 0x03, LBU = 0x4003, SB = 0x23, SLLI = 0x1013, FENCE = 0x0ff0000f, WORD = A0 };

static uint32_t join(uint32_t rd, uint32_t rs1, uint32_t rs2)
{
    return 0x6033 | rd << 7 | rs1 << 15 | rs2 << 20;
}

struct code {
    uint32_t word[64];
    size_t count;
};

static void put(struct code *c, uint32_t word)
{
    c->word[c->count++] = word;
}

/* Loads byte `k` of the word at A1 + `at` into `rd`, where it is in a word of so many bytes. */
static void put_byte(struct code *c, uint32_t load, uint32_t rd, uint32_t at, uint32_t k,
                     uint32_t size, bool big)
{
    const uint32_t shift = 8 * (big ? size - 1 - k : k);
    put(c, i_type(load, rd, A1, at + k));
    if (shift != 0)
        put(c, i_type(SLLI, rd, rd, shift));
}

/* A word in A0, read from byte `first` on; `top` loads its highest byte. */
static void put_word(struct code *c, uint32_t size, bool big, uint32_t first, uint32_t top)
{
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t k = (first + i) % size;
        const bool is_top = k == (big ? 0 : size - 1);
        put_byte(c, is_top ? top : LBU, i == 0 ? WORD : A2, 3, k, size, big);
        if (i > 0)
            put(c, i % 2 ? join(WORD, WORD, A2) : join(WORD, A2, WORD));
    }
}

static struct words find(struct guest *g, struct code c)
{
    struct words words;
    struct groups groups;
    struct jit_region region;
    const int32_t block = 0;
    put(&c, EBREAK);
    guest_store(g, CODE, c.word, c.count * sizeof *c.word);
    assert_true(jit_region_find(g->core[0], CODE, (const uint64_t[32]){0}, 0, &region));
    llvm_groups_find(&region, &block, 1, &groups);
    llvm_words_find(&region, region.blocks, &groups, &words);
    jit_region_free(&region);
    return words;
}

/* The word that the block's last instruction completes; NULL: none. */
static const struct word *last_word(struct guest *g, const struct code *c)
{
    static struct words words;
    words = find(g, *c);
    const uint8_t number = words.joined[c->count - 1];
    return number == 0 ? NULL : &words.word[number - 1];
}

static void words_of_both_orders_are_found(void **state)
{
    for (uint32_t size = 2; size <= 8; size *= 2)
        for (uint32_t first = 0; first < size; first++)
            for (int big = 0; big < 2; big++)
                for (int is_signed = 0; is_signed < 2; is_signed++) {
                    struct code c = {0};
                    put_word(&c, size, big, first, is_signed ? LB : LBU);
                    const struct word *const w = last_word(*state, &c);
                    assert_non_null(w);
                    assert_int_equal(w->first, 0);
                    assert_int_equal(w->size, size);
                    assert_int_equal(w->big, big);
                    assert_int_equal(w->distance, -(int64_t)first);
                    assert_int_equal(w->is_signed, is_signed && size < 8);
                }
}

/* Each test of a pair: with `what` between its loads. */
static const struct word *pair_around(struct guest *g, uint32_t what)
{
    struct code c = {0};
    put_byte(&c, LBU, WORD, 0, 0, 2, true);
    put(&c, what);
    put_byte(&c, LBU, A2, 0, 1, 2, true);
    put(&c, join(WORD, WORD, A2));
    return last_word(g, &c);
}

static void what_comes_between_may_read_other_bytes_alone(void **state)
{
    assert_non_null(pair_around(*state, i_type(ADDI, 20, 21, 1)));
    assert_non_null(pair_around(*state, i_type(LD, 20, A1, 8)));
    assert_null(pair_around(*state, i_type(LD, 20, A1, 0)));  /* the same bytes */
    assert_null(pair_around(*state, i_type(LBU, 20, A1, 1))); /* one of them */
    assert_null(pair_around(*state, i_type(LBU, 20, 21, 8))); /* perhaps */
    assert_null(pair_around(*state, s_type(SB, 20, A1, 9)));
    assert_null(pair_around(*state, FENCE));
}

static void other_bytes_are_no_word(void **state)
{
    static const struct {
        uint32_t first, at, shift, other;
    } cases[] = {
        {LBU, 2, 8, LBU},  /* a byte is missing */
        {LBU, 0, 8, LBU},  /* the same byte twice */
        {LBU, 1, 4, LBU},  /* not by a byte */
        {LBU, 1, 16, LBU}, /* bits are missing */
        {LB, 1, 8, LBU},   /* copies of the lower one's sign */
        {LB, 1, 8, LB},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct code c = {0};
        put(&c, i_type(cases[i].first, WORD, A1, 0));
        put(&c, i_type(cases[i].other, A2, A1, cases[i].at));
        put(&c, i_type(SLLI, A2, A2, cases[i].shift));
        put(&c, join(WORD, WORD, A2));
        assert_null(last_word(*state, &c));
    }
}

/* Two halves of four bytes are words until these are one. */
static void a_word_of_words_is_one(void **state)
{
    struct code c = {0};
    put_byte(&c, LBU, WORD, 0, 0, 4, true);
    put_byte(&c, LBU, A2, 0, 1, 4, true);
    put(&c, join(WORD, WORD, A2));
    assert_int_equal(last_word(*state, &c)->shift, 16);
    put_byte(&c, LBU, 20, 0, 2, 4, true);
    put_byte(&c, LBU, 21, 0, 3, 4, true);
    put(&c, join(20, 20, 21));
    assert_int_equal(last_word(*state, &c)->size, 2);
    put(&c, join(WORD, WORD, 20));
    const struct words words = find(*state, c);
    unsigned joined = 0;
    for (size_t i = 0; i < c.count; i++)
        joined += words.joined[i] != 0;
    assert_int_equal(joined, 1);
    assert_int_equal(last_word(*state, &c)->size, 4);
}

/* ---- As they are run ---- */

static void run(struct guest *g, const struct code *c, uint64_t a1)
{
    struct rv64_hart hart = {.pc = CODE, .x[A1] = a1, .x[21] = a1};
    guest_store(g, CODE, c->word, c->count * sizeof *c->word);
    (void)guest_run(g, &hart, 1000);
}

static void words_are_read_as_their_bytes(void **state)
{
    guest_store64(*state, DATA, 0x8786858483828180);
    guest_store64(*state, DATA + 8, 0x0706050403020100);
    for (uint32_t size = 2; size <= 8; size *= 2)
        for (uint32_t first = 0; first < size; first++)
            for (int big = 0; big < 2; big++)
                for (uint64_t at = 0; at < 8; at++) {
                    struct code c = {0};
                    put_word(&c, size, big, first, at % 2 ? LB : LBU);
                    put(&c, EBREAK);
                    run(*state, &c, DATA + at);
                }
}

/* At the end of memory: the same instruction faults, with the same registers. */
static void words_that_are_not_there_fault_at_their_byte(void **state)
{
    for (uint32_t size = 2; size <= 8; size *= 2)
        for (uint32_t first = 0; first < size; first++)
            for (uint64_t before = 0; before <= size + 3; before++) {
                struct code c = {0};
                put_word(&c, size, true, first, LBU);
                put(&c, EBREAK);
                run(*state, &c, DATA + DATA_SIZE - before);
            }
}

static void what_is_stored_between_is_read(void **state)
{
    for (uint32_t at = 0; at < 4; at++) {
        struct code c = {0};
        guest_store64(*state, DATA, 0x8786858483828180);
        put_byte(&c, LBU, WORD, 0, 0, 4, true);
        put_byte(&c, LBU, A2, 0, 1, 4, true);
        put(&c, join(WORD, WORD, A2));
        put(&c, s_type(SB, WORD, 21, at)); /* by another register */
        put_byte(&c, LBU, A2, 0, 2, 4, true);
        put(&c, join(WORD, WORD, A2));
        put_byte(&c, LBU, A2, 0, 3, 4, true);
        put(&c, join(WORD, WORD, A2));
        put(&c, EBREAK);
        run(*state, &c, DATA);
    }
}

/* A checksum: a loop of which translated code takes many turns at once. */
static void loops_over_words_read_them_all(void **state)
{
    for (uint32_t turns = 1; turns < 40; turns++) {
        struct code c = {0};
        for (uint64_t i = 0; i < 96; i += 8)
            guest_store64(*state, DATA + i, (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        put(&c, i_type(ADDI, 20, 0, turns));
        put_byte(&c, LBU, WORD, 0, 0, 2, true);
        put_byte(&c, LBU, A2, 0, 1, 2, true);
        put(&c, join(WORD, WORD, A2));
        put(&c, 0x33 | 22u << 7 | 22u << 15 | (uint32_t)WORD << 20); /* add x22, x22, a0 */
        put(&c, i_type(ADDI, A1, A1, 2));
        put(&c, i_type(ADDI, 20, 20, UINT32_MAX));
        put(&c, b_type(0x1063, 20, 0, -28));
        put(&c, EBREAK);
        run(*state, &c, DATA + turns % 2);
    }
}

int main(void)
{
    const struct CMUnitTest found[] = {
        GUEST_TEST(words_of_both_orders_are_found),
        GUEST_TEST(what_comes_between_may_read_other_bytes_alone),
        GUEST_TEST(other_bytes_are_no_word),
        GUEST_TEST(a_word_of_words_is_one),
    };
    const struct CMUnitTest run_as[] = {
        GUEST_TEST(words_are_read_as_their_bytes),
        GUEST_TEST(words_that_are_not_there_fault_at_their_byte),
        GUEST_TEST(what_is_stored_between_is_read),
        GUEST_TEST(loops_over_words_read_them_all),
    };
    return cmocka_run_group_tests_name("llvm_words", found, NULL, NULL) != 0 ||
           RUN_GUEST_TESTS("llvm_words", run_as);
}
