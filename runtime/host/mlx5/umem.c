/* Host memory for queues: registered in a domain of its own, so that its number is no key for
 * anything else. */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdlib.h>

#include "host/verbs.h"

struct umem {
    struct mlx5dv_devx_umem dv; /* first: programs hold a pointer to it */
    struct ibv_pd *pd;
    struct ibv_mr *mr;
};

int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *dv_devx_umem)
{
    struct umem *u = (struct umem *)dv_devx_umem;
    if (!u)
        return EINVAL;
    if (u->mr)
        ibv_dereg_mr(u->mr);
    if (u->pd)
        ibv_dealloc_pd(u->pd);
    free(u);
    return 0;
}

struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct ibv_context *ctx, void *addr, size_t size,
                                              uint32_t access)
{
    struct umem *u = ctx ? calloc(1, sizeof *u) : NULL;
    if (!u) {
        errno = ctx ? ENOMEM : EINVAL;
        return NULL;
    }
    u->pd = ibv_alloc_pd(ctx);
    if (u->pd)
        u->mr = ibv_reg_mr_iova2(u->pd, addr, size, 0, access); /* offsets are its addresses */
    if (u->mr) {
        u->dv.umem_id = u->mr->lkey;
        return &u->dv;
    }
    int why = errno;
    mlx5dv_devx_umem_dereg(&u->dv);
    errno = why;
    return NULL;
}
