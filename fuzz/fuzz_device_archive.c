/* Device archives. The fuzzer sets the checksum, without which parsing stops early. A device that
 * is made from an archive must export the same archive. */
#include "device/admin/admin.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/sha.h>

#define NAME "imported"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *context, const struct dpk_device_event *event)
{
    (void)context, (void)event;
}

/* Queries everything about the device. */
static void look(struct dpk_device *dev)
{
    struct dpk_device_info info;
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    struct dpk_ca_list roots = {0};
    struct dpk_buf out = {0};
    size_t count = 0;
    if (dpk_device_info(dev, &info, NULL) != DPK_OK ||
        dpk_device_certs(dev, certs, &count, NULL) != DPK_OK ||
        dpk_device_ca_list(dev, &roots, NULL) != DPK_OK ||
        dpk_device_events(dev, 0, ignore, NULL, NULL) != DPK_OK || roots.count != count)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (dpk_device_cert_export(dev, &certs[i].uuid, false, &out, NULL) != DPK_OK)
            abort();
        (void)dpk_device_cert_export(dev, &certs[i].uuid, true, &out, NULL);
    }
    dpk_buf_free(&out);
    dpk_ca_list_free(&roots);
}

static void import(const struct dpk_buf *archive)
{
    struct dpk_device *dev = NULL;
    struct dpk_buf again = {0};
    if (dpk_device_import(NAME, archive->data, archive->size, NULL) != DPK_OK)
        return;
    if (dpk_device_open(NAME, &dev, NULL) != DPK_OK)
        abort();
    look(dev);
    if (dpk_device_export(dev, true, &again, NULL) != DPK_OK &&
        dpk_device_export(dev, false, &again, NULL) != DPK_OK)
        abort();
    if (again.size != archive->size || memcmp(again.data, archive->data, again.size) != 0)
        abort();
    dpk_buf_wipe_free(&again);
    dpk_device_close(dev);
    if (dpk_device_delete(NAME, NULL) != DPK_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_error err = {0};
    uint8_t digest[SHA256_DIGEST_LENGTH];
    static const uint8_t head[8] = {0xff, 0xff, 0, 0, 0, 0, 0, sizeof digest};
    struct dpk_buf whole = {0};
    /* Seeds have a checksum already; remove it. */
    if (size > 40 && memcmp(data + size - 40, head, sizeof head) == 0)
        size -= 40;
    SHA256(data, size, digest);
    dpk_put(&whole, data, size);
    dpk_put(&whole, head, sizeof head);
    dpk_put(&whole, digest, sizeof digest);
    if (!whole.failed && dpk_device_archive_check(whole.data, whole.size, &err) == DPK_OK)
        import(&whole);
    dpk_buf_free(&whole);
    return 0;
}
