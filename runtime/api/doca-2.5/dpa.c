/* Devices and DPA contexts as DOCA 2.5 to 2.8 have them. */
#include <doca_dpa.h>

doca_error_t doca_devinfo_get_active_rate_v2_5(const struct doca_devinfo *devinfo, double *rate);
doca_error_t doca_devinfo_get_active_rate_v2_5(const struct doca_devinfo *devinfo, double *rate)
{
    uint64_t bits = 0;
    doca_error_t result = doca_devinfo_get_active_rate(devinfo, rate ? &bits : NULL);
    if (result == DOCA_SUCCESS)
        *rate = (double)bits / 1e9;
    return result;
}

doca_error_t doca_dpa_create_v2_5(struct doca_dev *dev, struct doca_dpa_app *app,
                                  struct doca_dpa **dpa);
doca_error_t doca_dpa_create_v2_5(struct doca_dev *dev, struct doca_dpa_app *app,
                                  struct doca_dpa **dpa)
{
    doca_error_t result = doca_dpa_create(dev, dpa);
    if (result == DOCA_SUCCESS) {
        result = doca_dpa_set_app(*dpa, app);
        if (result == DOCA_SUCCESS)
            result = doca_dpa_start(*dpa);
        if (result != DOCA_SUCCESS) {
            doca_dpa_destroy(*dpa);
            *dpa = NULL;
        }
    }
    return result;
}

doca_error_t doca_dpa_app_name_get_v2_5(struct doca_dpa_app *app, char *name, size_t *name_len);
doca_error_t doca_dpa_app_name_get_v2_5(struct doca_dpa_app *app, char *name, size_t *name_len)
{
    uint32_t length = name_len && *name_len < UINT32_MAX ? (uint32_t)*name_len : UINT32_MAX;
    const doca_error_t result = doca_dpa_app_get_name(app, name, name_len ? &length : NULL);
    if (name_len)
        *name_len = length;
    return result;
}
