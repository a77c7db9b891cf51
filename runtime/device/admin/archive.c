/* Writes and reads the bytes of device archives: dpadev(1), "ARCHIVES". Numbers are big-endian. */
#include "archive.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

static const char fingerprint[16] = {'D', 'P', 'A', 'K', 'I', 'T', '.', 'D',
                                     'E', 'V', 'I', 'C', 'E', '.', '1', '!'};

enum record {
    RECORD_TEXT = 1,
    RECORD_KEY,
    RECORD_TLV,
    RECORD_CERT,
    RECORD_FACTORY,
    RECORD_LIFE_CYCLE,
    RECORD_ANTI_ROLLBACK = 7,
    RECORD_FLOOR,
    RECORD_REMOVED,
    RECORD_PAIR,
    RECORD_END = 0xffff
};

enum { OVR_EN = 1, RD_EN = 2 };

static const char development[] = "development";

void admin_archive_free(struct archive *a)
{
    dpk_nv_list_free(&a->current);
    dpk_nv_list_free(&a->next);
    dpk_device_rollback_free(&a->rollback);
}

/* ---- Writing ---- */

static void put_head(struct dpk_buf *out, enum record type, size_t size)
{
    dpk_put_be16(out, (uint16_t)type);
    dpk_put_be16(out, 0);
    dpk_put_be32(out, (uint32_t)size);
}

static void put_uuid(struct dpk_buf *out, const struct dpk_uuid *uuid)
{
    dpk_put(out, uuid->bytes, sizeof uuid->bytes);
}

static void put_tlvs(struct dpk_buf *out, enum dpk_device_view view, const struct dpk_nv_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct dpk_nv_tlv *t = &list->items[i];
        put_head(out, RECORD_TLV, 12 + t->size);
        dpk_put_u8(out, (uint8_t)view);
        dpk_put_u8(out, (uint8_t)t->priority);
        dpk_put_u8(out, (uint8_t)((t->ovr_en ? OVR_EN : 0) | (t->rd_en ? RD_EN : 0)));
        dpk_put_u8(out, (uint8_t)t->writer_id);
        dpk_put_u8(out, (uint8_t)t->version);
        dpk_put_u8(out, 0);
        dpk_put_be16(out, (uint16_t)t->class_id);
        dpk_put_be32(out, t->index);
        dpk_put(out, t->data, t->size);
    }
}

static void put_rollback(struct dpk_buf *out, const struct dpk_device_rollback *r)
{
    if (!r->on)
        return;
    put_head(out, RECORD_ANTI_ROLLBACK, 0);
    for (size_t i = 0; i < r->floor_count; i++) {
        put_head(out, RECORD_FLOOR, 24);
        put_uuid(out, &r->floors[i].keypair);
        dpk_put_be32(out, r->floors[i].mlnx);
        dpk_put_be32(out, r->floors[i].version);
    }
    for (size_t i = 0; i < r->removed_count; i++) {
        put_head(out, RECORD_REMOVED, 16);
        put_uuid(out, &r->removed[i]);
    }
}

void admin_archive_put(const struct archive *a, struct dpk_buf *out)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    dpk_put(out, fingerprint, sizeof fingerprint);
    for (size_t i = 0; i < DPK_IDENTITY_TEXTS; i++) {
        put_head(out, RECORD_TEXT, strlen(a->texts[i]));
        dpk_put(out, a->texts[i], strlen(a->texts[i]));
    }
    for (size_t i = 0; i < a->key_count; i++) {
        put_head(out, RECORD_KEY, 16 + a->keys[i].spki.size);
        put_uuid(out, &a->keys[i].uuid);
        dpk_put(out, a->keys[i].spki.data, a->keys[i].spki.size);
    }
    put_tlvs(out, DPK_VIEW_CURRENT, &a->current);
    put_tlvs(out, DPK_VIEW_NEXT, &a->next);
    for (size_t i = 0; i < a->cert_count; i++) {
        const struct archive_cert *c = &a->certs[i];
        put_head(out, RECORD_CERT, 40 + c->der.size + c->container.size);
        put_uuid(out, &c->uuid);
        put_uuid(out, &c->keypair);
        dpk_put_be32(out, (uint32_t)c->priority);
        dpk_put_be32(out, (uint32_t)c->der.size);
        dpk_put(out, c->der.data, c->der.size);
        dpk_put(out, c->container.data, c->container.size);
    }
    if (a->factory.size) {
        put_head(out, RECORD_FACTORY, 16 + a->factory.size);
        put_uuid(out, &a->factory_uuid);
        dpk_put(out, a->factory.data, a->factory.size);
    }
    if (a->development) { /* without this record: production, as in older archives */
        put_head(out, RECORD_LIFE_CYCLE, sizeof development - 1);
        dpk_put(out, development, sizeof development - 1);
    }
    put_rollback(out, &a->rollback);
    if (a->pair)
        put_head(out, RECORD_PAIR, 0);
    if (out->failed)
        return;
    if (!SHA256(out->data, out->size, digest)) {
        out->failed = true;
        return;
    }
    put_head(out, RECORD_END, sizeof digest);
    dpk_put(out, digest, sizeof digest);
}

