/* Text of unknown origin, made fit for a terminal; bytes as text. */
#include "base/base.h"

#include <string.h>

/* Bytes of the UTF-8 character at `s` (RFC 3629), which has `left` bytes; 0 if there is none, or it
 * is a control character: a terminal obeys those of U+0080 to U+009F as well. */
static size_t printable(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80)
        return s[0] >= 0x20 && s[0] != 0x7f;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : s[0] == 0xc2 ? 0xa0 : 0x80;
    unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > left || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return length;
}

/* Makes '?' of what is not printable, but keeps line breaks and tabs. */
static void clean(unsigned char *s, size_t size)
{
    for (size_t at = 0, length; at < size; at += length ? length : 1) {
        length = printable(s + at, size - at);
        if (length == 0 && s[at] != '\n' && s[at] != '\t')
            s[at] = '?';
    }
}

char *dpk_text_clean(char *text)
{
    clean((unsigned char *)text, strlen(text));
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
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

void dpk_message_clean(char *text, size_t size)
{
    clean((unsigned char *)text, size);
}
