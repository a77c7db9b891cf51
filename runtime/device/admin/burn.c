/* Burns certificate containers: first the checks in their order, then the effects. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/err.h>
#include <openssl/sha.h>

#include "private.h"

struct burning {
    sqlite3 *db;
    const void *bytes;
    size_t size;
    struct dpk_container container;
    struct signer_key signer;
    enum dpk_reject *reject;
};

/* Checks that a known key, which may sign containers of this priority, signed the container. */
static enum dpk_status check_signature(struct burning *b, struct dpk_error *err)
{
    const struct dpk_container *c = &b->container;
    struct dpk_error why = {0};
    if (!c->signature)
        return dpk_device_refuse(DPK_REJECT_UNSIGNED, b->reject, err,
                                 "the container is not signed");
    enum dpk_status status = dpk_device_find_signer(b->db, &c->keypair_uuid, &b->signer, err);
    if (status != DPK_OK)
        return status;
    bool nvidia_level = c->priority == DPK_LIFECYCLE_NVIDIA || c->nvidia_signed_oem;
    if (!b->signer.key || (!b->signer.owner && !nvidia_level)) {
        char uuid[DPK_UUID_TEXT];
        dpk_uuid_format(&c->keypair_uuid, uuid);
        return dpk_device_refuse(DPK_REJECT_UNKNOWN_KEY, b->reject, err,
                                 "signed with key pair %s, which may not sign containers of "
                                 "priority %s",
                                 uuid, dpk_lifecycle_name(c->priority));
    }
    status = dpk_container_verify(c, b->signer.key, &why);
    if (status == DPK_ERR_MISMATCH)
        return dpk_device_refuse(DPK_REJECT_CERT_SIGNATURE, b->reject, err, "%s", why.message);
    if (status != DPK_OK)
        return dpk_fail(err, status, "%s", why.message);
    if (b->signer.owner && nvidia_level)
        return dpk_device_refuse(DPK_REJECT_KEY_NOT_APPLICABLE, b->reject, err,
                                 "the owner's key cannot sign what has NVIDIA priority");
    return DPK_OK;
}

