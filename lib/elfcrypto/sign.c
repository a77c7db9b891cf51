/* Crypto data put into a host file (FORMATS.md 2, "Placement when signing"). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "crypto.h"
#include "host.h"

/* One program's part of the work. */
struct job {
    const struct dpk_program *program;
    const struct slot *slot;
    struct dpk_buf crypto;
};

struct signing {
    const struct dpk_hostfile *host;
    const struct dpk_sign_options *options;
    struct job *jobs;    /* one per program */
    struct dpk_buf file; /* the signed file in the making */
};

static uint32_t wanted_type(const struct signing *s, uint32_t usual)
{
    switch (s->options->section_type) {
    case DPK_SECTION_PROGBITS:
        return SHT_PROGBITS;
    case DPK_SECTION_CRYPTODATA:
        return SHT_CRYPTODATA;
    case DPK_SECTION_KEEP:
        break;
    }
    return usual;
}

static void store_le32(uint8_t *p, uint32_t v)
{
    uint8_t wide[8];
    dpk_store_le64(wide, v);
    memcpy(p, wide, 4);
}

static void store_le16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

/* ---- Section headers as bytes (ELF64, little-endian) ------------------------------------------
 */

static void set_type(uint8_t *header, uint32_t type)
{
    store_le32(header + offsetof(Elf64_Shdr, sh_type), type);
}

static void set_extent(uint8_t *header, uint64_t offset, uint64_t size)
{
    dpk_store_le64(header + offsetof(Elf64_Shdr, sh_offset), offset);
    dpk_store_le64(header + offsetof(Elf64_Shdr, sh_size), size);
}

/* ---- In place ---------------------------------------------------------------------------------
 */

/* Overwrites what a section holds now, and clears what an older, longer content leaves. */
static void overwrite(struct signing *s, const struct job *j, uint64_t prefix)
{
    const struct slot *slot = j->slot;
    uint8_t *at = s->file.data + slot->home.offset;
    uint64_t used = prefix + j->crypto.size;
    if (prefix)
        dpk_store_le64(at, j->crypto.size);
    memcpy(at + prefix, j->crypto.data, j->crypto.size);
    if (slot->used > used)
        memset(at + used, 0, slot->used - used);
}

static enum dpk_status fill_reserved(struct signing *s, const struct job *j, struct dpk_error *err)
{
    const struct section *home = &j->slot->home;
    if (home->size < LENGTH_PREFIX || home->size - LENGTH_PREFIX < j->crypto.size)
        return dpk_fail(err, DPK_ERR_RANGE, "%s has room for %" PRIu64 " bytes, %zu are needed",
                        home->name, home->size, LENGTH_PREFIX + j->crypto.size);
    overwrite(s, j, LENGTH_PREFIX);
    set_type(s->file.data + home->header, wanted_type(s, home->type));
    return DPK_OK;
}

/* ---- At the end -------------------------------------------------------------------------------
 */

/*
 * The end of the file is written anew: contents of added sections, section name table, section
 * header table. Where the old name table and header table are the last things in the file, as
 * linkers leave them, they make room (the layout of objcopy and of NVIDIA's tool); elsewhere the
 * new end goes behind the old one. Nothing else moves, so segments stay what they are.
 */
struct tail {
    const struct object *object;
    const struct section *names;
    uint64_t begin;  /* everything before stays as it is */
    bool names_last; /* new headers go before that of the name table, not behind it */
    struct dpk_buf contents, name_table, new_headers;
    uint8_t *headers; /* copy of the old section headers */
};

static bool is_padding(const uint8_t *p, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (p[i])
            return false;
    return size < 8;
}

/* Can the name table and the header table be moved? */
static bool ends_with_tables(const struct dpk_hostfile *host, const struct object *o)
{
    const struct section *names = &o->sections[o->names_index];
    uint64_t names_end = names->offset + names->size;
    if (names->offset < o->segments_end || o->table < names_end ||
        o->table + o->count * sizeof(Elf64_Shdr) != host->bytes.size ||
        !is_padding(host->bytes.data + names_end, o->table - names_end))
        return false;
    for (size_t i = 1; i < o->count; i++) {
        const struct section *s = &o->sections[i];
        bool content = s->type != SHT_NULL && s->type != SHT_NOBITS && s->size > 0;
        if (content && s != names && s->offset + s->size > names->offset)
            return false;
    }
    return true;
}

/* Does a section refer to the name table by its index? */
static bool names_are_referred_to(const struct object *o)
{
    for (size_t i = 1; i < o->count; i++)
        if (o->sections[i].link == o->names_index)
            return true;
    return false;
}

