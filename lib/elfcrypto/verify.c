/* May this program run? The checks in the order of enum dpk_verdict. */
#include <stdarg.h>
#include <string.h>

#include "crypto.h"
#include "fat.h"
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
    };
    size_t i = (size_t)v;
    return i < sizeof names / sizeof *names && names[i] ? names[i] : "UNKNOWN";
}

/* A program under verification. */
struct subject {
    const uint8_t *elf;
    size_t elf_size;
    const uint8_t *manifest; /* of a host file's program, or NULL */
    size_t manifest_size;
    const struct dpk_packed_program *packed; /* instead of these, or NULL */
    unsigned threads;                        /* that hash */
    bool with_manifest;                      /* the crypto data says so */
    const uint8_t *crypto;
    size_t crypto_size;
    struct dpk_reader rest; /* of the crypto data */
    uint32_t signature_type;
    struct dpk_hashlist *recorded;
    size_t signed_size; /* bytes before the signature */
    const uint8_t *signature;
    struct dpk_certchain *chain;
    const struct dpk_trust *trust;
    struct dpk_report *report;
};

/* Writes a check into the report; returns its verdict. */
static enum dpk_verdict note(struct subject *s, const char *name, enum dpk_verdict verdict,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));
static enum dpk_verdict note(struct subject *s, const char *name, enum dpk_verdict verdict,
                             const char *format, ...)
{
    if (!s->report || s->report->count == DPK_CHECKS_MAX)
        return verdict;
    struct dpk_check *c = &s->report->checks[s->report->count++];
    *c = (struct dpk_check){.name = name, .verdict = verdict};
    va_list args;
    va_start(args, format);
    vsnprintf(c->detail, sizeof c->detail, format, args);
    va_end(args);
    return verdict;
}

/* What was noted last passed, and is worth showing. */
static void warn(struct subject *s)
{
    if (s->report && s->report->count)
        s->report->checks[s->report->count - 1].warning = true;
}

static bool all_zero(const uint8_t *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (p[i])
            return false;
    return true;
}

/* Running out of memory says nothing about the program, but it may not run. */
static const char *text_of(enum dpk_status status, const struct dpk_error *err)
{
    return status == DPK_ERR_NOMEM ? "out of memory" : err->message;
}

static enum dpk_verdict check_header(struct subject *s)
{
    static const char name[] = "crypto data";
    uint32_t version = dpk_read_be32(&s->rest), content = dpk_read_be32(&s->rest),
             size = dpk_read_be32(&s->rest);
    const uint8_t *reserved = dpk_read_bytes(&s->rest, 48);
    uint32_t type = dpk_read_be32(&s->rest);
    if (!reserved || s->rest.failed)
        return note(s, name, DPK_VERDICT_BAD_FORMAT, "%zu bytes, shorter than its header",
                    s->crypto_size);
    if (version >> 16 || type >> 16 || !all_zero(reserved, 48) || (content & 0x1FFFFFFF))
        return note(s, name, DPK_VERDICT_BAD_FORMAT, "reserved bits of the header are not zero");
    size_t elf_size = s->packed ? s->packed->elf_size : s->elf_size;
    if ((size || s->packed) && size != elf_size)
        return note(s, name, DPK_VERDICT_BAD_FORMAT, "made for a program of %u bytes, not %zu",
                    size, elf_size);
    if (version != CRYPTO_VERSION)
        return note(s, name, DPK_VERDICT_UNSUPPORTED, "metadata version %u", version);
    if (s->packed && (content ^ crypto_content(s->packed)) & ~CRYPTO_HAS_ENCRYPTION)
        return note(s, name, DPK_VERDICT_BAD_FORMAT,
                    "app metadata or manifest announced and absent, or the reverse (%#010x)",
                    content);
    s->with_manifest = content == CRYPTO_HAS_MANIFEST;
    if (s->packed ? content & CRYPTO_HAS_ENCRYPTION : content && !s->with_manifest)
        return note(s, name, DPK_VERDICT_UNSUPPORTED,
                    "encryption, app metadata or manifest (%#010x)", content);
    s->signature_type = type;
    return DPK_VERDICT_OK;
}

