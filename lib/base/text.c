/* Makes text of unknown origin safe for a terminal, and prints bytes as hexadecimal text. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the bytes of the UTF-8 character (RFC 3629) at `s`, which has `left` bytes. 0: the bytes
 * are not UTF-8, or a control character, also of U+0080 to U+009F, which terminals obey too. */
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

/* Replaces unprintable characters by '?', except line breaks and tabs. */
static void clean(unsigned char *s, size_t size)
{
    for (size_t at = 0, length; at < size; at += length ? length : 1) {
        length = printable(s + at, size - at);
        if (length == 0 && s[at] != '\n' && s[at] != '\t')
            s[at] = '?';
    }
}

/* Returns true for invisible characters that change how the text around them is displayed or
 * compared: category Cf, Default_Ignorable_Code_Point (Unicode 15), and the two line separators. */
static bool is_unseen(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},
        {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
        {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},
        {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},
        {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd},
        {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
        {0xe0000, 0xe0fff},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

/* Decodes the printable character of `length` bytes at `s`. */
static uint32_t code_point(const unsigned char *s, size_t length)
{
    uint32_t c = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        c = c << 6 | (s[i] & 0x3fu);
    return c;
}

/* Replaces invisible characters by escapes, or by '?' where an escape has no room. */
static void escape(char *text, size_t room)
{
    size_t size = strlen(text) + 1;
    for (size_t at = 0, length; text[at]; at += length) {
        length = printable((unsigned char *)text + at, size - at);
        length += length == 0;
        const uint32_t c = code_point((unsigned char *)text + at, length);
        if (!is_unseen(c))
            continue;
        char shown[16];
        size_t more = (size_t)snprintf(shown, sizeof shown, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
        if (size - length + more > room)
            more = (size_t)snprintf(shown, sizeof shown, "?");
        memmove(text + at + more, text + at + length, size - at - length);
        memcpy(text + at, shown, more);
        size += more - length;
        length = more;
    }
}

char *dpk_text_clean_in(char *text, size_t room)
{
    clean((unsigned char *)text, strlen(text));
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    escape(text, room > strlen(text) ? room : strlen(text) + 1);
    return text;
}

char *dpk_text_cleaned(const char *text)
{
    const size_t length = strlen(text);
    const size_t room = 3 * length + 1; /* an escape has at most three times as many bytes */
    char *copy = malloc(room);
    return copy ? dpk_text_clean_in(memcpy(copy, text, length + 1), room) : NULL;
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

size_t dpk_text_mark(const void *text, size_t size)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    return text && size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}
