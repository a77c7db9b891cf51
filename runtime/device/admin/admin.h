/*
 * admin: creates and deletes devices, changes their configuration and certificates, and writes and
 * reads archives of devices.
 *
 *     struct dpk_device_plan plan = {.name = "mlx5_0"};
 *     enum dpk_reject why;
 *     dpk_device_create(&plan, &err);
 *     dpk_device_open("mlx5_0", &dev, &err);
 *     dpk_device_apply(dev, file.data, file.size, &why, &err);   // or burn, or set
 *     dpk_device_reset(dev, &err);
 */
#ifndef DPK_DEVICE_ADMIN_ADMIN_H
#define DPK_DEVICE_ADMIN_ADMIN_H

#include "device/state/state.h"

/* ---- Creating and deleting devices ---- */

/* Describes a new device. NULL strings stand for the values of a BlueField-3 with its usual
 * PSID. */
struct dpk_device_plan {
    const char *name;   /* letters, digits, '_', '-', '.'; starts with a letter or digit */
    const char *target; /* its type (private.h): "cx8"; NULL: "bf3" */
    bool pair;          /* also has a function on the DPU's side (private.h, enum dpk_side) */
    const char *psid, *psid_branch; /* at most 16 characters */
    const char *part_number, *description, *serial;
    const char *nvidia_key;      /* PEM file of the RSA public key trusted at NVIDIA level */
    struct dpk_uuid nvidia_uuid; /* UUID of nvidia_key */
    unsigned dma_max;            /* maximum bytes of a DMA task; 0: that of a card */
    bool anti_rollback;          /* cannot be changed later */
    bool development;            /* life cycle development, else production; cannot be changed
                                  * later */
};

/* Creates a device completely or not at all. Without `nvidia_key` it makes an RSA-4096 test pair
 * under factory/ (nvidia.pem, nvidia.uuid), with which the user can sign as NVIDIA does. It also
 * makes the alias mt41692_pciconf<N>, with the PCI id of its type. If the name of a pair is not
 * that of a function (mlx5_<N>), the device gets the first free name of this form, and the given
 * name becomes another alias. `name` gets the device's name; may be NULL. Errors: DPK_ERR_EXISTS if
 * the name is taken. */
enum dpk_status dpk_device_create(const struct dpk_device_plan *plan,
                                  char name[DPK_DEVICE_NAME_MAX + 1], struct dpk_error *err);
/* Deletes a device, also a damaged one, with its state, factory keys and aliases. */
enum dpk_status dpk_device_delete(const char *name, struct dpk_error *err);
/* Removes the remains of programs that were killed while they created or deleted devices; private
 * keys may be among them. dpk_device_create does so as well. */
void dpk_device_sweep(void);
/* Does a cold boot: the Next Boot view becomes Current, partitions and groups of execution units are
 * removed, and settings of ports end (device/port). */
enum dpk_status dpk_device_reset(struct dpk_device *dev, struct dpk_error *err);

struct dpk_device_boot {
    int64_t event; /* its number in the log; 0: the device was not reset since it was made */
    int64_t time;  /* seconds since 1970 */
};
/* Gets the last reset of the device, or when it was made. */
enum dpk_status dpk_device_last_boot(struct dpk_device *dev, struct dpk_device_boot *out,
                                     struct dpk_error *err);

/* Connects the port to another wire, a specification made by dpk_wire_check (wire.h). An error in
 * it shows when the wire is used. It is not part of archives, because it belongs to this
 * machine. */
enum dpk_status dpk_device_set_wire(struct dpk_device *dev, const char *wire,
                                    struct dpk_error *err);
/* Sets the fabric of the function on this side: a specification that dpk_fabric_parse accepts, or "off". It
 * is not part of archives either. */
enum dpk_status dpk_device_set_fabric(struct dpk_device *dev, const char *fabric,
                                      struct dpk_error *err);

