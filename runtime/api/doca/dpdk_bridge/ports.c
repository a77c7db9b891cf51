/* Ports of DPDK that are devices of DOCA. There are none: DPDK has no driver of emulated devices. */
#include <doca_dpdk.h>

#include "api/doca/core/core.h"

doca_error_t doca_dpdk_port_probe(struct doca_dev *dev, const char *devargs)
{
    struct dpk_dev *d = devargs ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    dpk_object_drop(d);
    return dpk_doca_end(dev, __func__,
                        d ? dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                             "DPDK has no driver of emulated devices: their frames "
                                             "go by doca_eth")
                          : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_dpdk_port_as_dev(uint16_t port_id, struct doca_dev **dev)
{
    if (!dev)
        return dpk_doca_no_object(__func__);
    *dev = NULL;
    return dpk_doca_refuse_call(NULL, DOCA_ERROR_NOT_FOUND, __func__,
                                "port %u of DPDK is not an emulated device", port_id);
}

doca_error_t doca_dpdk_get_first_port_id(const struct doca_dev *dev, uint16_t *port_id)
{
    struct dpk_dev *d = port_id ? dpk_object_pin(dev, &dpk_dev_kind) : NULL;
    dpk_object_drop(d);
    return dpk_doca_end(
        dev, __func__,
        d ? dpk_doca_because(DOCA_ERROR_NOT_FOUND, "emulated devices have no port of DPDK")
          : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_dpdk_cap_is_rep_port_supported(const struct doca_devinfo *devinfo,
                                                 uint8_t *rep_port)
{
    const doca_error_t result =
        dpk_devinfo_answer(devinfo, rep_port ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
    if (result == DOCA_SUCCESS)
        *rep_port = 0;
    return dpk_doca_end(devinfo, __func__, result);
}
