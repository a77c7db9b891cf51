/* Items of a certificate container: header layout and its numbers (signing(7)). */
#ifndef DPK_CONTAINER_ITEMS_H
#define DPK_CONTAINER_ITEMS_H

#include "container.h"

#define FINGERPRINT      "CERTIFICATE.BIN!"
#define FINGERPRINT_SIZE ((size_t)16)
#define HEADER_SIZE      ((size_t)12)
#define METADATA_SIZE    ((size_t)36) /* certificate UUID, flags, key-pair UUID */
#define REMOVAL_SIZE     ((size_t)36) /* certificate UUID, key-pair UUID, flags */
#define SIGNATURE_SIZE   ((size_t)512)

#define ITEM_VALID       2u
#define METHOD_SIGNATURE 1u
#define METHOD_OTHER     2u

enum item_type {
    ITEM_CERTIFICATE = 0,
    ITEM_SIGNATURE = 1,
    ITEM_METADATA = 2,
    ITEM_REMOVAL = 5,
};

#define META_DPA_ROOT (1u << 21)
#define META_KEEP_SIG (1u << 4)
#define REMOVE_ALL    1u

/* Offsets in the file. The first item's content follows fingerprint and header. */
#define CONTENT_AT      (FINGERPRINT_SIZE + HEADER_SIZE)
#define CERT_UUID_AT    CONTENT_AT
#define META_KEYPAIR_AT (CONTENT_AT + 20)
#define REM_KEYPAIR_AT  (CONTENT_AT + 16)

struct item {
    unsigned priority;
    unsigned type;
    const uint8_t *content;
    size_t size; /* of the content */
};

/* Reads one item. Errors: DPK_ERR_FORMAT, with the offset, if its header is not exactly as
 * specified. */
enum dpk_status dpk_container_read_item(struct dpk_reader *r, struct item *out,
                                        struct dpk_error *err);

void dpk_container_put_item(struct dpk_buf *out, enum item_type type, unsigned priority,
                            size_t content_size);

/* Checks that [data, size) is exactly one DER certificate of allowed size. */
enum dpk_status dpk_container_check_der(const uint8_t *data, size_t size, struct dpk_error *err);

#endif