/* ---- Execution units ----
 *
 *     struct dpk_units_change c;
 *     enum dpk_status status = dpk_units_begin(dev, &c, &err);
 *     if (status == DPK_OK)
 *         status = dpk_units_end(&c, dpk_partition_add(&c, &wanted, &id, &err), "...", &err);
 *
 * Changes of the partitions and groups of a card (private.h): either all changes between these two
 * calls are made, or none. Meanwhile no DPA process runs on the card, and none can start. */

struct dpk_units_change {
    struct dpk_device *dev;
    struct dpk_partitions all;    /* all partitions after the change */
    struct dpk_device_units mine; /* units of the device's function before the change, or those that
                                   * dpk_units_turn_to selected */
    int pause;
};
/* Errors: DPK_ERR_REFUSED if DPA processes run on the card. */
enum dpk_status dpk_units_begin(struct dpk_device *dev, struct dpk_units_change *c,
                                struct dpk_error *err);
/* Makes the change if `status` is DPK_OK, and logs `detail`. Returns `status`, or another error. */
enum dpk_status dpk_units_end(struct dpk_units_change *c, enum dpk_status status,
                              const char *detail, struct dpk_error *err);

/* Adds "1,2" or "24-27" to the functions of a partition. Errors: DPK_ERR_USAGE if the text has
 * another form, or there would be more than DPK_PARTITION_VHCAS_MAX functions. */
enum dpk_status dpk_vhcas_parse(const char *text, struct dpk_partition *out, struct dpk_error *err);
/* Gives `wanted->units`, numbered as on the card, to its functions. *id: number of the partition,
 * the lowest free number. Errors: DPK_ERR_REFUSED if the device does not manage partitions, or
 * another partition has the units or functions; DPK_ERR_RANGE if there are too many partitions. */
enum dpk_status dpk_partition_add(struct dpk_units_change *c, const struct dpk_partition *wanted,
                                  unsigned *id, struct dpk_error *err);
/* Removes a partition with its groups. Errors: DPK_ERR_NOT_FOUND, DPK_ERR_REFUSED as above. */
enum dpk_status dpk_partition_remove(struct dpk_units_change *c, unsigned id,
                                     struct dpk_error *err);
/* Selects the partition for the following functions of groups, with the unit numbers that its
 * functions see. DPK_PARTITION_DEFAULT: the device's own, with the units that other partitions
 * leave now. Errors: DPK_ERR_NOT_FOUND if the partition does not exist. */
enum dpk_status dpk_units_turn_to(struct dpk_units_change *c, unsigned partition,
                                  struct dpk_error *err);
/* Makes a group of units of the selected partition, by the numbers that its function sees. *id:
 * number of the group, the lowest free number on the card. Errors: DPK_ERR_EXISTS if the partition
 * has a group of that name; DPK_ERR_RANGE if the name is bad, the function does not have the units,
 * or there are too many groups. */
enum dpk_status dpk_group_add(struct dpk_units_change *c, const char *name,
                              const struct dpk_units *units, unsigned *id, struct dpk_error *err);
/* Errors: DPK_ERR_NOT_FOUND if the partition does not have a group of that number. */
enum dpk_status dpk_group_remove(struct dpk_units_change *c, unsigned id, struct dpk_error *err);
/* Removes all groups of the selected partition. */
void dpk_groups_clear(struct dpk_units_change *c);
/* Returns the units of a group, by the numbers that the device's function sees. */
struct dpk_units dpk_group_units(const struct dpk_device_units *mine,
                                 const struct dpk_eu_group *group);

/* ---- Archives of devices ---- */

#define DPK_DEVICE_ARCHIVE_MAX ((size_t)16 << 20)

/* Appends an archive of the device (dpadev(1), "ARCHIVES"): its whole state at one moment, without
 * its name and its log. `with_factory_keys`: with the private factory key; then wipe `out`
 * (dpk_buf_wipe_free). Errors: DPK_ERR_NOT_FOUND if there is no such key. */
