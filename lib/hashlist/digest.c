/* SHA-256 of bytes, as text. */
#include <openssl/evp.h>

#include "hashlist/hashlist.h"

void dpk_sha256_text(const void *bytes, size_t size, char out[65])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    size_t length = 0;
    *out = 0;
    if (dpk_openssl_start(NULL) == DPK_OK &&
        EVP_Q_digest(NULL, "SHA256", NULL, bytes, size, digest, &length) == 1 && length == 32)
        dpk_hex_text(digest, length, out);
}