static enum dpk_status find_cert(sqlite3 *db, const struct dpk_uuid *uuid, bool *found,
                                 int *priority, int *count, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    *found = false;
    enum dpk_status status = dpk_db_prepare(
        db, "SELECT priority, uuid = ?1, count(*) OVER () FROM ca ORDER BY 2 DESC", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_blob(stmt, 1, uuid->bytes, sizeof uuid->bytes, SQLITE_STATIC);
    status = dpk_db_step(db, stmt, &row, err);
    *found = row && sqlite3_column_int(stmt, 1);
    *priority = row ? sqlite3_column_int(stmt, 0) : 0;
    *count = row ? sqlite3_column_int(stmt, 2) : 0;
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_device_insert_cert(sqlite3 *db, const struct dpk_uuid *uuid,
                                       const struct dpk_uuid *keypair, enum dpk_lifecycle priority,
                                       const uint8_t *der, size_t der_size, const void *container,
                                       size_t container_size, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status = dpk_db_prepare(
        db, "INSERT INTO ca (uuid, keypair, priority, der, container) VALUES (?, ?, ?, ?, ?)",
        &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_blob(stmt, 1, uuid->bytes, sizeof uuid->bytes, SQLITE_STATIC);
    sqlite3_bind_blob(stmt, 2, keypair->bytes, sizeof keypair->bytes, SQLITE_STATIC);
    sqlite3_bind_int(stmt, 3, (int)priority);
    sqlite3_bind_blob(stmt, 4, der, (int)der_size, SQLITE_STATIC);
    if (container_size)
        sqlite3_bind_blob(stmt, 5, container, (int)container_size, SQLITE_STATIC);
    return dpk_db_finish(db, stmt, err);
}

/* With anti-rollback, refuses a certificate that was removed before. The list of removed
 * certificates must also have room for all installed certificates. */
static enum dpk_status check_return(struct burning *b, int installed, struct dpk_error *err)
{
    struct dpk_device_rollback r;
    bool removed = false;
    char uuid[DPK_UUID_TEXT];
    enum dpk_status status = dpk_rollback_read(b->db, &r, err);
    if (status != DPK_OK)
        return status;
    bool room = r.removed_count + (size_t)installed < DPK_DEVICE_ROLLBACK_MAX;
    if (r.on)
        status = dpk_rollback_was_removed(b->db, &b->container.cert_uuid, &removed, err);
    dpk_device_rollback_free(&r);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&b->container.cert_uuid, uuid);
    if (removed)
        return dpk_device_refuse(DPK_REJECT_FORBIDDEN_VERSION, b->reject, err,
                                 "the certificate with UUID %s was removed, and does not come back "
                                 "under it",
                                 uuid);
    return room ? DPK_OK
                : dpk_device_refuse(DPK_REJECT_NO_PLACE, b->reject, err,
                                    "anti-rollback has room for %d certificates",
                                    DPK_DEVICE_ROLLBACK_MAX);
}

static enum dpk_status add(struct burning *b, struct dpk_error *err)
{
    const struct dpk_container *c = &b->container;
    const uint8_t *der = NULL;
    size_t der_size = 0;
    struct dpk_error why = {0};
    char uuid[DPK_UUID_TEXT];
    bool found;
    int priority, count;
    if (!c->dpa_root)
        return dpk_device_refuse(DPK_REJECT_CERT_METADATA, b->reject, err,
                                 "the metadata does not make it a DPA root of trust");
    if (dpk_uuid_is_zero(&c->cert_uuid))
        return dpk_device_refuse(DPK_REJECT_CERT_METADATA, b->reject, err,
                                 "the certificate's UUID is zero");
    enum dpk_status status = dpk_container_certificate(c, &der, &der_size, &why);
    if (status == DPK_OK)
        status = dpk_cert_check_root(der, der_size, &why);
    if (status != DPK_OK)
        return dpk_device_refuse(DPK_REJECT_CERT_CER509, b->reject, err, "%s", why.message);
    status = find_cert(b->db, &c->cert_uuid, &found, &priority, &count, err);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&c->cert_uuid, uuid);
    if (found)
        return dpk_device_refuse(DPK_REJECT_SAME_UUID, b->reject, err,
                                 "a certificate with UUID %s is there already", uuid);
    if (count >= DPK_DEVICE_CERT_PLACES)
        return dpk_device_refuse(DPK_REJECT_NO_PLACE, b->reject, err,
                                 "all %d places for certificates are taken",
                                 DPK_DEVICE_CERT_PLACES);
    status = check_return(b, count, err);
    if (status != DPK_OK)
        return status;
    return dpk_device_insert_cert(b->db, &c->cert_uuid, &c->keypair_uuid, c->priority, der,
                                  der_size, b->bytes, c->keep_sig ? b->size : 0, err);
}

#define TAKEN_OFF "FROM ca WHERE priority <= ?1 AND (?2 OR uuid = ?3)"

/* Runs `sql` for the certificates of a removal. */
static enum dpk_status run_on_taken(struct burning *b, const char *sql, int highest,
                                    struct dpk_error *err)
{
    const struct dpk_container *c = &b->container;
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status = dpk_db_prepare(b->db, sql, &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_int(stmt, 1, highest);
    sqlite3_bind_int(stmt, 2, c->remove_all);
    sqlite3_bind_blob(stmt, 3, c->cert_uuid.bytes, sizeof c->cert_uuid.bytes, SQLITE_STATIC);
    return dpk_db_finish(b->db, stmt, err);
}

/* Removes certificates. The owner can remove only those that an owner may install, NVIDIA all. */
static enum dpk_status take_off(struct burning *b, struct dpk_error *err)
{
    const struct dpk_container *c = &b->container;
    int highest = b->signer.owner ? DPK_LIFECYCLE_OEM : DPK_LIFECYCLE_NVIDIA;
    bool found, anti_rollback;
    int priority, count;
    char uuid[DPK_UUID_TEXT];
    enum dpk_status status = find_cert(b->db, &c->cert_uuid, &found, &priority, &count, err);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&c->cert_uuid, uuid);
    if (!c->remove_all && !found)
        return dpk_device_refuse(DPK_REJECT_REMOVAL_NO_MATCH, b->reject, err,
                                 "there is no certificate with UUID %s", uuid);
    if (!c->remove_all && priority > highest)
        return dpk_device_refuse(DPK_REJECT_KEY_NOT_APPLICABLE, b->reject, err,
                                 "the owner's key cannot remove a certificate of NVIDIA priority");
    status = dpk_rollback_on(b->db, &anti_rollback, err);
    if (status == DPK_OK && anti_rollback)
        status = run_on_taken(b, "INSERT OR IGNORE INTO removed_ca SELECT uuid " TAKEN_OFF, highest,
                              err);
    return status == DPK_OK ? run_on_taken(b, "DELETE " TAKEN_OFF, highest, err) : status;
}

static enum dpk_status burn(struct burning *b, struct dpk_error *err)
{
    struct dpk_error why = {0};
    if (dpk_container_parse(b->bytes, b->size, &b->container, &why) != DPK_OK)
        return dpk_device_refuse(DPK_REJECT_BAD_FORMAT, b->reject, err, "%s", why.message);
    enum dpk_status status = check_signature(b, err);
    if (status != DPK_OK)
        return status;
    return b->container.kind == DPK_CONTAINER_ADD ? add(b, err) : take_off(b, err);
}

/* `rehearsal`: rolls the changes back and logs nothing. */
static enum dpk_status run_burn(struct dpk_device *dev, bool rehearsal, const void *bytes,
                                size_t size, enum dpk_reject *reject, struct dpk_error *err)
{
    enum dpk_reject unused, *why = reject ? reject : &unused;
    struct dpk_error own = {0}, *e = err ? err : &own;
    struct burning b = {.db = dev->db, .bytes = bytes, .size = size, .reject = why};
    char detail[100], uuid[DPK_UUID_TEXT];
    *why = DPK_REJECT_NONE;
    enum dpk_status status = dpk_db_begin(dev->db, e);
    if (status != DPK_OK)
        return status;
    status = burn(&b, e);
    if (status == DPK_OK && !rehearsal) {
        dpk_uuid_format(&b.container.cert_uuid, uuid);
        snprintf(detail, sizeof detail, "%s %s",
                 b.container.kind == DPK_CONTAINER_ADD ? "add certificate" : "remove certificate",
                 b.container.remove_all ? "all" : uuid);
        status = dpk_device_log_in(dev->db, "burn", "OK", detail, e);
    }
    if (rehearsal)
        (void)dpk_db_end(dev->db, DPK_ERR_REFUSED, NULL);
    else
        status = dpk_db_end(dev->db, status, e);
    if (status == DPK_ERR_REFUSED && !rehearsal)
        dpk_device_log_refusal(dev, "burn", *why, e);
    EVP_PKEY_free(b.signer.key);
    return status;
}

enum dpk_status dpk_device_burn(struct dpk_device *dev, const void *bytes, size_t size,
                                enum dpk_reject *reject, struct dpk_error *err)
{
    return run_burn(dev, false, bytes, size, reject, err);
}

enum dpk_status dpk_device_try_burn(struct dpk_device *dev, const void *bytes, size_t size,
                                    enum dpk_reject *reject, struct dpk_error *err)
{
    return run_burn(dev, true, bytes, size, reject, err);
}
