/* Policies, from YAML to a decision. */
#include "policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "yaml/yaml.h"

#define ENTRIES_MAX 4096
#define CRLS_MAX    64

struct digests {
    char (*list)[65];
    size_t count;
    bool given; /* an empty list allows nothing, no list everything */
};

struct minimum {
    char *name;
    uint32_t version;
};

struct dpk_policy {
    struct digests programs, certificates, keys;
    bool signers_given;
    struct minimum *minimums;
    size_t minimum_count;
    X509_CRL *crls[CRLS_MAX];
    struct dpk_path_rules rules;
};

/* What is being read. */
struct reading {
    yaml_document_t *document;
    const char *folder; /* of revocation lists; NULL: there is none */
    struct dpk_policy *policy;
};

static enum dpk_status fail_at(const yaml_node_t *n, struct dpk_error *err, const char *what,
                               const char *text)
{
    char clean[80];
    snprintf(clean, sizeof clean, "%.60s", text ? text : "");
    return dpk_yaml_at(n,
                       dpk_fail(err, DPK_ERR_FORMAT, "%s%s%s%s", what, text ? " '" : "",
                                dpk_text_clean(clean), text ? "'" : ""),
                       err);
}

/* ---- Entries ---- */

static enum dpk_status add_digest(struct digests *d, const yaml_node_t *n, struct dpk_error *err)
{
    const char *text = dpk_yaml_text(n);
    if (!text || strlen(text) != 64 || strspn(text, "0123456789abcdefABCDEF") != 64)
        return fail_at(n, err, "no SHA-256 (64 hexadecimal digits):", text ? text : "");
    if (d->count == ENTRIES_MAX)
        return fail_at(n, err, "too many entries", NULL);
    void *more = reallocarray(d->list, d->count + 1, sizeof *d->list);
    if (!more)
        return dpk_fail_nomem(err);
    d->list = more;
    for (size_t i = 0; i <= 64; i++)
        d->list[d->count][i] = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] | 0x20 : text[i]);
    d->count++;
    return DPK_OK;
}

static enum dpk_status take_program(struct reading *r, const yaml_node_t *n, struct dpk_error *err)
{
    return add_digest(&r->policy->programs, n, err);
}

static enum dpk_status take_signer(struct reading *r, const yaml_node_t *n, struct dpk_error *err)
{
    static const char *const kinds[] = {"certificate", "key", NULL};
    const yaml_node_t *values[2];
    if (n->type != YAML_MAPPING_NODE ||
        n->data.mapping.pairs.top - n->data.mapping.pairs.start != 1)
        return fail_at(n, err, "a signer is 'certificate: SHA-256' or 'key: SHA-256'", NULL);
    enum dpk_status status = dpk_yaml_mapping(r->document, n, kinds, values, err);
    if (status != DPK_OK)
        return status;
    return values[0] ? add_digest(&r->policy->certificates, values[0], err)
                     : add_digest(&r->policy->keys, values[1], err);
}

static enum dpk_status take_crl(struct reading *r, const yaml_node_t *n, struct dpk_error *err)
{
    char path[PATH_MAX];
    const char *name = dpk_yaml_text(n);
    struct dpk_policy *policy = r->policy;
    if (!name || !*name)
        return fail_at(n, err, "no path of a revocation list", NULL);
    if (!r->folder)
        return fail_at(n, err, "no folder to find revocation lists in", NULL);
    if (policy->rules.crl_count == CRLS_MAX)
        return fail_at(n, err, "too many revocation lists", NULL);
    int length = snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : r->folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return fail_at(n, err, "the path is too long", NULL);
    enum dpk_status status = dpk_crl_load(path, &policy->crls[policy->rules.crl_count], err);
    policy->rules.crl_count += status == DPK_OK;
    return status;
}

static enum dpk_status take_minimum(struct reading *r, const yaml_node_t *key,
                                    const yaml_node_t *value, struct dpk_error *err)
{
    struct dpk_policy *policy = r->policy;
    const char *name = dpk_yaml_text(key), *text = dpk_yaml_text(value);
    char *end = NULL;
    if (!name || !*name)
        return fail_at(key, err, "no name of a program", NULL);
    if (!text || !*text || text[strspn(text, "0123456789")])
        return fail_at(value, err, "no version (a decimal number):", text ? text : "");
    errno = 0;
    unsigned long long version = strtoull(text, &end, 10);
    if (errno || version > UINT32_MAX)
        return fail_at(value, err, "a version has 32 bits:", text);
    for (size_t i = 0; i < policy->minimum_count; i++)
        if (strcmp(policy->minimums[i].name, name) == 0)
            return fail_at(key, err, "twice:", name);
    if (policy->minimum_count == ENTRIES_MAX)
        return fail_at(key, err, "too many entries", NULL);
    struct minimum *more =
        reallocarray(policy->minimums, policy->minimum_count + 1, sizeof *policy->minimums);
    if (!more)
        return dpk_fail_nomem(err);
    policy->minimums = more;
    char *copy = strdup(name);
    if (!copy)
        return dpk_fail_nomem(err);
    more[policy->minimum_count++] = (struct minimum){copy, (uint32_t)version};
    return DPK_OK;
}

