/* What verify trusts: CA certificates and public keys that are given, or those of a device. */
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
    struct dpk_load_terms terms; /* of the device: its CA certificates, among others */
    struct dpk_trust programs;   /* `roots`, or those of the device */
    struct dpk_policy *policy;   /* NULL: neither --policy nor --at was given */
    EVP_PKEY **keys;
    const char *const *key_names; /* those of --key, borrowed */
    size_t key_count;
    struct dpk_device *device; /* NULL: -d was not given */
};

/* Reads --ca, --key or -d, and --policy. Release with trust_close, after a failure too. */
enum dpk_status trust_open(const struct mlxdpa_options *o, struct trust *out,
                           struct dpk_error *err);
void trust_close(struct trust *t);

#endif
