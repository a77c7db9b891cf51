/* archive: a device's state as bytes of one file (dpadev(1), "ARCHIVES"). */
#ifndef DPK_DEVICE_ADMIN_ARCHIVE_H
#define DPK_DEVICE_ADMIN_ARCHIVE_H

#include "private.h"

#define ARCHIVE_KEYS_MAX 16

struct archive_bytes {
    const uint8_t *data; /* NULL if absent */
    size_t size;
};

struct archive_key {
    struct dpk_uuid uuid;
    struct archive_bytes spki; /* SubjectPublicKeyInfo, DER */
};

struct archive_cert {
    struct dpk_uuid uuid, keypair;
    enum dpk_lifecycle priority;
    struct archive_bytes der, container; /* container.size is 0 if the container is not kept */
};

/* State of a device without its name and log. The bytes are borrowed. */
struct archive {
    char texts[DPK_IDENTITY_TEXTS][DPK_IDENTITY_TEXT_MAX + 1];
    struct archive_key keys[ARCHIVE_KEYS_MAX];
    size_t key_count;
    struct dpk_nv_list current, next;
    struct archive_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t cert_count;
    /* The private half of an NVIDIA key that was made with the device: PKCS #8, DER, unencrypted.
     * factory.size is 0 if it is not in the archive. */
    struct dpk_uuid factory_uuid;
    struct archive_bytes factory;
    struct dpk_device_rollback rollback;
    bool development;
    bool pair;
};
void admin_archive_free(struct archive *a); /* frees the lists */

void admin_archive_put(const struct archive *a, struct dpk_buf *out);

/* Parses an archive and checks that its state is possible for a device. Errors: DPK_ERR_FORMAT with
 * the offset if it is not. */
enum dpk_status admin_archive_parse(const void *bytes, size_t size, struct archive *out,
                                    struct dpk_error *err);

#endif
