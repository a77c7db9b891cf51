/* Text of unknown origin, made fit for a terminal; bytes as text. */
#include "base/base.h"

#include <string.h>

/* Bytes of the UTF-8 character at `s` (RFC 3629); 0 if there is none, or it is a control character:
 * a terminal obeys those of U+0080 to U+009F as well. */
static size_t printable(const unsigned char *s)
{
    if (s[0] < 0x80)
        return s[0] >= 0x20 && s[0] != 0x7f;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : s[0] == 0xc2 ? 0xa0 : 0x80;
    unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    if (s[0] < 0xc2 || s[0] > 0xf4 || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return length;
}

char *dpk_text_clean(char *text)
{
    unsigned char *s = (unsigned char *)text;
    while (*s) {
        size_t length = printable(s);
        if (length == 0)
            *s = *s == '\n' || *s == '\t' ? ' ' : '?';
        s += length ? length : 1;
    }
    return text;
}

void dpk_hex_text(const void *bytes, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++) {
        out[2 * i] = digits[b[i] >> 4];
        out[2 * i + 1] = digits[b[i] & 15];
    }
    out[2 * size] = 0;
}
