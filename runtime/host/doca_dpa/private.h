/* What the files of libdoca_dpa share. */
#ifndef DPK_HOST_DOCA_DPA_PRIVATE_H
#define DPK_HOST_DOCA_DPA_PRIVATE_H

#include <doca_dpa.h>

#include "host/doca_common/doca_common.h"

/* Logs `err` and says what a DOCA function returns for it. `call`: the function's name. */
doca_error_t dpk_dpa_failed(const char *call, const struct dpk_error *err);

/* Forgets every allocation of a context; its memory goes with its process. */
void dpk_dpa_memory_forget(const struct doca_dpa *dpa);

#endif
