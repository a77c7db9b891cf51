/* Collects changes of a host file and makes the new file. */
#include "edit.h"

#include <stdlib.h>
#include <string.h>

enum dpk_status hostfile_edit_open(const struct dpk_hostfile *host, struct dpk_edited **out,
                                   struct dpk_error *err)
{
    struct dpk_edited *e = calloc(1, sizeof *e);
    *out = NULL;
    if (e) {
        e->host = host;
        e->tails = calloc(host->object_count + 1, sizeof(struct tail *));
    }
    if (!e || !e->tails) {
        free(e);
        return dpk_fail_nomem(err);
    }
    *out = e;
    return DPK_OK;
}

static void tail_free(struct tail *t)
{
    if (!t)
        return;
    free(t->headers);
    dpk_buf_free(&t->contents);
    dpk_buf_free(&t->name_table);
    dpk_buf_free(&t->new_headers);
    dpk_buf_free(&t->bytes);
    free(t);
}

void dpk_edited_free(struct dpk_edited *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->host->object_count; i++)
        tail_free(e->tails[i]);
    free(e->tails);
    free(e->pieces);
    free(e->patches);
    dpk_buf_free(&e->arena);
    free(e);
}

const struct dpk_piece *dpk_edited_pieces(const struct dpk_edited *e, size_t *count)
{
    *count = e->piece_count;
    return e->pieces;
}

/* ---- Overwriting ---- */

static void add_patch(struct dpk_edited *e, uint64_t at, size_t size)
{
    if (e->patch_count == e->patch_capacity) {
        size_t capacity = e->patch_capacity ? 2 * e->patch_capacity : 64;
        struct patch *more = reallocarray(e->patches, capacity, sizeof *more);
        if (!more) {
            e->arena.failed = true;
            return;
        }
        e->patches = more;
        e->patch_capacity = capacity;
    }
    e->patches[e->patch_count++] =
        (struct patch){.at = at, .size = size, .content = e->arena.size - size};
}

void hostfile_edit_put(struct dpk_edited *e, uint64_t at, const void *data, size_t size)
{
    dpk_put(&e->arena, data, size);
    if (size && !e->arena.failed)
        add_patch(e, at, size);
}

/* Overwrites with these bytes, and frees them. */
static void put_buf(struct dpk_edited *e, uint64_t at, struct dpk_buf *bytes)
{
    e->arena.failed = e->arena.failed || bytes->failed;
    hostfile_edit_put(e, at, bytes->data, bytes->size);
    dpk_buf_free(bytes);
}

void hostfile_edit_clear(struct dpk_edited *e, uint64_t at, size_t size)
{
    dpk_put_fill(&e->arena, 0, size);
    if (size && !e->arena.failed)
        add_patch(e, at, size);
}

/* Reads the object's headers. */
static struct dpk_elf elf_of(const struct dpk_edited *e, const struct object *o)
{
    return dpk_elf(e->host->bytes.data + o->base, (size_t)o->size);
}

/* A new end contains the section headers; without a new end, the header in the file is patched. */
void hostfile_edit_set_type(struct dpk_edited *e, size_t index, const struct section *s,
                            uint32_t type)
{
    const struct object *o = &e->host->objects[index];
    const struct dpk_elf elf = elf_of(e, o);
    struct dpk_elf_section header = dpk_elf_section(&elf, hostfile_object_index(o, s));
    struct dpk_buf bytes = {0};
    if (e->tails[index]) {
        e->tails[index]->headers[hostfile_object_index(o, s)].type = type;
        return;
    }
    header.type = type;
    dpk_elf_put_section(&bytes, &header);
    put_buf(e, s->header, &bytes);
}

void hostfile_tail_set_extent(struct tail *t, const struct section *s, uint64_t offset,
                              uint64_t size)
{
    struct dpk_elf_section *header = &t->headers[hostfile_object_index(t->object, s)];
    header->offset = offset;
    header->size = size;
}

/* ---- Pieces ---- */