static enum dpk_status take_minimums(struct reading *r, const yaml_node_t *n, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (n->type != YAML_MAPPING_NODE)
        return fail_at(n, err, "minimum_versions is a mapping of names to versions", NULL);
    for (const yaml_node_pair_t *p = n->data.mapping.pairs.start;
         p < n->data.mapping.pairs.top && status == DPK_OK; p++)
        status = take_minimum(r, yaml_document_get_node(r->document, p->key),
                              yaml_document_get_node(r->document, p->value), err);
    return status;
}

/* ---- The file ---- */

enum field { VERSION, PROGRAMS, SIGNERS, MINIMUMS, CRLS, FIELDS };
static const char *const fields[] = {"policy",           "programs", "signers",
                                     "minimum_versions", "crls",     NULL};

/* Calls `entry` for every entry of a list; NULL is no list. */
static enum dpk_status take_list(struct reading *r, const char *name, const yaml_node_t *n,
                                 enum dpk_status (*entry)(struct reading *, const yaml_node_t *,
                                                          struct dpk_error *),
                                 struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    const yaml_node_t *e;
    if (n && n->type != YAML_SEQUENCE_NODE)
        return fail_at(n, err, "a list is needed for", name);
    for (size_t i = 0; status == DPK_OK && (e = dpk_yaml_entry(r->document, n, i)); i++)
        status = entry(r, e, err);
    return status;
}

static enum dpk_status take_root(struct reading *r, struct dpk_error *err)
{
    const yaml_node_t *values[FIELDS], *root = yaml_document_get_root_node(r->document);
    if (!root || root->type != YAML_MAPPING_NODE)
        return dpk_fail(err, DPK_ERR_FORMAT, "no policy: it begins with 'policy: 1'");
    enum dpk_status status = dpk_yaml_mapping(r->document, root, fields, values, err);
    if (status != DPK_OK)
        return status;
    if (!values[VERSION])
        return dpk_fail(err, DPK_ERR_FORMAT, "no 'policy: 1' in it");
    const char *version = dpk_yaml_text(values[VERSION]);
    if (!version || strcmp(version, "1") != 0)
        return fail_at(values[VERSION], err, "the only version of policies is 1, not",
                       version ? version : "");
    r->policy->programs.given = values[PROGRAMS];
    r->policy->signers_given = values[SIGNERS];
    status = take_list(r, fields[PROGRAMS], values[PROGRAMS], take_program, err);
    if (status == DPK_OK)
        status = take_list(r, fields[SIGNERS], values[SIGNERS], take_signer, err);
    if (status == DPK_OK && values[MINIMUMS])
        status = take_minimums(r, values[MINIMUMS], err);
    return status == DPK_OK ? take_list(r, fields[CRLS], values[CRLS], take_crl, err) : status;
}

