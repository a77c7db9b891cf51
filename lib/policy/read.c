/* Policies read from YAML. Every value is parsed as what it is: a text that could match nothing is
 * an error, for a rule that matches nothing lets everything pass. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "yaml/yaml.h"

#define ENTRIES_MAX      4096
#define PROGRAM_NAME_MAX 200 /* characters of a program's name (dpacc(1), -app-name) */

/* State while a policy is read. */
struct reading {
    yaml_document_t *document;
    const char *folder; /* of revocation lists, or NULL */
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

/* ---- Values ---- */

static bool is_hex(const char *text, size_t count)
{
    return strspn(text, "0123456789abcdefABCDEF") >= count;
}

/* Reads the 64 digits of a SHA-256 as lower-case digits. Colons between pairs are allowed, as in
 * fingerprints of OpenSSL. */
static bool read_digest(const char *text, char out[65])
{
    size_t length = text ? strlen(text) : 0, step = length == 95 ? 3 : 2;
    if (length != 64 && length != 95)
        return false;
    for (size_t i = 0; i < 32; i++, text += step) {
        if (!is_hex(text, 2) || (step == 3 && i < 31 && text[2] != ':'))
            return false;
        for (size_t k = 0; k < 2; k++)
            out[2 * i + k] = (char)(text[k] >= 'A' && text[k] <= 'F' ? text[k] | 0x20 : text[k]);
    }
    out[64] = 0;
    return true;
}

/* Refuses leading zeros, which mean octal to other YAML readers. */
static enum dpk_status read_version(const yaml_node_t *n, uint32_t *out, struct dpk_error *err)
{
    const char *text = dpk_yaml_text(n);
    uint64_t value = 0;
    size_t length = text ? strlen(text) : 0;
    if (length == 0 || strspn(text, "0123456789") != length || (length > 1 && text[0] == '0'))
        return fail_at(n, err, "not a version (a decimal number):", text ? text : "");
    if (!dpk_number(text, 0, UINT32_MAX, &value))
        return fail_at(n, err, "a version has 32 bits:", text);
    *out = (uint32_t)value;
    return DPK_OK;
}

/* Names are C identifiers (dpacc(1)). 32 hexadecimal digits are probably a UUID without dashes. */
static bool is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t length = strlen(text);
    return length > 0 && length <= PROGRAM_NAME_MAX && strspn(text, letters) == length &&
           !(text[0] >= '0' && text[0] <= '9') && !(length == 32 && is_hex(text, length));
}

/* ---- Entries ---- */

static enum dpk_status add_digest(struct digests *d, const yaml_node_t *n, struct dpk_error *err)
{
    const char *text = dpk_yaml_text(n);
    char digest[65];
    if (!text)
        return fail_at(n, err, "a SHA-256 stands alone in its entry, as 64 hexadecimal digits",
                       NULL);
    if (!read_digest(text, digest))
        return fail_at(n, err, "not a SHA-256 (64 hexadecimal digits):", text);
    if (d->count == ENTRIES_MAX)
        return fail_at(n, err, "too many entries", NULL);
    void *more = reallocarray(d->list, d->count + 1, sizeof *d->list);
    if (!more)
        return dpk_fail_nomem(err);
    d->list = more;
    memcpy(d->list[d->count++], digest, sizeof digest);
    return DPK_OK;
}

static enum dpk_status take_program(struct reading *r, const yaml_node_t *n, struct dpk_error *err)
{
    return add_digest(&r->policy->programs, n, err);
}

static enum dpk_status take_name(const yaml_node_t *n, bool pattern, struct name_rule *out,
                                 struct dpk_error *err)
{
    const char *text = dpk_yaml_text(n);
    if (!text || !*text)
        return fail_at(n, err, "a name, or a pattern of names, is needed", NULL);
    if (!pattern && strchr(text, '*'))
        return fail_at(n, err,
                       "this name is compared exactly; a pattern with * is subject_pattern or "
                       "issuer_pattern, where [*] is the character:",
                       text);
    if (pattern && strspn(text, "*") == strlen(text))
        return fail_at(n, err, "a pattern that matches every name is not a rule:", text);
    if (out->text)
        return fail_at(n, err, "a name or a pattern, not both", NULL);
    *out = (struct name_rule){.text = strdup(text), .pattern = pattern};
    return out->text ? DPK_OK : dpk_fail_nomem(err);
}

/* All given names must match the leaf. */
static enum dpk_status take_names(struct reading *r, const yaml_node_t *n,
                                  const yaml_node_t *const values[4], struct dpk_error *err)
{
    struct dpk_policy *policy = r->policy;
    if (policy->signer_count == ENTRIES_MAX)
        return fail_at(n, err, "too many entries", NULL);
    struct signer_rule *more =
        reallocarray(policy->signers, policy->signer_count + 1, sizeof *more);
    if (!more)
        return dpk_fail_nomem(err);
    policy->signers = more;
    struct signer_rule *rule = &more[policy->signer_count++];
    *rule = (struct signer_rule){0};
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < 4 && status == DPK_OK; i++)
        if (values[i])
            status = take_name(values[i], i % 2, i < 2 ? &rule->subject : &rule->issuer, err);
    return status;
}

