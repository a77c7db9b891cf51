/* Functions of later DOCA versions, for programs that use the headers of DOCA 2.2. */
#include <doca_dpa.h>

#include "later.h"

doca_error_t generation_later_dpa_is_supported(const struct doca_devinfo *devinfo)
{
    return doca_dpa_cap_is_supported(devinfo);
}

doca_error_t generation_later_dpa_create_started(struct doca_dev *dev, struct doca_dpa_app *app,
                                                 struct doca_dpa **dpa)
{
    doca_error_t result = doca_dpa_create(dev, dpa);
    if (result != DOCA_SUCCESS)
        return result;
    if ((result = doca_dpa_set_app(*dpa, app)) == DOCA_SUCCESS)
        result = doca_dpa_start(*dpa);
    if (result == DOCA_SUCCESS)
        return result;
    doca_dpa_destroy(*dpa);
    *dpa = NULL;
    return result;
}
