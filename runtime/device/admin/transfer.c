/* Exports devices to archives and imports them. */
#include <errno.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "archive.h"

/* ---- Export ---- */

/* Bytes of a column, as an offset in `held`, whose memory moves when it grows. */
struct kept {
    size_t offset, size;
};

static struct kept keep(struct dpk_buf *held, sqlite3_stmt *stmt, int column)
{
    struct kept k = {held->size, (size_t)sqlite3_column_bytes(stmt, column)};
    const void *bytes = sqlite3_column_blob(stmt, column);
    if (k.size)
        dpk_put(held, bytes, k.size);
    return k;
}

static struct archive_bytes kept_bytes(const struct dpk_buf *held, struct kept k)
{
    return (struct archive_bytes){k.size && !held->failed ? held->data + k.offset : NULL, k.size};
}

static enum dpk_status gather_keys(sqlite3 *db, struct archive *a, struct dpk_buf *held,
                                   struct dpk_error *err)
{
    struct kept spki[ARCHIVE_KEYS_MAX] = {0};
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status =
        dpk_db_prepare(db, "SELECT uuid, spki FROM nvidia_key ORDER BY uuid", &stmt, err);
    while (status == DPK_OK && (status = dpk_db_step(db, stmt, &row, err)) == DPK_OK && row) {
        if (a->key_count == ARCHIVE_KEYS_MAX) {
            status = dpk_fail(err, DPK_ERR_FORMAT, "the device's state is damaged: NVIDIA keys");
            break;
        }
        spki[a->key_count] = keep(held, stmt, 1);
        status = dpk_db_blob(stmt, 0, a->keys[a->key_count++].uuid.bytes, 16, err);
    }
    sqlite3_finalize(stmt);
    for (size_t i = 0; status == DPK_OK && i < a->key_count; i++)
        a->keys[i].spki = kept_bytes(held, spki[i]);
    return status;
}

static enum dpk_status gather_certs(sqlite3 *db, struct archive *a, struct dpk_buf *held,
                                    struct dpk_error *err)
{
    struct kept der[DPK_DEVICE_CERT_PLACES] = {0}, container[DPK_DEVICE_CERT_PLACES] = {0};
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status = dpk_db_prepare(
        db, "SELECT uuid, keypair, priority, der, container FROM ca ORDER BY id", &stmt, err);
    while (status == DPK_OK && (status = dpk_db_step(db, stmt, &row, err)) == DPK_OK && row) {
        if (a->cert_count == DPK_DEVICE_CERT_PLACES) {
            status = dpk_fail(err, DPK_ERR_FORMAT, "the device's state is damaged: certificates");
            break;
        }
        struct archive_cert *c = &a->certs[a->cert_count];
        c->priority = (enum dpk_lifecycle)sqlite3_column_int(stmt, 2);
        der[a->cert_count] = keep(held, stmt, 3);
        container[a->cert_count++] = keep(held, stmt, 4);
        status = dpk_db_blob(stmt, 0, c->uuid.bytes, sizeof c->uuid.bytes, err);
        if (status == DPK_OK)
            status = dpk_db_blob(stmt, 1, c->keypair.bytes, sizeof c->keypair.bytes, err);
    }
    sqlite3_finalize(stmt);
    for (size_t i = 0; status == DPK_OK && i < a->cert_count; i++) {
        a->certs[i].der = kept_bytes(held, der[i]);
        a->certs[i].container = kept_bytes(held, container[i]);
    }
    return status;
}

/* Reads factory/nvidia.pem and writes it to `secret` as PKCS #8. */
static enum dpk_status gather_factory(struct dpk_device *dev, struct archive *a,
                                      struct dpk_buf *secret, struct dpk_error *err)
{
    char path[PATH_MAX];
    struct dpk_buf pem = {0};
    BIO *bio = NULL;
    EVP_PKEY *key = NULL;
    enum dpk_status status = dpk_device_join(dev->path, "factory/nvidia.pem", path, err);
    if (status == DPK_OK)
        status = dpk_file_read(path, 1 << 16, &pem, err);
    if (status == DPK_ERR_NOT_FOUND)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "%s has no factory keys", dev->name);
    if (status != DPK_OK)
        goto out;
    bio = BIO_new_mem_buf(pem.data, (int)pem.size);
    key = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, (char *)"") : NULL;
    if (!key || !dpk_device_put_private(key, secret)) {
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: no private key", path);
        goto out;
    }
    a->factory = (struct archive_bytes){secret->data, secret->size};
    status = dpk_fail(err, DPK_ERR_MISMATCH, "%s: not the key that the device trusts", path);
    for (size_t i = 0; i < a->key_count && status != DPK_OK; i++) {
        const unsigned char *at = a->keys[i].spki.data;
        EVP_PKEY *trusted = d2i_PUBKEY(NULL, &at, (long)a->keys[i].spki.size);
        if (trusted && EVP_PKEY_eq(trusted, key) == 1) {
            a->factory_uuid = a->keys[i].uuid;
            status = DPK_OK;
        }
        EVP_PKEY_free(trusted);
    }
out:
    EVP_PKEY_free(key);
    BIO_free(bio);
    dpk_buf_wipe_free(&pem);
    ERR_clear_error();
    return status;
}

