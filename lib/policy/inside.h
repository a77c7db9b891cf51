/* A policy in memory; private to this room. */
#ifndef DPK_POLICY_INSIDE_H
#define DPK_POLICY_INSIDE_H

#include "policy/policy.h"

#define CRLS_MAX 64

struct digests {
    char (*list)[65];
    size_t count;
    bool given; /* list is given; an empty list allows nothing, an absent list everything */
};

/* A program with a required minimum version, by its UUID, which is signed, or by its name. */
struct minimum {
    char *name; /* NULL if by UUID */
    struct dpk_uuid uuid;
    uint32_t version;
};

/* A rule for names of certificates that may sign; all given members must match. */
struct name_rule {
    char *text; /* NULL: any name */
    bool pattern;
};
struct signer_rule {
    struct name_rule subject, issuer; /* of the leaf */
};

struct minimums {
    struct minimum *list;
    size_t count;
    bool given;
};

struct dpk_policy {
    struct digests programs, certificates, keys;
    bool signers_given;
    struct signer_rule *signers; /* in addition to certificates and keys */
    size_t signer_count;
    struct minimums minimums;
    bool unnamed; /* programs that `minimums` does not name are allowed */
    X509_CRL *crls[CRLS_MAX];
    struct dpk_path_rules rules;
};

#endif
