/* The anchors that verify trusts: CA certificates and public keys of options, or those of a
 * device. */
#ifndef DPK_MLXDPA_TRUST_H
#define DPK_MLXDPA_TRUST_H

#include "certchain/certchain.h"
#include "device/admin/admin.h"
#include "elfcrypto/elfcrypto.h"
#include "engine/loader/loader.h"
#include "policy/policy.h"

#include "mlxdpa.h"

struct trust {
    struct dpk_roots *roots;
    struct dpk_load_terms terms; /* the device's terms: its CA certificates and more */
    struct dpk_trust programs;   /* `roots`, or the device's certificates */
    struct dpk_policy *policy;   /* NULL without --policy and --at */
    EVP_PKEY **keys;
    const char *const *key_names; /* names in --key, borrowed */
    size_t key_count;
    struct dpk_device *device; /* NULL without -d */
};

/* Reads --ca, --key or -d, and --policy. Release with mlxdpa_trust_close, also after failures. */
enum dpk_status mlxdpa_trust_open(const struct mlxdpa_options *o, struct trust *out,
                                  struct dpk_error *err);
void mlxdpa_trust_close(struct trust *t);

#endif
