#include "base/base.h"

#include <string.h>
#include <uuid/uuid.h>

static bool dash_at(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

/* Returns the value of a hexadecimal digit, or -1 for another character. strtoul would skip blanks
 * and signs. */
static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

enum dpk_status dpk_uuid_parse(const char *text, struct dpk_uuid *out, struct dpk_error *err)
{
    struct dpk_uuid u = {{0}};
    size_t digits = 0;
    if (strnlen(text, DPK_UUID_TEXT) != DPK_UUID_TEXT - 1)
        goto out;
    for (size_t i = 0; i < DPK_UUID_TEXT - 1; i++) {
        if (dash_at(i)) {
            if (text[i] != '-')
                goto out;
            continue;
        }
        int value = digit_value(text[i]);
        if (value < 0)
            goto out;
        u.bytes[digits / 2] = (uint8_t)(u.bytes[digits / 2] << 4 | value);
        digits++;
    }
    *out = u;
    return DPK_OK;
out:
    return dpk_fail(err, DPK_ERR_FORMAT, "\"%.64s\" is not a UUID", text);
}

void dpk_uuid_format(const struct dpk_uuid *u, char text[DPK_UUID_TEXT])
{
    static const char hex[] = "0123456789abcdef";
    size_t digits = 0;
    for (size_t i = 0; i < DPK_UUID_TEXT - 1; i++) {
        if (dash_at(i)) {
            text[i] = '-';
            continue;
        }
        uint8_t byte = u->bytes[digits / 2];
        text[i] = hex[digits % 2 ? byte & 15 : byte >> 4];
        digits++;
    }
    text[DPK_UUID_TEXT - 1] = 0;
}

void dpk_uuid_new_time(struct dpk_uuid *out)
{
    uuid_generate_time(out->bytes);
}

bool dpk_uuid_is_zero(const struct dpk_uuid *u)
{
    static const struct dpk_uuid zero;
    return dpk_uuid_equal(u, &zero);
}

bool dpk_uuid_equal(const struct dpk_uuid *a, const struct dpk_uuid *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}
