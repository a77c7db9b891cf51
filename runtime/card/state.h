/* Inside a device: its database, and what the files of this room share. */
#ifndef DPK_DEVICE_STATE_H
#define DPK_DEVICE_STATE_H

#include <limits.h>
#include <sys/stat.h>

#include <openssl/evp.h>
#include <sqlite3.h>

#include "card.h"

struct dpk_device {
    char name[DPK_DEVICE_NAME_MAX + 1];
    char path[PATH_MAX];
    sqlite3 *db;
};

/* ---- paths.c ---- */

/* $DPAKIT_DEVICES or its default. `create`: made if absent, 0700. */
enum dpk_status dpk_device_root(bool create, char out[PATH_MAX], struct dpk_error *err);
enum dpk_status dpk_device_check_name(const char *name, struct dpk_error *err);
/* "a/b", DPK_ERR_RANGE if it does not fit. */
enum dpk_status dpk_device_join(const char *a, const char *b, char out[PATH_MAX],
                                struct dpk_error *err);
/* Refuses what belongs neither to us nor to root. */
enum dpk_status dpk_device_check_owner(const char *path, const struct stat *st,
                                       struct dpk_error *err);
/* A directory of ours or root's that nobody else may write to. `shared`: others may add their own
 * things, as in /tmp; not where the database is, for a journal beside it is believed. */
enum dpk_status dpk_device_check_directory(const char *path, bool shared, struct dpk_error *err);
/* From what the user wrote to the device's own name and directory. */
enum dpk_status dpk_device_resolve(const char *word, char name[DPK_DEVICE_NAME_MAX + 1],
                                   char path[PATH_MAX], struct dpk_error *err);
/* The alias of a device, or "". */
void dpk_device_alias_of(const char *root, const char *name, char *out, size_t size);

/* ---- db.c ---- */

enum dpk_status dpk_db_create(const char *path, sqlite3 **out, struct dpk_error *err);
/* Closes a database of dpk_db_create, all of it in one file. Returns `status`, or what went wrong.
 */
enum dpk_status dpk_db_finish_new(sqlite3 *db, enum dpk_status status, struct dpk_error *err);
enum dpk_status dpk_db_open(const char *path, sqlite3 **out, struct dpk_error *err);
enum dpk_status dpk_db_fail(sqlite3 *db, struct dpk_error *err);
/* The first column of the first row, or "". */
enum dpk_status dpk_db_pragma(sqlite3 *db, const char *sql, char *out, size_t size,
                              struct dpk_error *err);
enum dpk_status dpk_db_exec(sqlite3 *db, const char *sql, struct dpk_error *err);
enum dpk_status dpk_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out,
                               struct dpk_error *err);
/* Steps a statement that gives no rows, and finalizes it. */
enum dpk_status dpk_db_finish(sqlite3 *db, sqlite3_stmt *stmt, struct dpk_error *err);
/* Steps; `*row` says whether there is one. */
enum dpk_status dpk_db_step(sqlite3 *db, sqlite3_stmt *stmt, bool *row, struct dpk_error *err);
/* One writer at a time from here to dpk_db_end, which seals and commits if `status` is DPK_OK, else
 * rolls back; it returns `status`, or why the commit failed. A state that is damaged is not
 * changed. */
enum dpk_status dpk_db_begin(sqlite3 *db, struct dpk_error *err);
enum dpk_status dpk_db_end(sqlite3 *db, enum dpk_status status, struct dpk_error *err);
/* The same for what is in the log alone, which the seal does not cover: nothing is checked. */
enum dpk_status dpk_db_begin_log(sqlite3 *db, struct dpk_error *err);
enum dpk_status dpk_db_end_log(sqlite3 *db, enum dpk_status status, struct dpk_error *err);
/* Undoes and ends what is begun, if anything is. */
void dpk_db_rollback(sqlite3 *db);
/* A text column, borrowed until the statement moves on; there is one in every row. */
enum dpk_status dpk_db_text(sqlite3 *db, sqlite3_stmt *stmt, int column, const char **out,
                            struct dpk_error *err);
/* A blob column that must have exactly `size` bytes. */
enum dpk_status dpk_db_blob(sqlite3_stmt *stmt, int column, void *out, size_t size,
                            struct dpk_error *err);
enum dpk_status dpk_db_get_meta(sqlite3 *db, const char *key, char *out, size_t size,
                                struct dpk_error *err);
enum dpk_status dpk_db_put_meta(sqlite3 *db, const char *key, const char *value,
                                struct dpk_error *err);

/* ---- seal.c ---- */