static enum dpk_status tail_open(const struct signing *s, struct tail *t, struct dpk_error *err)
{
    const struct dpk_hostfile *host = s->host;
    const struct object *o = &host->objects[0];
    size_t table_size = o->count * sizeof(Elf64_Shdr);
    *t = (struct tail){.object = o, .names = &o->sections[o->names_index]};
    if (o->extended)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "sections cannot be added to a file with extended section numbering");
    if (t->names->flags & SHF_COMPRESSED)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s is compressed", t->names->name);
    t->begin = ends_with_tables(host, o) ? t->names->offset : host->bytes.size;
    t->names_last = o->names_index == o->count - 1 && !names_are_referred_to(o);
    t->headers = malloc(table_size);
    if (!t->headers)
        return dpk_fail_nomem(err);
    memcpy(t->headers, s->file.data + o->table, table_size); /* with the types set so far */
    dpk_put(&t->name_table, host->bytes.data + t->names->offset, t->names->size);
    return DPK_OK;
}

static void tail_close(struct tail *t)
{
    free(t->headers);
    dpk_buf_free(&t->contents);
    dpk_buf_free(&t->name_table);
    dpk_buf_free(&t->new_headers);
}

static uint64_t tail_put_content(struct tail *t, const struct job *j, unsigned alignment)
{
    uint64_t end = t->begin + t->contents.size;
    dpk_put_fill(&t->contents, 0, (size_t)(-end & (alignment - 1)));
    uint64_t offset = t->begin + t->contents.size;
    dpk_put(&t->contents, j->crypto.data, j->crypto.size);
    return offset;
}

static void tail_add_section(struct tail *t, const struct job *j, uint32_t type, unsigned alignment)
{
    uint8_t header[sizeof(Elf64_Shdr)] = {0};
    const char *name = j->program->crypto_section;
    uint32_t name_at = (uint32_t)t->name_table.size;
    dpk_put(&t->name_table, name, strlen(name) + 1);
    store_le32(header + offsetof(Elf64_Shdr, sh_name), name_at);
    set_type(header, type);
    set_extent(header, tail_put_content(t, j, alignment), j->crypto.size);
    dpk_store_le64(header + offsetof(Elf64_Shdr, sh_addralign), alignment);
    dpk_put(&t->new_headers, header, sizeof header);
}

/* A section that is there already: in place where the new crypto data fits, else it moves. */
static void tail_replace_section(struct signing *s, struct tail *t, const struct job *j,
                                 uint32_t usual_type, unsigned alignment)
{
    const struct section *home = &j->slot->home;
    uint8_t *header = t->headers + (home->header - t->object->table);
    uint64_t offset = home->offset;
    if (j->crypto.size <= home->size)
        overwrite(s, j, 0);
    else
        offset = tail_put_content(t, j, alignment);
    set_type(header, wanted_type(s, usual_type));
    set_extent(header, offset, j->crypto.size);
}

static enum dpk_status tail_put_program(struct signing *s, struct tail *t, const struct job *j,
                                        struct dpk_error *err)
{
    const struct dpk_program *p = j->program;
    bool named = p->placement == DPK_PLACEMENT_NAMED;
    unsigned alignment = named ? 1 : CRYPTO_ALIGNMENT;
    if (named) {
        size_t length = strlen(p->crypto_section);
        /* What the slot names is overwritten: not code, nor another program. */
        if (strncmp(p->crypto_section, "sig_", 4) != 0 ||
            strcmp(p->crypto_section + 4, p->name) != 0)
            return dpk_fail(err, DPK_ERR_FORMAT,
                            "program %s: its name section names %s, not sig_%s", p->name,
                            p->crypto_section, p->name);
        if (length >= NAME_SLOT_SIZE)
            return dpk_fail(err, DPK_ERR_RANGE, "section name %s is too long for its %d bytes",
                            p->crypto_section, NAME_SLOT_SIZE);
        uint8_t *slot = s->file.data + j->slot->name_slot;
        memset(slot, 0, NAME_SLOT_SIZE);
        memcpy(slot, p->crypto_section, length);
    }
    if (j->slot->has_home) {
        tail_replace_section(s, t, j, j->slot->home.type, alignment);
        return DPK_OK;
    }
    const struct section *taken = NULL;
    enum dpk_status status = object_find(t->object, p->crypto_section, &taken, err);
    if (status == DPK_OK && taken)
        status = dpk_fail(err, DPK_ERR_EXISTS, "there is a section %s already", taken->name);
    if (status == DPK_OK)
        tail_add_section(t, j, wanted_type(s, named ? SHT_PROGBITS : SHT_CRYPTODATA), alignment);
    return status;
}

/* Header table: the old headers, with the new ones before or behind the name table's. */
static void put_table(struct signing *s, const struct tail *t)
{
    size_t old = t->object->count * sizeof(Elf64_Shdr), before = old;
    if (t->names_last)
        before -= sizeof(Elf64_Shdr);
    dpk_put(&s->file, t->headers, before);
    dpk_put(&s->file, t->new_headers.data, t->new_headers.size);
    dpk_put(&s->file, t->headers + before, old - before);
}

static enum dpk_status tail_write(struct signing *s, struct tail *t, struct dpk_error *err)
{
    size_t added = t->new_headers.size / sizeof(Elf64_Shdr);
    size_t count = t->object->count + added;
    size_t names_index = t->object->names_index + (t->names_last ? added : 0);
    if (count >= SHN_LORESERVE || t->name_table.size > UINT32_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "too many sections: %zu", count);
    if (t->contents.failed || t->name_table.failed || t->new_headers.failed)
        return dpk_fail_nomem(err);

