/* Device archives: the bytes get their checksum, for else nothing behind it would be reached. */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/sha.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_error err = {0};
    uint8_t digest[SHA256_DIGEST_LENGTH];
    static const uint8_t head[8] = {0xff, 0xff, 0, 0, 0, 0, 0, sizeof digest};
    struct dpk_buf whole = {0};
    /* A seed brings an end of its own. */
    if (size > 40 && memcmp(data + size - 40, head, sizeof head) == 0)
        size -= 40;
    SHA256(data, size, digest);
    dpk_put(&whole, data, size);
    dpk_put(&whole, head, sizeof head);
    dpk_put(&whole, digest, sizeof digest);
    if (!whole.failed)
        (void)dpk_device_archive_check(whole.data, whole.size, &err);
    dpk_buf_free(&whole);
    return 0;
}
