/* The sections of a device executable. Symbols and lines need them. Execution does not. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "engine/loader/image.h"

#define PLAIN_MAX ((uint64_t)64 << 20) /* bytes of an inflated section */

enum dpk_status loader_image_count_sections(const struct dpk_image *image, unsigned *count,
                                            struct dpk_error *err)
{
    const struct dpk_elf *elf = &image->elf;
    *count = elf->shnum;
    if (elf->shnum == 0)
        return DPK_OK;
    if (elf->sections_flaw == DPK_ELF_ENTRY_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_shentsize is %u, not %zu",
                        elf->shentsize, sizeof(Elf64_Shdr));
    if (elf->shstrndx >= elf->shnum)
        return dpk_fail(err, DPK_ERR_FORMAT, "ELF header: e_shstrndx %u is not a section",
                        elf->shstrndx);
    if (elf->sections_flaw != DPK_ELF_SOUND)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "ELF header: e_shoff 0x%llx, e_shnum %u reach beyond the file",
                        (unsigned long long)elf->shoff, elf->shnum);
    return DPK_OK;
}

/* ---- Compressed sections (gABI, "Section Compression") ---- */

/* Returns NULL if the section is not zlib data, or larger than its header says or than PLAIN_MAX,
 * or if memory is exhausted. */
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

/* Inflates a section at first use, and keeps it as long as the image. A failure is kept, too, so
 * that a hostile section costs time only once. */
static struct image_plain *plain_section(const struct dpk_image *image, unsigned index,
                                         struct dpk_reader data)
{
    struct dpk_image *mine = (struct dpk_image *)image; /* only its cache changes */
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

void loader_image_free_plain(struct dpk_image *image)
{
    for (struct image_plain *p = image->plain, *next; p; p = next) {
        next = p->next;
        free(p->data);
        free(p);
    }
}

/* ---- By name ---- */

bool dpk_image_section_range(const struct dpk_image *image, const char *name, uint64_t *address,
                             uint64_t *size)
{
    unsigned count;
    if (loader_image_count_sections(image, &count, NULL) != DPK_OK)
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct dpk_elf_section s = dpk_elf_section(&image->elf, i);
        const char *its = dpk_elf_name(&image->elf, &s);
        if (!its || strcmp(its, name) != 0)
            continue;
        *address = s.address;
        *size = s.size;
        return true;
    }
    return false;
}

const void *dpk_image_section(const struct dpk_image *image, const char *name, size_t *size)
{
    unsigned count;
    if (loader_image_count_sections(image, &count, NULL) != DPK_OK)
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        struct dpk_elf_section s = dpk_elf_section(&image->elf, i);
        struct dpk_reader data = dpk_elf_content(&image->elf, &s);
        const char *its = dpk_elf_name(&image->elf, &s);
        if (data.failed || !its || strcmp(its, name) != 0)
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
