/* For the files of admin, which may also include state/private.h. */
#ifndef DPK_DEVICE_ADMIN_PRIVATE_H
#define DPK_DEVICE_ADMIN_PRIVATE_H

#include "device/admin/admin.h"
#include "device/state/private.h"

/* ---- create.c ---- */

/* The texts that identify a device: their keys in its table "meta". */
#define DPK_IDENTITY_TEXTS    7
#define DPK_IDENTITY_TEXT_MAX 255
const char *dpk_device_text_key(size_t number);
/* Index of the text with the device's type. */
#define DPK_IDENTITY_TARGET 5
/* Errors: DPK_ERR_USAGE if the value is too long, not printable, or not a type. */
enum dpk_status dpk_device_check_text(size_t number, const char *value, struct dpk_error *err);
/* Errors: DPK_ERR_USAGE if a pair is requested, but cards of the type cannot be pairs. */
enum dpk_status dpk_device_check_pair(const struct dpk_device_type *type, bool pair,
                                      struct dpk_error *err);
/* Makes the directory `staging`/factory with the key pair and its UUID. */
enum dpk_status dpk_device_write_pair(const char *staging, EVP_PKEY *key,
                                      const struct dpk_uuid *uuid, struct dpk_error *err);

/* ---- place.c ---- */

/* Fills `staging`, the directory that will become the device. */
typedef enum dpk_status dpk_device_filler(void *context, const char *staging,
                                          struct dpk_error *err);
/* Names of a device: its name, the alias of its type, and the name of its card. */
struct dpk_device_names {
    const char *name, *card; /* card: NULL if it does not have another name */
    const struct dpk_device_type *type;
};
/* Makes a device with its aliases, completely or not at all, and removes the remains of programs
 * that were killed during this. Errors: DPK_ERR_EXISTS if one of the names is taken. */
enum dpk_status dpk_device_build(const struct dpk_device_names *names, dpk_device_filler *fill,
                                 void *context, struct dpk_error *err);
/* Makes the directory of the DPU's function in `staging`. */
enum dpk_status dpk_device_make_pair(const char *staging, struct dpk_error *err);
/* Returns true for a name that drivers give to functions: mlx5_<N>. */
bool dpk_device_is_function(const char *name);
#define DPK_FUNCTION_PREFIX "mlx5_"

/* ---- rollback.c ---- */

enum dpk_status dpk_rollback_put_on(sqlite3 *db, bool on, struct dpk_error *err);
enum dpk_status dpk_rollback_on(sqlite3 *db, bool *on, struct dpk_error *err);
/* Gets the highest applied version. `found`: false if there is none. */
enum dpk_status dpk_rollback_floor(sqlite3 *db, const struct dpk_uuid *keypair, bool mlnx,
                                   bool *found, uint32_t *version, struct dpk_error *err);
enum dpk_status dpk_rollback_raise(sqlite3 *db, const struct dpk_uuid *keypair, bool mlnx,
                                   uint32_t version, struct dpk_error *err);
enum dpk_status dpk_rollback_was_removed(sqlite3 *db, const struct dpk_uuid *cert, bool *removed,
                                         struct dpk_error *err);
enum dpk_status dpk_rollback_put_removed(sqlite3 *db, const struct dpk_uuid *cert,
                                         struct dpk_error *err);
enum dpk_status dpk_rollback_read(sqlite3 *db, struct dpk_device_rollback *out,
                                  struct dpk_error *err);
enum dpk_status dpk_rollback_write(sqlite3 *db, const struct dpk_device_rollback *r,
                                   struct dpk_error *err);
enum dpk_status dpk_rollback_add_floor(struct dpk_device_rollback *r,
                                       const struct dpk_device_floor *floor, struct dpk_error *err);
enum dpk_status dpk_rollback_add_removed(struct dpk_device_rollback *r, const struct dpk_uuid *cert,
                                         struct dpk_error *err);

/* ---- burn.c ---- */

/* `container_size`: 0 if the container is not kept. */
enum dpk_status dpk_device_insert_cert(sqlite3 *db, const struct dpk_uuid *uuid,
                                       const struct dpk_uuid *keypair, enum dpk_lifecycle priority,
                                       const uint8_t *der, size_t der_size, const void *container,
                                       size_t container_size, struct dpk_error *err);

#endif
