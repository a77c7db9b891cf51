/* Converts values of parameters between text and bits. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tlv.h"

#define VALUE_TEXT_MAX 4096

static uint32_t mask_of(const struct dpk_nv_param *param)
{
    return param->bits == 32 ? UINT32_MAX : (1u << param->bits) - 1;
}

static int64_t least_of(const struct dpk_nv_param *param)
{
    int64_t least = param->type == DPK_NV_INTEGER ? -((int64_t)1 << (param->bits - 1)) : 0;
    return param->has_min && param->min > least ? param->min : least;
}

static int64_t most_of(const struct dpk_nv_param *param)
{
    int64_t most = mask_of(param);
    if (param->type == DPK_NV_INTEGER)
        most = ((int64_t)1 << (param->bits - 1)) - 1;
    return param->has_max && param->max < most ? param->max : most;
}

void dpk_nv_value_legal(const struct dpk_nv_param *param, char *out, size_t size)
{
    struct dpk_buf b = {0};
    switch (param->type) {
    case DPK_NV_BOOL:
        dpk_put_format(&b, "False or True");
        break;
    case DPK_NV_UNSIGNED:
    case DPK_NV_INTEGER:
        dpk_put_format(&b, "%" PRId64 " to %" PRId64, least_of(param), most_of(param));
        break;
    case DPK_NV_BINARY:
        dpk_put_format(&b, "hexadecimal %" PRIX64 " to %" PRIX64, (uint64_t)least_of(param),
                       (uint64_t)most_of(param));
        break;
    case DPK_NV_ENUM:
        for (size_t i = 0; i < param->choice_count; i++)
            dpk_put_format(&b, "%s%s(%u)", i ? ", " : "", param->choices[i].name,
                           param->choices[i].value);
        break;
    case DPK_NV_STRING:
        dpk_put_format(&b, "at most %zu printable ASCII characters", param->bytes);
        break;
    case DPK_NV_BYTES:
        dpk_put_format(&b, "%zu hexadecimal digits (colons, dashes and space ignored)",
                       2 * param->bytes);
        break;
    }
    snprintf(out, size, "%.*s", (int)b.size, b.data ? (const char *)b.data : "");
    dpk_buf_free(&b);
}

static enum dpk_status bad_value(const struct dpk_nv_param *param, const char *text,
                                 struct dpk_error *err)
{
    char legal[512];
    bool number = param->type != DPK_NV_STRING && param->type != DPK_NV_BYTES;
    dpk_nv_value_legal(param, legal, sizeof legal);
    if (number && param->type != DPK_NV_BINARY && dpk_nv_is_octal(text))
        return dpk_fail(err, DPK_ERR_RANGE,
                        "'%.60s': NVIDIA's tools read a leading zero as octal; write the number "
                        "without it, or in hexadecimal after 0x; legal: %s",
                        text, legal);
    if (!*text)
        return dpk_fail(err, DPK_ERR_RANGE, "no value; legal: %s", legal);
    return dpk_fail(err, DPK_ERR_RANGE, "bad value '%.60s%s'; legal: %s", text,
                    strlen(text) > 60 ? "..." : "", legal);
}

bool dpk_nv_is_octal(const char *text)
{
    if (*text == '-')
        text++;
    return text[0] == '0' && isdigit((unsigned char)text[1]);
}

/* Parses decimal digits, or hexadecimal digits after 0x; a minus is allowed if `least` is
 * negative. */
static bool parse_number(const char *text, bool hexadecimal, int64_t least, int64_t most,
                         int64_t *out)
{
    bool negative = *text == '-' && least < 0;
    const char *digits = text + (negative ? 1 : 0);
    int base = hexadecimal ? 16 : 10;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        base = 16;
        digits += 2;
    }
    /* strtoll takes a second 0x */
    if (!isxdigit((unsigned char)*digits) || tolower((unsigned char)digits[1]) == 'x' ||
        (base == 10 && dpk_nv_is_octal(digits)))
        return false;
    char *end = NULL;
    errno = 0;
    long long value = strtoll(digits, &end, base);
    if (negative)
        value = -value;
    if (errno || *end || value < least || value > most)
        return false;
    *out = value;
    return true;
}

