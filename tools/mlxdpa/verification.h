/* Verification functions for several kinds of file. */
#ifndef DPK_MLXDPA_VERIFICATION_H
#define DPK_MLXDPA_VERIFICATION_H

#include "outcome.h"
#include "trust.h"

struct target;

struct verification {
    const struct target *target;
    const struct trust *trust;
    struct tally *tally;
    unsigned threads; /* 0: one for each core */
};

/* Functions for `need_trust` of a kind. DPK_ERR_USAGE: neither --ca (mlxdpa_need_certificate) or --key
 * (mlxdpa_need_key) nor a device was given. */
enum dpk_status mlxdpa_need_certificate(const struct target *t, const struct mlxdpa_options *o,
                                        struct dpk_error *err);
enum dpk_status mlxdpa_need_key(const struct target *t, const struct mlxdpa_options *o,
                                struct dpk_error *err);

/* Notes that `check` refused the file. */
void mlxdpa_refuse(struct outcome *o, const char *check, enum dpk_verdict verdict,
                   const char *detail);

/* Notes if the device has DPA authentication on. This proves nothing. */
void mlxdpa_note_device(struct outcome *o, const struct trust *t);

/* Tries every trusted key: `check` says whether the key signed `what`. Notes the result. Returns
 * true if a key did. `keypair` is the key pair that the file names. */
bool mlxdpa_signed_by_key(struct outcome *o, const struct trust *t, const struct dpk_uuid *keypair,
                          enum dpk_status (*check)(const void *what, EVP_PKEY *key,
                                                   struct dpk_error *err),
                          const void *what);

/* Notes whether the device would accept the file: `attempt` asks it and changes nothing. Fails if
 * the device cannot be asked. */
enum dpk_status mlxdpa_try_on_device(struct outcome *o, const struct verification *v,
                                     enum dpk_status (*attempt)(struct dpk_device *, const void *,
                                                                size_t, enum dpk_reject *,
                                                                struct dpk_error *),
                                     struct dpk_error *err);

/* Asks the policy, if there is one, about a program with a right signature. */
void mlxdpa_check_policy(struct outcome *o, const struct trust *t, struct dpk_policy_subject about,
                         const uint8_t *crypto, size_t crypto_size);

#endif