static enum dpk_status take_signer(struct reading *r, const yaml_node_t *n, struct dpk_error *err)
{
    static const char *const kinds[] = {
        "certificate", "key", "subject", "subject_pattern", "issuer", "issuer_pattern", NULL};
    const yaml_node_t *values[6] = {0};
    if (n->type != YAML_MAPPING_NODE || n->data.mapping.pairs.top == n->data.mapping.pairs.start)
        return fail_at(n, err,
                       "a signer is 'certificate: SHA-256', 'key: SHA-256', or subject and issuer",
                       NULL);
    enum dpk_status status = dpk_yaml_mapping(r->document, n, kinds, values, err);
    if (status != DPK_OK)
        return status;
    if (!values[0] && !values[1])
        return take_names(r, n, values + 2, err);
    if (n->data.mapping.pairs.top - n->data.mapping.pairs.start != 1)
        return fail_at(n, err, "certificate, and key, must be alone in an entry of signers", NULL);
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

static bool same_program(const struct minimum *a, const struct minimum *b)
{
    return a->name && b->name ? strcmp(a->name, b->name) == 0
                              : !a->name && !b->name && dpk_uuid_equal(&a->uuid, &b->uuid);
}

/* Takes ownership of m->name. */
static enum dpk_status add_minimum(struct minimums *to, const struct minimum *m,
                                   struct dpk_error *err)
{
    struct minimum *more = reallocarray(to->list, to->count + 1, sizeof *more);
    if (!more) {
        free(m->name);
        return dpk_fail_nomem(err);
    }
    to->list = more;
    more[to->count++] = *m;
    return DPK_OK;
}

static enum dpk_status take_minimum(struct reading *r, const yaml_node_t *key,
                                    const yaml_node_t *value, struct dpk_error *err)
{
    struct minimums *all = &r->policy->minimums;
    struct minimum m = {0};
    const char *name = dpk_yaml_text(key);
    bool by_uuid = name && dpk_uuid_parse(name, &m.uuid, NULL) == DPK_OK;
    if (!name || (!by_uuid && !is_name(name)))
        return fail_at(key, err,
                       "neither a UUID with its dashes nor a program's name:", name ? name : "");
    enum dpk_status status = read_version(value, &m.version, err);
    if (status != DPK_OK)
        return status;
    m.name = by_uuid ? NULL : (char *)name;
    for (size_t i = 0; i < all->count; i++)
        if (same_program(&all->list[i], &m))
            return fail_at(key, err, "twice:", name);
    if (all->count == ENTRIES_MAX)
        return fail_at(key, err, "too many entries", NULL);
    m.name = by_uuid ? NULL : strdup(name);
    return by_uuid || m.name ? add_minimum(all, &m, err) : dpk_fail_nomem(err);
}

static enum dpk_status take_minimums(struct reading *r, const yaml_node_t *n, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (n->type != YAML_MAPPING_NODE)
        return fail_at(n, err, "minimum_versions is a mapping of UUIDs, or names, to versions",
                       NULL);
    r->policy->minimums.given = true;
    for (const yaml_node_pair_t *p = n->data.mapping.pairs.start;
         p < n->data.mapping.pairs.top && status == DPK_OK; p++)
        status = take_minimum(r, yaml_document_get_node(r->document, p->key),
                              yaml_document_get_node(r->document, p->value), err);
    return status;
}

/* ---- The file ---- */

enum field { VERSION, PROGRAMS, SIGNERS, MINIMUMS, UNNAMED, CRLS, FIELDS };
static const char *const fields[] = {"policy",  "programs", "signers", "minimum_versions",
                                     "unnamed", "crls",     NULL};

static enum dpk_status take_unnamed(struct reading *r, const yaml_node_t *n, bool minimums,
                                    struct dpk_error *err)
{
    const char *text = dpk_yaml_text(n);
    if (!text || (strcmp(text, "refuse") != 0 && strcmp(text, "allow") != 0))
        return fail_at(n, err, "unnamed is refuse or allow, not", text ? text : "");
    if (!minimums)
        return fail_at(n, err,
                       "unnamed is about programs that minimum_versions does not name, "
                       "and there is no minimum_versions",
                       NULL);
    r->policy->unnamed = strcmp(text, "allow") == 0;
    return DPK_OK;
}

/* Calls `entry` for every entry of a list; NULL is an absent list. */
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

/* Refuses an empty list, which would check no revocation at all. */
static enum dpk_status take_crls(struct reading *r, const yaml_node_t *n, struct dpk_error *err)
{
    enum dpk_status status = take_list(r, fields[CRLS], n, take_crl, err);
    if (status == DPK_OK && n && r->policy->rules.crl_count == 0)
        return fail_at(n, err, "no revocation list in crls; leave the key out if none is needed",
                       NULL);
    return status;
}

static enum dpk_status take_root(struct reading *r, struct dpk_error *err)
{
    const yaml_node_t *values[FIELDS], *root = yaml_document_get_root_node(r->document);
    if (!root || root->type != YAML_MAPPING_NODE)
        return dpk_fail(err, DPK_ERR_FORMAT, "not a policy: it must start with 'policy: 1'");
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
    if (status == DPK_OK && values[UNNAMED])
        status = take_unnamed(r, values[UNNAMED], values[MINIMUMS], err);
    return status == DPK_OK ? take_crls(r, values[CRLS], err) : status;
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
