/* Verifies programs, with checks in the order of enum dpk_verdict. */
#include <stdarg.h>
#include <string.h>

#include "crypto.h"
#include "fat/fat.h"
#include "isa.h"

const char *dpk_verdict_name(enum dpk_verdict v)
{
    static const char *const names[] = {
        [DPK_VERDICT_OK] = "OK",
        [DPK_VERDICT_UNSIGNED] = "UNSIGNED",
        [DPK_VERDICT_BAD_FORMAT] = "BAD_FORMAT",
        [DPK_VERDICT_UNSUPPORTED] = "UNSUPPORTED",
        [DPK_VERDICT_DIGEST_MISMATCH] = "DIGEST_MISMATCH",
        [DPK_VERDICT_CHAIN_FORMAT] = "CHAIN_FORMAT",
        [DPK_VERDICT_UNKNOWN_CA] = "UNKNOWN_CA",
        [DPK_VERDICT_CERT_INVALID] = "CERT_INVALID",
        [DPK_VERDICT_KEY_NOT_APPLICABLE] = "KEY_NOT_APPLICABLE",
        [DPK_VERDICT_AUTH_FAILED] = "AUTH_FAILED",
        [DPK_VERDICT_NOT_LOADED] = "NOT_LOADED",
    };
    size_t i = (size_t)v;
    return i < sizeof names / sizeof *names && names[i] ? names[i] : "UNKNOWN";
}

int dpk_verdict_exit_code(enum dpk_verdict v)
{
    return v == DPK_VERDICT_OK ? 0 : 10 + (int)v;
}

/* A subject under verification, with the crypto data that earlier checks have read. */
struct verification {
    const struct dpk_subject *subject;
    const struct dpk_trust *trust;
    struct dpk_report *report;
    bool with_manifest;     /* the crypto data covers a manifest */
    struct dpk_reader rest; /* rest of the crypto data */
    uint32_t signature_type;
    struct dpk_hashlist *recorded;
    size_t signed_size; /* bytes before the signature */
    const uint8_t *signature;
    struct dpk_certchain *chain;
};

/* Writes a check into the report; returns its verdict. */
static enum dpk_verdict note(struct verification *v, const char *name, enum dpk_verdict verdict,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));
static enum dpk_verdict note(struct verification *v, const char *name, enum dpk_verdict verdict,
                             const char *format, ...)
{
    if (!v->report || v->report->count == DPK_CHECKS_MAX)
        return verdict;
    struct dpk_check *c = &v->report->checks[v->report->count++];
    *c = (struct dpk_check){.name = name, .verdict = verdict};
    va_list args;
    va_start(args, format);
    vsnprintf(c->detail, sizeof c->detail, format, args);
    va_end(args);
    return verdict;
}

/* Marks the last check as a warning. */
static void warn(struct verification *v)
{
    if (v->report && v->report->count)
        v->report->checks[v->report->count - 1].warning = true;
}

static bool all_zero(const uint8_t *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (p[i])
            return false;
    return true;
}

/* Out of memory is not the program's fault, but the program is refused. */
static const char *text_of(enum dpk_status status, const struct dpk_error *err)
{
    return status == DPK_ERR_NOMEM ? "out of memory" : err->message;
}

static enum dpk_verdict check_fault(struct verification *v)
{
    const struct dpk_check *fault = &v->subject->fault;
    if (!fault->name)
        return DPK_VERDICT_OK;
    bool refused = fault->verdict != DPK_VERDICT_OK;
    return note(v, fault->name, refused ? fault->verdict : DPK_VERDICT_BAD_FORMAT, "%s",
                fault->detail);
}

static enum dpk_verdict check_header(struct verification *v)
{
    static const char name[] = "crypto data";
    const struct dpk_subject *s = v->subject;
    uint32_t version = dpk_read_be32(&v->rest), content = dpk_read_be32(&v->rest),
             size = dpk_read_be32(&v->rest);
    const uint8_t *reserved = dpk_read_bytes(&v->rest, 48);
    uint32_t type = dpk_read_be32(&v->rest);
    if (!reserved || v->rest.failed)
        return note(v, name, DPK_VERDICT_BAD_FORMAT, "%zu bytes, shorter than its header",
                    s->crypto_size);
    if (version >> 16 || type >> 16 || !all_zero(reserved, 48) || (content & 0x1FFFFFFF))
        return note(v, name, DPK_VERDICT_BAD_FORMAT, "reserved bits of the header are not zero");
    size_t elf_size = s->packed ? s->packed->elf_size : dpk_reader_left(&s->elf.file);
    if ((size || s->packed) && size != elf_size)
        return note(v, name, DPK_VERDICT_BAD_FORMAT, "made for a program of %u bytes, not %zu",
                    size, elf_size);
    if (version != CRYPTO_VERSION)
        return note(v, name, DPK_VERDICT_UNSUPPORTED, "metadata version %u", version);
    if (s->packed && (content ^ elfcrypto_content(s->packed)) & ~CRYPTO_HAS_ENCRYPTION)
        return note(v, name, DPK_VERDICT_BAD_FORMAT,
                    "app metadata or manifest announced and absent, or the reverse (%#010x)",
                    content);
    v->with_manifest = content == CRYPTO_HAS_MANIFEST;
    if (s->packed ? content & CRYPTO_HAS_ENCRYPTION : content && !v->with_manifest)
        return note(v, name, DPK_VERDICT_UNSUPPORTED,
                    "encryption, app metadata or manifest (%#010x)", content);
    v->signature_type = type;
    return DPK_VERDICT_OK;
}

