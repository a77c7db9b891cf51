/* What the files of libdoca_dpa share. */
#ifndef DPK_HOST_DOCA_DPA_CONTEXT_H
#define DPK_HOST_DOCA_DPA_CONTEXT_H

#include "doca/core/core.h"

struct doca_dpa_app;

/* A context, pinned, inside its process. dpa_end undoes both. */
struct dpa_call {
    struct dpk_dpa *dpa;
    struct dpk_process *process;
};

/* INVALID_VALUE: no context. BAD_STATE: not started. */
doca_error_t dpa_begin(const struct doca_dpa *dpa, struct dpa_call *call);
void dpa_end(struct dpa_call *call);

/* Memory that DOCA 2.2 finds by its address alone. */
void dpa_allocations_forget(struct dpk_dpa *d);
/* Allocates where no other context of DOCA 2.2 has an allocation. */
enum dpk_status dpa_allocate_unique(struct dpk_dpa *d, struct dpk_process *p, uint64_t size,
                                    uint64_t *address, struct dpk_error *err);

/* What DOCA 2.2 does in one call: create, set the program, start. */
doca_error_t dpa_create_started(struct doca_dev *dev, struct doca_dpa_app *app,
                                struct doca_dpa **dpa);
doca_error_t dpa_is_supported(const struct doca_devinfo *devinfo);

#endif
