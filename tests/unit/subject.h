/* A device ELF and its crypto data, as bytes: verified, and signed. */
#ifndef TESTS_SUBJECT_H
#define TESTS_SUBJECT_H

#include "elfcrypto/elfcrypto.h"

static inline struct dpk_subject subject_of(const void *elf, size_t elf_size, const void *crypto,
                                            size_t crypto_size)
{
    return (struct dpk_subject){
        .elf = dpk_elf(elf, elf_size), .crypto = crypto, .crypto_size = crypto_size, .threads = 1};
}

static inline enum dpk_verdict verify_bytes(const void *elf, size_t elf_size, const void *crypto,
                                            size_t crypto_size, const struct dpk_trust *trust,
                                            struct dpk_report *report)
{
    const struct dpk_subject subject = subject_of(elf, elf_size, crypto, crypto_size);
    return dpk_verify(&subject, trust, report);
}

static inline enum dpk_status build_bytes(const void *elf, size_t elf_size,
                                          const struct dpk_certchain *chain,
                                          const struct dpk_signer *signer,
                                          const struct dpk_sign_options *options,
                                          struct dpk_buf *out, struct dpk_error *err)
{
    const struct dpk_subject subject = subject_of(elf, elf_size, NULL, 0);
    return dpk_crypto_build(&subject, chain, signer, options, out, err);
}

#endif