static int by_place(const void *a, const void *b)
{
    const struct patch *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void add_piece(struct dpk_edited *e, const void *data, uint64_t size)
{
    if (size)
        e->pieces[e->piece_count++] = (struct dpk_piece){data, (size_t)size};
}

/* Adds the old bytes [from, to) and the patches among them. `*next` is the first unused patch. */
static enum dpk_status add_old(struct dpk_edited *e, uint64_t from, uint64_t to, size_t *next,
                               struct dpk_error *err)
{
    const uint8_t *old = e->host->bytes.data;
    for (; *next < e->patch_count && e->patches[*next].at < to; ++*next) {
        const struct patch *p = &e->patches[*next];
        if (p->at < from || p->size > to - p->at)
            return dpk_fail(err, DPK_ERR_FORMAT, "two changes of the same bytes");
        add_piece(e, old + from, p->at - from);
        add_piece(e, e->arena.data + p->content, p->size);
        from = p->at + p->size;
    }
    add_piece(e, old + from, to - from);
    return DPK_OK;
}

/* Drops patches of bytes that a new end replaces. */
static void drop_patches(struct dpk_edited *e, uint64_t from, uint64_t to)
{
    size_t n = 0;
    for (size_t i = 0; i < e->patch_count; i++)
        if (e->patches[i].at < from || e->patches[i].at >= to)
            e->patches[n++] = e->patches[i];
    e->patch_count = n;
}

static enum dpk_status put_pieces(struct dpk_edited *e, struct dpk_error *err)
{
    const struct dpk_hostfile *host = e->host;
    enum dpk_status status = DPK_OK;
    uint64_t at = 0;
    size_t next = 0;
    for (size_t i = 0; i < host->object_count && status == DPK_OK; i++) {
        const struct object *o = &host->objects[i];
        const struct tail *t = e->tails[i];
        if (!t)
            continue;
        status = add_old(e, at, o->base + t->keep, &next, err);
        add_piece(e, t->bytes.data, t->bytes.size);
        at = o->base + o->size;
        uint64_t size = t->keep + t->bytes.size;
        if (host->archive && size % 2)
            add_piece(e, "\n", 1);
        if (host->archive && o->size % 2 && at < host->bytes.size)
            at++;
    }
    return status == DPK_OK ? add_old(e, at, host->bytes.size, &next, err) : status;
}

static enum dpk_status tail_finish(struct dpk_edited *e, struct tail *t, struct dpk_error *err);

enum dpk_status hostfile_edit_finish(struct dpk_edited *e, struct dpk_error *err)
{
    const struct dpk_hostfile *host = e->host;
    enum dpk_status status = DPK_OK;
    uint64_t *sizes = calloc(host->object_count + 1, sizeof *sizes);
    if (!sizes)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < host->object_count && status == DPK_OK; i++) {
        const struct object *o = &host->objects[i];
        struct tail *t = e->tails[i];
        sizes[i] = o->size;
        if (!t)
            continue;
        drop_patches(e, o->base + t->keep, o->base + o->size);
        status = tail_finish(e, t, err);
        sizes[i] = t->keep + t->bytes.size;
    }
    if (status == DPK_OK && host->archive)
        status = hostfile_archive_adjust(e, sizes, err);
    if (status == DPK_OK && e->arena.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK) {
        /* A patch needs two pieces at most, an object three. */
        e->pieces = calloc(2 * e->patch_count + 3 * host->object_count + 1, sizeof *e->pieces);
        status = e->pieces ? DPK_OK : dpk_fail_nomem(err);
    }
    if (status == DPK_OK && e->patch_count)
        qsort(e->patches, e->patch_count, sizeof *e->patches, by_place);
    if (status == DPK_OK)
        status = put_pieces(e, err);
    free(sizes);
    return status;
}

/* ---- Ends ---- */

static bool is_padding(const uint8_t *p, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (p[i])
            return false;
    return size < 8;
}

static bool has_content(const struct section *s)
{
    return s->type != SHT_NULL && s->type != SHT_NOBITS && s->size > 0;
}

