/* Members of archives: headers whose fields are text, each checked before it is used. */
#include "archive/archive.h"

#include <string.h>

#define MAGIC_SIZE  8
#define HEADER_SIZE 60
#define AT_SIZE     48 /* decimal, padded with blanks */
#define SIZE_DIGITS 10
#define AT_END      58

/* BSD's form: the length of the name. The name precedes the content, and belongs to the member's
 * size. */
#define BSD_NAME "#1/"

#define NAME_SIZE  16
#define LONG_NAMES "//              "

/* Reads a decimal number that blanks pad. Returns UINT64_MAX for other text. */
static uint64_t decimal(const uint8_t *text, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size && text[i] != ' '; i++) {
        if (text[i] < '0' || text[i] > '9')
            return UINT64_MAX;
        value = 10 * value + (uint64_t)(text[i] - '0');
    }
    return value;
}

/* "name/", or "/123", the place of "name/" among the long names. Others keep what they have. */
static bool find_name(const uint8_t *field, const struct dpk_reader *long_names,
                      struct dpk_archive_member *m)
{
    const uint8_t *end = memchr(field, '/', NAME_SIZE);
    m->name = (const char *)field;
    m->name_size = end ? (size_t)(end - field) : NAME_SIZE;
    if (m->name_size > 0 || field[1] < '0' || field[1] > '9') {
        if (m->name_size == 0) /* "/" and "//" and their like */
            m->name_size = NAME_SIZE;
        while (m->name_size > 0 && field[m->name_size - 1] == ' ')
            m->name_size--;
        return true;
    }
    struct dpk_reader r = *long_names;
    uint64_t at = decimal(field + 1, NAME_SIZE - 1);
    dpk_read_skip(&r, at < SIZE_MAX ? (size_t)at : SIZE_MAX);
    size_t left = dpk_reader_left(&r);
    end = left ? memchr(r.pos, '/', left) : NULL;
    if (!end)
        return false;
    m->name = (const char *)r.pos;
    m->name_size = (size_t)(end - r.pos);
    return true;
}

/* Takes a BSD name, padded with NULs, off the member's content. */
static bool take_bsd_name(const struct dpk_reader *file, const uint8_t *header,
                          struct dpk_archive_member *m)
{
    if (memcmp(header, BSD_NAME, sizeof BSD_NAME - 1) != 0)
        return true;
    uint64_t length = decimal(header + sizeof BSD_NAME - 1, NAME_SIZE - (sizeof BSD_NAME - 1));
    if (length > m->size)
        return false;
    struct dpk_reader r = dpk_reader_slice(file, m->base, length);
    const uint8_t *name = dpk_read_bytes(&r, (size_t)length);
    if (!name)
        return false;
    m->name = (const char *)name;
    m->name_size = strnlen((const char *)name, (size_t)length);
    m->base += length;
    m->size -= length;
    return true;
}

bool dpk_archive_is(const void *bytes, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(bytes, "!<arch>\n", MAGIC_SIZE) == 0;
}

struct dpk_archive_walk dpk_archive_walk(const void *bytes, size_t size)
{
    return (struct dpk_archive_walk){
        .file = dpk_reader(bytes, size), .at = MAGIC_SIZE, .long_names = dpk_reader(NULL, 0)};
}

bool dpk_archive_next(struct dpk_archive_walk *walk, struct dpk_archive_member *out)
{
    struct dpk_reader r = dpk_reader_slice(&walk->file, walk->at, HEADER_SIZE);
    const uint8_t *header = dpk_read_bytes(&r, HEADER_SIZE);
    if (!header || memcmp(header + AT_END, "`\n", 2) != 0 ||
        !find_name(header, &walk->long_names, out))
        return false;
    out->base = walk->at + HEADER_SIZE;
    out->size = decimal(header + AT_SIZE, SIZE_DIGITS);
    r = dpk_reader_slice(&walk->file, out->base, out->size);
    if (memcmp(header, LONG_NAMES, NAME_SIZE) == 0 && !r.failed)
        walk->long_names = r;
    const uint64_t next = r.failed ? UINT64_MAX : out->base + out->size + out->size % 2;
    if (!take_bsd_name(&walk->file, header, out))
        return false;
    walk->at = next;
    return true;
}

/* Is the member one that the format itself needs? */
static bool is_table(const struct dpk_archive_member *m)
{
    static const char *const tables[] = {"/", "//", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (m->name_size == strlen(tables[i]) && memcmp(m->name, tables[i], m->name_size) == 0)
            return true;
    return false;
}

bool dpk_archive_next_object(struct dpk_archive_walk *walk, struct dpk_archive_object *out)
{
    struct dpk_archive_member m;
    while (dpk_archive_next(walk, &m)) {
        struct dpk_reader content = dpk_reader_slice(&walk->file, m.base, m.size);
        if (content.failed) /* walk->at is beyond everything */
            return false;
        if (is_table(&m))
            continue;
        const size_t most = sizeof out->name - 1;
        const size_t length = m.name_size < most ? m.name_size : most;
        memcpy(out->name, m.name, length);
        out->name[length] = '\0';
        out->data = content.begin;
        out->size = (size_t)m.size;
        return true;
    }
    return false;
}

/* Returns true if the bytes after the last member are padding: fewer bytes than a number of an
 * area. */
static bool is_padding(const uint8_t *bytes, size_t size)
{
    bool padding = size < 8;
    for (size_t i = 0; padding && i < size; i++)
        padding = bytes[i] == '\n' || bytes[i] == 0;
    return padding;
}

bool dpk_archive_is_damaged(const struct dpk_archive_walk *walk)
{
    const size_t size = dpk_reader_left(&walk->file);
    if (walk->at < size)
        return !is_padding(walk->file.begin + walk->at, size - (size_t)walk->at);
    return walk->at - size > 1; /* the last member's own padding may be missing */
}

size_t dpk_archive_length(const void *bytes, size_t size)
{
    struct dpk_archive_walk walk = dpk_archive_walk(bytes, size);
    struct dpk_archive_object object;
    if (!dpk_archive_is(bytes, size))
        return size;
    while (dpk_archive_next_object(&walk, &object))
        ;
    return walk.at < size && !dpk_archive_is_damaged(&walk) ? (size_t)walk.at : size;
}
