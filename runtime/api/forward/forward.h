/*
 * forward: our libibverbs.so.1 and libmlx5.so.1 precede the system's libraries. Each has the path of
 * the system's library as a dependency, so every other symbol is found there. A function of ours serves
 * emulated devices through libdpakit-engine.so, which is loaded when there is an emulated device, and
 * calls the system's function for all other devices.
 *
 *     FORWARD(struct ibv_pd *, NULL, ibv_alloc_pd, (struct ibv_context * context), (context),
 *             dpk_context_is_emulated(context), emulated()->alloc_pd(context))
 */
#ifndef DPK_API_FORWARD_FORWARD_H
#define DPK_API_FORWARD_FORWARD_H

#include <errno.h>
#include <stdatomic.h>

#include "api/verbs/verbs.h"

/* Returns the verbs of emulated devices. Returns NULL without a libdpakit-engine.so of this version, or
 * if the program has more rights than its user. `load`: libdpakit-engine.so may be loaded. */
const struct dpk_emulated *dpk_forward_emulated(bool load);
/* For a device, context or object that is known to be an emulated device's. */
#define emulated() dpk_forward_emulated(true)

/* Returns the system's function, or NULL if its library has no function of this name. Stores the result
 * in `cache`. */
void *dpk_forward_system(void *_Atomic *cache, const char *name);

/* The system's function `name`. */
#define SYSTEM(name)                                                                               \
    ({                                                                                             \
        static void *_Atomic cache;                                                                \
        (__typeof__(&name))dpk_forward_system(&cache, #name);                                      \
    })

/* Defines a function that returns `ours` if `mine`, else the result of the system's function, or `none`
 * without that. */
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

/* Refuses a function that emulated devices lack. */
static inline void *dpk_forward_refuse(void)
{
    errno = EOPNOTSUPP;
    return NULL;
}

#endif