static enum dpk_status parse(const void *bytes, size_t size, const char *folder,
                             struct dpk_policy **out, struct dpk_error *err)
{
    yaml_document_t document;
    *out = NULL;
    if (size > DPK_POLICY_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %zu bytes", DPK_POLICY_MAX);
    struct dpk_policy *policy = calloc(1, sizeof *policy);
    if (!policy)
        return dpk_fail_nomem(err);
    policy->rules.crls = policy->crls;
    enum dpk_status status = dpk_yaml_read(bytes, size, &document, err);
    if (status == DPK_OK) {
        status = take_root(
            &(struct reading){.document = &document, .folder = folder, .policy = policy}, err);
        yaml_document_delete(&document);
    }
    if (status == DPK_OK)
        *out = policy;
    else
        dpk_policy_free(policy);
    return status;
}

enum dpk_status dpk_policy_parse(const void *bytes, size_t size, struct dpk_policy **out,
                                 struct dpk_error *err)
{
    return parse(bytes, size, NULL, out, err);
}

enum dpk_status dpk_policy_load(const char *path, struct dpk_policy **out, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    const char *slash = strrchr(path, '/');
    *out = NULL;
    enum dpk_status status = dpk_file_read(path, DPK_POLICY_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    char *folder = strndup(path, slash ? (size_t)(slash + 1 - path) : 0);
    status = folder ? parse(file.data, file.size, folder, out, err) : dpk_fail_nomem(err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", path);
    free(folder);
    dpk_buf_free(&file);
    return status;
}

void dpk_policy_free(struct dpk_policy *policy)
{
    if (!policy)
        return;
    for (size_t i = 0; i < policy->rules.crl_count; i++)
        X509_CRL_free(policy->crls[i]);
    for (size_t i = 0; i < policy->minimum_count; i++)
        free(policy->minimums[i].name);
    free(policy->minimums);
    free(policy->programs.list);
    free(policy->certificates.list);
    free(policy->keys.list);
    free(policy);
}

/* ---- The date ---- */

void dpk_policy_set_date(struct dpk_policy *policy, int64_t at)
{
    policy->rules.at = at;
}

enum dpk_status dpk_policy_date(const char *text, int64_t *out, struct dpk_error *err)
{
    struct tm tm = {0};
    const char *end = strptime(text, "%Y-%m-%d", &tm);
    if (end && *end == 'T')
        end = strptime(end, "T%H:%M:%SZ", &tm);
    int day = tm.tm_mday;
    time_t at = end && !*end ? timegm(&tm) : -1;
    if (at <= 0 || tm.tm_mday != day) /* the 31st of a shorter month */
        return dpk_fail(err, DPK_ERR_USAGE,
                        "'%.40s' is no date: 2026-11-23, or 2026-11-23T18:00:00Z", text);
    *out = at;
    return DPK_OK;
}

const struct dpk_path_rules *dpk_policy_rules(const struct dpk_policy *policy)
{
    return &policy->rules;
}

/* ---- The decision ---- */

const char *dpk_policy_reason_name(enum dpk_policy_reason reason)
{
    switch (reason) {
    case DPK_POLICY_OK:
        return "OK";
    case DPK_POLICY_PROGRAM:
        return "PROGRAM_NOT_ALLOWED";
    case DPK_POLICY_SIGNER:
        return "SIGNER_NOT_ALLOWED";
    case DPK_POLICY_VERSION:
        return "VERSION_TOO_LOW";
    }
    return "?";
}

static bool has(const struct digests *d, const char *digest)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->list[i], digest) == 0)
            return true;
    return false;
}

static bool signer_allowed(const struct dpk_policy *policy, X509 *leaf)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    char text[65];
    unsigned size = 0;
    unsigned char *der = NULL;
    if (!leaf)
        return false;
    if (X509_digest(leaf, EVP_sha256(), digest, &size) == 1 && size == 32) {
        dpk_hex_text(digest, size, text);
        if (has(&policy->certificates, text))
            return true;
    }
    int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(leaf), &der);
    bool hashed = length > 0 &&
                  EVP_Digest(der, (size_t)length, digest, &size, EVP_sha256(), NULL) == 1 &&
                  size == 32;
    OPENSSL_free(der);
    if (!hashed)
        return false;
    dpk_hex_text(digest, size, text);
    return has(&policy->keys, text);
}

enum dpk_policy_reason dpk_policy_check(const struct dpk_policy *policy,
                                        const struct dpk_policy_subject *about, char *why,
                                        size_t size)
{
    if (policy->programs.given && !has(&policy->programs, about->sha256)) {
        snprintf(why, size, "%s is none of the %zu programs that the policy allows", about->sha256,
                 policy->programs.count);
        return DPK_POLICY_PROGRAM;
    }
    if (policy->signers_given && !signer_allowed(policy, about->leaf)) {
        snprintf(why, size, "who signed is none of the %zu signers that the policy allows",
                 policy->certificates.count + policy->keys.count);
        return DPK_POLICY_SIGNER;
    }
    for (size_t i = 0; i < policy->minimum_count; i++) {
        const struct minimum *m = &policy->minimums[i];
        if (strcmp(m->name, about->name) != 0 ||
            (about->has_version && about->version >= m->version))
            continue;
        if (about->has_version)
            snprintf(why, size, "version %u, and the policy allows %u and later", about->version,
                     m->version);
        else
            snprintf(why, size, "it has no version, and the policy allows %u and later",
                     m->version);
        return DPK_POLICY_VERSION;
    }
    snprintf(why, size, "allowed");
    return DPK_POLICY_OK;
}
