/* What libdoca_dpa does with what wakes threads. */
#ifndef DPK_HOST_DOCA_WAKER_H
#define DPK_HOST_DOCA_WAKER_H

#include "doca/core/core.h"

/* A queue of `size` elements, or with 0 a notification completion; known by its handle. `t` may be
 * NULL. NULL: out of memory. */
struct dpk_waker *dpk_waker_new(struct dpk_dpa *d, struct dpk_dpa_thread *t, uint32_t size);
/* BAD_STATE: started already, or the context is not. */
doca_error_t dpk_waker_start(struct dpk_waker *w);
/* BAD_STATE: not started, or the context was stopped. */
doca_error_t dpk_waker_stop(struct dpk_waker *w);
/* What DPA code calls it. False: not started. */
bool dpk_waker_handle(struct dpk_waker *w, uint64_t *handle);

#endif
