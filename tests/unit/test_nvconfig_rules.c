/* lib/nvconfig: the expressions of NVIDIA's database. */
#include "nvconfig/nvconfig.h"

#include <string.h>

#include "nvdefs.h"

/* A TLV with a parameter x whose expressions are under test, and a capability that a device may
 * have. */
static const struct dpk_nv_param params[] = {
    {.name = "x", .type = DPK_NV_UNSIGNED, .offset = 0, .bits = 16},
    {.name = "y", .type = DPK_NV_UNSIGNED, .offset = 4, .bits = 32},
};
static const struct dpk_nv_def own = {
    .name = "nv_own", .index = 1000, .size = 8, .params = params, .param_count = 2};
static const struct dpk_nv_def cap = {
    .name = "nv_cap", .index = 1001, .size = 8, .params = params, .param_count = 2};

static bool look(void *context, const struct dpk_nv_def *def, uint8_t *data)
{
    (void)def;
    if (context)
        memcpy(data, context, 8);
    return context != NULL;
}

static enum dpk_status check(const struct dpk_nv_param *param, bool has_cap, struct dpk_error *err)
{
    static uint8_t cap_data[8] = {0, 0, 0, 10, 0, 0, 0, 1};   /* x 10, y 1 */
    static const uint8_t data[8] = {0, 0, 0, 7, 0, 0, 0, 32}; /* x 7, y 32 */
    struct dpk_nv_defs *set = NULL;
    assert_int_equal(dpk_nv_defs_new(&set, NULL), DPK_OK);
    assert_int_equal(dpk_nv_defs_add(set, &own, NULL), DPK_OK);
    assert_int_equal(dpk_nv_defs_add(set, &cap, NULL), DPK_OK);
    struct dpk_nv_rules rules = {
        .defs = set, .def = &own, .data = data, .look = look, .context = has_cap ? cap_data : NULL};
    enum dpk_status status = dpk_nv_rules_check(&rules, param, err);
    dpk_nv_defs_free(set);
    return status;
}

static void rules_hold_or_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        bool holds;
    } cases[] = {
        {"$x==7", true},
        {"$x == 8", false},
        {"($x!=7) || ($y==32 && $nv_cap.x>=10)", true},
        {"$x==7 && !($y<=31)", true},
        {"$x*2+1 > $y/2 - 1", false},
        {"(log2($y)) == 5", true},
        {"2^$x == 128", true},
        {"$nv_cap.y==1 ? $x<10 : $x<5", true},
        {"$nv_cap.y!=1 ? $x<10 : $x<5", false},
        {"0 ? 1 : 0 ? 1 : $x==7", true},
        {"0 ? 1 : 0 ? 1 : $x==8", false},
        {"1 ? 0 ? 1 : $x==8 : 1", false},
        {"-1 < 0", true},
        /* A text that is not an expression has no effect. */
        {"$x ==", true},
        {"$nothing==1", true},
        {"((((", true},
        {"$x==8 junk", true},
        {"", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_nv_param p = params[0];
        struct dpk_error err = {0};
        p.rule = cases[i].rule;
        if ((check(&p, true, &err) == DPK_OK) != cases[i].holds)
            fail_msg("%s: %s", cases[i].rule, err.message);
    }
}

static void limits_and_dependencies_are_those_of_the_device(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_nv_param p = params[0];
    p.max_rule = "$nv_cap.x==10 ? 6 : 100";
    assert_int_equal(check(&p, true, &err), DPK_ERR_RANGE);
    assert_non_null(strstr(err.message, "7 is above what the device allows; legal: at most 6"));
    assert_int_equal(check(&p, false, &err), DPK_OK); /* its capabilities are not known */
    p = params[0];
    p.min_rule = "$nv_cap.x";
    assert_int_equal(check(&p, true, &err), DPK_ERR_RANGE);
    p = params[0];
    p.dependency = "$nv_cap.y==0";
    assert_int_equal(check(&p, true, &err), DPK_ERR_REFUSED);
    assert_int_equal(check(&p, false, &err), DPK_OK);
    p.dependency = "ignore_dependency";
    assert_int_equal(check(&p, true, &err), DPK_OK);
    p = params[0];
    p.temp_vars = "$_half=$y/2";
    p.rule = "$x<$_half";
    assert_int_equal(check(&p, true, &err), DPK_OK);
    p.rule = "$x>$_half";
    assert_int_equal(check(&p, true, &err), DPK_ERR_RANGE);
}

static void an_endless_expression_ends(void **state)
{
    (void)state;
    char text[100000];
    struct dpk_error err = {0};
    struct dpk_nv_param p = params[0];
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = 0;
    p.rule = text;
    assert_int_equal(check(&p, true, &err), DPK_OK);
    memset(text, '!', sizeof text - 1);
    assert_int_equal(check(&p, true, &err), DPK_OK);
}

/* Repeats `part` up to a length that would overflow a stack of 8 MiB. */
static void long_chains_of_choices_end(void **state)
{
    (void)state;
    static const char *const parts[] = {"1?", "1?2:", "0 ? 1 : "};
    const size_t size = 2000000;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t length = strlen(parts[i]);
        struct dpk_error err = {0};
        struct dpk_nv_param p = params[0];
        char *text = calloc(size + 1, 1);
        assert_non_null(text);
        for (size_t at = 0; at + length < size; at += length)
            memcpy(text + at, parts[i], length);
        text[strlen(text)] = '1';
        p.rule = text;
        assert_int_equal(check(&p, true, &err), DPK_OK);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_hold_or_refuse),
        cmocka_unit_test(limits_and_dependencies_are_those_of_the_device),
        cmocka_unit_test(an_endless_expression_ends),
        cmocka_unit_test(long_chains_of_choices_end),
    };
    return cmocka_run_group_tests(tests, load_defs, free_defs);
}
