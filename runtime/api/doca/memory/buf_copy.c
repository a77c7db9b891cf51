/* Copies between lists of buffers. */
#include <inttypes.h>

#include "buf.h"

static doca_error_t refuse(doca_error_t result, char why[DPK_MMAP_WHY_MAX], const char *text)
{
    snprintf(why, DPK_MMAP_WHY_MAX, "%s", text);
    return result;
}

/* Memory imported from an export of this process is replaced by the exported memory. Current rights of the
 * owner count, not those in the export. */
doca_error_t dpk_mmap_access(uint32_t key, bool write, const struct dpk_memory_domain *domain,
                             struct dpk_memory_access *a, char why[DPK_MMAP_WHY_MAX])
{
    struct dpk_memory m;
    a->key = key;
    a->rights = write ? DPK_MEMORY_WRITE : DPK_MEMORY_READ;
    a->domain = domain;
    if (!dpk_memory_describe(a->key, &m))
        return refuse(DOCA_ERROR_IO_FAILED, why, "its map was stopped, or its DPA context");
    if (!dpk_memory_is_in(&m, domain))
        return refuse(DOCA_ERROR_NOT_PERMITTED, why,
                      "its map is not on the device of the context (doca_mmap_add_dev)");
    if (m.kind == DPK_MEMORY_REMOTE) {
        const bool own = dpk_uuid_equal(&m.exporter.identity, dpk_process_identity());
        if (!own && m.exporter.process == 0)
            return refuse(DOCA_ERROR_NOT_SUPPORTED, why,
                          "its map is an export for RDMA (doca_mmap_export_rdma), not for PCIe");
        a->rights = write ? DPK_MEMORY_EXPORT_WRITE : DPK_MEMORY_EXPORT_READ;
        if (own) {
            a->key = m.exported_key;
            if (!dpk_memory_describe(a->key, &m))
                return refuse(DOCA_ERROR_IO_FAILED, why,
                              "the map that its map was imported from is not started any more");
            a->domain = m.domains[0];
        }
    }
    if ((m.rights & a->rights) == a->rights)
        return DOCA_SUCCESS;
    char rights[60];
    snprintf(why, DPK_MMAP_WHY_MAX, "its map permits no %s (doca_mmap_set_permissions)",
             dpk_memory_right_names(a->rights & ~m.rights, rights, sizeof rights));
    return DOCA_ERROR_NOT_PERMITTED;
}

doca_error_t dpk_buf_memory(const struct dpk_doca_buf *b, bool write,
                            const struct dpk_memory_domain *domain, struct dpk_memory_access *a)
{
    char why[DPK_MMAP_WHY_MAX];
    pthread_mutex_lock(&b->mmap->object.lock);
    const uint32_t key = b->mmap->key; /* 0: a thread-safe map was stopped */
    pthread_mutex_unlock(&b->mmap->object.lock);
    const doca_error_t result = dpk_mmap_access(key, write, domain, a, why);
    return result == DOCA_SUCCESS
               ? result
               : dpk_doca_because(result, "the buffer of %" PRIu64 " bytes at 0x%" PRIx64 ": %s",
                                  b->len, b->head, why);
}

static uint64_t room_of(const struct dpk_doca_buf *b)
{
    return b->len - (b->data - b->head) - b->data_len;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Position of a copy: after `done` bytes of a buffer's data or room. */
struct cursor {
    struct dpk_doca_buf *at;
    uint64_t done;
};

static uint64_t left_to_read(struct cursor *c)
{
    while (c->at && c->done == c->at->data_len)
        *c = (struct cursor){.at = c->at->next};
    return c->at ? c->at->data_len - c->done : 0;
}

static uint64_t left_to_write(struct cursor *c)
{
    while (c->at && c->done == room_of(c->at))
        *c = (struct cursor){.at = c->at->next};
    return c->at ? room_of(c->at) - c->done : 0;
}

/* Part of a copy, from one buffer to one buffer. */
struct stretch {
    struct dpk_memory_access from, to;
    struct dpk_doca_buf *into; /* held */
};

/* The parts of a copy. They are found with the lock and copied without it, so that other buffers
 * can be used meanwhile. The program must leave these buffers alone. */
struct plan {
    struct stretch *list;
    size_t count, capacity;
};

static void plan_free(struct plan *p)
{
    while (p->count > 0)
        dpk_object_drop(p->list[--p->count].into);
    free(p->list);
}

static bool is_apart(const struct dpk_memory_access *a, const struct dpk_memory_access *b)
{
    return a->key != b->key ||
           (a->address - b->address >= b->size && b->address - a->address >= a->size);
}

static doca_error_t add(struct plan *p, const struct stretch *s)
{
    if (!is_apart(&s->from, &s->to))
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "the source overlaps with where it goes, at 0x%" PRIx64,
                                s->to.address);
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity ? 2 * p->capacity : 8;
        struct stretch *more = reallocarray(p->list, capacity, sizeof *more);
        if (!more)
            return DOCA_ERROR_NO_MEMORY;
        p->list = more;
        p->capacity = capacity;
    }
    dpk_object_hold(s->into);
    p->list[p->count++] = *s;
    return DOCA_SUCCESS;
}

