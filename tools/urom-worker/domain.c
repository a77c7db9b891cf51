/* Domains: the workers and the buffers of other programs. Those programs wrote the texts, so each
 * size is checked before the text is used. */
#include <stdlib.h>
#include <string.h>

#include "worker.h"

#define MANY 65536u /* members, or buffers, of a domain */

struct bytes {
    const uint8_t *at; /* where the bytes start in the domain's text */
    size_t size;
};
struct address {
    uint64_t id, plugin;
    struct bytes bytes;
};
struct segment {
    uint64_t program; /* index of the program, from 0 */
    uint64_t va, size;
    struct bytes memh, mkey;
};
/* A worker and its program. */
struct peer {
    uint64_t id, program;
};
struct domain {
    struct domain *next;
    uint64_t cookie;
    struct dpk_buf text;
    struct address *addresses;
    struct segment *segments;
    struct peer *peers;
    size_t address_count, segment_count, peer_count;
};

/* ---- Reading ---- */

/* Returns a new last element, or NULL. */
static void *grow(void *array, size_t *count, size_t size)
{
    void **at = array;
    void *more = *count < MANY ? reallocarray(*at, *count + 1, size) : NULL;
    if (!more)
        return NULL;
    *at = more;
    return (uint8_t *)more + (*count)++ * size;
}

static struct bytes read_bytes(struct dpk_reader *r)
{
    struct bytes b;
    b.at = dpk_urom_read_text(r, DPK_UROM_MESSAGE_MAX, &b.size);
    return b;
}

/* Reads the addresses of a worker, one for each of its plugins. */
static bool read_worker(struct domain *d, struct dpk_reader *r, uint64_t program)
{
    const uint64_t id = dpk_read_le64(r);
    struct bytes all = read_bytes(r);
    struct dpk_reader in = dpk_reader(all.at, all.size);
    struct peer *peer = grow(&d->peers, &d->peer_count, sizeof *peer);
    if (!peer)
        return false;
    *peer = (struct peer){id, program};
    const uint32_t count = dpk_read_le32(&in);
    for (uint32_t i = 0; i < count && !in.failed; i++) {
        struct address *a = grow(&d->addresses, &d->address_count, sizeof *a);
        if (!a)
            return false;
        a->id = id;
        a->plugin = dpk_read_le64(&in);
        a->bytes = read_bytes(&in);
    }
    return !r->failed && !in.failed;
}

static bool read_segment(struct domain *d, struct dpk_reader *r, uint64_t program)
{
    struct segment *s = grow(&d->segments, &d->segment_count, sizeof *s);
    if (!s)
        return false;
    s->program = program;
    s->va = dpk_read_le64(r);
    s->size = dpk_read_le64(r);
    s->memh = read_bytes(r);
    s->mkey = read_bytes(r);
    return !r->failed;
}

static bool read_program(struct domain *d, struct dpk_reader *r, uint64_t program)
{
    bool good = true;
    const uint32_t workers = dpk_read_le32(r);
    for (uint32_t i = 0; good && i < workers; i++)
        good = read_worker(d, r, program);
    const uint32_t segments = dpk_read_le32(r);
    for (uint32_t i = 0; good && i < segments; i++)
        good = read_segment(d, r, program);
    return good && !r->failed;
}

static bool read_domain(struct domain *d)
{
    struct dpk_reader r = dpk_reader(d->text.data, d->text.size);
    const uint32_t programs = dpk_read_le32(&r);
    bool good = !r.failed;
    for (uint32_t i = 0; good && i < programs; i++) {
        const struct bytes text = read_bytes(&r);
        struct dpk_reader in = dpk_reader(text.at, text.size);
        good = !r.failed && read_program(d, &in, i);
    }
    return good;
}

static void free_domain(struct domain *d)
{
    dpk_buf_free(&d->text);
    free(d->addresses);
    free(d->segments);
    free(d->peers);
    free(d);
}

doca_error_t worker_domain_join(struct worker *w, uint64_t cookie, struct dpk_reader *body)
{
    struct domain *d = calloc(1, sizeof *d);
    if (!d)
        return DOCA_ERROR_NO_MEMORY;
    const size_t size = dpk_reader_left(body);
    const uint8_t *bytes = dpk_read_bytes(body, size);
    d->cookie = cookie;
    if (bytes)
        dpk_put(&d->text, bytes, size);
    if (body->failed || d->text.failed || !read_domain(d)) {
        free_domain(d);
        return DOCA_ERROR_INVALID_VALUE;
    }
    d->next = w->domains;
    w->domains = d;
    return DOCA_SUCCESS;
}

void worker_domain_leave(struct worker *w, uint64_t cookie)
{
    for (struct domain **at = &w->domains; *at; at = &(*at)->next)
        if ((*at)->cookie == cookie) {
            struct domain *d = *at;
            *at = d->next;
            free_domain(d);
            return;
        }
}

void worker_domain_leave_all(struct worker *w)
{
    for (struct domain *d; (d = w->domains);) {
        w->domains = d->next;
        free_domain(d);
    }
}

/* ---- Looking up ---- */

static const struct worker *worker_of(const struct urom_worker_ctx *ctx)
{
    return ((const struct plugin *)ctx)->worker;
}

static doca_error_t addr_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, void **addr)
{
    const uint64_t plugin = ((const struct plugin *)ctx)->id;
    for (const struct domain *d = worker_of(ctx)->domains; d; d = d->next)
        for (size_t i = 0; i < d->address_count; i++) {
            const struct address *a = &d->addresses[i];
            if (a->id == domain_id && a->plugin == plugin && a->bytes.size > 0) {
                *addr = (void *)a->bytes.at;
                return DOCA_SUCCESS;
            }
        }
    return DOCA_ERROR_NOT_FOUND;
}

/* Returns the segment of a worker's program for which the caller's test is true, or NULL. */
static const struct segment *find_segment(const struct urom_worker_ctx *ctx, uint64_t domain_id,
                                          int number, const uint64_t *va, int *found)
{
    for (const struct domain *d = worker_of(ctx)->domains; d; d = d->next)
        for (size_t p = 0; p < d->peer_count; p++) {
            int at = 0;
            for (size_t i = 0; d->peers[p].id == domain_id && i < d->segment_count; i++) {
                const struct segment *s = &d->segments[i];
                if (s->program != d->peers[p].program)
                    continue;
                if (va ? *va >= s->va && *va - s->va < s->size : at == number) {
                    *found = at;
                    return s;
                }
                at++;
            }
        }
    return NULL;
}

static doca_error_t seg_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, uint64_t va,
                               int *seg)
{
    return find_segment(ctx, domain_id, 0, &va, seg) ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND;
}

static doca_error_t give(const struct bytes *b, size_t *len, void **out)
{
    *len = b->size;
    *out = (void *)b->at;
    return DOCA_SUCCESS;
}

static doca_error_t memh_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                size_t *len, void **memh)
{
    int found;
    const struct segment *s = find_segment(ctx, domain_id, seg, NULL, &found);
    return s ? give(&s->memh, len, memh) : DOCA_ERROR_NOT_FOUND;
}

static doca_error_t mkey_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
                                size_t *len, void **rkey)
{
    int found;
    const struct segment *s = find_segment(ctx, domain_id, seg, NULL, &found);
    return s ? give(&s->mkey, len, rkey) : DOCA_ERROR_NOT_FOUND;
}

const struct urom_domain_lookups_iface worker_domain_lookups = {.addr_lookup = addr_lookup,
                                                                .seg_lookup = seg_lookup,
                                                                .memh_lookup = memh_lookup,
                                                                .mkey_lookup = mkey_lookup};
