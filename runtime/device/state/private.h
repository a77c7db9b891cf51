/* state: the database of a device, for the files of state and admin. */
#ifndef DPK_DEVICE_STATE_PRIVATE_H
#define DPK_DEVICE_STATE_PRIVATE_H

#include <limits.h>
#include <sys/stat.h>

#include <openssl/evp.h>
#include <sqlite3.h>

#include "state.h"

struct dpk_device {
    char name[DPK_DEVICE_NAME_MAX + 1];
    char path[PATH_MAX]; /* path of the file with the state */
    enum dpk_side side;
    sqlite3 *db;
};

#define DPK_DPU_DIRECTORY "dpu" /* directory within that of a device that is a pair */

/* ---- paths.c ---- */

/* Gets $DPAKIT_DEVICES or its default. `create`: makes it if it is absent, with mode 0700. */
enum dpk_status dpk_device_root(bool create, char out[PATH_MAX], struct dpk_error *err);
enum dpk_status dpk_device_check_name(const char *name, struct dpk_error *err);
/* Writes "a/b". Errors: DPK_ERR_RANGE if it does not fit. */
enum dpk_status dpk_device_join(const char *a, const char *b, char out[PATH_MAX],
                                struct dpk_error *err);
/* Refuses a file that belongs neither to this user nor to root. */
enum dpk_status dpk_device_check_owner(const char *path, const struct stat *st,
                                       struct dpk_error *err);
/* Refuses a path that is not a directory of this user or root, or to which other users may write.
 * `shared`: others may add their own files, as in /tmp. It must be false for the directory of the
 * database, because a journal there is trusted. */
enum dpk_status dpk_device_check_directory(const char *path, bool shared, struct dpk_error *err);
/* Gets the device's name and directory for the word that the user has given. */
enum dpk_status dpk_device_resolve(const char *word, char name[DPK_DEVICE_NAME_MAX + 1],
                                   char path[PATH_MAX], struct dpk_error *err);
/* Gets the first alias of a device that has a number (dpk_alias_number), or, with `card`, the first
 * that has none; else "". */
void dpk_device_alias_of(const char *root, const char *name, bool card, char *out, size_t size);
bool dpk_device_is_pair(const char *path);

/* ---- types.c ---- */

/* Writes the alias that MST would give to a device of this type: "mt41692_pciconf<N>". Returns the
 * result of snprintf. */
int dpk_alias_format(const struct dpk_device_type *type, unsigned number, char *out, size_t size);
/* Returns the digits of such an alias, of any type. NULL for another alias. */
const char *dpk_alias_number(const char *alias);
/* Finds the alias with the number, of any type. */
bool dpk_alias_find(const char *root, unsigned number, char *out, size_t size);
/* Returns true if a device of another type than `but` has the number, which determines PCI
 * addresses. */
bool dpk_alias_number_taken(const char *root, const struct dpk_device_type *but, unsigned number);

/* ---- db.c ---- */

enum dpk_status dpk_db_create(const char *path, sqlite3 **out, struct dpk_error *err);
/* Closes a database of dpk_db_create so that all of it is in one file. Returns `status`, or the
 * error of closing. */
enum dpk_status dpk_db_finish_new(sqlite3 *db, enum dpk_status status, struct dpk_error *err);
enum dpk_status dpk_db_open(const char *path, sqlite3 **out, struct dpk_error *err);
enum dpk_status dpk_db_fail(sqlite3 *db, struct dpk_error *err);
/* Gets the first column of the first row of a PRAGMA, or "". */
enum dpk_status dpk_db_pragma(sqlite3 *db, const char *sql, char *out, size_t size,
                              struct dpk_error *err);
enum dpk_status dpk_db_exec(sqlite3 *db, const char *sql, struct dpk_error *err);
enum dpk_status dpk_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out,
                               struct dpk_error *err);
/* Runs a statement that returns no rows, and finalizes it. */
enum dpk_status dpk_db_finish(sqlite3 *db, sqlite3_stmt *stmt, struct dpk_error *err);
/* Steps a statement. `*row`: true if there is a row. */
enum dpk_status dpk_db_step(sqlite3 *db, sqlite3_stmt *stmt, bool *row, struct dpk_error *err);
/* Starts a change; there is one writer at a time until dpk_db_end. If `status` is DPK_OK,
 * dpk_db_end seals and commits, else it rolls back. It returns `status`, or the error of the
 * commit. A damaged state is not changed. */
