#include "hashlist/hashlist.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "device_elf.h"
#include "hasher.h"
#include "table.h"

/* ---- Building ---- */

/* A table under construction. */
struct building {
    struct dpk_hashlist *table;
    struct hasher hasher;
    uint64_t budget; /* bytes that further segments and sections may have in total */
};

static enum dpk_status building_open(struct building **out, size_t file_size, struct dpk_error *err)
{
    struct building *b = *out = calloc(1, sizeof *b);
    if (b)
        b->table = calloc(1, sizeof *b->table);
    if (!b || !b->table)
        return dpk_fail_nomem(err);
    /* Segments may overlap, and sections are inside segments. A few times the file size is normal;
     * hundreds of times is an attempt to keep the verifier busy. */
    b->budget = 16 * (uint64_t)file_size;
    return DPK_OK;
}

/* Hashes the collected ranges if `status` is DPK_OK, hands the table out, and frees `b`. */
static enum dpk_status building_close(struct building *b, enum dpk_status status, unsigned threads,
                                      struct dpk_hashlist **out, struct dpk_error *err)
{
    if (status == DPK_OK)
        status = hashlist_hasher_run(&b->hasher, threads, err);
    if (status == DPK_OK) {
        *out = b->table;
        b->table = NULL;
    }
    if (b)
        dpk_hashlist_free(b->table);
    free(b);
    return status;
}

static enum dpk_status add_content(struct building *b, struct span s, struct hash *out,
                                   struct dpk_error *err)
{
    if (s.size > b->budget)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "device ELF: segments and sections overlap too much to be hashed");
    b->budget -= s.size;
    hashlist_hasher_add(&b->hasher, s, out);
    return DPK_OK;
}

static void set_label(struct section_label *label, unsigned number, const char *name)
{
    label->number = number;
    for (size_t i = 0; name && name[i] && i < sizeof label->name - 1; i++)
        label->name[i] = (char)(name[i] > 0x20 && name[i] < 0x7f ? name[i] : '?');
}

static enum dpk_status build_segments(struct building *b, const struct dpk_elf *elf,
                                      struct dpk_error *err)
{
    struct dpk_hashlist *t = b->table;
    if (elf->segment_count > HASHES_MAX)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "device ELF: %zu segments, a hash list holds at most %d",
                        elf->segment_count, HASHES_MAX);
    t->segment_count = (unsigned)elf->segment_count;
    for (unsigned i = 0; i < t->segment_count; i++) {
        struct span s;
        enum dpk_status status = hashlist_device_elf_segment(elf, i, &s, err);
        if (status == DPK_OK)
            status = add_content(b, s, &t->segments[i], err);
        if (status != DPK_OK)
            return status;
    }
    return DPK_OK;
}

static enum dpk_status build_sections(struct building *b, const struct dpk_elf *elf,
                                      struct dpk_error *err)
{
    struct dpk_hashlist *t = b->table;
    t->labels = calloc(HASHES_MAX, sizeof *t->labels);
    if (!t->labels)
        return dpk_fail_nomem(err);
    for (unsigned i = 0; i < elf->section_count; i++) {
        struct dpk_elf_section header = dpk_elf_section(elf, i);
        struct span s;
        if (!dpk_elf_has_content(&header))
            continue;
        enum dpk_status status = hashlist_device_elf_section(elf, i, &s, err);
        if (status != DPK_OK)
            return status;
        if (t->section_count == HASHES_MAX)
            return dpk_fail(err, DPK_ERR_RANGE,
                            "device ELF: more than %d sections with content, a hash list holds "
                            "no more",
                            HASHES_MAX);
        set_label(&t->labels[t->section_count], i, dpk_elf_name(elf, &header));
        status = add_content(b, s, &t->sections[t->section_count], err);
        if (status != DPK_OK)
            return status;
        t->section_count++;
    }
    return DPK_OK;
}

static enum dpk_status build_full(struct building *b, const struct dpk_elf *elf,
                                  struct dpk_error *err)
{
    if (elf->extended)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "device ELF: %#x sections or more (extended numbering), a hash list of the "
                        "full profile holds at most %d; the compact profile takes it",
                        SHN_LORESERVE, HASHES_MAX);
    hashlist_hasher_add(&b->hasher, hashlist_span_of(elf->file), &b->table->whole);
    hashlist_hasher_add(&b->hasher, (struct span){elf->ident, elf->ehsize}, &b->table->elf_header);
    hashlist_hasher_add(&b->hasher, hashlist_span_of(elf->segments), &b->table->program_headers);
    hashlist_hasher_add(&b->hasher, hashlist_span_of(elf->sections), &b->table->section_headers);
    enum dpk_status status = build_segments(b, elf, err);
    return status == DPK_OK ? build_sections(b, elf, err) : status;
}

