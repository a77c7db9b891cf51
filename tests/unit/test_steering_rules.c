/* Rules of a flow table, found by hash: they are those that a scan of all of them finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "net/queues/rules.h"

enum { RULES = 4000, LOOKUPS = 4000, MASKS = 5, VALUES = 24 };

static const struct dpk_match masks[MASKS] = {{.mask = {0}},
                                              {.mask = {0xff}},
                                              {.mask = {[47] = 0x0f}},
                                              {.mask = {[0] = 0xff, [47] = 0xff}},
                                              {.mask = {[8] = 1, [32] = 0xff, [63] = 0xff}}};
static struct dpk_flow_rule made[RULES];
static struct dpk_match matches[RULES];
static unsigned priorities[RULES];

static unsigned next(unsigned limit)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
}

static void random_headers(uint8_t out[DPK_MATCH_BYTES])
{
    memset(out, 0, DPK_MATCH_BYTES);
    out[0] = (uint8_t)next(VALUES), out[8] = (uint8_t)next(2);
    out[32] = (uint8_t)next(VALUES), out[47] = (uint8_t)next(VALUES);
    out[63] = (uint8_t)next(VALUES);
}

static bool takes(const struct dpk_match *m, const uint8_t headers[DPK_MATCH_BYTES])
{
    for (unsigned i = 0; i < DPK_MATCH_BYTES; i++)
        if ((headers[i] ^ m->value[i]) & m->mask[i])
            return false;
    return true;
}

/* Of the lowest priority number, of several the oldest. */
static const struct dpk_flow_rule *scan(const uint8_t headers[DPK_MATCH_BYTES])
{
    unsigned best = RULES;
    for (unsigned i = 0; i < RULES; i++)
        if (made[i].group && takes(&matches[i], headers) &&
            (best == RULES || priorities[i] < priorities[best]))
            best = i;
    return best < RULES ? &made[best] : NULL;
}

static void compare(const struct rules *rules)
{
    for (unsigned i = 0; i < LOOKUPS; i++) {
        uint8_t headers[DPK_MATCH_BYTES];
        struct words words;
        random_headers(headers);
        memcpy(&words, headers, sizeof words);
        assert_ptr_equal(queues_rules_find(rules, &words), scan(headers));
    }
}

static void lookups_find_what_a_scan_finds(void **state)
{
    (void)state;
    struct rules rules = {.last_order = 0};
    queues_rules_init(&rules);
    for (unsigned i = 0; i < RULES; i++) {
        matches[i] = masks[next(MASKS)];
        random_headers(matches[i].value);
        priorities[i] = next(3);
        assert_true(queues_rules_add(&rules, &made[i], &matches[i], priorities[i]));
    }
    compare(&rules);
    for (unsigned i = 0; i < RULES; i++)
        if (next(10) != 0)
            queues_rules_remove(&rules, &made[i]);
    compare(&rules);
    for (unsigned i = 0; i < RULES; i++)
        if (made[i].group)
            queues_rules_remove(&rules, &made[i]);
    assert_true(queues_rules_are_none(&rules));
    compare(&rules);
}

/* Wherever the fields of a mask lie, rules spread over the buckets. Without that, this takes
 * 20 seconds of the processor, not half of one. */
static void rules_of_any_field_are_found_at_once(void **state)
{
    (void)state;
    enum { MANY = 50000 };
    struct dpk_flow_rule *many = calloc(MANY, sizeof *many);
    assert_non_null(many);
    const clock_t begin = clock();
    for (unsigned at = 0; at + 4 <= DPK_MATCH_BYTES; at += 2) {
        struct rules rules = {.last_order = 0};
        queues_rules_init(&rules);
        for (unsigned i = 0; i < MANY; i++) {
            struct dpk_match m = {{0}, {0}};
            memset(m.mask + at, 0xff, 4);
            m.value[at + 2] = (uint8_t)(i >> 8), m.value[at + 3] = (uint8_t)i;
            assert_true(queues_rules_add(&rules, &many[i], &m, 0));
        }
        for (unsigned i = 0; i < MANY; i++)
            assert_ptr_equal(queues_rules_find(&rules, &many[i].value), &many[i]);
        for (unsigned i = 0; i < MANY; i++)
            queues_rules_remove(&rules, &many[i]);
    }
    assert_true(clock() - begin < 10 * CLOCKS_PER_SEC);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lookups_find_what_a_scan_finds),
                                       cmocka_unit_test(rules_of_any_field_are_found_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
