/* Every mutation of NVIDIA's crypto data: refused, whatever was changed. Most flips cost a chain
 * validation, so two programs share a file: the even bits, and the odd bits with the truncations.
 */
#ifndef TESTS_EVERYBIT_CRYPTO_H
#define TESTS_EVERYBIT_CRYPTO_H

#include "hostfile/hostfile.h"

#include "everybit.h"
#include "hostelf.h"
#include "subject.h"

struct vouched {
    struct dpk_buf elf, root;
    /* Where a host file has the crypto data; 0 and 0: the bytes are it. */
    size_t crypto_at, crypto_size;
};

static inline enum dpk_verdict judged(const struct vouched *v, const uint8_t *crypto, size_t size)
{
    struct dpk_der der = {v->root.data, v->root.size};
    struct dpk_trust trust = {.roots = &der, .count = 1};
    return verify_bytes(v->elf.data, v->elf.size, crypto, size, &trust, NULL);
}

static inline struct vouched voucher(const char *elf)
{
    return (struct vouched){.elf = golden(elf), .root = golden("keys/root.der")};
}

static inline void voucher_free(struct vouched *v)
{
    dpk_buf_free(&v->elf);
    dpk_buf_free(&v->root);
}

static inline void verify_blob(const uint8_t *bytes, size_t size, size_t changed, void *context)
{
    if (judged(context, bytes, size) == DPK_VERDICT_OK)
        fail_msg("size %zu, byte %#zx: accepted", size, changed);
}

/* Crypto data alone in a file. */
static inline void mutate_blob(const char *elf, const char *blob, size_t part)
{
    struct vouched v = voucher(elf);
    size_t size;
    uint8_t *bytes = exact_golden(blob, &size);
    assert_int_equal(judged(&v, bytes, size), DPK_VERDICT_OK);
    flip_part(bytes, size, part, 2, verify_blob, &v);
    if (part)
        every_truncation(bytes, size, verify_blob, &v);
    free(bytes);
    voucher_free(&v);
}

/* The host file's reader finds the crypto data; where it finds the same untouched bytes, there is
 * nothing to verify again. */
static inline void verify_in_host(const uint8_t *bytes, size_t size, size_t changed, void *context)
{
    const struct vouched *v = context;
    struct dpk_hostfile *host = NULL;
    if (dpk_hostfile_borrow("it", bytes, size, &host, NULL) != DPK_OK)
        fail_msg("byte %#zx: the host file does not parse", changed);
    const struct dpk_subject *p = &dpk_hostfile_program(host, 0)->subjects[0];
    bool same = p->crypto == bytes + v->crypto_at && p->crypto_size == v->crypto_size &&
                (changed < v->crypto_at || changed - v->crypto_at >= v->crypto_size);
    if (!same && judged(v, p->crypto, p->crypto_size) == DPK_VERDICT_OK)
        fail_msg("byte %#zx: accepted", changed);
    dpk_hostfile_close(host);
}

/* A section of a host file that this function makes around it. */
static inline void mutate_section(const char *elf, const char *section, size_t part)
{
    struct vouched v = voucher(elf);
    struct dpk_buf content = golden(section);
    struct host_layout at;
    const struct host_section s[] = {
        {.name = ".dpa_bin_a", .data = v.elf.data, .size = v.elf.size},
        {.name = ".dpa_sig_a", .data = content.data, .size = content.size}};
    struct dpk_buf file = make_host(s, 2, &at);
    struct dpk_hostfile *host = NULL;
    assert_int_equal(dpk_hostfile_borrow("it", file.data, file.size, &host, NULL), DPK_OK);
    const struct dpk_subject *p = &dpk_hostfile_program(host, 0)->subjects[0];
    assert_int_equal(judged(&v, p->crypto, p->crypto_size), DPK_VERDICT_OK);
    v.crypto_at = (size_t)(p->crypto - file.data);
    v.crypto_size = p->crypto_size;
    dpk_hostfile_close(host);
    for (size_t bit = part; bit < 8 * content.size; bit += 2 * BIT_STEP) {
        uint8_t *byte = file.data + at.offsets[1] + bit / 8;
        *byte ^= (uint8_t)(1u << bit % 8);
        verify_in_host(file.data, file.size, (size_t)(byte - file.data), &v);
        *byte ^= (uint8_t)(1u << bit % 8);
    }
    /* Cut, it is a shorter section. */
    uint64_t size = part ? content.size : 0;
    while (size-- > 0) {
        memcpy(file.data + at.table + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), &size,
               sizeof size);
        verify_in_host(file.data, file.size, (size_t)(at.offsets[1] + size), &v);
    }
    dpk_buf_free(&content);
    dpk_buf_free(&file);
    voucher_free(&v);
}

#endif