static enum dpk_verdict check_structure(struct verification *v)
{
    static const char name[] = "crypto data";
    const struct dpk_subject *s = v->subject;
    struct dpk_error err = {0};
    if (!s->crypto || s->crypto_size == 0)
        return note(v, name, DPK_VERDICT_UNSIGNED, "the program is not signed");
    v->rest = dpk_reader(s->crypto, s->crypto_size);
    enum dpk_verdict verdict = check_header(v);
    if (verdict != DPK_VERDICT_OK)
        return verdict;
    enum dpk_status status = dpk_hashlist_decode(&v->rest, &v->recorded, &err);
    if (status != DPK_OK)
        return note(v, name, DPK_VERDICT_BAD_FORMAT, "%s", text_of(status, &err));
    v->signed_size = dpk_reader_offset(&v->rest);
    v->signature = dpk_read_bytes(&v->rest, CRYPTO_SIGNATURE_SIZE);
    if (!v->signature)
        return note(v, name, DPK_VERDICT_BAD_FORMAT, "%zu bytes, too short for its signature",
                    s->crypto_size);
    bool full = dpk_hashlist_profile(v->recorded) == DPK_PROFILE_FULL;
    if (v->with_manifest && !s->packed && full)
        return note(v, name, DPK_VERDICT_UNSUPPORTED, "a manifest in the full profile");
    if (v->with_manifest && !s->packed && !s->manifest)
        return note(v, name, DPK_VERDICT_BAD_FORMAT, "made for a program with a manifest");
    if (full && s->packed)
        return note(v, name, DPK_VERDICT_UNSUPPORTED, "full profile in a single-program container");
    return note(v, name, DPK_VERDICT_OK, "%zu bytes, %s profile", s->crypto_size,
                full ? "full" : "compact");
}

static enum dpk_verdict check_signature_type(struct verification *v)
{
    bool known = v->signature_type == CRYPTO_RSA_SHA512;
    return note(v, "signature type", known ? DPK_VERDICT_OK : DPK_VERDICT_UNSUPPORTED, "%u%s",
                v->signature_type, known ? ", RSA_SHA_512" : "");
}

static enum dpk_verdict check_hashes(struct verification *v)
{
    static const char name[] = "hash list";
    struct dpk_error err = {0};
    char where[128] = "";
    struct dpk_hashlist *computed = NULL;
    const struct dpk_subject *s = v->subject;
    if (!s->packed && elfcrypto_is_fat(&s->elf))
        return note(v, name, DPK_VERDICT_UNSUPPORTED, "the program is a multi-target area");
    enum dpk_status status = s->packed
                                 ? dpk_hashlist_build_parts(&s->packed->parts, &computed, &err)
                                 : dpk_hashlist_build_with(&s->elf, s->manifest, s->manifest_size,
                                                           dpk_hashlist_profile(v->recorded),
                                                           s->threads, &computed, &err);
    if (status == DPK_ERR_NOMEM || status == DPK_ERR_CRYPTO)
        return note(v, name, DPK_VERDICT_BAD_FORMAT, "%s", text_of(status, &err));
    if (status != DPK_OK) /* the ELF cannot be hashed, so it was not signed */
        return note(v, name, DPK_VERDICT_DIGEST_MISMATCH, "%s", err.message);
    if (v->report && !s->packed)
        dpk_hex_text(dpk_hashlist_whole(computed), 32, v->report->sha256);
    status = dpk_hashlist_compare(v->recorded, computed, where, sizeof where);
    dpk_hashlist_free(computed);
    if (status != DPK_OK) {
        note(v, name, DPK_VERDICT_DIGEST_MISMATCH, "%s", where);
        if (v->report && v->report->count)
            v->report->checks[v->report->count - 1].changed = true;
        return DPK_VERDICT_DIGEST_MISMATCH;
    }
    if (!elfcrypto_is_for_device(s))
        return note(v, name, DPK_VERDICT_BAD_FORMAT, "right, but the ELF is not for RISC-V");
    return note(v, name, DPK_VERDICT_OK, "every hash of the %s is right",
                s->packed ? "container" : "device ELF");
}

