/*
 * signer: "sign these bytes", wherever the key is.
 *
 * A signer is opened from a key's options on the command line: the path of a PEM private key (plain
 * or encrypted PKCS#1, PKCS#8), the PKCS#11 URI of a key in a token (RFC 7512), which never leaves
 * the token, or a command that turns a digest into a signature. A signer does not know the meaning
 * of the bytes that it signs.
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

/* ---- Choosing a key ---- */

/* Options of a key on the command line. Texts are borrowed until the signer is open. */
struct dpk_key_options {
    const char *key;          /* -p: path of a PEM file, or a "pkcs11:" URI; NULL if not given. With
                               * a sign command: path of the public key (PEM) */
    const char *passin;       /* --passin: pass:TEXT, env:NAME, file:PATH; or NULL */
    const char *sign_command; /* --sign-command: command and arguments in one text; or NULL */
    const char *sign_timeout; /* --sign-timeout: seconds, NULL: 60 */
    EVP_PKEY *public_key;     /* with a sign command, instead of `key`, if a certificate says which
                               * key signs; borrowed */
    /* Asks the user for a passphrase or a PIN and stores it with a NUL. NULL if no user can be
     * asked. */
    enum dpk_status (*ask)(const char *prompt, struct dpk_buf *out, struct dpk_error *err);
};

/* Returns true if the options name a key or a sign command. */
bool dpk_key_given(const struct dpk_key_options *k);
/* Returns true if `key` is a URI of a key or a certificate in a token (RFC 7512), "pkcs11:...", and
 * no path; NULL is neither. */
bool dpk_key_in_token(const char *key);
/* Returns `key` for messages: a path as it is, a URI without its PIN, which `held` then owns. */
const char *dpk_key_shown(const char *key, struct dpk_buf *held);

/* For dpk_key_options.ask: asks on the terminal, without echo. Errors: DPK_ERR_IO if standard input
 * is not a terminal, or the input is empty. (This is the only function of the room that prints.) */
enum dpk_status dpk_ask_terminal(const char *prompt, struct dpk_buf *out, struct dpk_error *err);

/* ---- Signing ---- */

/* Opens a key. A token is reached through OpenSSL's provider pkcs11 if it is installed, else
 * through its engine, unless the environment variable DPAKIT_PKCS11 names the way. Errors name the
 * path (or the URI, without its PIN) and the reason: missing, not PEM, not a private key, not RSA,
 * encrypted with another passphrase, wrong token or PIN. DPK_ERR_USAGE if the options contradict
 * each other. Close the signer with dpk_signer_close. */
enum dpk_status dpk_signer_open_with(const struct dpk_key_options *options, struct dpk_signer **out,
                                     struct dpk_error *err);
/* Same, for a PEM file or a "pkcs11:" URI, with its passphrase or PIN as text, or NULL. */
enum dpk_status dpk_signer_open(const char *key, const char *passphrase, struct dpk_signer **out,
                                struct dpk_error *err);
void dpk_signer_close(struct dpk_signer *s); /* NULL is allowed; wipes the key */

/* Returns the size of the RSA modulus in bits: 4096, 2048. */
unsigned dpk_signer_bits(const struct dpk_signer *s);

/* Returns the key's name for messages: the path, the URI without its PIN, or the command's first
 * word. */
const char *dpk_signer_name(const struct dpk_signer *s);

/* Returns the public key, borrowed from the signer. */
EVP_PKEY *dpk_signer_public(const struct dpk_signer *s);

/* Appends the signature RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) over `size` bytes at `data` to
 * `signature`: bits/8 bytes, big-endian as in the RFC. A signature from a token or a command is
 * checked with the public key first. Errors: DPK_ERR_CRYPTO, DPK_ERR_TOOL if the command failed or
 * gave no signature, DPK_ERR_TIMEOUT. Several threads may sign at once. */
enum dpk_status dpk_signer_sign(const struct dpk_signer *s, enum dpk_digest digest,
                                const void *data, size_t size, struct dpk_buf *signature,
                                struct dpk_error *err);

/* Returns DPK_OK if `signature` over `data` verifies with `key`, DPK_ERR_MISMATCH if it does not,
 * another status if it could not be checked. */
enum dpk_status dpk_signature_check(EVP_PKEY *key, enum dpk_digest digest, const void *data,
                                    size_t size, const uint8_t *signature, size_t signature_size,
                                    struct dpk_error *err);

/* ---- Making keys ---- */

