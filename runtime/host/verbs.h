/*
 * verbs: memory keys, which the verbs of emulated devices (emulated.h) hand out and the host libraries
 * go by. Private to them; libflexio.so has the functions.
 *
 *     const struct dpk_host_key *key = ibv_dpakit_key_acquire(ctx, number);
 *     if (key) {
 *         ... memory that it covers cannot be deregistered meanwhile ...
 *         ibv_dpakit_key_release(key);
 *     }
 */
#ifndef DPK_HOST_VERBS_H
#define DPK_HOST_VERBS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct dpk_host_key {
    struct ibv_pd *pd;
    uint64_t address; /* as programs say it: of the host, or of the owner's memory */
    uint64_t length;  /* bytes */
    unsigned access;  /* IBV_ACCESS_* */
    void *memory;     /* host address of the first byte; NULL: memory of `owner` */
    void *owner;      /* whose DPA memory it is: a struct flexio_process; NULL: host memory */
};

/* A new key of the device that `key->pd` is of; copied. 0: out of memory. */
uint32_t ibv_dpakit_key_add(const struct dpk_host_key *key);
/* Waits until nobody holds it; not by one who does. A number that is no key is ignored. */
void ibv_dpakit_key_remove(struct ibv_context *context, uint32_t number);
/* The key, which stays until ibv_dpakit_key_release; NULL: there is none. Others are not held up.
 */
const struct dpk_host_key *ibv_dpakit_key_acquire(struct ibv_context *context, uint32_t number);
void ibv_dpakit_key_release(const struct dpk_host_key *key);

/* Forgets the keys of memory that `owner` has, with the domains that they are in, when nobody holds
 * them. */
void ibv_dpakit_keys_forget(struct ibv_context *context, const void *owner);

/* What a library keeps with an opened device: made at the first call, `end`ed when it is closed.
 * NULL: `make` returned that. */
void *ibv_dpakit_attached(struct ibv_context *context, void *(*make)(struct ibv_context *context),
                          void (*end)(void *attached));

/* What flexio_rq_get_tir gives, and flow steering takes. */
struct dpk_rule;
struct mlx5dv_devx_obj {
    struct ibv_context *context;
    void *receiver;
    /* 0: errno says why not. */
    uint64_t (*steer)(struct mlx5dv_devx_obj *tir, const struct dpk_rule *rule);
    void (*unsteer)(struct ibv_context *context, uint64_t rule);
};

#endif
