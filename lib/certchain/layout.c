/* Encodes and decodes the chain structure (signing(7)). */
#include <stdlib.h>

#include "chain.h"

#define HEADER_SIZE    12
#define CHAIN_TYPE     1u /* third-party code authentication */
#define RESERVED_DWORD 0xFFFFFFFFu

static uint16_t shift_in(uint16_t crc, unsigned bit)
{
    bool out = crc & 0x8000;
    crc = (uint16_t)((unsigned)crc << 1 | bit);
    return out ? crc ^ 0x100B : crc;
}

uint16_t dpk_crc16(const uint8_t *dwords, size_t size)
{
    uint16_t crc = 0xFFFF;
    for (size_t i = 0; i < size; i++)
        for (int bit = 7; bit >= 0; bit--)
            crc = shift_in(crc, dwords[i] >> bit & 1u);
    for (int i = 0; i < 16; i++)
        crc = shift_in(crc, 0);
    return crc ^ 0xFFFF;
}

static uint16_t crc_of(uint32_t first)
{
    uint8_t dwords[8];
    dpk_store_be32(dwords, first);
    dpk_store_be32(dwords + 4, RESERVED_DWORD);
    return dpk_crc16(dwords, sizeof dwords);
}

/* NVIDIA's tool computes the CRC with a count of 0 and with the length shifted by 8 bits too
 * many. */
static uint16_t mft_crc(size_t length)
{
    return crc_of(CHAIN_TYPE | 1u << 4 | (uint32_t)length << 16);
}

enum dpk_status dpk_certchain_encode(const struct dpk_certchain *chain, const unsigned *mft_count,
                                     struct dpk_buf *out, struct dpk_error *err)
{
    size_t length = HEADER_SIZE + chain->der.size;
    unsigned count = mft_count ? *mft_count : (unsigned)chain->count;
    if (count > 15)
        return dpk_fail(err, DPK_ERR_RANGE, "certificate chain: count %u does not fit 4 bits",
                        count);
    uint32_t first = 0xFF000000u | (uint32_t)length << 8 | count << 4 | CHAIN_TYPE;
    dpk_put_be32(out, first);
    dpk_put_be32(out, RESERVED_DWORD);
    dpk_put_be16(out, 0xFFFF);
    dpk_put_be16(out, mft_count ? mft_crc(length) : crc_of(first));
    dpk_put(out, chain->der.data, chain->der.size);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

struct header {
    unsigned count;
    size_t length;
    bool by_mft;
};

static enum dpk_status decode_header(struct dpk_reader *r, struct header *h, struct dpk_error *err)
{
    uint32_t first = dpk_read_be32(r), second = dpk_read_be32(r), third = dpk_read_be32(r);
    if (r->failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "certificate chain: truncated header");
    if ((first & 0xF) != CHAIN_TYPE)
        return dpk_fail(err, DPK_ERR_FORMAT, "certificate chain: type %u, not %u", first & 0xF,
                        CHAIN_TYPE);
    if (first >> 24 != 0xFF || second != RESERVED_DWORD || third >> 16 != 0xFFFF)
        return dpk_fail(err, DPK_ERR_FORMAT, "certificate chain: reserved bits are not all ones");
    h->count = first >> 4 & 0xF;
    h->length = first >> 8 & 0xFFFF;
    if (h->length < HEADER_SIZE || h->length - HEADER_SIZE > DPK_CHAIN_MAX_BYTES)
        return dpk_fail(err, DPK_ERR_FORMAT, "certificate chain: length %zu out of range",
                        h->length);
    uint16_t crc = third & 0xFFFF;
    h->by_mft = crc != crc_of(first);
    if (h->by_mft && crc != mft_crc(h->length))
        return dpk_fail(err, DPK_ERR_FORMAT, "certificate chain: CRC %#06x, not %#06x", crc,
                        crc_of(first));
    return DPK_OK;
}

static enum dpk_status decode_certs(struct dpk_reader *r, struct dpk_certchain *chain,
                                    struct dpk_error *err)
{
    while (dpk_reader_left(r) > 0) {
        X509 *cert = NULL;
        enum dpk_status status = certchain_read_der(r, (unsigned)chain->count + 1, &cert, err);
        if (status != DPK_OK)
            return status;
        status = certchain_append(chain, cert, err);
        if (status != DPK_OK) {
            X509_free(cert);
            return status;
        }
    }
    return DPK_OK;
}

/* MFT stores the value of --cert_chain_count, by default 3. Its CRC does not cover the count. */
static enum dpk_status check_count(const struct header *h, size_t found, bool *warning,
                                   struct dpk_error *err)
{
    if (found == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "certificate chain: no certificate");
    if (h->count == found)
        return DPK_OK;
    if (!h->by_mft || h->count < found || h->count > DPK_CHAIN_MAX_CERTS)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "certificate chain: count is %u, but there are %zu certificates", h->count,
                        found);
    *warning = true;
    return DPK_OK;
}

enum dpk_status dpk_certchain_decode(struct dpk_reader *r, struct dpk_certchain **out,
                                     bool *count_warning, struct dpk_error *err)
{
    struct header h = {0};
    bool warning = false;
    *out = NULL;
    *count_warning = false;
    enum dpk_status status = decode_header(r, &h, err);
    if (status != DPK_OK)
        return status;
    size_t size = h.length - HEADER_SIZE;
    const uint8_t *der = dpk_read_bytes(r, size);
    if (!der)
        return dpk_fail(err, DPK_ERR_FORMAT, "certificate chain: truncated, %zu bytes announced",
                        h.length);
    struct dpk_certchain *chain = calloc(1, sizeof *chain);
    if (!chain)
        return dpk_fail_nomem(err);
    struct dpk_reader certs = dpk_reader(der, size);
    status = decode_certs(&certs, chain, err);
    if (status == DPK_OK)
        status = check_count(&h, chain->count, &warning, err);
    if (status != DPK_OK) {
        dpk_certchain_free(chain);
        return status;
    }
    *count_warning = warning;
    *out = chain;
    return DPK_OK;
}