/* ---- Reading ---- */

static void read_uuid(struct dpk_reader *r, struct dpk_uuid *out)
{
    const uint8_t *bytes = dpk_read_bytes(r, sizeof out->bytes);
    *out = (struct dpk_uuid){0};
    if (bytes)
        memcpy(out->bytes, bytes, sizeof out->bytes);
}

static struct archive_bytes read_rest(struct dpk_reader *r)
{
    size_t size = dpk_reader_left(r);
    return (struct archive_bytes){dpk_read_bytes(r, size), size};
}

static enum dpk_status read_text(struct dpk_reader *r, struct archive *a, size_t number,
                                 struct dpk_error *err)
{
    struct archive_bytes text = read_rest(r);
    if (number >= DPK_IDENTITY_TEXTS)
        return dpk_fail(err, DPK_ERR_FORMAT, "more than %d texts", DPK_IDENTITY_TEXTS);
    if (text.size > DPK_IDENTITY_TEXT_MAX || memchr(text.data, 0, text.size))
        return dpk_fail(err, DPK_ERR_FORMAT, "text %zu is too long or has a NUL", number);
    memcpy(a->texts[number], text.data, text.size);
    return dpk_device_check_text(number, a->texts[number], err) == DPK_OK ? DPK_OK : DPK_ERR_FORMAT;
}

/* Returns true if an export would write the same bytes for the key. Otherwise, an export after the
 * import would make another archive. */
static bool is_exact(EVP_PKEY *key, bool (*put)(EVP_PKEY *, struct dpk_buf *),
                     const struct archive_bytes *der)
{
    struct dpk_buf again = {0};
    bool exact = put(key, &again) && again.size == der->size &&
                 memcmp(again.data, der->data, der->size) == 0;
    dpk_buf_wipe_free(&again);
    return exact;
}

/* Returns true for an RSA key that dpadev create accepts. */
static bool is_nvidia_key(const EVP_PKEY *key)
{
    return key && EVP_PKEY_is_a(key, "RSA") &&
           (EVP_PKEY_get_bits(key) == 4096 || EVP_PKEY_get_bits(key) == 2048);
}

static enum dpk_status read_key(struct dpk_reader *r, struct archive *a, struct dpk_error *err)
{
    struct archive_key k;
    read_uuid(r, &k.uuid);
    k.spki = read_rest(r);
    const unsigned char *at = k.spki.data;
    EVP_PKEY *key = k.spki.size ? d2i_PUBKEY(NULL, &at, (long)k.spki.size) : NULL;
    bool good = is_nvidia_key(key) && is_exact(key, dpk_device_put_public, &k.spki);
    EVP_PKEY_free(key);
    ERR_clear_error();
    if (r->failed || !good || dpk_uuid_is_zero(&k.uuid))
        return dpk_fail(err, DPK_ERR_FORMAT, "no RSA key with a UUID");
    if (a->key_count == ARCHIVE_KEYS_MAX)
        return dpk_fail(err, DPK_ERR_FORMAT, "more than %d NVIDIA keys", ARCHIVE_KEYS_MAX);
    if (a->key_count &&
        memcmp(a->keys[a->key_count - 1].uuid.bytes, k.uuid.bytes, sizeof k.uuid.bytes) >= 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "NVIDIA keys are not in their order");
    a->keys[a->key_count++] = k;
    return DPK_OK;
}

/* Returns true if `t` comes after `last` in the order of a device: by class, by index, and by
 * descending priority. */
static bool comes_after(const struct dpk_nv_tlv *t, const struct dpk_nv_tlv *last)
{
    if (t->class_id != last->class_id)
        return t->class_id > last->class_id;
    if (t->index != last->index)
        return t->index > last->index;
    return t->priority < last->priority;
}

