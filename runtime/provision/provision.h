/*
 * provision: makes devices, changes what they know and allow, takes them to archives and back.
 *
 *     struct dpk_device_plan plan = {.name = "mlx5_0"};
 *     enum dpk_reject why;
 *     dpk_device_create(&plan, &err);
 *     dpk_device_open("mlx5_0", &dev, &err);
 *     dpk_device_apply(dev, file.data, file.size, &why, &err);   // or burn, or set
 *     dpk_device_reset(dev, &err);
 */
#ifndef DPK_PROVISION_H
#define DPK_PROVISION_H

#include "card/card.h"

/* ---- Devices come and go ---- */

/* What a new device is. NULL strings take the values of a BlueField-3 with its usual PSID. */
struct dpk_device_plan {
    const char *name; /* letters, digits, '_', '-', '.'; starts with a letter or digit */
    const char *psid, *psid_branch; /* at most 16 characters */
    const char *part_number, *description, *serial;
    const char *nvidia_key;      /* PEM file with the RSA public key to trust at NVIDIA level */
    struct dpk_uuid nvidia_uuid; /* its UUID, with nvidia_key */
    bool anti_rollback;          /* for good */
    bool development;            /* life cycle, for good; else production */
};

/* Creates a device, whole or not at all. Without `nvidia_key` an RSA-4096 test pair is made under
 * factory/ (nvidia.pem, nvidia.uuid), with which anybody can play NVIDIA's part. Also makes the
 * alias mt41692_pciconf<N>. DPK_ERR_EXISTS: the name is taken. */
enum dpk_status dpk_device_create(const struct dpk_device_plan *plan, struct dpk_error *err);
/* Deletes a device with its state, factory keys and aliases; a damaged one too. */
enum dpk_status dpk_device_delete(const char *name, struct dpk_error *err);
/* Takes away what programs that were killed while they made or deleted devices left: private keys
 * may be in it. Creating does so, too. */
void dpk_device_sweep(void);
/* Cold boot: what was Next Boot becomes Current. */
enum dpk_status dpk_device_reset(struct dpk_device *dev, struct dpk_error *err);

/* ---- Devices as files ---- */

#define DPK_DEVICE_ARCHIVE_MAX ((size_t)16 << 20)

/* Appends the device as an archive (dpadev(1), "ARCHIVES"): all that it is, knows and trusts, as of
 * one moment, but its name and its log. `with_factory_keys`: with the private key that plays
 * NVIDIA's part; then wipe `out` (dpk_buf_wipe_free). DPK_ERR_NOT_FOUND: there is no such key. */
enum dpk_status dpk_device_export(struct dpk_device *dev, bool with_factory_keys,
                                  struct dpk_buf *out, struct dpk_error *err);
/* Makes a device from an archive, whole or not at all. An archive has a checksum, not a signature:
 * a device trusts whom the giver of its archive wants. DPK_ERR_FORMAT: damaged, or no device could
 * be as it says. DPK_ERR_EXISTS: the name is taken. */
enum dpk_status dpk_device_import(const char *name, const void *bytes, size_t size,
                                  struct dpk_error *err);
/* The checks of dpk_device_import alone. */
enum dpk_status dpk_device_archive_check(const void *bytes, size_t size, struct dpk_error *err);

/* ---- Anti-rollback ---- */

/* What anti-rollback keeps from coming back (dpa-provisioning(7), "Rollback"). At most so many of
 * each. */
#define DPK_DEVICE_ROLLBACK_MAX 1024
struct dpk_device_floor {
    struct dpk_uuid keypair; /* that signed */
    bool mlnx;               /* nv_file_id_mlnx, else nv_file_id_vendor */
    uint32_t version;        /* the highest that was applied */
};
struct dpk_device_rollback {
    bool on; /* else there is nothing else */
    struct dpk_device_floor *floors;
    size_t floor_count;
    struct dpk_uuid *removed; /* CA certificates */
    size_t removed_count;
};
enum dpk_status dpk_device_rollback(struct dpk_device *dev, struct dpk_device_rollback *out,
                                    struct dpk_error *err);
void dpk_device_rollback_free(struct dpk_device_rollback *r);

/* ---- Files ---- */

/* Applies an NV configuration file: the checks and effects of dpa-provisioning(7), in one
 * transaction. DPK_ERR_REFUSED: the device is as before; `reject` (may be NULL) says why, the
 * message ends in its name and code. Both outcomes are in the event log. */
enum dpk_status dpk_device_apply(struct dpk_device *dev, const void *bytes, size_t size,
                                 enum dpk_reject *reject, struct dpk_error *err);
/* Burns a certificate container, likewise. */
enum dpk_status dpk_device_burn(struct dpk_device *dev, const void *bytes, size_t size,
                                enum dpk_reject *reject, struct dpk_error *err);

/* What the two above would say: every check and effect, then undone; nothing changes, nothing is
 * logged. */
enum dpk_status dpk_device_try_apply(struct dpk_device *dev, const void *bytes, size_t size,
                                     enum dpk_reject *reject, struct dpk_error *err);
enum dpk_status dpk_device_try_burn(struct dpk_device *dev, const void *bytes, size_t size,
                                    enum dpk_reject *reject, struct dpk_error *err);

/* ---- NV configuration by name, and by TLV ---- */

struct dpk_device_setting {
    const struct dpk_nv_def *def;
    const struct dpk_nv_param *param;
    const char *value;
};
/* Sets parameters at USER priority for the next boot, all or none, in one transaction with the
 * checks: dependencies and rules of `defs` (NULL: none) look at the device as it will be.
 * DPK_ERR_REFUSED: one is protected, or not supported. DPK_ERR_RANGE: a value is not legal. */
enum dpk_status dpk_device_set(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                               const struct dpk_device_setting *settings, size_t count,
                               struct dpk_error *err);
/* What dpk_device_set would say: nothing changes, nothing is logged. */
enum dpk_status dpk_device_try_set(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                                   const struct dpk_device_setting *settings, size_t count,
                                   struct dpk_error *err);
/* Drops everything that users set, for the next boot. */
enum dpk_status dpk_device_drop_user_settings(struct dpk_device *dev, struct dpk_error *err);

/* Every TLV for the next boot, of each priority, but those that users may not read: `hidden` has
 * their number. Free the list. */
enum dpk_status dpk_device_next_tlvs(struct dpk_device *dev, struct dpk_nv_list *out,
                                     size_t *hidden, struct dpk_error *err);
/* Sets TLVs at USER priority for the next boot, all or none. Those of a higher priority must be as
 * the device has them. DPK_ERR_REFUSED: one is not, or is protected, or is not for users. */
enum dpk_status dpk_device_set_tlvs(struct dpk_device *dev, const struct dpk_nv_list *tlvs,
                                    struct dpk_error *err);

#endif