enum dpk_status dpk_db_begin(sqlite3 *db, struct dpk_error *err);
enum dpk_status dpk_db_end(sqlite3 *db, enum dpk_status status, struct dpk_error *err);
/* Same, for changes of the log alone. The seal does not cover the log, so nothing is checked. */
enum dpk_status dpk_db_begin_log(sqlite3 *db, struct dpk_error *err);
enum dpk_status dpk_db_end_log(sqlite3 *db, enum dpk_status status, struct dpk_error *err);
/* Rolls back the transaction, if there is one. */
void dpk_db_rollback(sqlite3 *db);
/* Gets a text column, which must not be NULL. It is valid until the next step of the statement. */
enum dpk_status dpk_db_text(sqlite3 *db, sqlite3_stmt *stmt, int column, const char **out,
                            struct dpk_error *err);
/* Gets a blob column, which must have exactly `size` bytes. */
enum dpk_status dpk_db_blob(sqlite3_stmt *stmt, int column, void *out, size_t size,
                            struct dpk_error *err);
/* Get a text that describes the device. If the key does not exist, the first function leaves `out`
 * unchanged, and the second reports a damaged state. */
enum dpk_status dpk_db_find_meta(sqlite3 *db, const char *key, char *out, size_t size, bool *found,
                                 struct dpk_error *err);
enum dpk_status dpk_db_get_meta(sqlite3 *db, const char *key, char *out, size_t size,
                                struct dpk_error *err);
enum dpk_status dpk_db_put_meta(sqlite3 *db, const char *key, const char *value,
                                struct dpk_error *err);

/* Key of the maximum size of a DMA task; a device with the default does not have this row. */
#define DPK_DMA_MAX_KEY "dma_max"
/* Returns the key of the wire of the device's port. */
static inline const char *dpk_wire_key(const struct dpk_device *dev)
{
    return dev->side == DPK_SIDE_DPU ? "wire_dpu" : "wire";
}

/* Returns the key of the fabric of the device's function; a device without one does not have this row. */
static inline const char *dpk_fabric_key(const struct dpk_device *dev)
{
    return dev->side == DPK_SIDE_DPU ? "fabric_dpu" : "fabric";
}

/* ---- units.c ---- */

/* Key of the partitions in the table "meta". */
#define DPK_PARTITIONS_KEY "partitions"
enum dpk_status dpk_partitions_read(sqlite3 *db, struct dpk_partitions *out, struct dpk_error *err);
enum dpk_status dpk_partitions_write(sqlite3 *db, const struct dpk_partitions *p,
                                     struct dpk_error *err);

/* ---- seal.c ---- */

#define DPK_SEAL_SIZE 32 /* SHA-256 */
/* Returns DPK_ERR_FORMAT with "FILE: the device's state is damaged (why)" and the remedy. */
enum dpk_status dpk_db_damaged(sqlite3 *db, struct dpk_error *err, const char *why);
/* dpk_seal_check checks that the state equals the sealed state; dpk_seal_put seals the
 * present state. Call both within a transaction. */
enum dpk_status dpk_seal_check(sqlite3 *db, struct dpk_error *err);
enum dpk_status dpk_seal_put(sqlite3 *db, struct dpk_error *err);

/* ---- keys.c ---- */

enum dpk_status dpk_device_add_nvidia_key(sqlite3 *db, const struct dpk_uuid *uuid, EVP_PKEY *key,
                                          struct dpk_error *err);
/* *out is NULL if there is no NVIDIA key of that UUID. */
enum dpk_status dpk_device_find_nvidia_key(sqlite3 *db, const struct dpk_uuid *uuid, EVP_PKEY **out,
                                           struct dpk_error *err);
/* *out is NULL if the device has no owner. `uuid` may be NULL. */
enum dpk_status dpk_device_owner_key(sqlite3 *db, struct dpk_uuid *uuid, EVP_PKEY **out,
                                     struct dpk_error *err);