static const struct dpk_nv_choice *find_choice(const struct dpk_nv_param *param, uint32_t value)
{
    for (size_t i = 0; i < param->choice_count; i++)
        if (param->choices[i].value == value)
            return &param->choices[i];
    return NULL;
}

static bool parse_named(const struct dpk_nv_param *param, const char *text, int64_t *out)
{
    if (param->type == DPK_NV_BOOL) {
        bool on = strcasecmp(text, "True") == 0;
        *out = on;
        return on || strcasecmp(text, "False") == 0 || parse_number(text, false, 0, 1, out);
    }
    for (size_t i = 0; i < param->choice_count; i++) {
        if (strcasecmp(text, param->choices[i].name) == 0) {
            *out = param->choices[i].value;
            return true;
        }
    }
    return parse_number(text, false, 0, mask_of(param), out) &&
           find_choice(param, (uint32_t)*out) != NULL;
}

static uint32_t load_dword(const uint8_t *p)
{
    struct dpk_reader r = dpk_reader(p, 4);
    return dpk_read_be32(&r);
}

static void store_number(const struct dpk_nv_param *param, int64_t value, uint8_t *data)
{
    uint32_t mask = mask_of(param), bits = (uint32_t)value & mask;
    uint32_t old = load_dword(data + param->offset);
    dpk_store_be32(data + param->offset,
                   (old & ~(mask << param->low_bit)) | bits << param->low_bit);
}

int64_t dpk_nv_value_number(const struct dpk_nv_param *param, const uint8_t *data)
{
    uint32_t value = load_dword(data + param->offset) >> param->low_bit & mask_of(param);
    bool negative = param->type == DPK_NV_INTEGER && value >> (param->bits - 1);
    return (int64_t)value - (negative ? (int64_t)1 << param->bits : 0);
}

static bool store_string(const struct dpk_nv_param *param, const char *text, uint8_t *data)
{
    size_t length = strlen(text);
    if (length > param->bytes)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isascii((unsigned char)text[i]) || !isprint((unsigned char)text[i]))
            return false;
    for (size_t i = 0; i < param->bytes; i++)
        data[param->offset + i] = i < length ? (uint8_t)text[i] : 0;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool store_bytes(const struct dpk_nv_param *param, const char *text, uint8_t *data)
{
    size_t digits = 0;
    uint8_t value[DPK_NV_DATA_MAX] = {0};
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        text += 2;
    for (; *text; text++) {
        if (*text == ':' || *text == '-' || isspace((unsigned char)*text))
            continue;
        int digit = hex_digit(*text);
        if (digit < 0 || digits == 2 * param->bytes)
            return false;
        uint8_t *byte = &value[digits / 2];
        *byte = (uint8_t)(digits % 2 ? *byte | digit : digit << 4);
        digits++;
    }
    if (digits != 2 * param->bytes)
        return false;
    memcpy(data + param->offset, value, param->bytes);
    return true;
}

enum dpk_status dpk_nv_value_parse(const struct dpk_nv_param *param, const char *text,
                                   uint8_t *data, struct dpk_error *err)
{
    char trimmed[VALUE_TEXT_MAX] = "";
    int64_t number = 0;
    bool ok = false;
    if (param->count)
        return dpk_fail(err, DPK_ERR_USAGE, "an array of %zu: name an element, 0 to %zu",
                        param->count, param->count - 1);
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= sizeof trimmed)
        return bad_value(param, text, err);
    memcpy(trimmed, text, length);
    trimmed[length] = 0;
    switch (param->type) {
    case DPK_NV_BOOL:
    case DPK_NV_ENUM:
        ok = parse_named(param, trimmed, &number);
        break;
    case DPK_NV_UNSIGNED:
    case DPK_NV_INTEGER:
    case DPK_NV_BINARY:
        ok = parse_number(trimmed, param->type == DPK_NV_BINARY, least_of(param), most_of(param),
                          &number);
        break;
    case DPK_NV_STRING:
        return store_string(param, trimmed, data) ? DPK_OK : bad_value(param, trimmed, err);
    case DPK_NV_BYTES:
        return store_bytes(param, trimmed, data) ? DPK_OK : bad_value(param, trimmed, err);
    }
    if (!ok)
        return bad_value(param, trimmed, err);
    store_number(param, number, data);
    return DPK_OK;
}

