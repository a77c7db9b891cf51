/* The symbol table of a device executable: finds functions by name, and names for addresses. */
#include <stdlib.h>
#include <string.h>

#include "engine/loader/image.h"

#define SYMBOLS_MAX 1000000
#define NAMES_MAX   ((size_t)64 << 20) /* bytes of all names: they are sorted */

/* Finds .symtab. The type of *symtab is SHT_NULL if it does not exist. */
static enum dpk_status find_symtab(const struct dpk_image *image, struct dpk_elf_section *symtab,
                                   struct dpk_elf_section *strtab, struct dpk_error *err)
{
    unsigned count;
    *symtab = *strtab = (struct dpk_elf_section){0};
    enum dpk_status status = loader_image_count_sections(image, &count, err);
    if (status != DPK_OK)
        return status;
    for (unsigned i = 0; i < count; i++) {
        struct dpk_elf_section h = dpk_elf_section(&image->elf, i);
        if (h.type != SHT_SYMTAB)
            continue;
        if (symtab->type)
            return dpk_fail(err, DPK_ERR_FORMAT, "section %u: a second SHT_SYMTAB", i);
        if (h.entry_size != sizeof(Elf64_Sym) || h.size % sizeof(Elf64_Sym))
            return dpk_fail(err, DPK_ERR_FORMAT,
                            "section %u: sh_entsize %llu, sh_size %llu do not "
                            "fit a symbol table",
                            i, (unsigned long long)h.entry_size, (unsigned long long)h.size);
        if (h.size / sizeof(Elf64_Sym) > SYMBOLS_MAX)
            return dpk_fail(err, DPK_ERR_FORMAT, "section %u: more than %d symbols", i,
                            SYMBOLS_MAX);
        if (h.link >= count)
            return dpk_fail(err, DPK_ERR_FORMAT, "section %u: sh_link %u is not a section", i,
                            h.link);
        *strtab = dpk_elf_section(&image->elf, h.link);
        if (strtab->type != SHT_STRTAB)
            return dpk_fail(err, DPK_ERR_FORMAT, "section %u: sh_link %u is not a string table", i,
                            h.link);
        *symtab = h;
    }
    return DPK_OK;
}

/* Adds a symbol to the globals, the functions, or both. *names is the number of bytes left for
 * names. */
static enum dpk_status add_symbol(struct dpk_image *image, struct dpk_reader *r,
                                  const struct dpk_reader *strings, size_t *names, size_t n,
                                  struct dpk_error *err)
{
    struct dpk_elf_symbol s = dpk_elf_read_symbol(r);
    if (s.name >= dpk_reader_left(strings))
        return dpk_fail(err, DPK_ERR_FORMAT, "symbol %zu: st_name %u is beyond the string table", n,
                        s.name);
    const char *text = (const char *)strings->begin + s.name;
    if (s.section == SHN_UNDEF || *text == '\0')
        return DPK_OK;
    size_t length = strnlen(text, *names);
    if (length == *names)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "symbol %zu: st_name: the names are longer than %zu bytes together", n,
                        NAMES_MAX);
    *names -= length;
    unsigned type = ELF64_ST_TYPE(s.info), bind = ELF64_ST_BIND(s.info);
    struct image_symbol symbol = {.name = text, .address = s.value, .size = s.size};
    if ((bind == STB_GLOBAL || bind == STB_WEAK) && type != STT_SECTION && type != STT_FILE)
        image->globals[image->global_count++] = symbol;
    if (type == STT_FUNC && loader_image_text_at(image, s.value))
        image->functions[image->function_count++] = symbol;
    return DPK_OK;
}

/* Symbols of the same name are ordered by their other fields, so that the order does not depend on
 * the sort. */
static int by_name(const void *a, const void *b)
{
    const struct image_symbol *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->address > y->address) - (x->address < y->address);
}

static int by_address(const void *a, const void *b)
{
    const struct image_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return strcmp(x->name, y->name);
}

enum dpk_status loader_image_read_symbols(struct dpk_image *image, struct dpk_error *err)
{
    struct dpk_elf_section symtab, strtab;
    enum dpk_status status = find_symtab(image, &symtab, &strtab, err);
    if (status != DPK_OK || symtab.size == 0)
        return status;
    struct dpk_reader symbols = dpk_elf_content(&image->elf, &symtab);
    if (symbols.failed)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "symbol table: sh_offset 0x%llx, sh_size 0x%llx reach "
                        "beyond the file",
                        (unsigned long long)symtab.offset, (unsigned long long)symtab.size);
    struct dpk_reader names = dpk_elf_content(&image->elf, &strtab);
    if (names.failed || strtab.size == 0 || names.end[-1] != '\0')
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "string table: sh_offset 0x%llx, sh_size 0x%llx reach "
                        "beyond the file, or its last byte is not NUL",
                        (unsigned long long)strtab.offset, (unsigned long long)strtab.size);
    size_t count = symtab.size / sizeof(Elf64_Sym), left = NAMES_MAX;
    image->globals = calloc(count, sizeof *image->globals);
    image->functions = calloc(count, sizeof *image->functions);
    if (!image->globals || !image->functions)
        return dpk_fail_nomem(err);
    for (size_t n = 0; n < count; n++) {
        status = add_symbol(image, &symbols, &names, &left, n, err);
        if (status != DPK_OK)
            return status;
    }
    qsort(image->globals, image->global_count, sizeof *image->globals, by_name);
    qsort(image->functions, image->function_count, sizeof *image->functions, by_address);
    return DPK_OK;
}

bool dpk_image_symbol(const struct dpk_image *image, const char *name, uint64_t *address,
                      uint64_t *size)
{
    size_t low = 0, high = image->global_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(image->globals[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == image->global_count || strcmp(image->globals[low].name, name) != 0)
        return false;
    if (address)
        *address = image->globals[low].address;
    if (size)
        *size = image->globals[low].size;
    return true;
}

const char *dpk_image_symbol_name(const struct dpk_image *image, size_t index)
{
    return index < image->global_count ? image->globals[index].name : NULL;
}

const char *dpk_image_next_entry(const struct dpk_image *image, size_t *index)
{
    static const char prefix[] = "_dpacc_unpack_";
    while (*index < image->global_count) {
        const char *symbol = image->globals[(*index)++].name;
        if (strncmp(symbol, prefix, sizeof prefix - 1) == 0)
            return symbol + sizeof prefix - 1;
    }
    return NULL;
}

bool dpk_image_argument_size(const struct dpk_image *image, const char *entry, uint64_t *size)
{
    char symbol[512];
    uint64_t at;
    int n = snprintf(symbol, sizeof symbol, "_dpacc_argsize_%s", entry);
    if (n < 0 || (size_t)n >= sizeof symbol || !dpk_image_symbol(image, symbol, &at, NULL))
        return false;
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct dpk_segment *s = &image->segments[i];
        struct dpk_reader r = dpk_reader(s->data, (size_t)s->data_size);
        if (at < s->address || at - s->address >= s->data_size)
            continue;
        dpk_read_skip(&r, (size_t)(at - s->address));
        *size = dpk_read_le64(&r);
        return !r.failed;
    }
    return false;
}

const char *dpk_image_function_at(const struct dpk_image *image, uint64_t address, uint64_t *offset)
{
    const struct dpk_segment *text = loader_image_text_at(image, address);
    size_t low = 0, high = image->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (image->functions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* A function of another segment does not contain the address. */
    if (!text || low == 0 || image->functions[low - 1].address < text->address)
        return NULL;
    if (offset)
        *offset = address - image->functions[low - 1].address;
    return image->functions[low - 1].name;
}
