/*
 * signer: "sign these bytes", whoever holds the key.
 *
 * A signer is opened from what a command line says of a key: the path of a PEM private key (plain
 * or encrypted PKCS#1, PKCS#8), the PKCS#11 URI of a key in a token (RFC 7512), which never leaves
 * it, or a command that turns a digest into a signature. It knows nothing of what it signs.
 *
 *     struct dpk_key_options key = {.key = "key.pem", .ask = dpk_ask_terminal};
 *     struct dpk_signer *s = NULL;
 *     struct dpk_buf sig = {0};
 *     if (dpk_signer_open_with(&key, &s, &err) == DPK_OK &&
 *         dpk_signer_sign(s, DPK_SHA512, bytes, size, &sig, &err) == DPK_OK)
 *         ... sig.data, sig.size (512 for RSA-4096)
 *     dpk_buf_free(&sig);
 *     dpk_signer_close(s);
 */
#ifndef DPK_SIGNER_SIGNER_H
#define DPK_SIGNER_SIGNER_H

#include <openssl/evp.h>

#include "base/base.h"

struct dpk_signer;

enum dpk_digest { DPK_SHA256, DPK_SHA512 };

/* ---- Which key ---- */

/* What a command line says of a key. Texts are borrowed until the signer is open. */
struct dpk_key_options {
    const char *key;          /* -p: path of a PEM file, or a "pkcs11:" URI; NULL: not given. With
                                 a sign command: path of the public key (PEM) */
    const char *passin;       /* --passin: pass:TEXT, env:NAME, file:PATH; or NULL */
    const char *sign_command; /* --sign-command: command and arguments in one text; or NULL */
    const char *sign_timeout; /* --sign-timeout: seconds, NULL: 60 */
    EVP_PKEY *public_key;     /* with a sign command, instead of `key`: where a certificate says
                                 which key signs; borrowed */
    /* Asks a person for a passphrase or a PIN and stores it with a NUL; NULL: nobody to ask. */
    enum dpk_status (*ask)(const char *prompt, struct dpk_buf *out, struct dpk_error *err);
};

/* Does it name a key, or a command that has one? */
bool dpk_key_given(const struct dpk_key_options *k);

/* For dpk_key_options.ask: asks on the terminal, without echo. DPK_ERR_IO if standard input is not
 * a terminal, or nothing was typed. (The one function here that prints: a prompt.) */
enum dpk_status dpk_ask_terminal(const char *prompt, struct dpk_buf *out, struct dpk_error *err);

/* ---- Signing ---- */

/* Opens a key. A token is reached through OpenSSL's provider pkcs11 where that is installed, else
 * through its engine, or as the environment variable DPAKIT_PKCS11 says. Errors name the path (or
 * the URI, without its PIN) and say whether it is missing, no PEM, no private key, not RSA,
 * encrypted with another passphrase; which token or PIN is wrong; DPK_ERR_USAGE when the options
 * contradict each other. Close with dpk_signer_close. */
enum dpk_status dpk_signer_open_with(const struct dpk_key_options *options, struct dpk_signer **out,
                                     struct dpk_error *err);
/* Same for a PEM file, or a "pkcs11:" URI, and its passphrase or PIN itself, or NULL. */
enum dpk_status dpk_signer_open(const char *key, const char *passphrase, struct dpk_signer **out,
                                struct dpk_error *err);
void dpk_signer_close(struct dpk_signer *s); /* NULL is fine; wipes the key */

/* Size of the RSA modulus in bits: 4096, 2048. */
unsigned dpk_signer_bits(const struct dpk_signer *s);

/* What to call it in messages: the path, the URI without its PIN, the command's first word. */
const char *dpk_signer_name(const struct dpk_signer *s);

/* The public half, borrowed from the signer. */
EVP_PKEY *dpk_signer_public(const struct dpk_signer *s);

/* RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) over `size` bytes at `data`; appends bits/8 bytes,
 * big-endian as the RFC has them, to `signature`. What a token or a command gives is checked
 * against the public key before it is returned; their failures are DPK_ERR_CRYPTO, DPK_ERR_TOOL
 * (the command failed, or gave no signature), DPK_ERR_TIMEOUT. Several threads may sign at once. */
