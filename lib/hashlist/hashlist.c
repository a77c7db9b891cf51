#include "hashlist/hashlist.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "device_elf.h"
#include "table.h"

/* ---- Building ---------------------------------------------------------------------------------
 */

/* A digest fetched once and a context used for every hash. */
struct hasher {
    EVP_MD *sha256;
    EVP_MD_CTX *context;
    uint64_t budget; /* bytes that segments and sections may still have, together */
};

static void hasher_close(struct hasher *h)
{
    EVP_MD_CTX_free(h->context);
    EVP_MD_free(h->sha256);
}

static enum dpk_status hasher_open(struct hasher *h, size_t file_size, struct dpk_error *err)
{
    /* Segments may lie in each other and sections lie in segments: a few times the file is normal,
     * hundreds of times is an ELF made to keep its verifier busy. */
    *h = (struct hasher){.budget = 16 * (uint64_t)file_size};
    h->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    h->context = EVP_MD_CTX_new();
    if (h->sha256 && h->context)
        return DPK_OK;
    hasher_close(h);
    return dpk_fail(err, DPK_ERR_CRYPTO, "SHA-256 is not available");
}

static enum dpk_status hash_span(struct hasher *h, struct span s, struct hash *out,
                                 struct dpk_error *err)
{
    if (EVP_DigestInit_ex2(h->context, h->sha256, NULL) != 1 ||
        EVP_DigestUpdate(h->context, s.data, s.size) != 1 ||
        EVP_DigestFinal_ex(h->context, out->bytes, NULL) != 1)
        return dpk_fail(err, DPK_ERR_CRYPTO, "SHA-256 failed");
    return DPK_OK;
}

static enum dpk_status hash_content(struct hasher *h, struct span s, struct hash *out,
                                    struct dpk_error *err)
{
    if (s.size > h->budget)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "device ELF: segments and sections overlap too much to be hashed");
    h->budget -= s.size;
    return hash_span(h, s, out, err);
}

static void set_label(struct section_label *label, unsigned number, struct span name)
{
    label->number = number;
    size_t n = name.size < sizeof label->name - 1 ? name.size : sizeof label->name - 1;
    for (size_t i = 0; i < n; i++) {
        uint8_t c = name.data[i];
        label->name[i] = (char)(c > 0x20 && c < 0x7f ? c : '?');
    }
}

static enum dpk_status build_segments(struct dpk_hashlist *t, const struct device_elf *e,
                                      struct hasher *h, struct dpk_error *err)
{
    if (e->segment_count > HASHES_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "device ELF: %u segments, a hash list holds at most %d",
                        e->segment_count, HASHES_MAX);
    t->segment_count = e->segment_count;
    for (unsigned i = 0; i < t->segment_count; i++) {
        struct span s;
        enum dpk_status status = device_elf_segment(e, i, &s, err);
        if (status == DPK_OK)
            status = hash_content(h, s, &t->segments[i], err);
        if (status != DPK_OK)
            return status;
    }
    return DPK_OK;
}

static enum dpk_status build_sections(struct dpk_hashlist *t, const struct device_elf *e,
                                      struct hasher *h, struct dpk_error *err)
{
    t->labels = calloc(HASHES_MAX, sizeof *t->labels);
    if (!t->labels)
        return dpk_fail_nomem(err);
    for (unsigned i = 0; i < e->section_count; i++) {
        struct device_section s;
        enum dpk_status status = device_elf_section(e, i, &s, err);
        if (status != DPK_OK)
            return status;
        if (!s.hashed)
            continue;
        if (t->section_count == HASHES_MAX)
            return dpk_fail(err, DPK_ERR_RANGE,
                            "device ELF: more than %d sections with content, a hash list holds "
                            "no more",
                            HASHES_MAX);
        set_label(&t->labels[t->section_count], i, s.name);
        status = hash_content(h, s.data, &t->sections[t->section_count], err);
        if (status != DPK_OK)
            return status;
        t->section_count++;
    }
    return DPK_OK;
}

static enum dpk_status build_full(struct dpk_hashlist *t, const struct device_elf *e,
                                  struct hasher *h, struct dpk_error *err)
{
    enum dpk_status status = hash_span(h, e->header, &t->elf_header, err);
    if (status == DPK_OK)
        status = hash_span(h, e->program_headers, &t->program_headers, err);
    if (status == DPK_OK)
        status = hash_span(h, e->section_headers, &t->section_headers, err);
    if (status == DPK_OK)
        status = build_segments(t, e, h, err);
    if (status == DPK_OK)
        status = build_sections(t, e, h, err);
    return status;
}

enum dpk_status dpk_hashlist_build(const uint8_t *elf, size_t size, enum dpk_hash_profile profile,
                                   struct dpk_hashlist **out, struct dpk_error *err)
{
    struct device_elf e;
    struct hasher h;
    *out = NULL;
    enum dpk_status status = device_elf_open(elf, size, &e, err);
    if (status != DPK_OK)
        return status;
    status = hasher_open(&h, size, err);
    if (status != DPK_OK)
        return status;
    struct dpk_hashlist *t = calloc(1, sizeof *t);
    if (!t) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    t->profile = profile;
    status = hash_span(&h, (struct span){elf, size}, &t->whole, err);
    if (status == DPK_OK && profile == DPK_PROFILE_FULL)
        status = build_full(t, &e, &h, err);
    else if (status == DPK_OK)
        t->segment_count = COMPACT_EXTENSIONS;
    if (status == DPK_OK) {
        *out = t;
        t = NULL;
    }
out:
    dpk_hashlist_free(t);
    hasher_close(&h);
    return status;
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

/* ---- Comparing --------------------------------------------------------------------------------
 */

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
