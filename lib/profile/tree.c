/* The tree of frames. */
#include <stdlib.h>
#include <string.h>

#include "profile/inside.h"

enum { FRAMES_MAX = 1 << 24 };

struct dpk_profile {
    struct dpk_profile_frame *frames; /* parents before their children */
    unsigned count, capacity;
    unsigned *buckets; /* frames by hash of parent and name; or DPK_PROFILE_NONE */
    unsigned *chains;  /* next frame in the same bucket, for each frame */
    unsigned bucket_count;
};

static unsigned bucket_of(const struct dpk_profile *p, unsigned parent, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ parent; /* FNV-1a */
    for (const char *c = name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    return (unsigned)((hash ^ hash >> 32) % p->bucket_count);
}

static void link_frame(struct dpk_profile *p, unsigned index)
{
    const struct dpk_profile_frame *f = &p->frames[index];
    unsigned *bucket = &p->buckets[bucket_of(p, f->parent, f->name)];
    p->chains[index] = *bucket;
    *bucket = index;
}

/* Makes room for one more frame. */
static bool grow(struct dpk_profile *p)
{
    if (p->count < p->capacity)
        return true;
    const unsigned capacity = p->capacity ? p->capacity * 2 : 1024;
    if (capacity > FRAMES_MAX)
        return false;
    struct dpk_profile_frame *frames = realloc(p->frames, capacity * sizeof *frames);
    if (frames)
        p->frames = frames;
    unsigned *chains = realloc(p->chains, capacity * sizeof *chains);
    if (chains)
        p->chains = chains;
    unsigned *buckets = malloc(capacity * sizeof *buckets);
    if (!frames || !chains || !buckets) {
        free(buckets);
        return false;
    }
    free(p->buckets);
    p->buckets = buckets;
    p->bucket_count = p->capacity = capacity;
    memset(buckets, 0xff, capacity * sizeof *buckets);
    for (unsigned i = 0; i < p->count; i++)
        link_frame(p, i);
    return true;
}

static unsigned add(struct dpk_profile *p, unsigned parent, const char *name, unsigned depth)
{
    char *copy = strdup(name);
    if (!copy || !grow(p)) {
        free(copy);
        return DPK_PROFILE_NONE;
    }
    const unsigned index = p->count++;
    p->frames[index] = (struct dpk_profile_frame){.name = copy,
                                                  .parent = parent,
                                                  .depth = depth,
                                                  .first = DPK_PROFILE_NONE,
                                                  .next = DPK_PROFILE_NONE};
    link_frame(p, index);
    return index;
}

struct dpk_profile *dpk_profile_create(void)
{
    struct dpk_profile *p = calloc(1, sizeof *p);
    if (p && add(p, DPK_PROFILE_NONE, "all", 0) != DPK_PROFILE_ROOT) {
        dpk_profile_free(p);
        return NULL;
    }
    return p;
}

void dpk_profile_free(struct dpk_profile *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < p->count; i++)
        free((char *)p->frames[i].name);
    free(p->frames);
    free(p->chains);
    free(p->buckets);
    free(p);
}

unsigned dpk_profile_child(struct dpk_profile *p, unsigned parent, const char *name, unsigned line)
{
    char clean[DPK_PROFILE_NAME];
    if (parent >= p->count || p->frames[parent].depth >= DPK_PROFILE_DEPTH)
        return DPK_PROFILE_NONE;
    if (line != 0)
        snprintf(clean, sizeof clean, "%.*s:%u", DPK_PROFILE_NAME - 16, name, line);
    else
        snprintf(clean, sizeof clean, "%s", *name ? name : "?");
    dpk_text_clean(clean);
    for (char *c = clean; (c = strchr(c, ';')) != NULL;)
        *c = ':';
    unsigned i = p->buckets[bucket_of(p, parent, clean)];
    while (i != DPK_PROFILE_NONE &&
           (p->frames[i].parent != parent || strcmp(p->frames[i].name, clean) != 0))
        i = p->chains[i];
    return i != DPK_PROFILE_NONE ? i : add(p, parent, clean, p->frames[parent].depth + 1);
}

/* Saturates, because files may contain any numbers. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void dpk_profile_count(struct dpk_profile *p, unsigned frame, uint64_t instructions)
{
    if (frame < p->count)
        p->frames[frame].self = sum(p->frames[frame].self, instructions);
}

/* ---- Reading ---- */

static int by_parent_and_name(const void *a, const void *b, void *context)
{
    const struct dpk_profile *p = context;
    const struct dpk_profile_frame *x = &p->frames[*(const unsigned *)a],
                                   *y = &p->frames[*(const unsigned *)b];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Links siblings, sorted by name; in order of creation if there is no memory for sorting. */
static void sort_siblings(struct dpk_profile *p)
{
    unsigned *order = malloc(p->count * sizeof *order);
    for (unsigned i = 0; i < p->count; i++) {
        p->frames[i].first = p->frames[i].next = DPK_PROFILE_NONE;
        if (order)
            order[i] = i;
    }
    if (order && p->count > 1)
        qsort_r(order + 1, p->count - 1, sizeof *order, by_parent_and_name, p);
    for (unsigned i = p->count; i-- > 1;) {
        struct dpk_profile_frame *f = &p->frames[order ? order[i] : i];
        struct dpk_profile_frame *parent = &p->frames[f->parent];
        f->next = parent->first;
        parent->first = (unsigned)(f - p->frames);
    }
    free(order);
}

void dpk_profile_settle(struct dpk_profile *p)
{
    sort_siblings(p);
    for (unsigned i = 0; i < p->count; i++)
        p->frames[i].total = p->frames[i].self;
    for (unsigned i = p->count; i-- > 1;) {
        uint64_t *total = &p->frames[p->frames[i].parent].total;
        *total = sum(*total, p->frames[i].total);
    }
}

unsigned dpk_profile_frames(const struct dpk_profile *p)
{
    return p->count;
}

const struct dpk_profile_frame *dpk_profile_frame(const struct dpk_profile *p, unsigned index)
{
    return index < p->count ? &p->frames[index] : NULL;
}
