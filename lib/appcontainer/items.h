/* Items of a single-program container (signing(7)); private to this room. */
#ifndef DPK_APPCONTAINER_ITEMS_H
#define DPK_APPCONTAINER_ITEMS_H

#include "appcontainer.h"

#define FINGERPRINT_SIZE ((size_t)16)
#define HEADER_SIZE      ((size_t)8)
#define REMOVAL_SIZE     ((size_t)36) /* program's UUID, key-pair UUID, flags */
#define SIGNATURE_SIZE   ((size_t)512)
#define ITEM_VALID       2u
#define KEYPAIR_AT       (FINGERPRINT_SIZE + HEADER_SIZE + 16)

enum item_type {
    ITEM_ELF = 1,
    ITEM_CRYPTO = 2,
    ITEM_METADATA = 3,
    ITEM_REMOVAL = 6,
    ITEM_SIGNATURE = 7,
    ITEM_MANIFEST = 9,
    ITEM_ELF_XZ = 10,
};

void appcontainer_put_item(struct dpk_buf *out, enum item_type type, enum dpk_lifecycle priority,
                           size_t content_size);

/* Decodes DPK_APP_METADATA_SIZE bytes. Errors: DPK_ERR_FORMAT with the field's name. */
enum dpk_status appcontainer_metadata_decode(const uint8_t *bytes, struct dpk_app_metadata *out,
                                             struct dpk_error *err);

/* Compresses `size` bytes at `data` and appends the result. */
enum dpk_status appcontainer_xz_encode(const uint8_t *data, size_t size, struct dpk_buf *out,
                                       struct dpk_error *err);
/* Decompresses and appends at most `max` bytes. */
enum dpk_status appcontainer_xz_decode(const uint8_t *data, size_t size, size_t max,
                                       struct dpk_buf *out, struct dpk_error *err);

#endif
