/*
 * Accesses to host memory that may be gone: a file that somebody made shorter is still mapped, but to touch
 * what it had is a bus error. An access within GUARDED fails then, and nothing ends by it. Private to memory.
 *
 *     good = GUARDED(at, at, size, memcpy(to, at, size));       // the access touches no memory of its own but this
 */
#ifndef DPK_MEMORY_GUARD_H
#define DPK_MEMORY_GUARD_H

#include <setjmp.h>

#include "base/base.h"

/* An access of the calling thread to two ranges of one size, which may be the same. */
struct guard {
    jmp_buf back;
    uintptr_t one, other;
    size_t size;
};

/* What it is inside of; NULL: no access. */
extern _Thread_local struct guard *volatile guard_inside
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* From the first call on bus errors within GUARDED are caught. */
void guard_begin(void);

/* False: a bus error ended it, when part of it was done. */
#define GUARDED(at, from, n, access)                                                               \
    ({                                                                                             \
        struct guard guard_;                                                                       \
        guard_.one = (uintptr_t)(at);                                                              \
        guard_.other = (uintptr_t)(from);                                                          \
        guard_.size = (n);                                                                         \
        const bool good_ = _setjmp(guard_.back) == 0;                                              \
        if (good_) {                                                                               \
            guard_inside = &guard_;                                                                \
            atomic_signal_fence(memory_order_seq_cst);                                             \
            access;                                                                                \
            atomic_signal_fence(memory_order_seq_cst);                                             \
        }                                                                                          \
        guard_inside = NULL;                                                                       \
        good_;                                                                                     \
    })

#endif
