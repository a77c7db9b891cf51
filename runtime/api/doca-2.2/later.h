/* Functions of later DOCA that the headers of DOCA 2.2 declare differently or do not declare. */
#ifndef DPK_API_DOCA_2_2_LATER_H
#define DPK_API_DOCA_2_2_LATER_H

#include <doca_error.h>

struct doca_devinfo;
struct doca_dev;
struct doca_dpa;
struct doca_dpa_app;

/* doca_dpa_cap_is_supported */
doca_error_t generation_later_dpa_is_supported(const struct doca_devinfo *devinfo);
/* doca_dpa_create, doca_dpa_set_app, doca_dpa_start; *dpa: NULL on failure. */
doca_error_t generation_later_dpa_create_started(struct doca_dev *dev, struct doca_dpa_app *app,
                                                 struct doca_dpa **dpa);

#endif