const struct dpk_nv_param *dpk_nv_valid_bit(const struct dpk_nv_def *def,
                                            const struct dpk_nv_param *param)
{
    for (size_t i = 0; param->valid_bit && i < def->param_count; i++) {
        const struct dpk_nv_param *p = &def->params[i];
        if (strcmp(p->name, param->valid_bit) == 0 && dpk_nv_is_number(p) && !p->count)
            return p;
    }
    return NULL;
}

static void limit_of(const struct dpk_nv_def *def, const struct dpk_nv_param *param,
                     const struct dpk_nv_tlv *tlv, struct dpk_buf *out)
{
    for (size_t i = 0; i < (param->count ? param->count : 1); i++) {
        struct dpk_nv_param one = dpk_nv_param_element(param, i);
        struct dpk_buf is = {0};
        char legal[512];
        int64_t value = dpk_nv_value_number(&one, tlv->data);
        if (value >= least_of(&one) && value <= most_of(&one))
            continue;
        dpk_nv_value_format(&one, tlv->data, DPK_NV_STYLE_XML, &is);
        dpk_nv_value_legal(&one, legal, sizeof legal);
        dpk_put_format(out, "%s: %s is %.*s; legal: %s\n", def->name, param->name, (int)is.size,
                       is.data ? (const char *)is.data : "", legal);
        out->failed = out->failed || is.failed;
        dpk_buf_free(&is);
    }
}

void dpk_nv_list_limits(const struct dpk_nv_defs *defs, const struct dpk_nv_list *tlvs,
                        struct dpk_buf *out)
{
    const struct dpk_nv_def *last = NULL;
    for (size_t i = 0; i < tlvs->count; i++) {
        const struct dpk_nv_tlv *tlv = &tlvs->items[i];
        const struct dpk_nv_def *def = dpk_nv_defs_find_key(defs, tlv->class_id, tlv->index);
        /* TLVs of all ports follow each other and have the same definition. */
        for (size_t j = 0; def && def != last && def->size == tlv->size && j < def->param_count;
             j++)
            if (def->params[j].type == DPK_NV_UNSIGNED || def->params[j].type == DPK_NV_INTEGER ||
                def->params[j].type == DPK_NV_BINARY)
                limit_of(def, &def->params[j], tlv, out);
        last = def;
    }
}

static void format_named(const char *name, uint32_t value, enum dpk_nv_style style,
                         struct dpk_buf *out)
{
    if (style == DPK_NV_STYLE_QUERY)
        dpk_put_format(out, "%s(%u)", name, value);
    else
        dpk_put_format(out, "%s", name);
}

static bool all_zero(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

void dpk_nv_value_format(const struct dpk_nv_param *param, const uint8_t *data,
                         enum dpk_nv_style style, struct dpk_buf *out)
{
    const uint8_t *at = data + param->offset;
    if (param->count) {
        dpk_put_format(out, "Array[0..%zu]", param->count - 1);
        return;
    }
    if (param->type == DPK_NV_STRING) {
        for (size_t i = 0; i < param->bytes && isascii(at[i]) && isprint(at[i]); i++)
            dpk_put_u8(out, at[i]);
        return;
    }
    if (param->type == DPK_NV_BYTES) {
        if (style == DPK_NV_STYLE_QUERY && all_zero(at, param->bytes)) {
            dpk_put_u8(out, '0');
            return;
        }
        for (size_t i = 0; i < param->bytes; i++)
            dpk_put_format(out, "%02X", at[i]);
        return;
    }
    int64_t value = dpk_nv_value_number(param, data);
    const struct dpk_nv_choice *choice = find_choice(param, (uint32_t)value);
    if (param->type == DPK_NV_BOOL)
        format_named(value ? "True" : "False", (uint32_t)value, style, out);
    else if (choice)
        format_named(choice->name, choice->value, style, out);
    else
        dpk_put_format(out, param->type == DPK_NV_BINARY ? "0x%" PRIX64 : "%" PRId64, value);
}
