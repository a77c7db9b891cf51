/* Four bytes with the size of a device ELF, the ELF and its crypto data: it must not verify without
 * a trusted root. Then the chain's own top is trusted, to reach the later checks. */
#include "elfcrypto/elfcrypto.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void trust_its_root(const uint8_t *elf, size_t elf_size, const uint8_t *crypto, size_t size)
{
    struct dpk_crypto_view view;
    struct dpk_report report;
    unsigned char *der = NULL;
    if (dpk_crypto_view_open(crypto, size, &view, NULL) != DPK_OK)
        return;
    if (view.signed_size > size || view.signature < crypto ||
        (size_t)(view.signature - crypto) > size - 512)
        abort();
    int length = i2d_X509(dpk_certchain_cert(view.chain, 0), &der);
    if (length > 0) {
        const struct dpk_der root = {der, (size_t)length};
        const struct dpk_trust trust = {.roots = &root, .count = 1};
        const struct dpk_subject subject = {
            .elf = dpk_elf(elf, elf_size), .crypto = crypto, .crypto_size = size, .threads = 1};
        enum dpk_verdict verdict = dpk_verify(&subject, &trust, &report);
        if (verdict == DPK_VERDICT_OK && dpk_crypto_view_check(&view, crypto, NULL) != DPK_OK)
            abort();
        if (report.count == 0 || report.checks[report.count - 1].verdict != verdict)
            abort();
    }
    OPENSSL_free(der);
    dpk_crypto_view_free(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct dpk_trust nobody = {0};
    struct dpk_report report;
    struct dpk_reader r = dpk_reader(data, size);
    size_t elf_size = dpk_read_le32(&r), left = dpk_reader_left(&r);
    if (r.failed)
        return 0;
    elf_size %= left + 1;
    const uint8_t *elf = data + 4, *crypto = elf + elf_size;
    size_t crypto_size = left - elf_size;
    const struct dpk_subject subject = {
        .elf = dpk_elf(elf, elf_size), .crypto = crypto, .crypto_size = crypto_size, .threads = 1};
    if (dpk_verify(&subject, &nobody, &report) == DPK_VERDICT_OK)
        abort();
    trust_its_root(elf, elf_size, crypto, crypto_size);
    return 0;
}
