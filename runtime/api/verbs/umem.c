/* Host memory for queues. It is registered in a separate domain, so that its numbers are not valid
 * as keys for other purposes, nor other keys as its numbers. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <pthread.h>
#include <stdlib.h>

#include "context.h"

struct umem {
    struct mlx5dv_devx_umem dv; /* first: programs hold a pointer to it */
    struct umem *next;
};

/* All umems of programs. A card's umems can be distinguished only by this list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct umem *umems;

bool dpk_mlx5_is_our_umem(const struct mlx5dv_devx_umem *umem)
{
    pthread_mutex_lock(&lock);
    const struct umem *u = umems;
    while (u && &u->dv != umem)
        u = u->next;
    pthread_mutex_unlock(&lock);
    return u != NULL;
}

static void list_umem(struct umem *u)
{
    pthread_mutex_lock(&lock);
    u->next = umems;
    umems = u;
    pthread_mutex_unlock(&lock);
}

static void unlist_umem(const struct umem *u)
{
    pthread_mutex_lock(&lock);
    struct umem **at = &umems;
    while (*at && *at != u)
        at = &(*at)->next;
    if (*at)
        *at = u->next;
    pthread_mutex_unlock(&lock);
}

int dpk_mlx5_devx_umem_dereg(struct mlx5dv_devx_umem *dv_devx_umem)
{
    struct umem *u = (struct umem *)dv_devx_umem;
    if (!u)
        return EINVAL;
    unlist_umem(u);
    dpk_memory_remove(u->dv.umem_id);
    free(u);
    return 0;
}

struct mlx5dv_devx_umem *dpk_mlx5_devx_umem_reg(struct ibv_context *ctx, void *addr, size_t size,
                                                uint32_t access)
{
    struct umem *u = ctx ? calloc(1, sizeof *u) : NULL;
    if (!u) {
        errno = ctx ? ENOMEM : EINVAL;
        return NULL;
    }
    u->dv.umem_id =
        verbs_memory_register(&context_of(ctx)->device.umems, addr, size, 0, (int)access);
    if (u->dv.umem_id == 0) {
        free(u);
        return NULL;
    }
    list_umem(u);
    return &u->dv;
}
