/* Evaluates the expressions of NVIDIA's database: dependencies and limits of parameters. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tlv.h"

#define DEPTH_MAX       64
#define NAME_MAX_LENGTH 128

/* An expression under evaluation. As in muParser, numbers are doubles and true is 1. */
struct expression {
    const struct dpk_nv_rules *rules;
    const char *at;
    unsigned depth;
    bool bad;                        /* syntax error */
    bool unknown;                    /* refers to a TLV that the device does not have */
    char temporary[NAME_MAX_LENGTH]; /* name of the temporary variable, or "" */
    double temporary_value;
};

/* Computes the binary logarithm digit by digit, so that programs need not link libm. */
static double logarithm(double x)
{
    double digit = 1;
    int exponent = 0;
    if (!(x > 0 && x < 1e300))
        return 0;
    x = 2 * frexp(x, &exponent);
    double value = exponent - 1;
    for (int i = 0; i < 40; i++) {
        x *= x;
        digit /= 2;
        if (x >= 2) {
            x /= 2;
            value += digit;
        }
    }
    return value;
}

static double power(double base, double exponent)
{
    double value = 1;
    for (unsigned i = 0; i < exponent && i < 64; i++)
        value *= base;
    return value;
}

static double parse_choice(struct expression *e);

static bool take(struct expression *e, const char *token)
{
    while (isspace((unsigned char)*e->at))
        e->at++;
    size_t length = strlen(token);
    if (strncmp(e->at, token, length) != 0)
        return false;
    e->at += length;
    return true;
}

static const struct dpk_nv_param *find_param(const struct dpk_nv_def *def, const char *name)
{
    for (size_t i = 0; i < def->param_count; i++)
        if (strcmp(def->params[i].name, name) == 0 && !def->params[i].count &&
            dpk_nv_is_number(&def->params[i]))
            return &def->params[i];
    return NULL;
}

/* Returns the value of "name" of this TLV, or of "tlv.name". */
static double value_of(struct expression *e, char *name)
{
    const struct dpk_nv_rules *rules = e->rules;
    const struct dpk_nv_def *def = rules->def;
    uint8_t other[DPK_NV_DATA_MAX] = {0};
    const uint8_t *data = rules->data;
    char *dot = strchr(name, '.');
    if (*e->temporary && strcmp(name, e->temporary) == 0)
        return e->temporary_value;
    if (dot) {
        *dot = 0;
        def = dpk_nv_defs_find(rules->defs, name);
        data = other;
        name = dot + 1;
        if (def && !rules->look(rules->context, def, other)) {
            e->unknown = true;
            return 0;
        }
    }
    const struct dpk_nv_param *param = def ? find_param(def, name) : NULL;
    if (!param) {
        e->bad = true;
        return 0;
    }
    return (double)dpk_nv_value_number(param, data);
}

static double parse_variable(struct expression *e)
{
    char name[NAME_MAX_LENGTH];
    size_t length = 0;
    while (isalnum((unsigned char)e->at[length]) || (e->at[length] && strchr("_.", e->at[length])))
        length++;
    if (length == 0 || length >= sizeof name) {
        e->bad = true;
        return 0;
    }
    memcpy(name, e->at, length);
    name[length] = 0;
    e->at += length;
    return value_of(e, name);
}

static double parse_primary(struct expression *e)
{
    char *end = NULL;
    double value = 0;
    if (++e->depth > DEPTH_MAX || e->bad) {
        e->bad = true;
        return 0;
    }
    if (take(e, "!")) {
        value = parse_primary(e) == 0;
    } else if (take(e, "-")) {
        value = -parse_primary(e);
    } else if (take(e, "$")) {
        value = parse_variable(e);
    } else if (take(e, "log2(")) {
        value = logarithm(parse_choice(e));
        e->bad = e->bad || !take(e, ")");
    } else if (take(e, "(")) {
        value = parse_choice(e);
        e->bad = e->bad || !take(e, ")");
    } else if (isdigit((unsigned char)*e->at)) {
        value = strtod(e->at, &end);
        e->at = end;
    } else {
        e->bad = true;
    }
    e->depth--;
    return value;
}

static double parse_power(struct expression *e)
{
    double value = parse_primary(e);
    return take(e, "^") ? power(value, parse_primary(e)) : value;
}

