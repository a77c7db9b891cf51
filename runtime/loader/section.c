/* The sections of a device executable, which running it does not need: symbols, lines. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "loader/image.h"

#define PLAIN_MAX ((uint64_t)64 << 20) /* bytes of one compressed section, inflated */

struct image_section image_read_section(struct dpk_reader *r)
{
    struct image_section s = {.name = dpk_read_le32(r), .type = dpk_read_le32(r)};
    s.flags = dpk_read_le64(r);
    dpk_read_skip(r, 8); /* sh_addr */
    s.offset = dpk_read_le64(r);
    s.size = dpk_read_le64(r);
    s.link = dpk_read_le32(r);
    dpk_read_skip(r, 12); /* sh_info, sh_addralign */
    s.entsize = dpk_read_le64(r);
    return s;
}

enum dpk_status image_section_table(const struct dpk_image *image, struct dpk_reader *table,
                                    unsigned *count, unsigned *names, struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(image->elf, image->elf_size);
    dpk_read_skip(&r, offsetof(Elf64_Ehdr, e_shoff));
    uint64_t shoff = dpk_read_le64(&r);
    dpk_read_skip(&r, offsetof(Elf64_Ehdr, e_shentsize) - offsetof(Elf64_Ehdr, e_flags));
    unsigned shentsize = dpk_read_le16(&r);
    *count = dpk_read_le16(&r);
    *names = dpk_read_le16(&r);
    *table = dpk_reader(NULL, 0);
    if (*count == 0)
        return DPK_OK;
    if (shentsize != IMAGE_SHDR_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_shentsize is %u, not %d", shentsize,
                        IMAGE_SHDR_SIZE);
    if (*names >= *count)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_shstrndx %u is no section", *names);
    *table = dpk_reader_slice(&r, shoff, (uint64_t)*count * IMAGE_SHDR_SIZE);
    if (table->failed)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "ELF header: e_shoff 0x%llx, e_shnum %u reach beyond the file",
                        (unsigned long long)shoff, *count);
    return DPK_OK;
}

/* ---- Compressed sections (gABI, "Section Compression") ----------------------------------------
 */

/* NULL: not zlib's, larger than it says or than anybody needs, or out of memory. */
static void *inflate_section(struct dpk_reader r, uint64_t *size)
{
    uint32_t type = dpk_read_le32(&r);
    dpk_read_skip(&r, 4); /* ch_reserved */
    *size = dpk_read_le64(&r);
    dpk_read_skip(&r, 8); /* ch_addralign */
    if (r.failed || type != ELFCOMPRESS_ZLIB || *size == 0 || *size > PLAIN_MAX)
        return NULL;
    uLongf got = (uLongf)*size;
    void *plain = malloc(got);
    if (plain &&
        (uncompress(plain, &got, r.pos, (uLong)dpk_reader_left(&r)) != Z_OK || got != *size)) {
        free(plain);
        plain = NULL;
    }
    return plain;
}

/* Inflated once, at first use; it stays as long as the image. What cannot be inflated is kept as
 * nothing: a hostile one costs its time once. */
static struct image_plain *plain_section(const struct dpk_image *image, unsigned index,
                                         struct dpk_reader data)
{
    struct dpk_image *mine = (struct dpk_image *)image; /* a cache changes nothing */
    pthread_mutex_lock(&mine->plain_lock);
    struct image_plain *p = mine->plain;
    while (p && p->section != index)
        p = p->next;
    if (!p && (p = calloc(1, sizeof *p))) {
        p->section = index;
        p->data = inflate_section(data, &p->size);
        p->next = mine->plain;
        mine->plain = p;
    }
    pthread_mutex_unlock(&mine->plain_lock);
    return p;
}

void image_free_plain(struct dpk_image *image)
{
    for (struct image_plain *p = image->plain, *next; p; p = next) {
        next = p->next;
        free(p->data);
        free(p);
    }
}

/* ---- By name --------------------------------------------------------------------------------- */

static bool has_name(const struct dpk_reader *file, const struct image_section *strings,
                     const struct image_section *s, const char *name)
{
    size_t wanted = strlen(name) + 1;
    struct dpk_reader text = dpk_reader_slice(file, strings->offset, strings->size);
    text = dpk_reader_slice(&text, s->name, wanted);
    const uint8_t *bytes = dpk_read_bytes(&text, wanted);
    return bytes && memcmp(bytes, name, wanted) == 0;
}

const void *dpk_image_section(const struct dpk_image *image, const char *name, size_t *size)
{
    struct dpk_reader file = dpk_reader(image->elf, image->elf_size), table;
    unsigned count, names;
    if (image_section_table(image, &table, &count, &names, NULL) != DPK_OK)
        return NULL;
    struct dpk_reader r =
        dpk_reader_slice(&table, (uint64_t)names * IMAGE_SHDR_SIZE, IMAGE_SHDR_SIZE);
    struct image_section strings = image_read_section(&r);
    for (unsigned i = 0; i < count && !r.failed; i++) {
        struct dpk_reader one =
            dpk_reader_slice(&table, (uint64_t)i * IMAGE_SHDR_SIZE, IMAGE_SHDR_SIZE);
        struct image_section s = image_read_section(&one);
        struct dpk_reader data = dpk_reader_slice(&file, s.offset, s.size);
        if (s.type == SHT_NOBITS || data.failed || !has_name(&file, &strings, &s, name))
            continue;
        if (s.flags & SHF_COMPRESSED) {
            const struct image_plain *plain = plain_section(image, i, data);
            *size = plain && plain->data ? (size_t)plain->size : 0;
            return plain ? plain->data : NULL;
        }
        *size = dpk_reader_left(&data);
        return data.begin;
    }
    return NULL;
}
