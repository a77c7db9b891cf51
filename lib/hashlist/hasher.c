#include "hasher.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <openssl/evp.h>

#define WORTH_A_THREAD ((uint64_t)1 << 20) /* bytes */

void hashlist_hasher_add(struct hasher *h, struct span span, struct hash *out)
{
    h->tasks[h->count++] = (struct hasher_task){span, out};
}

/* Puts tasks with the same first byte next to each other, short tasks first. */
static int by_place(const void *a, const void *b)
{
    const struct span *x = &((const struct hasher_task *)a)->span,
                      *y = &((const struct hasher_task *)b)->span;
    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    return x->size < y->size ? -1 : x->size > y->size;
}

/* Tasks with the same first byte, which share one pass over the bytes. */
struct group {
    const struct hasher_task *tasks;
    size_t count, bytes; /* bytes: length of the longest task */
};

static int long_ones_first(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

struct round {
    struct group groups[HASHER_MAX];
    size_t count;
    EVP_MD *sha256;
    atomic_bool failed;
};

static void find_groups(struct round *r, struct hasher *h)
{
    qsort(h->tasks, h->count, sizeof *h->tasks, by_place);
    for (size_t i = 0; i < h->count; i++) {
        const struct hasher_task *t = &h->tasks[i];
        if (i == 0 || t->span.data != t[-1].span.data)
            r->groups[r->count++] = (struct group){.tasks = t};
        struct group *g = &r->groups[r->count - 1];
        g->count++;
        g->bytes = t->span.size;
    }
    qsort(r->groups, r->count, sizeof *r->groups, long_ones_first);
}

static void hash_group(void *context, size_t index)
{
    struct round *r = context;
    const struct group *g = &r->groups[index];
    EVP_MD_CTX *all = EVP_MD_CTX_new(), *part = EVP_MD_CTX_new();
    bool good = all && part && EVP_DigestInit_ex2(all, r->sha256, NULL) == 1;
    size_t done = 0;
    for (size_t i = 0; i < g->count && good; i++) {
        const struct hasher_task *t = &g->tasks[i];
        if (t->span.size > done)
            good = EVP_DigestUpdate(all, t->span.data + done, t->span.size - done) == 1;
        done = t->span.size;
        good = good && EVP_MD_CTX_copy_ex(part, all) == 1 &&
               EVP_DigestFinal_ex(part, t->out->bytes, NULL) == 1;
    }
    EVP_MD_CTX_free(part);
    EVP_MD_CTX_free(all);
    if (!good)
        atomic_store(&r->failed, true);
}

enum dpk_status hashlist_hasher_run(struct hasher *h, unsigned threads, struct dpk_error *err)
{
    uint64_t bytes = 0;
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    struct round r = {.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL)};
    if (!r.sha256)
        return dpk_fail(err, DPK_ERR_CRYPTO, "SHA-256 is not available");
    find_groups(&r, h);
    for (size_t i = 0; i < r.count; i++)
        bytes += r.groups[i].bytes;
    dpk_parallel(r.count, bytes < WORTH_A_THREAD ? 1 : threads, hash_group, &r);
    EVP_MD_free(r.sha256);
    if (atomic_load(&r.failed))
        return dpk_fail(err, DPK_ERR_CRYPTO, "SHA-256 failed");
    return DPK_OK;
}
