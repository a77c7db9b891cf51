/*
 * signer: "sign these bytes", whoever holds the key.
 *
 * A signer is opened from a text that names a key: today the path of a PEM private key (plain or
 * encrypted PKCS#1, PKCS#8). It knows nothing of what it signs.
 *
 *     struct dpk_signer *s = NULL;
 *     struct dpk_buf sig = {0};
 *     if (dpk_signer_open("leaf.pem", NULL, &s, &err) == DPK_OK &&
 *         dpk_signer_sign(s, DPK_SHA512, bytes, size, &sig, &err) == DPK_OK)
 *         ... sig.data, sig.size (512 for RSA-4096)
 *     dpk_buf_free(&sig);
 *     dpk_signer_close(s);
 */
#ifndef DPK_SIGNER_H
#define DPK_SIGNER_H

#include <openssl/evp.h>

#include "base/base.h"

struct dpk_signer;

enum dpk_digest { DPK_SHA256, DPK_SHA512 };

/* Opens a key. `key`: path of a PEM file with an RSA private key. `passphrase`: NULL when the key
 * is not encrypted. Errors name the path and say whether it is missing, no PEM, no private key,
 * not RSA, or encrypted with another passphrase. Close with dpk_signer_close. */
enum dpk_status dpk_signer_open(const char *key, const char *passphrase, struct dpk_signer **out,
                                struct dpk_error *err);
void dpk_signer_close(struct dpk_signer *s); /* NULL is fine; wipes the key */

/* Size of the RSA modulus in bits: 4096, 2048. */
unsigned dpk_signer_bits(const struct dpk_signer *s);

/* The public half, borrowed from the signer. */
EVP_PKEY *dpk_signer_public(const struct dpk_signer *s);

/* RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) over `size` bytes at `data`; appends bits/8 bytes,
 * big-endian as the RFC has them, to `signature`. */
enum dpk_status dpk_signer_sign(const struct dpk_signer *s, enum dpk_digest digest,
                                const void *data, size_t size, struct dpk_buf *signature,
                                struct dpk_error *err);

/* The other direction: DPK_OK if `signature` over `data` is right under `key`,
 * DPK_ERR_MISMATCH if it is not, another status if it could not be checked. */
enum dpk_status dpk_signature_check(EVP_PKEY *key, enum dpk_digest digest, const void *data,
                                    size_t size, const uint8_t *signature, size_t signature_size,
                                    struct dpk_error *err);

/* The passphrase that an argument of --passin stands for, as in openssl: pass:TEXT, env:NAME,
 * file:PATH (its first line). `held`, empty before, owns it: release it with dpk_buf_wipe_free. */
enum dpk_status dpk_passphrase_resolve(const char *word, struct dpk_buf *held, const char **out,
                                       struct dpk_error *err);

/* Reads an RSA public key, PEM ("BEGIN PUBLIC KEY"), of any size; release it with EVP_PKEY_free.
 * Errors name the path. */
enum dpk_status dpk_public_key_read(const char *path, EVP_PKEY **out, struct dpk_error *err);

#endif