static enum dpk_status read_tlv(struct dpk_reader *r, struct archive *a, struct dpk_error *err)
{
    struct dpk_nv_tlv t = {0};
    uint8_t view = dpk_read_u8(r), priority = dpk_read_u8(r), flags = dpk_read_u8(r);
    t.writer_id = dpk_read_u8(r);
    t.version = dpk_read_u8(r);
    uint8_t reserved = dpk_read_u8(r);
    t.class_id = dpk_read_be16(r);
    t.index = dpk_read_be32(r);
    struct archive_bytes data = read_rest(r);
    struct dpk_nv_list *list = view == DPK_VIEW_CURRENT ? &a->current : &a->next;
    if (r->failed || (view != DPK_VIEW_CURRENT && view != DPK_VIEW_NEXT) ||
        (priority != DPK_NV_USER && priority != DPK_NV_OEM && priority != DPK_NV_MLNX) ||
        flags & ~(OVR_EN | RD_EN) || reserved || t.writer_id > 0x1f || t.version > 0xf ||
        t.class_id > 0xff || t.class_id == DPK_NV_FILE || t.index > 0xffffff ||
        data.size > DPK_NV_DATA_MAX || data.size % 4 != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "no TLV that a device holds");
    t.priority = (enum dpk_nv_priority)priority;
    t.ovr_en = flags & OVR_EN;
    t.rd_en = flags & RD_EN;
    t.size = data.size;
    enum dpk_status status = dpk_device_check_tlv(&t, err);
    if (status != DPK_OK)
        return status;
    if (dpk_device_is_policy(t.class_id, t.index) && t.priority == DPK_NV_USER)
        return dpk_fail(err, DPK_ERR_FORMAT, "a user's policy of debugging");
    if (dpk_nv_is_owner_key(&t) && t.priority != DPK_NV_OEM)
        return dpk_fail(err, DPK_ERR_FORMAT, "an owner's key that is not at OEM priority");
    memcpy(t.data, data.size ? (const void *)data.data : "", data.size);
    if (view == DPK_VIEW_CURRENT && a->next.count)
        return dpk_fail(err, DPK_ERR_FORMAT, "TLVs are not in their order");
    if (list->count && !comes_after(&t, &list->items[list->count - 1]))
        return dpk_fail(err, DPK_ERR_FORMAT, "TLVs are not in their order");
    return dpk_nv_list_add(list, &t, err);
}

/* Returns true if a stored container has the same values as the certificate in the archive. */
static bool is_container_of(const struct archive_cert *c)
{
    struct dpk_container kept;
    const uint8_t *der = NULL;
    size_t size = 0;
    return dpk_container_parse(c->container.data, c->container.size, &kept, NULL) == DPK_OK &&
           kept.kind == DPK_CONTAINER_ADD && kept.keep_sig && kept.signature &&
           kept.priority == c->priority && dpk_uuid_equal(&kept.cert_uuid, &c->uuid) &&
           dpk_uuid_equal(&kept.keypair_uuid, &c->keypair) &&
           dpk_container_certificate(&kept, &der, &size, NULL) == DPK_OK && size == c->der.size &&
           memcmp(der, c->der.data, size) == 0;
}

static enum dpk_status read_cert(struct dpk_reader *r, struct archive *a, struct dpk_error *err)
{
    struct archive_cert c;
    read_uuid(r, &c.uuid);
    read_uuid(r, &c.keypair);
    uint32_t priority = dpk_read_be32(r), size = dpk_read_be32(r);
    c.der = (struct archive_bytes){dpk_read_bytes(r, size), size};
    c.container = read_rest(r);
    if (r->failed || dpk_uuid_is_zero(&c.uuid) ||
        (priority != DPK_LIFECYCLE_USER && priority != DPK_LIFECYCLE_OEM &&
         priority != DPK_LIFECYCLE_NVIDIA) ||
        size >= DPK_CONTAINER_CERT_END || dpk_cert_check_root(c.der.data, size, NULL) != DPK_OK)
        return dpk_fail(err, DPK_ERR_FORMAT, "no CA certificate that a device holds");
    c.priority = (enum dpk_lifecycle)priority;
    if (c.container.size && !is_container_of(&c))
        return dpk_fail(err, DPK_ERR_FORMAT, "a container that is not its certificate's");
    if (a->cert_count == DPK_DEVICE_CERT_PLACES)
        return dpk_fail(err, DPK_ERR_FORMAT, "more than %d CA certificates",
                        DPK_DEVICE_CERT_PLACES);
    for (size_t i = 0; i < a->cert_count; i++)
        if (dpk_uuid_equal(&a->certs[i].uuid, &c.uuid))
            return dpk_fail(err, DPK_ERR_FORMAT, "a CA certificate twice");
    a->certs[a->cert_count++] = c;
    return DPK_OK;
}