static enum dpk_verdict check_structure(struct subject *s)
{
    static const char name[] = "crypto data";
    struct dpk_error err = {0};
    if (!s->crypto || s->crypto_size == 0)
        return note(s, name, DPK_VERDICT_UNSIGNED, "the program is not signed");
    s->rest = dpk_reader(s->crypto, s->crypto_size);
    enum dpk_verdict v = check_header(s);
    if (v != DPK_VERDICT_OK)
        return v;
    enum dpk_status status = dpk_hashlist_decode(&s->rest, &s->recorded, &err);
    if (status != DPK_OK)
        return note(s, name, DPK_VERDICT_BAD_FORMAT, "%s", text_of(status, &err));
    s->signed_size = dpk_reader_offset(&s->rest);
    s->signature = dpk_read_bytes(&s->rest, CRYPTO_SIGNATURE_SIZE);
    if (!s->signature)
        return note(s, name, DPK_VERDICT_BAD_FORMAT, "%zu bytes, too short for its signature",
                    s->crypto_size);
    bool full = dpk_hashlist_profile(s->recorded) == DPK_PROFILE_FULL;
    if (s->with_manifest && !s->packed && full)
        return note(s, name, DPK_VERDICT_UNSUPPORTED, "a manifest in the full profile");
    if (s->with_manifest && !s->packed && !s->manifest)
        return note(s, name, DPK_VERDICT_BAD_FORMAT, "made for a program with a manifest");
    if (full && s->packed)
        return note(s, name, DPK_VERDICT_UNSUPPORTED, "full profile in a single-program container");
    return note(s, name, DPK_VERDICT_OK, "%zu bytes, %s profile", s->crypto_size,
                full ? "full" : "compact");
}

static enum dpk_verdict check_signature_type(struct subject *s)
{
    bool known = s->signature_type == CRYPTO_RSA_SHA512;
    return note(s, "signature type", known ? DPK_VERDICT_OK : DPK_VERDICT_UNSUPPORTED, "%u%s",
                s->signature_type, known ? ", RSA_SHA_512" : "");
}

static enum dpk_verdict check_hashes(struct subject *s)
{
    static const char name[] = "hash list";
    struct dpk_error err = {0};
    char where[128] = "";
    struct dpk_hashlist *computed = NULL;
    const struct dpk_elf elf = dpk_elf(s->elf, s->elf_size);
    if (s->elf && (dpk_fat_is(s->elf, s->elf_size) || fat_is_foreign(s->elf, s->elf_size)))
        return note(s, name, DPK_VERDICT_UNSUPPORTED, "the program is a fat file");
    enum dpk_status status = s->packed
                                 ? dpk_hashlist_build_parts(&s->packed->parts, &computed, &err)
                                 : dpk_hashlist_build_with(&elf, s->manifest, s->manifest_size,
                                                           dpk_hashlist_profile(s->recorded),
                                                           s->threads, &computed, &err);
    if (status == DPK_ERR_NOMEM || status == DPK_ERR_CRYPTO)
        return note(s, name, DPK_VERDICT_BAD_FORMAT, "%s", text_of(status, &err));
    if (status != DPK_OK) /* nothing that can be signed, so not what was */
        return note(s, name, DPK_VERDICT_DIGEST_MISMATCH, "%s", err.message);
    if (s->report && !s->packed)
        dpk_hex_text(dpk_hashlist_whole(computed), 32, s->report->sha256);
    status = dpk_hashlist_compare(s->recorded, computed, where, sizeof where);
    dpk_hashlist_free(computed);
    if (status != DPK_OK)
        return note(s, name, DPK_VERDICT_DIGEST_MISMATCH, "%s", where);
    return note(s, name, DPK_VERDICT_OK, "every hash of the %s is right",
                s->packed ? "container" : "device ELF");
}