static double parse_product(struct expression *e)
{
    double value = parse_power(e);
    while (!e->bad) {
        if (take(e, "*"))
            value *= parse_power(e);
        else if (take(e, "/"))
            value /= parse_power(e);
        else
            break;
    }
    return value;
}

static double parse_sum(struct expression *e)
{
    double value = parse_product(e);
    while (!e->bad) {
        if (take(e, "+"))
            value += parse_product(e);
        else if (take(e, "-"))
            value -= parse_product(e);
        else
            break;
    }
    return value;
}

static double parse_comparison(struct expression *e)
{
    double value = parse_sum(e);
    if (take(e, "=="))
        return value == parse_sum(e);
    if (take(e, "!="))
        return value != parse_sum(e);
    if (take(e, "<="))
        return value <= parse_sum(e);
    if (take(e, ">="))
        return value >= parse_sum(e);
    if (take(e, "<"))
        return value < parse_sum(e);
    if (take(e, ">"))
        return value > parse_sum(e);
    return value;
}

static double parse_and(struct expression *e)
{
    double value = parse_comparison(e);
    while (!e->bad && take(e, "&&")) {
        double right = parse_comparison(e);
        value = value != 0 && right != 0;
    }
    return value;
}

static double parse_or(struct expression *e)
{
    double value = parse_and(e);
    while (!e->bad && take(e, "||")) {
        double right = parse_and(e);
        value = value != 0 || right != 0;
    }
    return value;
}

/* A choice may hold choices, as "a ? b ? c : d : e" does, so its depth counts too. */
static double parse_choice(struct expression *e)
{
    double value = parse_or(e);
    if (e->bad || !take(e, "?"))
        return value;
    if (++e->depth > DEPTH_MAX) {
        e->bad = true;
        return 0;
    }
    double yes = parse_choice(e);
    e->bad = e->bad || !take(e, ":");
    double no = e->bad ? 0 : parse_choice(e);
    e->depth--;
    return value != 0 ? yes : no;
}

/* Returns false if the expression is invalid or refers to TLVs that the device does not have. */
static bool evaluate(struct expression *e, const char *text, double *out)
{
    e->at = text;
    e->depth = 0;
    e->bad = e->unknown = false;
    *out = parse_choice(e);
    while (isspace((unsigned char)*e->at))
        e->at++;
    return !e->bad && !e->unknown && !*e->at && !isnan(*out);
}

/* Evaluates "$_name=expression". */
static void set_temporary(struct expression *e, const char *text)
{
    const char *equals = text ? strchr(text, '=') : NULL;
    double value;
    if (!equals || *text != '$' || (size_t)(equals - text) > sizeof e->temporary)
        return;
    if (!evaluate(e, equals + 1, &value))
        return;
    snprintf(e->temporary, sizeof e->temporary, "%.*s", (int)(equals - text - 1), text + 1);
    e->temporary_value = value;
}

bool dpk_nv_rules_depend(const struct dpk_nv_rules *rules, const struct dpk_nv_param *param)
{
    struct expression e = {.rules = rules};
    double value;
    if (!param->dependency || strcmp(param->dependency, "ignore_dependency") == 0)
        return true;
    return !evaluate(&e, param->dependency, &value) || value != 0;
}

enum dpk_status dpk_nv_rules_check(const struct dpk_nv_rules *rules,
                                   const struct dpk_nv_param *param, struct dpk_error *err)
{
    struct expression e = {.rules = rules};
    double limit;
    if (!dpk_nv_is_number(param) || param->count)
        return DPK_OK;
    int64_t value = dpk_nv_value_number(param, rules->data);
    if (!dpk_nv_rules_depend(rules, param))
        return dpk_fail(err, DPK_ERR_REFUSED, "the device does not support it: %.300s",
                        param->dependency);
    set_temporary(&e, param->temp_vars);
    if (param->max_rule && evaluate(&e, param->max_rule, &limit) && (double)value > limit)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "%lld is above what the device allows; legal: at most %.0f",
                        (long long)value, limit);
    if (param->min_rule && evaluate(&e, param->min_rule, &limit) && (double)value < limit)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "%lld is below what the device allows; legal: at least %.0f",
                        (long long)value, limit);
    if (param->rule && evaluate(&e, param->rule, &limit) && limit == 0)
        return dpk_fail(err, DPK_ERR_RANGE, "%lld does not fit the other settings; legal: %.400s",
                        (long long)value, param->rule);
    return DPK_OK;
}