/* Makes a new RSA-4096 pair in memory. Messages call it `name`. */
enum dpk_status dpk_signer_generate(const char *name, struct dpk_signer **out,
                                    struct dpk_error *err);
/* Appends the private key as PEM (PKCS#8), encrypted with AES-256 if there is a `passphrase`. Wipe
 * `out` with dpk_buf_wipe_free. Errors: DPK_ERR_UNSUPPORTED if the key is not in memory. */
enum dpk_status dpk_signer_private_pem(const struct dpk_signer *s, const char *passphrase,
                                       struct dpk_buf *out, struct dpk_error *err);
/* Appends the public key as PEM ("BEGIN PUBLIC KEY"). */
enum dpk_status dpk_signer_public_pem(const struct dpk_signer *s, struct dpk_buf *out,
                                      struct dpk_error *err);

/* A pair in a PKCS#11 token. */
struct dpk_token_key {
    const char *label; /* CKA_LABEL, letters, digits and '-' */
    uint8_t id[16];    /* CKA_ID, chosen when the key is made */
    char uri[512];     /* URI of the private key for dpk_key_options.key, without a PIN */
};
/* Makes RSA-4096 pairs in the token that the URI `where->key` names: all of them or none. Private
 * keys are sensitive and cannot be exported. The PIN comes from --passin, the URI or `where->ask`.
 * Errors: DPK_ERR_EXISTS if the token has a key with such a label, DPK_ERR_NOT_FOUND if the token
 * does not exist, DPK_ERR_USAGE if the URI names more than a token. */
enum dpk_status dpk_token_generate(const struct dpk_key_options *where, struct dpk_token_key *keys,
                                   size_t count, struct dpk_error *err);
/* Removes pairs that dpk_token_generate made, by label and id. */
enum dpk_status dpk_token_remove(const struct dpk_key_options *where,
                                 const struct dpk_token_key *keys, size_t count,
                                 struct dpk_error *err);

/* ---- Certificates in tokens ---- */

/* A token in which a certificate was found. It keeps the login, if one was needed, until it is
 * closed: a signer that is opened before then needs no other. */
struct dpk_token;

/* Gets one certificate; its bytes are the token's, and may be anything. */
typedef enum dpk_status dpk_token_take(void *context, const uint8_t *bytes, size_t size,
                                       struct dpk_error *err);

/* Finds the single certificate that the URI `where->key` names (type=cert may be said), and passes
 * it to `take`. No PIN is sent for a certificate that the token shows to everybody. For others, the
 * PIN comes from the URI or `where->passin`; nobody is asked. Neither OpenSSL's provider nor its
 * engine is needed. Errors name the URI without its PIN: no such token or certificate, several, a
 * wrong or locked PIN; DPK_ERR_USAGE if the URI names another type. */
enum dpk_status dpk_token_certificate(const struct dpk_key_options *where, struct dpk_token **out,
                                      dpk_token_take *take, void *context, struct dpk_error *err);
/* Passes to `take` the certificates of the token with this subject (DER); all, if `size` is 0. At
 * most 64 are found. */
enum dpk_status dpk_token_certificates(struct dpk_token *t, const void *subject, size_t size,
                                       dpk_token_take *take, void *context, struct dpk_error *err);
const char *dpk_token_name(const struct dpk_token *t); /* the URI without its PIN */
void dpk_token_close(struct dpk_token *t);             /* NULL is allowed */

/* Gets the passphrase for an argument of --passin, as in openssl: pass:TEXT, env:NAME, file:PATH
 * (its first line). `held` must be empty and then owns it: release it with dpk_buf_wipe_free. */
enum dpk_status dpk_passphrase_resolve(const char *word, struct dpk_buf *held, const char **out,
                                       struct dpk_error *err);

/* ---- Files with unexpected content ---- */

/* Content of a file, guessed from its first bytes and PEM labels; not verified. */
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
/* Explains why a file could not be read as `wanted` ("a private key", "a certificate"):
 * DPK_ERR_FORMAT with the path, the file's actual content, and what to do, or which file of
 * `beside` (see dpk_file_beside) was probably meant. Returns DPK_OK, and leaves `err`, if there is
 * nothing to explain. */
enum dpk_status dpk_content_refuse(const char *path, const void *bytes, size_t size,
                                   const char *wanted, const char *const *beside,
                                   struct dpk_error *err);

/* Reads an RSA public key of any size, PEM ("BEGIN PUBLIC KEY"). Release it with EVP_PKEY_free.
 * Errors name the path. */
enum dpk_status dpk_public_key_read(const char *path, EVP_PKEY **out, struct dpk_error *err);

#endif
