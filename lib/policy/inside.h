/* A policy in memory; private to this room. */
#ifndef DPK_POLICY_INSIDE_H
#define DPK_POLICY_INSIDE_H

#include "policy/policy.h"

#define CRLS_MAX 64

struct digests {
    char (*list)[65];
    size_t count;
    bool given; /* an empty list allows nothing, no list everything */
};

/* A program that has to have a version: by its UUID, which is signed, or by its name. */
struct minimum {
    char *name; /* NULL: by its UUID */
    struct dpk_uuid uuid;
    uint32_t version;
};

/* Whose certificates may sign: all that is given must fit. */
struct name_rule {
    char *text; /* NULL: any */
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
    struct signer_rule *signers; /* beside certificates and keys */
    size_t signer_count;
    struct minimums minimums;
    bool unnamed; /* a program that `minimums` does not name may pass */
    X509_CRL *crls[CRLS_MAX];
    struct dpk_path_rules rules;
};

#endif