enum dpk_status dpk_device_export(struct dpk_device *dev, bool with_factory_keys,
                                  struct dpk_buf *out, struct dpk_error *err);
/* Makes a device from an archive, completely or not at all. An archive has a checksum, but no
 * signature: its author decides which keys the device trusts. Errors: DPK_ERR_FORMAT if it is
 * damaged or describes an impossible device, DPK_ERR_EXISTS if the name is taken. */
enum dpk_status dpk_device_import(const char *name, const void *bytes, size_t size,
                                  struct dpk_error *err);
/* Makes only the checks of dpk_device_import. */
enum dpk_status dpk_device_archive_check(const void *bytes, size_t size, struct dpk_error *err);

/* ---- Anti-rollback ---- */

/* File versions and certificates that a device with anti-rollback no longer accepts
 * (dpa-provisioning(7), "Rollback"). There are at most DPK_DEVICE_ROLLBACK_MAX of each. */
#define DPK_DEVICE_ROLLBACK_MAX 1024
struct dpk_device_floor {
    struct dpk_uuid keypair; /* the key pair that signed the files */
    bool mlnx;               /* nv_file_id_mlnx, else nv_file_id_vendor */
    uint32_t version;        /* highest applied version */
};
struct dpk_device_rollback {
    bool on; /* if false, the lists are empty */
    struct dpk_device_floor *floors;
    size_t floor_count;
    struct dpk_uuid *removed; /* removed CA certificates */
    size_t removed_count;
};
enum dpk_status dpk_device_rollback(struct dpk_device *dev, struct dpk_device_rollback *out,
                                    struct dpk_error *err);
void dpk_device_rollback_free(struct dpk_device_rollback *r);

/* ---- Files ---- */

/* Applies an NV configuration file with the checks and effects of dpa-provisioning(7), in one
 * transaction, and logs the outcome. Errors: DPK_ERR_REFUSED; the device is then unchanged,
 * `reject` (may be NULL) has the reason, and the message ends in its name and code. */
enum dpk_status dpk_device_apply(struct dpk_device *dev, const void *bytes, size_t size,
                                 enum dpk_reject *reject, struct dpk_error *err);
/* Burns a certificate container in the same way. */
enum dpk_status dpk_device_burn(struct dpk_device *dev, const void *bytes, size_t size,
                                enum dpk_reject *reject, struct dpk_error *err);

/* These return the results of the two functions above. They make every check and effect, undo it,
 * and log nothing. */
enum dpk_status dpk_device_try_apply(struct dpk_device *dev, const void *bytes, size_t size,
                                     enum dpk_reject *reject, struct dpk_error *err);
enum dpk_status dpk_device_try_burn(struct dpk_device *dev, const void *bytes, size_t size,
                                    enum dpk_reject *reject, struct dpk_error *err);

/* ---- NV configuration by name, and by TLV ---- */

struct dpk_device_setting {
    const struct dpk_nv_def *def;
    const struct dpk_nv_param *param; /* NULL: removes all values of the TLV that users have set */
    const char *value;
};
/* Sets parameters at USER priority for the next boot, all or none of them, in one transaction. The
 * dependencies and rules of `defs` (NULL: none) are checked with the new values. Errors:
 * DPK_ERR_REFUSED if a parameter is protected or not supported, DPK_ERR_RANGE if a value is not
 * legal. */
enum dpk_status dpk_device_set(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                               const struct dpk_device_setting *settings, size_t count,
                               struct dpk_error *err);
/* Returns what dpk_device_set would return, without a change or an entry in the log. */
enum dpk_status dpk_device_try_set(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                                   const struct dpk_device_setting *settings, size_t count,
                                   struct dpk_error *err);
/* Removes all user settings, for the next boot. */
enum dpk_status dpk_device_drop_user_settings(struct dpk_device *dev, struct dpk_error *err);