/* Makes an RSA key from its numbers. Errors: DPK_ERR_CRYPTO if OpenSSL does not accept them. */
enum dpk_status dpk_device_make_rsa_key(const struct dpk_nv_owner_key *numbers, EVP_PKEY **out,
                                        struct dpk_error *err);

/* Appends the public half of a key as SubjectPublicKeyInfo in DER, the form in the state and in
 * archives. Returns false if OpenSSL does not accept it, or there is no memory. */
bool dpk_device_put_public(EVP_PKEY *key, struct dpk_buf *out);
/* Read and append the private half of a factory key as PKCS #8 in DER. They return NULL, or false,
 * if OpenSSL does not accept it. The caller must wipe appended bytes. */
EVP_PKEY *dpk_device_decode_private(const uint8_t *der, size_t size);
bool dpk_device_put_private(EVP_PKEY *key, struct dpk_buf *out);

/* The key whose key-pair UUID a file names as that of its signer. */
struct signer_key {
    EVP_PKEY *key; /* NULL if unknown */
    bool owner;    /* it is the device owner's key, else NVIDIA's */
};
enum dpk_status dpk_device_find_signer(sqlite3 *db, const struct dpk_uuid *uuid,
                                       struct signer_key *out, struct dpk_error *err);

/* ---- nv.c ---- */

/* Lists the TLVs of a view (DPK_VIEW_CURRENT or _NEXT) at every priority. */
enum dpk_status dpk_device_tlvs(sqlite3 *db, enum dpk_device_view view, struct dpk_nv_list *out,
                                struct dpk_error *err);
/* Errors: DPK_ERR_RANGE if there are more TLVs for the next boot than dpk_device_tlvs reads. */
enum dpk_status dpk_device_check_room(sqlite3 *db, struct dpk_error *err);
enum dpk_status dpk_device_put_tlv(sqlite3 *db, enum dpk_device_view view,
                                   const struct dpk_nv_tlv *tlv, struct dpk_error *err);

/* The effective value of a TLV: that of the lowest priority that no higher priority locks. */
struct effect {
    bool present;
    bool locked; /* a user's value would not take effect */
    bool hidden; /* users may not read it */
    struct dpk_nv_tlv tlv;
};
enum dpk_status dpk_device_effect(sqlite3 *db, enum dpk_device_view view, unsigned class_id,
                                  uint32_t index, struct effect *out, struct dpk_error *err);

/* ---- policy.c ---- */

/* Errors: DPK_ERR_FORMAT if the TLV decides what the device allows, and its size is wrong. */
enum dpk_status dpk_device_check_tlv(const struct dpk_nv_tlv *tlv, struct dpk_error *err);
/* Returns true if the TLV decides what the device allows, for all its users. */
bool dpk_device_is_policy(unsigned class_id, uint32_t index);
/* Returns true if users cannot set it, as with the owner's key and policy. */
bool dpk_device_needs_signature(const struct dpk_nv_def *def);
enum dpk_status dpk_device_put_life_cycle(sqlite3 *db, bool development, struct dpk_error *err);
/* Gets whether USER_PROGRAMMABLE_CC is in effect. */
enum dpk_status dpk_device_programmable_cc(sqlite3 *db, bool *enabled, struct dpk_error *err);
enum dpk_status dpk_device_life_cycle(sqlite3 *db, bool *development, struct dpk_error *err);

/* ---- log.c ---- */

enum dpk_status dpk_device_log_in(sqlite3 *db, const char *action, const char *result,
                                  const char *detail, struct dpk_error *err);

/* Logs a refusal: its name as result, and the text of `refusal` before that name as detail. Errors
 * of the log are ignored. */
void dpk_device_log_refusal(struct dpk_device *dev, const char *action, enum dpk_reject reject,
                            const struct dpk_error *refusal);

/* Sets `err` to "why: NAME (code)" and `*reject` to the code. Returns DPK_ERR_REFUSED. */
enum dpk_status dpk_device_refuse(enum dpk_reject code, enum dpk_reject *reject,
                                  struct dpk_error *err, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

#endif