static void build_compact(struct building *b, const struct dpk_hashed_parts *parts)
{
    struct dpk_hashlist *t = b->table;
    t->profile = DPK_PROFILE_COMPACT;
    t->segment_count = COMPACT_EXTENSIONS;
    hashlist_hasher_add(&b->hasher, (struct span){parts->stored, parts->stored_size}, &t->whole);
    if (parts->metadata)
        hashlist_hasher_add(&b->hasher, (struct span){parts->metadata, parts->metadata_size},
                            &t->segments[0]);
    if (parts->manifest)
        hashlist_hasher_add(&b->hasher, (struct span){parts->manifest, parts->manifest_size},
                            &t->segments[1]);
}

enum dpk_status dpk_hashlist_build_with(const struct dpk_elf *elf, const uint8_t *manifest,
                                        size_t manifest_size, enum dpk_hash_profile profile,
                                        unsigned threads, struct dpk_hashlist **out,
                                        struct dpk_error *err)
{
    const struct dpk_hashed_parts parts = {.stored = elf->file.begin,
                                           .stored_size = dpk_reader_left(&elf->file),
                                           .manifest = manifest,
                                           .manifest_size = manifest_size};
    struct building *b = NULL;
    *out = NULL;
    enum dpk_status status = hashlist_device_elf_check(elf, err);
    if (status == DPK_OK)
        status = building_open(&b, parts.stored_size, err);
    if (status == DPK_OK && profile == DPK_PROFILE_FULL)
        status = build_full(b, elf, err);
    else if (status == DPK_OK)
        build_compact(b, &parts);
    return building_close(b, status, threads, out, err);
}

enum dpk_status dpk_hashlist_build(const uint8_t *bytes, size_t size, enum dpk_hash_profile profile,
                                   struct dpk_hashlist **out, struct dpk_error *err)
{
    const struct dpk_elf elf = dpk_elf(bytes, size);
    return dpk_hashlist_build_with(&elf, NULL, 0, profile, 1, out, err);
}

enum dpk_status dpk_hashlist_build_parts(const struct dpk_hashed_parts *parts,
                                         struct dpk_hashlist **out, struct dpk_error *err)
{
    struct building *b = NULL;
    *out = NULL;
    enum dpk_status status = building_open(&b, parts->stored_size, err);
    if (status == DPK_OK)
        build_compact(b, parts);
    return building_close(b, status, 1, out, err);
}

void dpk_hashlist_free(struct dpk_hashlist *h)
{
    if (!h)
        return;
    free(h->labels);
    free(h);
}

enum dpk_hash_profile dpk_hashlist_profile(const struct dpk_hashlist *h)
{
    return h->profile;
}

/* ---- Comparing ---- */

static enum dpk_status differs(char *where, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum dpk_status differs(char *where, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (where && size)
        vsnprintf(where, size, format, args);
    va_end(args);
    return DPK_ERR_MISMATCH;
}

static bool same(const struct hash *a, const struct hash *b)
{
    return memcmp(a->bytes, b->bytes, HASH_SIZE) == 0;
}

static enum dpk_status compare_compact(const struct dpk_hashlist *a, const struct dpk_hashlist *b,
                                       char *where, size_t size)
{
    static const char *const names[COMPACT_EXTENSIONS] = {"app metadata", "manifest"};
    for (unsigned i = 0; i < COMPACT_EXTENSIONS; i++)
        if (!same(&a->segments[i], &b->segments[i]))
            return differs(where, size, "%s", names[i]);
    return DPK_OK;
}

static enum dpk_status compare_full(const struct dpk_hashlist *recorded,
                                    const struct dpk_hashlist *computed, char *where, size_t size)
{
    const struct section_label *labels = computed->labels ? computed->labels : recorded->labels;
    if (recorded->segment_count != computed->segment_count)
        return differs(where, size, "number of segments");
    if (recorded->section_count != computed->section_count)
        return differs(where, size, "number of sections");
    if (!same(&recorded->elf_header, &computed->elf_header))
        return differs(where, size, "ELF header");
    if (!same(&recorded->program_headers, &computed->program_headers))
        return differs(where, size, "program header table");
    for (unsigned i = 0; i < recorded->segment_count; i++)
        if (!same(&recorded->segments[i], &computed->segments[i]))
            return differs(where, size, "segment %u", i);
    if (!same(&recorded->section_headers, &computed->section_headers))
        return differs(where, size, "section header table");
    for (unsigned i = 0; i < recorded->section_count; i++) {
        if (same(&recorded->sections[i], &computed->sections[i]))
            continue;
        if (labels)
            return differs(where, size, "section %u %s", labels[i].number, labels[i].name);
        return differs(where, size, "hashed section %u", i);
    }
    return DPK_OK;
}

enum dpk_status dpk_hashlist_compare(const struct dpk_hashlist *recorded,
                                     const struct dpk_hashlist *computed, char *where,
                                     size_t where_size)
{
    if (recorded->profile != computed->profile)
        return differs(where, where_size, "profile");
    enum dpk_status status = recorded->profile == DPK_PROFILE_FULL
                                 ? compare_full(recorded, computed, where, where_size)
                                 : compare_compact(recorded, computed, where, where_size);
    if (status == DPK_OK && !same(&recorded->whole, &computed->whole))
        return differs(where, where_size, "whole ELF");
    return status;
}