    s->file.size = (size_t)t->begin;
    dpk_put(&s->file, t->contents.data, t->contents.size);
    set_extent(t->headers + (t->names->header - t->object->table), s->file.size,
               t->name_table.size);
    dpk_put(&s->file, t->name_table.data, t->name_table.size);
    dpk_put_align(&s->file, 8, 0);
    uint64_t table = s->file.size;
    put_table(s, t);
    if (s->file.failed)
        return dpk_fail_nomem(err);
    uint8_t *header = s->file.data;
    dpk_store_le64(header + offsetof(Elf64_Ehdr, e_shoff), table);
    store_le16(header + offsetof(Elf64_Ehdr, e_shnum), (uint16_t)count);
    store_le16(header + offsetof(Elf64_Ehdr, e_shstrndx), (uint16_t)names_index);
    return DPK_OK;
}

/* ---- The whole file ---------------------------------------------------------------------------
 */

static int by_home(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Two name slots may name one section; then one program's crypto data would overwrite the other's.
 */
static enum dpk_status check_homes(const struct signing *s, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    size_t n = 0;
    uint64_t *homes = calloc(s->host->program_count, sizeof *homes);
    if (!homes)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < s->host->program_count; i++)
        if (s->host->slots[i].has_home)
            homes[n++] = s->host->slots[i].home.header;
    qsort(homes, n, sizeof *homes, by_home);
    for (size_t i = 1; i < n && status == DPK_OK; i++)
        if (homes[i - 1] == homes[i])
            status = dpk_fail(err, DPK_ERR_FORMAT, "two programs share a section for crypto data");
    free(homes);
    return status;
}

static enum dpk_status place_all(struct signing *s, struct dpk_error *err)
{
    struct tail tail = {0};
    enum dpk_status status = check_homes(s, err);
    size_t others = 0;
    for (size_t i = 0; i < s->host->program_count && status == DPK_OK; i++) {
        const struct job *j = &s->jobs[i];
        if (j->program->placement == DPK_PLACEMENT_RESERVED)
            status = fill_reserved(s, j, err);
        else if (s->host->archive)
            status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                              "member %s: program %s has no reserved section (.dpa_sig_%s), and "
                              "sections cannot be added in an archive; link it first",
                              j->program->member, j->program->name, j->program->name);
        else
            others++;
    }
    if (status != DPK_OK || others == 0)
        return status;
    status = tail_open(s, &tail, err);
    if (!tail.headers)
        return status;
    for (size_t i = 0; i < s->host->program_count && status == DPK_OK; i++)
        if (s->jobs[i].program->placement != DPK_PLACEMENT_RESERVED)
            status = tail_put_program(s, &tail, &s->jobs[i], err);
    if (status == DPK_OK)
        status = tail_write(s, &tail, err);
    tail_close(&tail);
    return status;
}

static enum dpk_status build_all(struct signing *s, const struct dpk_certchain *chain,
                                 const struct dpk_signer *signer, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < s->host->program_count && status == DPK_OK; i++) {
        const struct dpk_program *p = &s->host->programs[i];
        s->jobs[i] = (struct job){.program = p, .slot = &s->host->slots[i]};
        status =
            crypto_build(p->elf, p->elf_size, chain, signer, s->options, &s->jobs[i].crypto, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "program %s", p->name);
    }
    return status;
}

enum dpk_status dpk_hostfile_sign(const struct dpk_hostfile *host,
                                  const struct dpk_certchain *chain,
                                  const struct dpk_signer *signer,
                                  const struct dpk_sign_options *options, struct dpk_buf *out,
                                  struct dpk_error *err)
{
    struct signing s = {.host = host, .options = options};
    enum dpk_status status = DPK_OK;
    if (host->program_count == 0)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in it", host->name);
    s.jobs = calloc(host->program_count, sizeof *s.jobs);
    if (!s.jobs)
        return dpk_fail_nomem(err);
    status = dpk_sign_check(chain, signer, err);
    if (status != DPK_OK)
        goto out;
    status = build_all(&s, chain, signer, err);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "%s", host->name);
        goto out;
    }
    dpk_put(&s.file, host->bytes.data, host->bytes.size);
    if (s.file.failed) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    status = place_all(&s, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", host->name);
    if (status == DPK_OK && out->size == 0) {
        dpk_buf_free(out);
        *out = s.file;
        s.file = (struct dpk_buf){0};
    } else if (status == DPK_OK) {
        dpk_put(out, s.file.data, s.file.size);
        status = out->failed ? dpk_fail_nomem(err) : DPK_OK;
    }
out:
    for (size_t i = 0; i < host->program_count; i++)
        dpk_buf_free(&s.jobs[i].crypto);
    free(s.jobs);
    dpk_buf_free(&s.file);
    return status;
}
