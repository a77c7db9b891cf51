/*
 * device: one emulated BlueField-3 function: what it knows, whom it trusts, what it allows.
 *
 * State is a directory with one SQLite database (DEVICE.md, "State"); every change is one
 * transaction. Knows NV configuration and certificate containers, not ELF and not CPUs.
 *
 *     struct dpk_device *dev = NULL;
 *     dpk_device_open("mlx5_0", &dev, &err);
 *     bool on;  struct dpk_ca_list cas = {0};
 *     dpk_device_dpa_authentication(dev, &on, &err);
 *     dpk_device_ca_list(dev, &cas, &err);              // roots to trust
 *     dpk_device_log(dev, "load", "OK", "app hello", &err);
 *     dpk_ca_list_free(&cas);
 *     dpk_device_close(dev);
 */
#ifndef DPK_DEVICE_H
#define DPK_DEVICE_H

#include "base/base.h"
#include "certchain/certchain.h"

struct dpk_device;

/* Opens a device by name ("mlx5_0"), alias or any path whose last component is one
 * ("/dev/mst/mt41692_pciconf0"). Devices live under $DPAKIT_DEVICES, default
 * ${XDG_STATE_HOME:-$HOME/.local/state}/dpakit. Errors: no such device (the message lists those
 * there are), damaged state, a directory that others may write. */
enum dpk_status dpk_device_open(const char *name, struct dpk_device **out, struct dpk_error *err);
void dpk_device_close(struct dpk_device *dev);
const char *dpk_device_name(const struct dpk_device *dev); /* "mlx5_0" */

/* Names of all devices, sorted; `names` is allocated, one dpk_names_free releases all. No
 * directory at all is an empty list. */
struct dpk_names {
    char **names;
    size_t count;
};
enum dpk_status dpk_device_list(struct dpk_names *out, struct dpk_error *err);
void dpk_names_free(struct dpk_names *names);

/* The Current value of DPA_AUTHENTICATION (as of the last reset). */
enum dpk_status dpk_device_dpa_authentication(struct dpk_device *dev, bool *enabled,
                                              struct dpk_error *err);

/* The installed CA certificates, as DER; allocated copies. */
struct dpk_ca_list {
    struct dpk_der *roots;
    size_t count;
};
enum dpk_status dpk_device_ca_list(struct dpk_device *dev, struct dpk_ca_list *out,
                                   struct dpk_error *err);
void dpk_ca_list_free(struct dpk_ca_list *list);

/* Appends to the event log: who (uid, pid, command) and when are filled in here. `action`: "load",
 * "apply", ...; `result`: "OK" or the name of the refusal; `detail` may be "". */
enum dpk_status dpk_device_log(struct dpk_device *dev, const char *action, const char *result,
                               const char *detail, struct dpk_error *err);

#endif