/* Call this with the lock. */
static doca_error_t make_plan(struct dpk_doca_buf *from, struct dpk_doca_buf *to,
                              const struct dpk_memory_domain *domain, struct plan *p)
{
    struct cursor f = {.at = from}, t = {.at = to};
    doca_error_t result = DOCA_SUCCESS;
    for (uint64_t n; result == DOCA_SUCCESS && (n = left_to_read(&f)) > 0;) {
        struct stretch s = {0};
        if (left_to_write(&t) == 0)
            return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                    "the data does not fit after the data of the destination: at "
                                    "least %" PRIu64 " bytes are left",
                                    n);
        s.into = t.at;
        s.from.size = s.to.size = smaller(n, left_to_write(&t));
        s.from.address = f.at->data + f.done;
        s.to.address = t.at->data + t.at->data_len + t.done;
        result = dpk_buf_memory(f.at, false, domain, &s.from);
        DOCA_ERROR_PROPAGATE(result, dpk_buf_memory(t.at, true, domain, &s.to));
        if (result == DOCA_SUCCESS)
            result = add(p, &s);
        f.done += s.from.size;
        t.done += s.to.size;
    }
    return result == DOCA_SUCCESS && p->count == 0
               ? dpk_doca_because(DOCA_ERROR_EMPTY, "the source has no data (doca_buf_set_data)")
               : result;
}

/* Extends the data of the destination. Call this with the lock. */
static void grow(const struct plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct dpk_doca_buf *b = p->list[i].into;
        b->data_len += smaller(p->list[i].to.size, room_of(b));
    }
}

static doca_error_t refuse_copy(const struct stretch *s)
{
    char why[DPK_MEMORY_REASON_MAX];
    return dpk_doca_because(
        DOCA_ERROR_IO_FAILED, "copy of %" PRIu64 " bytes from 0x%" PRIx64 " to 0x%" PRIx64 ": %s",
        s->to.size, s->from.address, s->to.address, dpk_memory_explain_copy(&s->to, &s->from, why));
}

static doca_error_t copy_lists(struct dpk_doca_buf *from, struct dpk_doca_buf *to,
                               const struct dpk_memory_domain *domain, bool for_real)
{
    struct plan p = {0};
    pthread_mutex_lock(&dpk_bufs_lock);
    doca_error_t result = from->holders > 0 && to->holders > 0 ? make_plan(from, to, domain, &p)
                                                               : DOCA_ERROR_INVALID_VALUE;
    pthread_mutex_unlock(&dpk_bufs_lock);
    for (size_t i = 0; for_real && result == DOCA_SUCCESS && i < p.count; i++)
        if (!dpk_memory_copy(&p.list[i].to, &p.list[i].from))
            result = refuse_copy(&p.list[i]);
    pthread_mutex_lock(&dpk_bufs_lock);
    if (for_real && result == DOCA_SUCCESS)
        grow(&p);
    pthread_mutex_unlock(&dpk_bufs_lock);
    plan_free(&p);
    return result;
}

static doca_error_t with_lists(const struct doca_buf *from, struct doca_buf *to,
                               const struct dpk_memory_domain *domain, bool for_real)
{
    struct dpk_doca_buf *f = dpk_object_pin(from, &dpk_buf_kind);
    struct dpk_doca_buf *t = dpk_object_pin(to, &dpk_buf_kind);
    doca_error_t result = f && t ? copy_lists(f, t, domain, for_real) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(t);
    dpk_object_drop(f);
    return result;
}

doca_error_t dpk_buf_list_copy(const struct doca_buf *from, struct doca_buf *to,
                               const struct dpk_memory_domain *domain)
{
    return with_lists(from, to, domain, true);
}

doca_error_t dpk_buf_list_check(const struct doca_buf *from, struct doca_buf *to,
                                const struct dpk_memory_domain *domain)
{
    return with_lists(from, to, domain, false);
}

bool dpk_is_buf(const struct doca_buf *buf)
{
    struct dpk_doca_buf *b = dpk_object_pin(buf, &dpk_buf_kind);
    dpk_object_drop(b);
    return b != NULL;
}
