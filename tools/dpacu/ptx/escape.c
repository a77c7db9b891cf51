/* nvcc reads "%laneid" as the register in every assembly statement. clang requires "%%laneid" in a
 * statement with operands. */
#include "ptx.h"

#include <ctype.h>
#include <string.h>

struct scanner {
    struct dpk_reader text;
    struct dpk_buf *out;
    bool changed;
};

static char peek_at(const struct scanner *s, size_t offset)
{
    return offset < dpk_reader_left(&s->text) ? (char)s->text.pos[offset] : 0;
}

/* Copies one byte. */
static void copy_byte(struct scanner *s)
{
    if (dpk_reader_left(&s->text))
        dpk_put_u8(s->out, dpk_read_u8(&s->text));
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Copies a byte of a string of an assembly statement. */
static void copy_escaped(struct scanner *s)
{
    if (peek_at(s, 0) == '%' && peek_at(s, 1) == '%') {
        copy_byte(s);
    } else if (peek_at(s, 0) == '%' && isalpha((unsigned char)peek_at(s, 1))) {
        dpk_put_u8(s->out, '%');
        s->changed = true;
    }
    copy_byte(s);
}

/* Copies a literal from its quote to the next; `escapes` for strings of assembly. */
static void copy_literal(struct scanner *s, bool escapes)
{
    const char quote = peek_at(s, 0);
    copy_byte(s);
    while (dpk_reader_left(&s->text) && peek_at(s, 0) != quote) {
        if (peek_at(s, 0) == '\\')
            copy_byte(s);
        if (escapes)
            copy_escaped(s);
        else
            copy_byte(s);
    }
    copy_byte(s);
}

/* Copies R"MARK(...)MARK". */
static void copy_raw(struct scanner *s, bool escapes)
{
    char end[20] = ")";
    size_t size = 1;
    copy_byte(s);
    copy_byte(s);
    while (size < 17 && peek_at(s, 0) && peek_at(s, 0) != '(') {
        end[size++] = peek_at(s, 0);
        copy_byte(s);
    }
    end[size++] = '"';
    while (dpk_reader_left(&s->text) >= size && memcmp(s->text.pos, end, size) != 0) {
        if (escapes)
            copy_escaped(s);
        else
            copy_byte(s);
    }
    for (size_t i = 0; i < size; i++)
        copy_byte(s);
}

static bool is_raw(const struct scanner *s)
{
    return peek_at(s, 0) == 'R' && peek_at(s, 1) == '"';
}

/* Copies a literal, a name or another byte. */
static void copy_token(struct scanner *s, bool escapes)
{
    const char c = peek_at(s, 0);
    if (is_raw(s))
        copy_raw(s, escapes);
    else if (c == '"' || c == '\'')
        copy_literal(s, escapes && c == '"');
    else if (is_name(c))
        while (is_name(peek_at(s, 0)) || (isdigit((unsigned char)c) && peek_at(s, 0) == '\''))
            copy_byte(s);
    else
        copy_byte(s);
}

/* Takes the text of an assembly statement, from '(' to its first ':' or ')'. `escapes`: copies what
 * is escaped. Returns the byte behind it. */
static char copy_text(struct scanner *s, bool escapes)
{
    copy_byte(s);
    for (char c; (c = peek_at(s, 0)) && c != ':' && c != ')';)
        copy_token(s, escapes);
    return peek_at(s, 0);
}

/* Statements without operands are left as they are. */
static void copy_statement(struct scanner *s)
{
    const struct dpk_reader start = s->text;
    struct dpk_buf nothing = {0};
    struct scanner ahead = {.text = start, .out = &nothing};
    const bool escapes = copy_text(&ahead, false) == ':';
    dpk_buf_free(&nothing);
    copy_text(s, escapes);
}

static bool takes_word(const char *name, size_t size)
{
    static const char *const words[] = {"asm", "__asm__", "__asm", "volatile", "__volatile__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == size && memcmp(words[i], name, size) == 0)
            return true;
    return false;
}

bool ptx_escape(const char *text, size_t size, struct dpk_buf *out)
{
    struct scanner s = {.text = dpk_reader(text, size), .out = out};
    bool assembly = false; /* behind asm, or asm volatile */
    while (dpk_reader_left(&s.text)) {
        const char *at = (const char *)s.text.pos;
        if (assembly && *at == '(') {
            copy_statement(&s);
            assembly = false;
            continue;
        }
        copy_token(&s, false);
        const size_t taken = (size_t)((const char *)s.text.pos - at);
        if (!isspace((unsigned char)*at))
            assembly = takes_word(at, taken) && (assembly || *at != 'v');
    }
    return s.changed;
}
