/*
 * forward: our libibverbs.so.1 and libmlx5.so.1 stand in front of the system's. Each needs the
 * system's library by its path, so every symbol that is not here is found there; a function that is
 * here serves emulated devices through libdpakit-engine.so, which is loaded when there is one, and calls
 * the system's for everything else.
 *
 *     FORWARD(struct ibv_pd *, NULL, ibv_alloc_pd, (struct ibv_context * context), (context),
 *             dpk_context_is_emulated(context), emulated()->alloc_pd(context))
 */
#ifndef DPK_API_FORWARD_FORWARD_H
#define DPK_API_FORWARD_FORWARD_H

#include <errno.h>
#include <stdatomic.h>

#include "api/verbs/verbs.h"

/* The verbs of emulated devices; NULL where there can be none: no libdpakit-engine.so of this version, or
 * a program that runs with more rights than its user has. `load`: libdpakit-engine.so may be loaded for
 * it. */
const struct dpk_emulated *dpk_forward_emulated(bool load);
/* For a device, context or object that is known to be an emulated device's. */
#define emulated() dpk_forward_emulated(true)

/* The system's function; NULL: its library has none of this name. Kept in `cache`. */
void *dpk_forward_system(void *_Atomic *cache, const char *name);

/* The system's function `name`. */
#define SYSTEM(name)                                                                               \
    ({                                                                                             \
        static void *_Atomic cache;                                                                \
        (__typeof__(&name))dpk_forward_system(&cache, #name);                                      \
    })

/* A function that returns `ours` if `mine`, else what the system's does, `none` if there is none.
 */
#define FORWARD(type, none, name, parameters, arguments, mine, ours)                               \
    type name parameters                                                                           \
    {                                                                                              \
        if (mine)                                                                                  \
            return ours;                                                                           \
        __typeof__(&name) system_function = SYSTEM(name);                                          \
        if (system_function)                                                                       \
            return system_function arguments;                                                      \
        errno = ENOSYS;                                                                            \
        return none;                                                                               \
    }

/* What emulated devices do not have. */
static inline void *dpk_forward_refuse(void)
{
    errno = EOPNOTSUPP;
    return NULL;
}

#endif
