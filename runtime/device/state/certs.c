/* CA certificates of a device. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/err.h>
#include <openssl/sha.h>

#include "private.h"

enum dpk_status dpk_device_ca_list(struct dpk_device *dev, struct dpk_ca_list *out,
                                   struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    *out = (struct dpk_ca_list){0};
    enum dpk_status status = dpk_db_prepare(dev->db, "SELECT der FROM ca ORDER BY id", &stmt, err);
    while (status == DPK_OK && (status = dpk_db_step(dev->db, stmt, &row, err)) == DPK_OK && row) {
        size_t size = (size_t)sqlite3_column_bytes(stmt, 0);
        struct dpk_der *more = reallocarray(out->roots, out->count + 1, sizeof *more);
        uint8_t *copy = malloc(size + 1);
        if (more)
            out->roots = more;
        if (!more || !copy) {
            free(copy);
            status = dpk_fail_nomem(err);
            break;
        }
        status = dpk_db_blob(stmt, 0, copy, size, err);
        out->roots[out->count++] = (struct dpk_der){.data = copy, .size = size};
    }
    sqlite3_finalize(stmt);
    if (status != DPK_OK)
        dpk_ca_list_free(out);
    return status;
}

void dpk_ca_list_free(struct dpk_ca_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((uint8_t *)list->roots[i].data);
    free(list->roots);
    *list = (struct dpk_ca_list){0};
}

static int64_t seconds_of(const ASN1_TIME *when)
{
    struct tm tm;
    return ASN1_TIME_to_tm(when, &tm) ? (int64_t)timegm(&tm) : 0;
}

static enum dpk_status read_cert(sqlite3_stmt *stmt, struct dpk_device_cert *out,
                                 struct dpk_error *err)
{
    *out = (struct dpk_device_cert){.priority = (enum dpk_lifecycle)sqlite3_column_int(stmt, 2),
                                    .der_size = (size_t)sqlite3_column_bytes(stmt, 3),
                                    .container_size = (size_t)sqlite3_column_bytes(stmt, 4)};
    enum dpk_status status = dpk_db_blob(stmt, 0, out->uuid.bytes, sizeof out->uuid.bytes, err);
    if (status == DPK_OK)
        status = dpk_db_blob(stmt, 1, out->keypair.bytes, sizeof out->keypair.bytes, err);
    if (status != DPK_OK)
        return status;
    const unsigned char *der = sqlite3_column_blob(stmt, 3);
    if (der && !SHA256(der, out->der_size, out->sha256))
        return dpk_fail_nomem(err);
    X509 *cert = der ? d2i_X509(NULL, &der, (long)out->der_size) : NULL;
    ERR_clear_error();
    if (!cert)
        return dpk_fail(err, DPK_ERR_CRYPTO, "OpenSSL cannot read the device's CA certificate");
    dpk_cert_subject(cert, out->subject, sizeof out->subject);
    out->valid_from = seconds_of(X509_get0_notBefore(cert));
    out->valid_until = seconds_of(X509_get0_notAfter(cert));
    X509_free(cert);
    return DPK_OK;
}

enum dpk_status dpk_device_certs(struct dpk_device *dev, struct dpk_device_cert *out, size_t *count,
                                 struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    *count = 0;
    enum dpk_status status = dpk_db_prepare(
        dev->db, "SELECT uuid, keypair, priority, der, container FROM ca ORDER BY id", &stmt, err);
    while (status == DPK_OK && (status = dpk_db_step(dev->db, stmt, &row, err)) == DPK_OK && row) {
        if (*count == DPK_DEVICE_CERT_PLACES) {
            status = dpk_fail(err, DPK_ERR_FORMAT,
                              "the device's state is damaged: more than %d CA certificates",
                              DPK_DEVICE_CERT_PLACES);
            break;
        }
        status = read_cert(stmt, &out[(*count)++], err);
    }
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_device_cert_export(struct dpk_device *dev, const struct dpk_uuid *uuid,
                                       bool container, struct dpk_buf *out, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    char text[DPK_UUID_TEXT];
    enum dpk_status status =
        dpk_db_prepare(dev->db, "SELECT der, container FROM ca WHERE uuid = ?", &stmt, err);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(uuid, text);
    sqlite3_bind_blob(stmt, 1, uuid->bytes, sizeof uuid->bytes, SQLITE_STATIC);
    status = dpk_db_step(dev->db, stmt, &row, err);
    if (status == DPK_OK && !row)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no certificate with UUID %s", text);
    if (status == DPK_OK && container && sqlite3_column_type(stmt, 1) == SQLITE_NULL)
        status =
            dpk_fail(err, DPK_ERR_NOT_FOUND, "the container of certificate %s was not kept", text);
    if (status == DPK_OK) {
        const void *bytes = sqlite3_column_blob(stmt, container ? 1 : 0);
        dpk_put(out, bytes, (size_t)sqlite3_column_bytes(stmt, container ? 1 : 0));
        status = out->failed ? dpk_fail_nomem(err) : DPK_OK;
    }
    sqlite3_finalize(stmt);
    return status;
}