enum dpk_status dpk_signer_sign(const struct dpk_signer *s, enum dpk_digest digest,
                                const void *data, size_t size, struct dpk_buf *signature,
                                struct dpk_error *err);

/* The other direction: DPK_OK if `signature` over `data` is right under `key`,
 * DPK_ERR_MISMATCH if it is not, another status if it could not be checked. */
enum dpk_status dpk_signature_check(EVP_PKEY *key, enum dpk_digest digest, const void *data,
                                    size_t size, const uint8_t *signature, size_t signature_size,
                                    struct dpk_error *err);

/* ---- Making keys ---- */

/* A new RSA-4096 pair in memory; `name` is what messages call it. */
enum dpk_status dpk_signer_generate(const char *name, struct dpk_signer **out,
                                    struct dpk_error *err);
/* Appends the private key as PEM (PKCS#8), encrypted with AES-256 if there is a `passphrase`. Wipe
 * `out` (dpk_buf_wipe_free). DPK_ERR_UNSUPPORTED: the key is not in memory. */
enum dpk_status dpk_signer_private_pem(const struct dpk_signer *s, const char *passphrase,
                                       struct dpk_buf *out, struct dpk_error *err);
/* Appends the public half as PEM ("BEGIN PUBLIC KEY"). */
enum dpk_status dpk_signer_public_pem(const struct dpk_signer *s, struct dpk_buf *out,
                                      struct dpk_error *err);

/* A pair in a PKCS#11 token. */
struct dpk_token_key {
    const char *label; /* CKA_LABEL, letters, digits and '-' */
    uint8_t id[16];    /* CKA_ID, chosen when the key is made */
    char uri[512];     /* names the private key for dpk_key_options.key; it has no PIN */
};
/* Makes RSA-4096 pairs in the token that the URI `where->key` names, all of them or none. Private
 * keys are sensitive and cannot be taken out. The PIN comes from --passin, the URI or `where->ask`.
 * DPK_ERR_EXISTS: the token has a key with such a label. DPK_ERR_NOT_FOUND: no such token.
 * DPK_ERR_USAGE: the URI names more than a token. */
enum dpk_status dpk_token_generate(const struct dpk_key_options *where, struct dpk_token_key *keys,
                                   size_t count, struct dpk_error *err);
/* Removes pairs that dpk_token_generate made, by label and id. */
enum dpk_status dpk_token_remove(const struct dpk_key_options *where,
                                 const struct dpk_token_key *keys, size_t count,
                                 struct dpk_error *err);

/* The passphrase that an argument of --passin stands for, as in openssl: pass:TEXT, env:NAME,
 * file:PATH (its first line). `held`, empty before, owns it: release it with dpk_buf_wipe_free. */
enum dpk_status dpk_passphrase_resolve(const char *word, struct dpk_buf *held, const char **out,
                                       struct dpk_error *err);

/* ---- Files that are something else ---- */

/* What a file has, by its first bytes and its PEM marks; nothing of it is proven. */
enum dpk_content {
    DPK_CONTENT_OTHER,
    DPK_CONTENT_CERTIFICATE,
    DPK_CONTENT_TRUSTED, /* OpenSSL's own form of a certificate */
    DPK_CONTENT_PKCS7,   /* certificates, .p7b */
    DPK_CONTENT_PKCS12,  /* a key and certificates, .p12 */
    DPK_CONTENT_REQUEST,
    DPK_CONTENT_PRIVATE_KEY,
    DPK_CONTENT_PUBLIC_KEY,
};
enum dpk_content dpk_content_of(const void *bytes, size_t size);
/* After a file could not be read as `wanted` ("a private key", "a certificate"): DPK_ERR_FORMAT that names
 * the path, what the file is instead, and what to do, or which file `beside` it (see dpk_file_beside) is
 * probably meant. DPK_OK: nothing to say, and `err` stays. */
enum dpk_status dpk_content_refuse(const char *path, const void *bytes, size_t size,
                                   const char *wanted, const char *const *beside,
                                   struct dpk_error *err);

/* Reads an RSA public key, PEM ("BEGIN PUBLIC KEY"), of any size; release it with EVP_PKEY_free.
 * Errors name the path. */
enum dpk_status dpk_public_key_read(const char *path, EVP_PKEY **out, struct dpk_error *err);

#endif
