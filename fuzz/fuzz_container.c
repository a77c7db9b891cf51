/* Certificate containers: parsed parts are inside the bytes, and no container verifies without a
 * key. */
#include "container/container.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_container c;
    const uint8_t *der;
    size_t der_size;
    if (dpk_container_parse(data, size, &c, &err) != DPK_OK)
        return 0;
    if (c.cert && (c.cert < data || c.cert_size > size - (size_t)(c.cert - data)))
        abort();
    if (c.signed_size > size || (c.signature && size - c.signed_size < 512))
        abort();
    if (c.cert && dpk_container_certificate(&c, &der, &der_size, &err) == DPK_OK &&
        der_size >= DPK_CONTAINER_CERT_END)
        abort();
    (void)dpk_container_check_root(&c, &err);
    return 0;
}