/* Returns true if the object ends with its name table and header table, which can then move. */
static bool ends_with_tables(const struct dpk_hostfile *host, const struct object *o)
{
    const struct section *names = &o->sections[o->names_index];
    uint64_t names_end = names->offset + names->size;
    if (names->offset < o->segments_end || o->table < names_end ||
        o->table + o->count * sizeof(Elf64_Shdr) != o->base + o->size ||
        !is_padding(host->bytes.data + names_end, o->table - names_end))
        return false;
    for (size_t i = 1; i < o->count; i++) {
        const struct section *s = &o->sections[i];
        if (has_content(s) && s != names && s->offset + s->size > names->offset)
            return false;
    }
    return true;
}

/* Returns true if a section refers to the name table by its index. */
static bool names_are_referred_to(const struct object *o)
{
    for (size_t i = 1; i < o->count; i++)
        if (o->sections[i].link == o->names_index)
            return true;
    return false;
}

enum dpk_status hostfile_edit_tail(struct dpk_edited *e, size_t index, struct tail **out,
                                   struct dpk_error *err)
{
    const struct dpk_hostfile *host = e->host;
    const struct object *o = &host->objects[index];
    const struct section *names = &o->sections[o->names_index];
    const struct dpk_elf elf = elf_of(e, o);
    *out = e->tails[index];
    if (*out)
        return DPK_OK;
    if (names->flags & SHF_COMPRESSED)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s is compressed", names->name);
    struct tail *t = calloc(1, sizeof *t);
    if (t)
        t->headers = calloc(o->count, sizeof *t->headers);
    if (!t || !t->headers) {
        free(t);
        return dpk_fail_nomem(err);
    }
    t->object = o;
    t->names = names;
    t->keep = ends_with_tables(host, o) ? names->offset - o->base : o->size;
    t->names_last = !o->extended && o->names_index == o->count - 1 && !names_are_referred_to(o);
    t->count = o->count;
    for (size_t i = 0; i < t->count; i++)
        t->headers[i] = dpk_elf_section(&elf, i);
    dpk_put(&t->name_table, host->bytes.data + names->offset, names->size);
    *out = e->tails[index] = t;
    return DPK_OK;
}

uint64_t hostfile_tail_put_content(struct tail *t, const void *data, size_t size,
                                   unsigned alignment)
{
    uint64_t end = t->keep + t->contents.size;
    dpk_put_fill(&t->contents, 0, (size_t)(-end & (alignment - 1)));
    uint64_t offset = t->keep + t->contents.size;
    dpk_put(&t->contents, data, size);
    return offset;
}

void hostfile_tail_add_section(struct tail *t, const char *name, uint32_t type, unsigned alignment,
                               const void *data, size_t size)
{
    struct dpk_elf_section header = {
        .name = (uint32_t)t->name_table.size, .type = type, .size = size, .alignment = alignment};
    dpk_put(&t->name_table, name, strlen(name) + 1);
    header.offset = hostfile_tail_put_content(t, data, size, alignment);
    dpk_elf_put_section(&t->new_headers, &header);
}

/* ---- Removing ---- */