static enum dpk_status gather(sqlite3 *db, struct archive *a, struct dpk_buf *keys,
                              struct dpk_buf *certs, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < DPK_IDENTITY_TEXTS && status == DPK_OK; i++)
        status = dpk_db_get_meta(db, dpk_device_text_key(i), a->texts[i], sizeof a->texts[i], err);
    if (status == DPK_OK)
        status = dpk_device_life_cycle(db, &a->development, err);
    if (status == DPK_OK)
        status = gather_keys(db, a, keys, err);
    if (status == DPK_OK)
        status = dpk_device_tlvs(db, DPK_VIEW_CURRENT, &a->current, err);
    if (status == DPK_OK)
        status = dpk_device_tlvs(db, DPK_VIEW_NEXT, &a->next, err);
    if (status == DPK_OK)
        status = gather_certs(db, a, certs, err);
    if (status == DPK_OK)
        status = dpk_rollback_read(db, &a->rollback, err);
    if (status == DPK_OK && (keys->failed || certs->failed))
        status = dpk_fail_nomem(err);
    return status;
}

enum dpk_status dpk_device_export(struct dpk_device *dev, bool with_factory_keys,
                                  struct dpk_buf *out, struct dpk_error *err)
{
    struct archive a = {0};
    struct dpk_buf keys = {0}, certs = {0}, secret = {0};
    enum dpk_status status = dpk_device_begin_looking(dev, err);
    if (status != DPK_OK)
        return status;
    status = gather(dev->db, &a, &keys, &certs, err);
    a.pair = dpk_device_is_pair(dev->path);
    dpk_device_end_looking(dev);
    if (status == DPK_OK && with_factory_keys)
        status = gather_factory(dev, &a, &secret, err);
    if (status == DPK_OK) {
        admin_archive_put(&a, out);
        status = out->failed ? dpk_fail_nomem(err) : DPK_OK;
    }
    admin_archive_free(&a);
    dpk_buf_wipe_free(&secret);
    dpk_buf_free(&certs);
    dpk_buf_free(&keys);
    return status;
}

/* ---- Import ---- */

enum dpk_status dpk_device_archive_check(const void *bytes, size_t size, struct dpk_error *err)
{
    struct archive a;
    enum dpk_status status = admin_archive_parse(bytes, size, &a, err);
    if (status == DPK_OK)
        admin_archive_free(&a);
    return status;
}

static enum dpk_status put_key(sqlite3 *db, const struct archive_key *k, struct dpk_error *err)
{
    const unsigned char *at = k->spki.data;
    EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)k->spki.size);
    enum dpk_status status = key ? dpk_device_add_nvidia_key(db, &k->uuid, key, err)
                                 : dpk_fail(err, DPK_ERR_FORMAT, "an NVIDIA key is damaged");
    EVP_PKEY_free(key);
    return status;
}

static enum dpk_status put_tlvs(sqlite3 *db, enum dpk_device_view view,
                                const struct dpk_nv_list *list, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < list->count && status == DPK_OK; i++)
        status = dpk_device_put_tlv(db, view, &list->items[i], err);
    return status;
}

static enum dpk_status put_all(sqlite3 *db, const struct archive *a, struct dpk_error *err)
{
    char detail[120];
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < DPK_IDENTITY_TEXTS && status == DPK_OK; i++)
        status = dpk_db_put_meta(db, dpk_device_text_key(i), a->texts[i], err);
    if (status == DPK_OK)
        status = dpk_device_put_life_cycle(db, a->development, err);
    for (size_t i = 0; i < a->key_count && status == DPK_OK; i++)
        status = put_key(db, &a->keys[i], err);
    if (status == DPK_OK)
        status = put_tlvs(db, DPK_VIEW_CURRENT, &a->current, err);
    if (status == DPK_OK)
        status = put_tlvs(db, DPK_VIEW_NEXT, &a->next, err);
    for (size_t i = 0; i < a->cert_count && status == DPK_OK; i++) {
        const struct archive_cert *c = &a->certs[i];
        status = dpk_device_insert_cert(db, &c->uuid, &c->keypair, c->priority, c->der.data,
                                        c->der.size, c->container.data, c->container.size, err);
    }
    if (status == DPK_OK)
        status = dpk_rollback_write(db, &a->rollback, err);
    snprintf(detail, sizeof detail, "%zu TLVs, %zu CA certificates%s", a->next.count, a->cert_count,
             a->factory.size ? ", factory keys" : "");
    return status == DPK_OK ? dpk_device_log_in(db, "import", "OK", detail, err) : status;
}

static enum dpk_status fill(void *context, const char *staging, struct dpk_error *err)
{
    const struct archive *a = context;
    char path[PATH_MAX];
    sqlite3 *db = NULL;
    EVP_PKEY *key = NULL;
    enum dpk_status status = dpk_device_join(staging, "device.db", path, err);
    if (status == DPK_OK && a->factory.size) {
        key = dpk_device_decode_private(a->factory.data, a->factory.size);
        status = key ? dpk_device_write_pair(staging, key, &a->factory_uuid, err)
                     : dpk_fail(err, DPK_ERR_FORMAT, "the factory key is damaged");
        EVP_PKEY_free(key);
    }
    if (status == DPK_OK)
        status = dpk_db_create(path, &db, err);
    if (status == DPK_OK)
        status = dpk_db_begin(db, err);
    if (status == DPK_OK)
        status = dpk_db_end(db, put_all(db, a, err), err);
    if (status == DPK_OK && a->pair)
        status = dpk_device_make_pair(staging, err);
    return dpk_db_finish_new(db, status, err);
}

enum dpk_status dpk_device_import(const char *name, const void *bytes, size_t size,
                                  struct dpk_error *err)
{
    struct archive a;
    enum dpk_status status = dpk_device_check_name(name, err);
    if (status == DPK_OK)
        status = admin_archive_parse(bytes, size, &a, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_device_names names = {name, NULL,
                                           dpk_device_type_find(a.texts[DPK_IDENTITY_TARGET])};
    status = dpk_device_build(&names, fill, &a, err);
    admin_archive_free(&a);
    return status;
}
