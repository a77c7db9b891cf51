/* Parses single-program containers. */
#include <string.h>

#include "items.h"

struct item {
    enum dpk_lifecycle priority;
    unsigned type;
    const uint8_t *content;
    size_t size; /* of the content */
};

bool dpk_app_is(const void *bytes, size_t size)
{
    return size >= FINGERPRINT_SIZE && memcmp(bytes, DPK_APP_FINGERPRINT, FINGERPRINT_SIZE) == 0;
}

static enum dpk_status read_item(struct dpk_reader *r, struct item *out, struct dpk_error *err)
{
    size_t at = dpk_reader_offset(r);
    unsigned first = dpk_read_u8(r);
    out->type = dpk_read_u8(r);
    unsigned reserved = dpk_read_be16(r);
    uint32_t length = dpk_read_be32(r);
    if (r->failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: truncated in an item header", at);
    if (first >> 6 != ITEM_VALID)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: item is not marked valid", at);
    if ((first >> 4 & 3) == 2)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: unknown priority 2", at);
    if (first & 0xf)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: unknown item version %u", at,
                        first & 0xf);
    if (reserved)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "offset 0x%zx: reserved bits of the item header are set", at);
    if (length < HEADER_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: bad item length %u", at, length);
    out->priority = (enum dpk_lifecycle)(first >> 4 & 3);
    out->size = length - HEADER_SIZE;
    out->content = dpk_read_bytes(r, out->size);
    if (!out->content)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: item of %u bytes ends outside the file",
                        at, length);
    return DPK_OK;
}

/* Reads the next item, which must have this type, the container's priority, and this size unless
 * `size` is 0. */
static enum dpk_status expect(struct dpk_reader *r, const struct dpk_app *app, unsigned type,
                              size_t size, struct item *out, struct dpk_error *err)
{
    size_t at = dpk_reader_offset(r);
    enum dpk_status status = read_item(r, out, err);
    if (status != DPK_OK)
        return status;
    if (out->type != type)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: item of type %u where type %u must be",
                        at, out->type, type);
    if (size && out->size != size)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "offset 0x%zx: item of type %u has %zu bytes, must have %zu", at, type,
                        out->size, size);
    if (out->priority != app->priority)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: priority %s in a container of %s", at,
                        dpk_lifecycle_name(out->priority), dpk_lifecycle_name(app->priority));
    return DPK_OK;
}

/* Returns the type of the next item, or 0 if there is no other item. */
static unsigned next_type(const struct dpk_reader *r)
{
    struct dpk_reader ahead = *r;
    dpk_read_skip(&ahead, 1);
    return dpk_read_u8(&ahead);
}

static enum dpk_status parse_program(struct dpk_reader *r, const struct item *elf,
                                     struct dpk_app *app, struct dpk_error *err)
{
    struct item item;
    enum dpk_status status = DPK_OK;
    app->kind = DPK_APP_PROGRAM;
    app->xz = elf->type == ITEM_ELF_XZ;
    app->stored = elf->content;
    app->stored_size = elf->size;
    app->elf_end = dpk_reader_offset(r);
    if (elf->size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "the ELF is empty");
    if (next_type(r) == ITEM_CRYPTO) {
        status = expect(r, app, ITEM_CRYPTO, 0, &item, err);
        if (status != DPK_OK)
            return status;
        if (item.size == 0)
            return dpk_fail(err, DPK_ERR_FORMAT, "the crypto data is empty");
        app->crypto = item.content;
        app->crypto_size = item.size;
    }
    status = expect(r, app, ITEM_METADATA, DPK_APP_METADATA_SIZE, &item, err);
    if (status == DPK_OK)
        status = appcontainer_metadata_decode(item.content, &app->metadata, err);
    if (status != DPK_OK)
        return status;
    app->metadata_bytes = item.content;
    app->app_uuid = app->metadata.uuid;
    status = expect(r, app, ITEM_MANIFEST, 0, &item, err);
    if (status == DPK_OK && item.size > 0) {
        app->manifest = item.content;
        app->manifest_size = item.size;
    }
    return status;
}

static enum dpk_status parse_removal(struct dpk_reader *r, const struct item *removal,
                                     struct dpk_app *app, struct dpk_error *err)
{
    if (removal->size != REMOVAL_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "the removal has %zu bytes, must have %zu",
                        removal->size, REMOVAL_SIZE);
    struct dpk_reader c = dpk_reader(removal->content, removal->size);
    memcpy(app->app_uuid.bytes, dpk_read_bytes(&c, 16), 16);
    memcpy(app->keypair_uuid.bytes, dpk_read_bytes(&c, 16), 16);
    uint32_t flags = dpk_read_be32(&c);
    if (flags)
        return dpk_fail(err, DPK_ERR_FORMAT, "reserved bits of the removal are set: %08x", flags);
    app->kind = DPK_APP_REMOVAL;
    app->signed_size = dpk_reader_offset(r);
    if (dpk_reader_left(r) == 0)
        return DPK_OK;
    struct item signature;
    enum dpk_status status = expect(r, app, ITEM_SIGNATURE, SIGNATURE_SIZE, &signature, err);
    if (status == DPK_OK)
        app->signature = signature.content;
    return status;
}

enum dpk_status dpk_app_parse(const void *bytes, size_t size, struct dpk_app *out,
                              struct dpk_error *err)
{
    struct dpk_app app = {.signed_bytes = bytes};
    struct dpk_reader r = dpk_reader(bytes, size);
    struct item first = {0};
    if (!dpk_app_is(bytes, size))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "not a single-program container: it must start with %s",
                        DPK_APP_FINGERPRINT);
    dpk_read_skip(&r, FINGERPRINT_SIZE);
    enum dpk_status status = read_item(&r, &first, err);
    if (status != DPK_OK)
        return status;
    app.priority = first.priority;
    if (first.type == ITEM_REMOVAL)
        status = parse_removal(&r, &first, &app, err);
    else if (first.type == ITEM_ELF || first.type == ITEM_ELF_XZ)
        status = parse_program(&r, &first, &app, err);
    else
        status = dpk_fail(err, DPK_ERR_FORMAT,
                          "it starts with an item of type %u, no ELF or removal", first.type);
    if (status == DPK_OK && dpk_reader_left(&r) > 0)
        status =
            dpk_fail(err, DPK_ERR_FORMAT, "%zu bytes after the last item", dpk_reader_left(&r));
    if (status == DPK_OK)
        *out = app;
    return status;
}

enum dpk_status dpk_app_elf(const struct dpk_app *app, struct dpk_buf *out, struct dpk_error *err)
{
    if (app->kind != DPK_APP_PROGRAM)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "a removal has no program");
    if (app->xz)
        return appcontainer_xz_decode(app->stored, app->stored_size, DPK_APP_ELF_MAX, out, err);
    if (app->stored_size > DPK_APP_ELF_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "the ELF has more than %zu bytes", DPK_APP_ELF_MAX);
    dpk_put(out, app->stored, app->stored_size);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}
