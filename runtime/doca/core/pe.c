/* Progress engines. */
#include <doca_pe.h>

#include "doca/core/core.h"
#include "pe.h"

struct dpk_pe {
    struct dpk_object object;
    struct dpk_ctx *first; /* a queue: the first is the next to progress */
};

static void pe_release(void *object)
{
    free(object);
}
static const struct dpk_kind pe_kind = {.release = pe_release};

doca_error_t doca_pe_create(struct doca_pe **pe)
{
    if (!pe)
        return DOCA_ERROR_INVALID_VALUE;
    struct dpk_pe *p = calloc(1, sizeof *p);
    *pe = p ? dpk_object_enter(p, &pe_kind) : NULL;
    return *pe ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
    return dpk_object_destroy(pe, &pe_kind);
}

/* Puts a context at the end of the line. With the lock of `p` held. */
static void append(struct dpk_pe *p, struct dpk_ctx *c)
{
    struct dpk_ctx **at = &p->first;
    while (*at)
        at = &(*at)->next_in_pe;
    *at = c;
    c->next_in_pe = NULL;
}

static bool take_out(struct dpk_pe *p, const struct dpk_ctx *c)
{
    struct dpk_ctx **at = &p->first;
    while (*at && *at != c)
        at = &(*at)->next_in_pe;
    if (!*at)
        return false;
    *at = c->next_in_pe;
    return true;
}

static doca_error_t connect_ctx(struct dpk_pe *p, struct dpk_ctx *c)
{
    doca_error_t result = DOCA_SUCCESS;
    pthread_mutex_lock(&c->object.lock);
    if (c->object.gone) {
        result = DOCA_ERROR_INVALID_VALUE;
    } else if (atomic_load(&c->state) != DOCA_CTX_STATE_IDLE) {
        result = DOCA_ERROR_BAD_STATE;
    } else if (c->pe) {
        result = DOCA_ERROR_IN_USE;
    } else {
        dpk_object_use(p);
        c->pe = p;
        pthread_mutex_lock(&p->object.lock);
        append(p, c);
        pthread_mutex_unlock(&p->object.lock);
    }
    pthread_mutex_unlock(&c->object.lock);
    return result;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
    struct dpk_pe *p = dpk_object_pin(pe, &pe_kind);
    struct dpk_ctx *c = dpk_object_pin_ctx(ctx);
    doca_error_t result = p && c ? connect_ctx(p, c) : DOCA_ERROR_INVALID_VALUE;
    dpk_object_drop(c);
    dpk_object_drop(p);
    return result;
}

void dpk_pe_disconnect(struct dpk_ctx *ctx)
{
    struct dpk_pe *p = ctx->pe;
    if (!p)
        return;
    pthread_mutex_lock(&p->object.lock);
    take_out(p, ctx);
    pthread_mutex_unlock(&p->object.lock);
    ctx->pe = NULL;
    dpk_object_unuse(p);
}

/* The first context in line, by its handle: it may go away at any time. It joins the line again. */
static void *next_in_line(struct dpk_pe *p, unsigned *length)
{
    void *handle = NULL;
    pthread_mutex_lock(&p->object.lock);
    struct dpk_ctx *c = p->first;
    if (*length == 0)
        for (struct dpk_ctx *each = c; each; each = each->next_in_pe)
            ++*length;
    if (c) {
        handle = c->object.handle;
        take_out(p, c);
        append(p, c);
    }
    pthread_mutex_unlock(&p->object.lock);
    return handle;
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
    struct dpk_pe *p = dpk_object_pin(pe, &pe_kind);
    bool done = false;
    unsigned length = 0;
    for (unsigned i = 0; p && !done && (i == 0 || i < length); i++) {
        struct dpk_ctx *c = dpk_object_pin_ctx(next_in_line(p, &length));
        if (c && c->ops->progress)
            done = c->ops->progress(c);
        dpk_object_drop(c);
    }
    dpk_object_drop(p);
    return done;
}