#define DPK_SEAL_SIZE 32 /* SHA-256 */
/* DPK_ERR_FORMAT "FILE: the device's state is damaged (why)", and how to go on. */
enum dpk_status dpk_db_damaged(sqlite3 *db, struct dpk_error *err, const char *why);
/* Both within a transaction: is the state as it was sealed? Seals it as it is now. */
enum dpk_status dpk_seal_check(sqlite3 *db, struct dpk_error *err);
enum dpk_status dpk_seal_put(sqlite3 *db, struct dpk_error *err);

/* ---- keys.c ---- */

enum dpk_status dpk_device_add_nvidia_key(sqlite3 *db, const struct dpk_uuid *uuid, EVP_PKEY *key,
                                          struct dpk_error *err);
/* *out NULL if there is no NVIDIA key of that UUID. */
enum dpk_status dpk_device_find_nvidia_key(sqlite3 *db, const struct dpk_uuid *uuid, EVP_PKEY **out,
                                           struct dpk_error *err);
/* *out NULL if the device has no owner; `uuid` may be NULL. */
enum dpk_status dpk_device_owner_key(sqlite3 *db, struct dpk_uuid *uuid, EVP_PKEY **out,
                                     struct dpk_error *err);
/* An RSA key from its numbers; DPK_ERR_CRYPTO if OpenSSL does not take them. */
enum dpk_status dpk_device_make_rsa_key(const struct dpk_nv_owner_key *numbers, EVP_PKEY **out,
                                        struct dpk_error *err);

/* The public half of a key, SubjectPublicKeyInfo in DER, as the state and archives keep it. False:
 * OpenSSL does not take it, or no memory. */
bool dpk_device_put_public(EVP_PKEY *key, struct dpk_buf *out);
/* The private half of a factory key, PKCS #8 in DER. NULL, or false: OpenSSL does not take it. Wipe
 * what is put. */
EVP_PKEY *dpk_device_decode_private(const uint8_t *der, size_t size);
bool dpk_device_put_private(EVP_PKEY *key, struct dpk_buf *out);

/* Who signed a file, as far as its key-pair UUID says. */
struct signer_key {
    EVP_PKEY *key; /* NULL: unknown */
    bool owner;    /* the device owner's, else NVIDIA's */
};
enum dpk_status dpk_device_find_signer(sqlite3 *db, const struct dpk_uuid *uuid,
                                       struct signer_key *out, struct dpk_error *err);

/* ---- nv.c ---- */

/* The TLVs of a view (DPK_VIEW_CURRENT or _NEXT), every priority. */
enum dpk_status dpk_device_tlvs(sqlite3 *db, enum dpk_device_view view, struct dpk_nv_list *out,
                                struct dpk_error *err);
/* DPK_ERR_RANGE if there are more TLVs for the next boot than dpk_device_tlvs reads. */
enum dpk_status dpk_device_check_room(sqlite3 *db, struct dpk_error *err);
enum dpk_status dpk_device_put_tlv(sqlite3 *db, enum dpk_device_view view,
                                   const struct dpk_nv_tlv *tlv, struct dpk_error *err);

/* What counts of a TLV: the lowest priority that nobody above it keeps from overriding. */
struct effect {
    bool present;
    bool locked; /* a user's value would not count */
    bool hidden; /* from users */
    struct dpk_nv_tlv tlv;
};
enum dpk_status dpk_device_effect(sqlite3 *db, enum dpk_device_view view, unsigned class_id,
                                  uint32_t index, struct effect *out, struct dpk_error *err);

/* ---- policy.c ---- */

/* DPK_ERR_FORMAT: a TLV that the device goes by has not the size that it must have. */
enum dpk_status dpk_device_check_tlv(const struct dpk_nv_tlv *tlv, struct dpk_error *err);
/* A TLV that says what the device allows, whoever is its user. */
bool dpk_device_is_policy(unsigned class_id, uint32_t index);
/* Users cannot set it: the owner's key, and policy. */
bool dpk_device_needs_signature(const struct dpk_nv_def *def);
enum dpk_status dpk_device_put_life_cycle(sqlite3 *db, bool development, struct dpk_error *err);
enum dpk_status dpk_device_life_cycle(sqlite3 *db, bool *development, struct dpk_error *err);

/* ---- log.c ---- */

enum dpk_status dpk_device_log_in(sqlite3 *db, const char *action, const char *result,
                                  const char *detail, struct dpk_error *err);

/* A refusal as a result, with what `refusal` says before it. Failure to log changes nothing. */
void dpk_device_log_refusal(struct dpk_device *dev, const char *action, enum dpk_reject reject,
                            const struct dpk_error *refusal);

/* Fills `err` with "why: NAME (code)" and `*reject`; returns DPK_ERR_REFUSED. */
enum dpk_status dpk_device_refuse(enum dpk_reject code, enum dpk_reject *reject,
                                  struct dpk_error *err, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

#endif
