/* Encodes and decodes app metadata. */
#include <string.h>

#include "items.h"

#define UUID_AT         0x28
#define DESCRIPTION_AT  0x40
#define DESCRIPTION_MAX (DPK_APP_DESCRIPTION - 1)

/* Bits that must be zero. */
static const struct field {
    size_t offset;
    uint32_t mask;
} reserved[] = {
    {0x00, 0x00FFFF00}, {0x04, 0xFFFFFF00}, {0x08, 0xFFFF0000}, {0x0C, ~0u},
    {0x18, ~0u},        {0x20, ~0u},        {0x24, ~0u},        {0x38, ~0u},
    {0x3C, ~0u},        {0x60, ~0u},        {0x64, ~0u},
};

static void put_description(const char *text, struct dpk_buf *out)
{
    size_t length = strlen(text);
    for (size_t at = 0; at < DESCRIPTION_MAX; at += 4) {
        uint32_t dword = 0;
        for (size_t i = at; i < at + 4 && i < length; i++)
            dword = dword << 8 | (uint8_t)text[i];
        dpk_put_be32(out, dword);
    }
}

void dpk_app_metadata_encode(const struct dpk_app_metadata *m, struct dpk_buf *out)
{
    dpk_put_be32(out, (uint32_t)m->type << 24 | m->subtype);
    dpk_put_be32(out, 0);
    dpk_put_be32(out, DPK_APP_METADATA_SIZE);
    dpk_put_be32(out, 0);
    dpk_put_be32(out, m->app_version);
    dpk_put_be32(out, m->os_api_version);
    dpk_put_be32(out, 0);
    dpk_put_be32(out, m->fw_api_version);
    dpk_put_fill(out, 0, UUID_AT - 0x20);
    dpk_put(out, m->uuid.bytes, sizeof m->uuid.bytes);
    dpk_put_fill(out, 0, DESCRIPTION_AT - 0x38);
    put_description(m->description, out);
    dpk_put_fill(out, 0, DPK_APP_METADATA_SIZE - 0x60);
}

static uint32_t dword_at(const struct dpk_reader *all, size_t offset)
{
    struct dpk_reader r = dpk_reader_slice(all, offset, 4);
    return dpk_read_be32(&r);
}

enum dpk_status appcontainer_metadata_decode(const uint8_t *bytes, struct dpk_app_metadata *out,
                                             struct dpk_error *err)
{
    const struct dpk_reader all = dpk_reader(bytes, DPK_APP_METADATA_SIZE);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (dword_at(&all, reserved[i].offset) & reserved[i].mask)
            return dpk_fail(err, DPK_ERR_FORMAT, "app metadata: reserved bits at 0x%zx are set",
                            reserved[i].offset);
    if (dword_at(&all, 4) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "app metadata: structure version %u, not 0",
                        dword_at(&all, 4));
    if (dword_at(&all, 8) != DPK_APP_METADATA_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "app metadata: length %u, not %d", dword_at(&all, 8),
                        DPK_APP_METADATA_SIZE);
    *out = (struct dpk_app_metadata){.type = (uint8_t)(dword_at(&all, 0) >> 24),
                                     .subtype = (uint8_t)dword_at(&all, 0),
                                     .app_version = dword_at(&all, 0x10),
                                     .os_api_version = dword_at(&all, 0x14),
                                     .fw_api_version = dword_at(&all, 0x1C)};
    memcpy(out->uuid.bytes, bytes + UUID_AT, sizeof out->uuid.bytes);
    /* An incomplete dword has zeros before or after its characters. */
    size_t length = 0;
    for (size_t i = 0; i < DESCRIPTION_MAX; i++)
        if (bytes[DESCRIPTION_AT + i])
            out->description[length++] = (char)bytes[DESCRIPTION_AT + i];
    return DPK_OK;
}
