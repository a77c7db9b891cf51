/* The vital product data of a card, in the format of the PCI Local Bus Specification 3.0, appendix I. */
#include <string.h>

#include "api/mst/mst.h"

enum { TAG_NAME = 0x82, TAG_READ_ONLY = 0x90, TAG_END = 0x78 };

/* Appends a field: a keyword, a length and a text. */
static void put_field(struct dpk_buf *out, const char *keyword, const char *text)
{
    const size_t length = strnlen(text, 63);
    dpk_put(out, keyword, 2);
    dpk_put_u8(out, (uint8_t)length);
    dpk_put(out, text, length);
}

void mst_vpd_put(struct dpk_buf *out, const struct dpk_device_info *info)
{
    struct dpk_buf fields = {0};
    uint8_t sum = 0;
    put_field(&fields, "PN", info->part_number);
    put_field(&fields, "SN", info->serial);
    dpk_put(&fields, "RV\1", 3); /* its byte makes the sum of all bytes zero */
    const size_t length = strlen(info->description);
    dpk_put_u8(out, TAG_NAME);
    dpk_put_le16(out, (uint16_t)length);
    dpk_put(out, info->description, length);
    dpk_put_u8(out, TAG_READ_ONLY);
    dpk_put_le16(out, (uint16_t)(fields.size + 1));
    dpk_put(out, fields.data, fields.size);
    for (size_t i = 0; i < out->size; i++)
        sum = (uint8_t)(sum + out->data[i]);
    dpk_put_u8(out, (uint8_t)-sum);
    dpk_put_u8(out, TAG_END);
    out->failed |= fields.failed;
    dpk_buf_free(&fields);
}