static enum dpk_verdict check_chain_layout(struct subject *s)
{
    static const char name[] = "chain";
    struct dpk_error err = {0};
    bool warning = false;
    enum dpk_status status = dpk_certchain_decode(&s->rest, &s->chain, &warning, &err);
    if (status != DPK_OK)
        return note(s, name, DPK_VERDICT_CHAIN_FORMAT, "%s", text_of(status, &err));
    size_t padding = dpk_reader_left(&s->rest);
    const uint8_t *p = dpk_read_bytes(&s->rest, padding);
    bool sound = padding < CRYPTO_ALIGNMENT && s->crypto_size % CRYPTO_ALIGNMENT == 0;
    for (size_t i = 0; sound && i < padding; i++)
        sound = p[i] == 0xFF;
    if (!sound)
        return note(s, name, DPK_VERDICT_BAD_FORMAT,
                    "%zu bytes behind the chain that are not 0-3 bytes 0xFF up to a multiple of 4",
                    padding);
    size_t count = dpk_certchain_count(s->chain);
    note(s, name, DPK_VERDICT_OK, "%zu certificate%s%s", count, count == 1 ? "" : "s",
         warning ? "; the header's count is higher" : "");
    if (warning)
        warn(s);
    return DPK_VERDICT_OK;
}

static enum dpk_verdict check_path(struct subject *s)
{
    char why[256] = "";
    size_t count = s->trust ? s->trust->count : 0;
    const struct dpk_der *roots = s->trust ? s->trust->roots : NULL;
    enum dpk_verdict v = DPK_VERDICT_CERT_INVALID;
    switch (dpk_certchain_validate(s->chain, roots, count, why, sizeof why)) {
    case DPK_PATH_OK:
        v = DPK_VERDICT_OK;
        break;
    case DPK_PATH_UNKNOWN_CA:
        v = DPK_VERDICT_UNKNOWN_CA;
        break;
    case DPK_PATH_INVALID:
        break;
    }
    return note(s, "certificates", v, "%s", why);
}

static enum dpk_verdict check_leaf_key(struct subject *s)
{
    static const char name[] = "leaf key";
    char subject[200];
    X509 *leaf = dpk_certchain_leaf(s->chain);
    EVP_PKEY *key = X509_get0_pubkey(leaf);
    dpk_cert_subject(leaf, subject, sizeof subject);
    if (!key || !EVP_PKEY_is_a(key, "RSA"))
        return note(s, name, DPK_VERDICT_KEY_NOT_APPLICABLE, "not RSA: %s", subject);
    int bits = EVP_PKEY_get_bits(key);
    return note(s, name, bits == CRYPTO_KEY_BITS ? DPK_VERDICT_OK : DPK_VERDICT_KEY_NOT_APPLICABLE,
                "RSA-%d: %s", bits, subject);
}

static enum dpk_verdict check_signature(struct subject *s)
{
    struct dpk_error err = {0};
    EVP_PKEY *key = X509_get0_pubkey(dpk_certchain_leaf(s->chain));
    enum dpk_status status = dpk_signature_check(key, DPK_SHA512, s->crypto, s->signed_size,
                                                 s->signature, CRYPTO_SIGNATURE_SIZE, &err);
    if (status != DPK_OK)
        return note(s, "signature", DPK_VERDICT_AUTH_FAILED, "%s", text_of(status, &err));
    return note(s, "signature", DPK_VERDICT_OK, "RSASSA-PKCS1-v1_5, SHA-512");
}

static enum dpk_verdict verify(struct subject *s)
{
    static enum dpk_verdict (*const checks[])(struct subject *) = {
        check_structure, check_signature_type, check_hashes,    check_chain_layout,
        check_path,      check_leaf_key,       check_signature,
    };
    enum dpk_verdict verdict = DPK_VERDICT_UNSIGNED;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        verdict = checks[i](s);
        if (verdict != DPK_VERDICT_OK)
            break;
    }
    dpk_certchain_free(s->chain);
    dpk_hashlist_free(s->recorded);
    return verdict;
}

/* What no signature covers, where it matters: told beside a program that verifies. */
static void warn_uncovered(struct subject *s, const struct dpk_program *p, const uint32_t *target)
{
    const char *isa = target && s->elf ? isa_of(s->elf, s->elf_size) : NULL;
    if (p->unmapped) {
        note(s, "mapping", DPK_VERDICT_OK,
             "not in the memory of the running file: what that loads is not what is verified here");
        warn(s);
    }
    if (s->manifest && !s->with_manifest) {
        note(s, "attributes", DPK_VERDICT_OK,
             "not covered by the signature, anybody can change them");
        warn(s);
    }
    if (isa && isa_has(isa, "zba") && (*target == DPK_TARGET_CX7 || *target == DPK_TARGET_BF3)) {
        note(s, "target", DPK_VERDICT_OK,
             "not covered by the signature, and the program was compiled for another one: %s has "
             "no Zba",
             dpk_target_name(*target));
        warn(s);
    }
}