static enum dpk_verdict check_chain_layout(struct verification *v)
{
    static const char name[] = "chain";
    struct dpk_error err = {0};
    bool warning = false;
    enum dpk_status status = dpk_certchain_decode(&v->rest, &v->chain, &warning, &err);
    if (status != DPK_OK)
        return note(v, name, DPK_VERDICT_CHAIN_FORMAT, "%s", text_of(status, &err));
    size_t padding = dpk_reader_left(&v->rest);
    const uint8_t *p = dpk_read_bytes(&v->rest, padding);
    bool sound =
        padding < DPK_CRYPTO_ALIGNMENT && v->subject->crypto_size % DPK_CRYPTO_ALIGNMENT == 0;
    for (size_t i = 0; sound && i < padding; i++)
        sound = p[i] == 0xFF;
    if (!sound)
        return note(v, name, DPK_VERDICT_BAD_FORMAT,
                    "%zu bytes after the chain that are not 0-3 bytes 0xFF up to a multiple of 4",
                    padding);
    size_t count = dpk_certchain_count(v->chain);
    note(v, name, DPK_VERDICT_OK, "%zu certificate%s%s", count, count == 1 ? "" : "s",
         warning ? "; the header's count is higher" : "");
    if (warning)
        warn(v);
    return DPK_VERDICT_OK;
}

static enum dpk_verdict check_path(struct verification *v)
{
    char why[256] = "";
    size_t count = v->trust ? v->trust->count : 0;
    const struct dpk_der *roots = v->trust ? v->trust->roots : NULL;
    enum dpk_verdict verdict = DPK_VERDICT_CERT_INVALID;
    const struct dpk_path_rules *rules = v->trust ? v->trust->rules : NULL;
    switch (dpk_certchain_validate_by(v->chain, roots, count, rules, why, sizeof why)) {
    case DPK_PATH_OK:
        verdict = DPK_VERDICT_OK;
        break;
    case DPK_PATH_UNKNOWN_CA:
        verdict = DPK_VERDICT_UNKNOWN_CA;
        break;
    case DPK_PATH_INVALID:
        break;
    }
    return note(v, "certificates", verdict, "%s", why);
}

static enum dpk_verdict check_leaf_key(struct verification *v)
{
    static const char name[] = "leaf key";
    char subject[200];
    X509 *leaf = dpk_certchain_leaf(v->chain);
    EVP_PKEY *key = X509_get0_pubkey(leaf);
    dpk_cert_subject(leaf, subject, sizeof subject);
    if (!key || !EVP_PKEY_is_a(key, "RSA"))
        return note(v, name, DPK_VERDICT_KEY_NOT_APPLICABLE, "not RSA: %s", subject);
    int bits = EVP_PKEY_get_bits(key);
    return note(v, name, bits == CRYPTO_KEY_BITS ? DPK_VERDICT_OK : DPK_VERDICT_KEY_NOT_APPLICABLE,
                "RSA-%d: %s", bits, subject);
}

static enum dpk_verdict check_signature(struct verification *v)
{
    struct dpk_error err = {0};
    EVP_PKEY *key = X509_get0_pubkey(dpk_certchain_leaf(v->chain));
    enum dpk_status status =
        dpk_signature_check(key, DPK_SHA512, v->subject->crypto, v->signed_size, v->signature,
                            CRYPTO_SIGNATURE_SIZE, &err);
    if (status != DPK_OK)
        return note(v, "signature", DPK_VERDICT_AUTH_FAILED, "%s", text_of(status, &err));
    return note(v, "signature", DPK_VERDICT_OK, "RSASSA-PKCS1-v1_5, SHA-512");
}

/* Warns about data that no signature covers. */
static enum dpk_verdict check_coverage(struct verification *v)
{
    const struct dpk_subject *s = v->subject;
    bool without_zba = s->target[0] && !dpk_target_has_zba(s->target_id);
    const char *isa = without_zba ? dpk_isa_of(&s->elf) : NULL;
    if (s->unmapped) {
        note(v, "mapping", DPK_VERDICT_OK,
             "not in the memory of the running file, which may load other bytes than those "
             "verified");
        warn(v);
    }
    if (s->manifest && !v->with_manifest) {
        note(v, "attributes", DPK_VERDICT_OK,
             "not covered by the signature, anybody can change them");
        warn(v);
    }
    if (isa && dpk_isa_has(isa, "zba")) {
        note(v, "target", DPK_VERDICT_OK,
             "not covered by the signature, and the program was compiled for another one: %s has "
             "no Zba",
             s->target);
        warn(v);
    }
    return DPK_VERDICT_OK;
}

enum dpk_verdict dpk_verify(const struct dpk_subject *subject, const struct dpk_trust *trust,
                            struct dpk_report *report)
{
    static enum dpk_verdict (*const checks[])(struct verification *) = {
        check_fault, check_structure, check_signature_type, check_hashes,   check_chain_layout,
        check_path,  check_leaf_key,  check_signature,      check_coverage,
    };
    struct verification v = {.subject = subject, .trust = trust, .report = report};
    enum dpk_verdict verdict = DPK_VERDICT_UNSIGNED;
    if (report)
        *report = (struct dpk_report){0};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        verdict = checks[i](&v);
        if (verdict != DPK_VERDICT_OK)
            break;
    }
    dpk_certchain_free(v.chain);
    dpk_hashlist_free(v.recorded);
    return verdict;
}