static bool among(const size_t *indices, size_t count, size_t i)
{
    for (size_t low = 0, high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (indices[middle] == i)
            return true;
        if (indices[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Returns the end of the remaining sections, without the two tables. */
static uint64_t end_of_rest(const struct object *o, const size_t *indices, size_t count)
{
    uint64_t end = o->segments_end;
    for (size_t i = 1; i < o->count; i++) {
        const struct section *s = &o->sections[i];
        if (i != o->names_index && !among(indices, count, i) && has_content(s) &&
            s->offset + s->size > end)
            end = s->offset + s->size;
    }
    return end;
}

/* Returns the end of the names of remaining sections in the name table. A name may be the end of
 * another. */
static size_t end_of_names(const struct dpk_hostfile *host, const struct tail *t,
                           const size_t *indices, size_t count)
{
    const char *table = (const char *)host->bytes.data + t->names->offset;
    size_t end = 1;
    for (size_t i = 1; i < t->object->count; i++) {
        const char *name = t->object->sections[i].name;
        size_t name_end = (size_t)(name - table) + strlen(name) + 1;
        if (!among(indices, count, i) && name_end > end)
            end = name_end;
    }
    return end;
}

/* Removes the name if it is the last in the table and not before `kept`. */
static void forget_name(struct tail *t, const struct section *s, size_t kept)
{
    size_t length = strlen(s->name) + 1, size = t->name_table.size;
    if (size >= kept + length && memcmp(t->name_table.data + size - length, s->name, length) == 0 &&
        t->name_table.data[size - length - 1] == 0)
        t->name_table.size -= length;
}

void hostfile_tail_remove_sections(struct dpk_edited *e, struct tail *t, const size_t *indices,
                                   size_t count)
{
    const struct object *o = t->object;
    bool at_end = t->keep < o->size; /* the two tables are the object's last bytes */
    size_t last = o->count;          /* the header before this index can be removed */
    if (o->names_index == o->count - 1)
        last = names_are_referred_to(o) ? 0 : o->count - 1;
    uint64_t end = end_of_rest(o, indices, count) - o->base;
    size_t names_end = end_of_names(e->host, t, indices, count);
    if (at_end && end < t->keep)
        t->keep = end;
    for (size_t n = count; n-- > 0;) {
        const struct section *s = &o->sections[indices[n]];
        uint64_t at = s->offset - o->base;
        if (has_content(s) && at < t->keep)
            hostfile_edit_clear(e, s->offset,
                                (size_t)(s->size < t->keep - at ? s->size : t->keep - at));
        forget_name(t, s, names_end);
        struct dpk_elf_section *header = &t->headers[indices[n]];
        /* Other sections may refer to later sections by their number, so keep an empty header. */
        if (indices[n] + 1 != last) {
            *header = (struct dpk_elf_section){0};
            continue;
        }
        memmove(header, header + 1, (t->count - indices[n] - 1) * sizeof *header);
        t->count--;
        last--;
    }
}

/* ---- Finishing ---- */

static enum dpk_status tail_finish(struct dpk_edited *e, struct tail *t, struct dpk_error *err)
{
    const struct object *o = t->object;
    struct dpk_elf elf = elf_of(e, o);
    struct dpk_buf file_header = {0};
    size_t added = t->new_headers.size / sizeof(Elf64_Shdr), before = t->count;
    size_t removed = o->count - t->count; /* directly before the name table, or after it */
    size_t names_index = o->names_index;
    if (names_index == o->count - 1)
        names_index -= removed;
    struct dpk_elf_section *names = &t->headers[names_index];
    if (t->name_table.size > UINT32_MAX || t->count + added > UINT32_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "too many sections: %zu", t->count + added);
    if (t->names_last) {
        before--;
        names_index += added;
    }
    dpk_put(&t->bytes, t->contents.data, t->contents.size);
    names->offset = t->keep + t->bytes.size;
    names->size = t->name_table.size;
    dpk_put(&t->bytes, t->name_table.data, t->name_table.size);
    dpk_put_fill(&t->bytes, 0, (size_t)(-(t->keep + t->bytes.size) & 7));
    dpk_elf_set_sections(&elf, &t->headers[0], t->keep + t->bytes.size, t->count + added,
                         names_index);
    for (size_t i = 0; i < before; i++)
        dpk_elf_put_section(&t->bytes, &t->headers[i]);
    dpk_put(&t->bytes, t->new_headers.data, t->new_headers.size);
    for (size_t i = before; i < t->count; i++)
        dpk_elf_put_section(&t->bytes, &t->headers[i]);
    dpk_elf_put_file_header(&file_header, &elf);
    put_buf(e, o->base, &file_header);
    bool failed = t->contents.failed || t->name_table.failed || t->new_headers.failed;
    return failed || t->bytes.failed ? dpk_fail_nomem(err) : DPK_OK;
}