/* Lists the TLVs of every priority for the next boot, except those that users may not read.
 * *hidden: number of these. The caller frees the list. */
enum dpk_status dpk_device_next_tlvs(struct dpk_device *dev, struct dpk_nv_list *out,
                                     size_t *hidden, struct dpk_error *err);
/* Sets TLVs at USER priority for the next boot, all or none of them. TLVs of a higher priority must
 * equal those of the device. Errors: DPK_ERR_REFUSED if such a TLV differs, or a TLV is protected
 * or not for users. */
enum dpk_status dpk_device_set_tlvs(struct dpk_device *dev, const struct dpk_nv_list *tlvs,
                                    struct dpk_error *err);
/* A TLV as users see it (dpk_device_get), with its header. */
struct dpk_device_tlv {
    bool present;          /* it is set at some priority; else `tlv` is empty */
    bool locked;           /* a higher priority set ovr_en 0 */
    bool hidden;           /* a higher priority set rd_en 0: the data is zeros */
    struct dpk_nv_tlv tlv; /* that of the lowest priority which no higher priority locks */
};
/* Gets a TLV of the Current or the Next Boot view. */
enum dpk_status dpk_device_tlv(struct dpk_device *dev, enum dpk_device_view view, unsigned class_id,
                               uint32_t index, struct dpk_device_tlv *out, struct dpk_error *err);
/* Sets a TLV at USER priority for the next boot, as dpk_device_set_tlvs does, and logs it as
 * `detail`. Also refuses a TLV whose content is hidden, because the caller did not know what it
 * replaces. */
enum dpk_status dpk_device_set_tlv(struct dpk_device *dev, const struct dpk_nv_tlv *tlv,
                                   const char *detail, struct dpk_error *err);

/* ---- Views ----
 * The parameters of a device's NV configuration, with their default, current and next-boot values.
 *
 *     struct dpk_shown shown = {0};
 *     struct dpk_views views = {0};
 *     dpk_shown_choose(defs, NULL, 0, true, &shown, &err);        // all
 *     dpk_views_read(dev, defs, &shown, false, &views, &err);
 *     puts((char *)views.rows[0].text[DPK_VIEW_NEXT].data);       // "True(1)"
 *     dpk_views_free(&views), dpk_shown_free(&shown); */

/* An emulated BlueField-3 has two ports and two modules. */
#define DPK_SHOWN_PORTS   2
#define DPK_SHOWN_MODULES 2

struct dpk_shown {
    struct dpk_nv_name *names;
    size_t count, capacity;
};

/* Lists the named parameters, or without names all parameters that have a name, for each port and
 * module. `elements`: list each element of an array, even if no index is given. Free the result
 * with dpk_shown_free, also after failures. The definitions must live as long as the result. */
enum dpk_status dpk_shown_choose(const struct dpk_nv_defs *defs, const char *const *words,
                                 size_t word_count, bool elements, struct dpk_shown *out,
                                 struct dpk_error *err);
void dpk_shown_free(struct dpk_shown *shown);

#define DPK_VIEWS 3

/* One parameter. `text` is indexed by enum dpk_device_view; each text ends in a zero byte. */
struct dpk_view_row {
    const char *name; /* borrowed from the struct dpk_shown */
    struct dpk_buf text[DPK_VIEWS];
    bool read_only;
    bool changes; /* the next boot changes it */
};

struct dpk_views {
    struct dpk_view_row *rows;
    size_t count;
};

/* Reads every view of every parameter in one transaction, so that a reboot or a writer in between
 * cannot mix views. Parameters that were not `named` are left out if the device does not support
 * them. Free the result with dpk_views_free, also after failures. */
enum dpk_status dpk_views_read(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                               const struct dpk_shown *shown, bool named, struct dpk_views *out,
                               struct dpk_error *err);
void dpk_views_free(struct dpk_views *table);

#endif