/* Reads the private half of a factory key. */
static enum dpk_status read_factory(struct dpk_reader *r, struct archive *a, struct dpk_error *err)
{
    if (a->factory.size)
        return dpk_fail(err, DPK_ERR_FORMAT, "two factory keys");
    read_uuid(r, &a->factory_uuid);
    a->factory = read_rest(r);
    EVP_PKEY *mine = dpk_device_decode_private(a->factory.data, a->factory.size);
    bool good = false;
    for (size_t i = 0; i < a->key_count && !good && mine; i++) {
        const unsigned char *at = a->keys[i].spki.data;
        EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)a->keys[i].spki.size);
        good = key && dpk_uuid_equal(&a->keys[i].uuid, &a->factory_uuid) &&
               EVP_PKEY_eq(key, mine) == 1;
        EVP_PKEY_free(key);
    }
    good = good && is_exact(mine, dpk_device_put_private, &a->factory);
    EVP_PKEY_free(mine);
    ERR_clear_error();
    return good ? DPK_OK
                : dpk_fail(err, DPK_ERR_FORMAT,
                           "its factory key is not the key of an NVIDIA key pair");
}

static enum dpk_status read_life_cycle(struct dpk_reader *r, struct archive *a,
                                       struct dpk_error *err)
{
    struct archive_bytes name = read_rest(r);
    if (a->development || name.size != sizeof development - 1 ||
        memcmp(name.data, development, name.size) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "no life cycle of a device");
    a->development = true;
    return DPK_OK;
}

static enum dpk_status read_anti_rollback(struct dpk_reader *r, struct archive *a,
                                          struct dpk_error *err)
{
    if (a->rollback.on || dpk_reader_left(r) > 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "anti-rollback twice, or more than on");
    a->rollback.on = true;
    return DPK_OK;
}

static enum dpk_status read_pair(struct dpk_reader *r, struct archive *a, struct dpk_error *err)
{
    if (a->pair || dpk_reader_left(r) > 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "a pair twice, or more than one");
    a->pair = true;
    return DPK_OK;
}

static bool is_full(const struct archive *a, size_t count)
{
    return !a->rollback.on || count >= DPK_DEVICE_ROLLBACK_MAX;
}

static enum dpk_status read_floor(struct dpk_reader *r, struct archive *a, struct dpk_error *err)
{
    struct dpk_device_rollback *all = &a->rollback;
    struct dpk_device_floor f;
    read_uuid(r, &f.keypair);
    uint32_t mlnx = dpk_read_be32(r);
    f.version = dpk_read_be32(r);
    f.mlnx = mlnx == 1;
    int order = -1;
    if (all->floor_count) {
        const struct dpk_device_floor *last = &all->floors[all->floor_count - 1];
        order = memcmp(last->keypair.bytes, f.keypair.bytes, sizeof f.keypair.bytes);
        order = order ? order : (int)last->mlnx - (int)f.mlnx;
    }
    if (r->failed || dpk_reader_left(r) > 0 || mlnx > 1 || order >= 0 ||
        is_full(a, all->floor_count))
        return dpk_fail(err, DPK_ERR_FORMAT, "no version of a file that anti-rollback keeps");
    return dpk_rollback_add_floor(all, &f, err);
}

static enum dpk_status read_removed(struct dpk_reader *r, struct archive *a, struct dpk_error *err)
{
    struct dpk_device_rollback *all = &a->rollback;
    struct dpk_uuid cert;
    read_uuid(r, &cert);
    bool good = !r->failed && dpk_reader_left(r) == 0 && !dpk_uuid_is_zero(&cert) &&
                !is_full(a, all->removed_count + a->cert_count);
    if (good && all->removed_count)
        good =
            memcmp(all->removed[all->removed_count - 1].bytes, cert.bytes, sizeof cert.bytes) < 0;
    for (size_t i = 0; i < a->cert_count && good; i++)
        good = !dpk_uuid_equal(&a->certs[i].uuid, &cert);
    if (!good)
        return dpk_fail(err, DPK_ERR_FORMAT, "no removed certificate that anti-rollback keeps");
    return dpk_rollback_add_removed(all, &cert, err);
}

