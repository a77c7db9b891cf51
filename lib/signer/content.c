/* Guesses the content of a file of keys or certificates, for messages. */
#include <string.h>

#include <openssl/err.h>
#include <openssl/x509.h>

#include "signer.h"

/* Object identifier of PKCS#7 signedData (RFC 2315), in DER. */
static const uint8_t signed_data[] = {0x06, 0x09, 0x2a, 0x86, 0x48, 0x86,
                                      0xf7, 0x0d, 0x01, 0x07, 0x02};

static bool has(const uint8_t *bytes, size_t size, const char *text)
{
    return size && memmem(bytes, size, text, strlen(text));
}

static bool is_certificate(const uint8_t *bytes, size_t size)
{
    const unsigned char *p = bytes;
    X509 *cert = size <= INT32_MAX ? d2i_X509(NULL, &p, (long)size) : NULL;
    X509_free(cert);
    ERR_clear_error();
    return cert != NULL;
}

static enum dpk_content of_der(const uint8_t *bytes, size_t size)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    dpk_read_skip(&r, 1);
    const uint8_t *length = dpk_read_bytes(&r, 1);
    if (length && *length > 0x80)
        dpk_read_skip(&r, *length & 0x7f);
    const size_t left = dpk_reader_left(&r);
    if (r.failed || left < sizeof signed_data)
        return DPK_CONTENT_OTHER;
    if (memcmp(r.pos, signed_data, sizeof signed_data) == 0)
        return DPK_CONTENT_PKCS7;
    if (r.pos[0] == 2 && r.pos[1] == 1 && r.pos[2] == 3)
        return DPK_CONTENT_PKCS12;
    if (r.pos[0] == 2 && r.pos[1] == 1 && r.pos[2] <= 1)
        return DPK_CONTENT_PRIVATE_KEY;
    return is_certificate(bytes, size) ? DPK_CONTENT_CERTIFICATE : DPK_CONTENT_OTHER;
}

enum dpk_content dpk_content_of(const void *bytes, size_t size)
{
    static const struct {
        const char *text;
        enum dpk_content content;
    } marks[] = {{"-----BEGIN TRUSTED CERTIFICATE-----", DPK_CONTENT_TRUSTED},
                 {"-----BEGIN CERTIFICATE-----", DPK_CONTENT_CERTIFICATE},
                 {"-----BEGIN X509 CERTIFICATE-----", DPK_CONTENT_CERTIFICATE},
                 {"-----BEGIN PKCS7-----", DPK_CONTENT_PKCS7},
                 {"-----BEGIN CMS-----", DPK_CONTENT_PKCS7},
                 {"REQUEST-----", DPK_CONTENT_REQUEST},
                 {"PRIVATE KEY-----", DPK_CONTENT_PRIVATE_KEY},
                 {"PUBLIC KEY-----", DPK_CONTENT_PUBLIC_KEY}};
    const uint8_t *b = bytes;
    const enum dpk_content der = size > 1 && b[0] == 0x30 ? of_der(b, size) : DPK_CONTENT_OTHER;
    if (der != DPK_CONTENT_OTHER)
        return der;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && has(b, size, "-----BEGIN "); i++)
        if (has(b, size, marks[i].text))
            return marks[i].content;
    return DPK_CONTENT_OTHER;
}

static const char *content_name(enum dpk_content content)
{
    switch (content) {
    case DPK_CONTENT_CERTIFICATE:
        return "a certificate";
    case DPK_CONTENT_PRIVATE_KEY:
        return "a private key";
    case DPK_CONTENT_PUBLIC_KEY:
        return "a public key";
    case DPK_CONTENT_REQUEST:
        return "a certificate request, which a CA signs first";
    case DPK_CONTENT_PKCS7:
        return "certificates alone (PKCS#7)";
    case DPK_CONTENT_PKCS12:
    case DPK_CONTENT_TRUSTED:
    case DPK_CONTENT_OTHER:
        break;
    }
    return NULL;
}

enum dpk_status dpk_content_refuse(const char *path, const void *bytes, size_t size,
                                   const char *wanted, const char *const *beside,
                                   struct dpk_error *err)
{
    char other[PATH_MAX];
    const enum dpk_content content = dpk_content_of(bytes, size);
    const bool keys = strstr(wanted, "key") != NULL;
    if (content == DPK_CONTENT_PKCS12)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: PKCS#12, which has a key and certificates: take %s out with openssl "
                        "pkcs12 -in %s %s -nodes -out NEW.pem",
                        path, keys ? "the key" : "the certificates", path,
                        keys ? "-nocerts" : "-nokeys");
    if (content == DPK_CONTENT_TRUSTED && !keys)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: a TRUSTED CERTIFICATE, a form of OpenSSL's own: make a plain one with "
                        "openssl x509 -in %s -out NEW.pem",
                        path, path);
    const char *name =
        content_name(content == DPK_CONTENT_TRUSTED ? DPK_CONTENT_CERTIFICATE : content);
    if (!name)
        return DPK_OK;
    const bool found = dpk_file_beside(path, beside, other);
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: %s, where %s is asked for%s%s%s", path, name, wanted,
                    found ? " (perhaps " : "", found ? other : "", found ? "?)" : "");
}