static struct subject subject_of(const struct dpk_program *p, const struct dpk_trust *trust,
                                 unsigned threads, struct dpk_report *report)
{
    if (report)
        *report = (struct dpk_report){0};
    return (struct subject){.elf = p->elf,
                            .elf_size = p->elf_size,
                            .manifest = p->manifest,
                            .manifest_size = p->manifest_size,
                            .crypto = p->crypto,
                            .crypto_size = p->crypto_size,
                            .threads = threads,
                            .trust = trust,
                            .report = report};
}

enum dpk_verdict dpk_verify_elf(const struct dpk_program *program, const struct dpk_trust *trust,
                                struct dpk_report *report)
{
    struct subject s = subject_of(program, trust, 1, report);
    return verify(&s);
}

enum dpk_verdict dpk_verify(const uint8_t *elf, size_t elf_size, const uint8_t *crypto,
                            size_t crypto_size, const struct dpk_trust *trust,
                            struct dpk_report *report)
{
    const struct dpk_program program = {
        .elf = elf, .elf_size = elf_size, .crypto = crypto, .crypto_size = crypto_size};
    return dpk_verify_elf(&program, trust, report);
}

enum dpk_verdict dpk_verify_packed(const struct dpk_packed_program *program, const uint8_t *crypto,
                                   size_t crypto_size, const struct dpk_trust *trust,
                                   struct dpk_report *report)
{
    if (report)
        *report = (struct dpk_report){0};
    struct subject s = {.packed = program,
                        .crypto = crypto,
                        .crypto_size = crypto_size,
                        .trust = trust,
                        .report = report};
    return verify(&s);
}

/* A member of a fat program: its ELF decompressed, its crypto data looked up. */
static enum dpk_verdict verify_fat(struct subject *s, const struct dpk_program *p, size_t member)
{
    static const char name[] = "fat file";
    struct dpk_fat fat;
    struct dpk_error err = {0};
    struct dpk_buf elf = {0};
    enum dpk_verdict v = DPK_VERDICT_BAD_FORMAT;
    enum dpk_status status = dpk_fat_parse(p->elf, p->elf_size, &fat, &err);
    if (status == DPK_OK && member >= fat.count)
        status = dpk_fail(&err, DPK_ERR_RANGE, "no member %zu", member);
    if (status != DPK_OK)
        return note(s, name, v, "%s", text_of(status, &err));
    if (s->crypto) {
        const uint8_t *all = s->crypto;
        size_t size = s->crypto_size;
        status = dpk_fat_crypto(all, size, fat.members[member].target, &s->crypto, &s->crypto_size,
                                &err);
    }
    if (status != DPK_OK && status != DPK_ERR_NOT_FOUND) /* that one is UNSIGNED */
        return note(s, "crypto data", v, "%s", text_of(status, &err));
    status = dpk_fat_elf(&fat.members[member], &elf, &err);
    s->elf = elf.data;
    s->elf_size = elf.size;
    v = status == DPK_OK ? verify(s) : note(s, name, v, "%s", text_of(status, &err));
    if (v == DPK_VERDICT_OK)
        warn_uncovered(s, p, &fat.members[member].target);
    dpk_buf_free(&elf);
    return v;
}

enum dpk_verdict dpk_verify_member(const struct dpk_program *program, size_t member,
                                   const struct dpk_trust *trust, unsigned threads,
                                   struct dpk_report *report)
{
    struct subject s = subject_of(program, trust, threads, report);
    if (program->not_mapped[0])
        return note(&s, "mapping", DPK_VERDICT_BAD_FORMAT, "%s", program->not_mapped);
    if (dpk_fat_is(program->elf, program->elf_size))
        return verify_fat(&s, program, member);
    enum dpk_verdict v = verify(&s);
    if (v == DPK_VERDICT_OK)
        warn_uncovered(&s, program, NULL);
    return v;
}
