/* The format of a stored file: a mark, a MAC over version, key and code, and the code. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "engine/jit/store.h"

enum { MARK_SIZE = 8, MAC_SIZE = 32 };
static const char mark[MARK_SIZE] = "dpkjit1"; /* the last digit is the version */
static const char name_mark[MARK_SIZE] = "dpkname";

static bool make_mac(const uint8_t secret[JIT_STORE_SECRET], const char what[MARK_SIZE],
                     const uint8_t key[JIT_STORE_KEY], const void *code, size_t size,
                     uint8_t out[MAC_SIZE])
{
    if (dpk_openssl_start(NULL) != DPK_OK)
        return false;
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
    size_t made = 0;
    bool done = context && EVP_MAC_init(context, secret, JIT_STORE_SECRET, parameters) == 1 &&
                EVP_MAC_update(context, (const uint8_t *)what, MARK_SIZE) == 1 &&
                EVP_MAC_update(context, key, JIT_STORE_KEY) == 1 &&
                EVP_MAC_update(context, code, size) == 1 &&
                EVP_MAC_final(context, out, &made, MAC_SIZE) == 1 && made == MAC_SIZE;
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(hmac);
    return done;
}

bool jit_store_name(const uint8_t secret[JIT_STORE_SECRET], const uint8_t key[JIT_STORE_KEY],
                    char name[JIT_STORE_NAME])
{
    uint8_t mac[MAC_SIZE];
    if (!make_mac(secret, name_mark, key, "", 0, mac))
        return false;
    dpk_hex_text(mac, sizeof mac, name);
    return true;
}

void jit_store_seal(const uint8_t secret[JIT_STORE_SECRET], const uint8_t key[JIT_STORE_KEY],
                    const void *code, size_t size, struct dpk_buf *file)
{
    uint8_t mac[MAC_SIZE];
    if (!make_mac(secret, mark, key, code, size, mac)) {
        file->failed = true;
        return;
    }
    dpk_put(file, mark, MARK_SIZE);
    dpk_put(file, mac, MAC_SIZE);
    dpk_put(file, code, size);
}

struct dpk_reader jit_store_open(const uint8_t secret[JIT_STORE_SECRET],
                                 const uint8_t key[JIT_STORE_KEY], const void *file, size_t size)
{
    struct dpk_reader r = dpk_reader(file, size);
    const uint8_t *marked = dpk_read_bytes(&r, MARK_SIZE);
    const uint8_t *mac = dpk_read_bytes(&r, MAC_SIZE);
    struct dpk_reader code = dpk_reader(r.pos, dpk_reader_left(&r));
    uint8_t right[MAC_SIZE];
    bool genuine = !r.failed && memcmp(marked, mark, MARK_SIZE) == 0 &&
                   make_mac(secret, mark, key, code.begin, dpk_reader_left(&code), right) &&
                   CRYPTO_memcmp(mac, right, MAC_SIZE) == 0;
    code.failed = !genuine;
    return code;
}