static enum dpk_status read_record(uint16_t type, struct dpk_reader *r, struct archive *a,
                                   size_t *texts, struct dpk_error *err)
{
    switch (type) {
    case RECORD_TEXT:
        return read_text(r, a, (*texts)++, err);
    case RECORD_KEY:
        return read_key(r, a, err);
    case RECORD_TLV:
        return read_tlv(r, a, err);
    case RECORD_CERT:
        return read_cert(r, a, err);
    case RECORD_FACTORY:
        return read_factory(r, a, err);
    case RECORD_LIFE_CYCLE:
        return read_life_cycle(r, a, err);
    case RECORD_ANTI_ROLLBACK:
        return read_anti_rollback(r, a, err);
    case RECORD_FLOOR:
        return read_floor(r, a, err);
    case RECORD_REMOVED:
        return read_removed(r, a, err);
    case RECORD_PAIR:
        return read_pair(r, a, err);
    default:
        return dpk_fail(err, DPK_ERR_FORMAT, "record of type %u", type);
    }
}

/* Checks that need several records: the owner's key is complete, is the same in both views, and no
 * NVIDIA key has its UUID. */
static enum dpk_status check_owner(const struct archive *a, struct dpk_error *err)
{
    struct dpk_nv_owner_key now, then;
    bool owned_now = false, owned = false;
    EVP_PKEY *key = NULL;
    enum dpk_status status = dpk_nv_owner_key_find(&a->current, &owned_now, &now, err);
    if (status == DPK_OK)
        status = dpk_nv_owner_key_find(&a->next, &owned, &then, err);
    if (status == DPK_OK && owned)
        status = dpk_device_make_rsa_key(&then, &key, err);
    EVP_PKEY_free(key);
    if (status != DPK_OK)
        return status;
    if (owned != owned_now ||
        (owned && (!dpk_uuid_equal(&now.uuid, &then.uuid) || now.exponent != then.exponent ||
                   memcmp(now.modulus, then.modulus, sizeof now.modulus) != 0)))
        return dpk_fail(err, DPK_ERR_FORMAT, "two owners");
    for (size_t i = 0; owned && i < a->key_count; i++)
        if (dpk_uuid_equal(&a->keys[i].uuid, &then.uuid))
            return dpk_fail(err, DPK_ERR_FORMAT, "the owner's key has an NVIDIA key's UUID");
    return DPK_OK;
}

/* Checks the checksum, and that its record is the last. */
static enum dpk_status check_end(const uint8_t *bytes, size_t size, struct dpk_reader *r,
                                 struct dpk_error *err)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    static const uint8_t head[8] = {0xff, 0xff, 0, 0, 0, 0, 0, sizeof digest};
    if (size < sizeof fingerprint || memcmp(bytes, fingerprint, sizeof fingerprint) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "not a device archive: it must start with %.16s",
                        fingerprint);
    size_t end = sizeof head + sizeof digest;
    if (size - sizeof fingerprint < end || memcmp(bytes + size - end, head, sizeof head) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "the archive is cut short");
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    if (!SHA256(bytes, size - end, digest))
        return dpk_fail_nomem(err);
    if (memcmp(bytes + size - sizeof digest, digest, sizeof digest) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "the archive is damaged: its checksum is wrong");
    *r = dpk_reader(bytes, size - end);
    dpk_read_skip(r, sizeof fingerprint);
    return DPK_OK;
}

enum dpk_status admin_archive_parse(const void *bytes, size_t size, struct archive *out,
                                    struct dpk_error *err)
{
    struct dpk_reader r;
    size_t texts = 0;
    uint16_t last = 0;
    *out = (struct archive){0};
    enum dpk_status status = check_end(bytes, size, &r, err);
    while (status == DPK_OK && dpk_reader_left(&r) > 0) {
        size_t offset = dpk_reader_offset(&r);
        uint16_t type = dpk_read_be16(&r), reserved = dpk_read_be16(&r);
        uint32_t length = dpk_read_be32(&r);
        const uint8_t *data = dpk_read_bytes(&r, length);
        struct dpk_reader record = dpk_reader(data, length);
        if (!data || reserved || type < last)
            status = dpk_fail(err, DPK_ERR_FORMAT, "no record");
        else
            status = read_record(type, &record, out, &texts, err);
        last = type;
        if (status != DPK_OK)
            dpk_error_prefix(err, "at 0x%zx", offset);
    }
    if (status == DPK_OK && texts != DPK_IDENTITY_TEXTS)
        status = dpk_fail(err, DPK_ERR_FORMAT, "the archive says too little of the device");
    if (status == DPK_OK &&
        dpk_device_check_pair(dpk_device_type_find(out->texts[DPK_IDENTITY_TARGET]), out->pair,
                              err) != DPK_OK)
        status = DPK_ERR_FORMAT;
    if (status == DPK_OK && out->key_count == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "the archive has no NVIDIA key");
    if (status == DPK_OK)
        status = check_owner(out, err);
    if (status != DPK_OK)
        admin_archive_free(out);
    return status;
}
