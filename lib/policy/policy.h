/*
 * policy: rules beyond a valid signature: which programs, signers and minimum versions are allowed,
 * and which certificates are revoked. A policy is a YAML file (mlxdpa(1), "POLICY").
 *
 *     struct dpk_policy *policy = NULL;
 *     dpk_policy_load("policy.yaml", &policy, &err);
 *     trust.rules = dpk_policy_rules(policy);                     // revocation lists, the date
 *     if (dpk_verify(&subject, &trust, &report) == DPK_VERDICT_OK)
 *         reason = dpk_policy_check(policy, &about, why, sizeof why);
 *     dpk_policy_free(policy);
 */
#ifndef DPK_POLICY_POLICY_H
#define DPK_POLICY_POLICY_H

#include "base/base.h"
#include "certchain/certchain.h"

#define DPK_POLICY_MAX ((size_t)1 << 20) /* maximum size of a policy, bytes */

struct dpk_policy;

/* Reasons to refuse a program with a valid signature. The numbers follow those of enum dpk_verdict,
 * and are exit codes of mlxdpa verify. */
enum dpk_policy_reason {
    DPK_POLICY_OK = 0,
    DPK_POLICY_PROGRAM = 21, /* not in `programs`, or no rule names it (mlxdpa(1), "POLICY") */
    DPK_POLICY_SIGNER = 22,  /* neither leaf certificate nor key is in `signers` */
    DPK_POLICY_VERSION = 23, /* its version is absent or lower than in `minimum_versions` */
};
const char *dpk_policy_reason_name(enum dpk_policy_reason reason); /* "SIGNER_NOT_ALLOWED" */

/* Reads a policy. Paths of revocation lists are relative to its folder. Errors: DPK_ERR_FORMAT,
 * DPK_ERR_RANGE: "FILE: line 7: ...". Release it with dpk_policy_free. */
enum dpk_status dpk_policy_load(const char *path, struct dpk_policy **out, struct dpk_error *err);
/* Same, from bytes. `crls` is refused, because there is no folder. */
enum dpk_status dpk_policy_parse(const void *bytes, size_t size, struct dpk_policy **out,
                                 struct dpk_error *err);
void dpk_policy_free(struct dpk_policy *policy); /* NULL is allowed */

/* Sets the date at which certificates must be valid, seconds since 1970; 0: now. */
void dpk_policy_set_date(struct dpk_policy *policy, int64_t at);
/* Parses "2026-11-23", or "2026-11-23T18:00:00Z", to seconds since 1970. Errors: DPK_ERR_USAGE for
 * other texts. */
enum dpk_status dpk_policy_date(const char *text, int64_t *out, struct dpk_error *err);
/* Returns its date and revocation lists for verification, borrowed. */
const struct dpk_path_rules *dpk_policy_rules(const struct dpk_policy *policy);

/* The program that a policy judges. */
struct dpk_policy_subject {
    const char *name;            /* name in a host file, which no signature covers */
    const struct dpk_uuid *uuid; /* UUID in a container, which then decides alone; else NULL */
    const char *sha256;          /* of the device ELF, 64 lower-case hexadecimal digits */
    X509 *leaf;                  /* signer's certificate; NULL is never an allowed signer */
    bool has_version;
    uint32_t version;
};
/* Returns whether a verified program is allowed. `why` gets the reason in words. */
enum dpk_policy_reason dpk_policy_check(const struct dpk_policy *policy,
                                        const struct dpk_policy_subject *about, char *why,
                                        size_t size);

#endif
