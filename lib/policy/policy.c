/* Decides whether a policy allows a program, and parses dates. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/x509.h>

#include "inside.h"

void dpk_policy_free(struct dpk_policy *policy)
{
    if (!policy)
        return;
    for (size_t i = 0; i < policy->rules.crl_count; i++)
        X509_CRL_free(policy->crls[i]);
    for (size_t i = 0; i < policy->minimums.count; i++)
        free(policy->minimums.list[i].name);
    free(policy->minimums.list);
    free(policy->programs.list);
    free(policy->certificates.list);
    for (size_t i = 0; i < policy->signer_count; i++) {
        free(policy->signers[i].subject.text);
        free(policy->signers[i].issuer.text);
    }
    free(policy->signers);
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
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm tm = {0};
        char same[40] = "";
        const char *end = strptime(text, forms[i], &tm);
        time_t at = end && !*end ? timegm(&tm) : -1;
        /* strptime also accepts blanks and day 31 of shorter months, so compare the text. */
        if (at <= 0 || strftime(same, sizeof same, forms[i], &tm) == 0 || strcmp(same, text) != 0)
            continue;
        *out = at;
        return DPK_OK;
    }
    return dpk_fail(err, DPK_ERR_USAGE,
                    "'%.40s' is not a date like 2026-11-23 or 2026-11-23T18:00:00Z", text);
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

/* NULL, a name that cannot be converted to text, matches no rule. */
static bool name_fits(const struct name_rule *rule, const char *name)
{
    if (!rule->text)
        return true;
    if (!name)
        return false;
    return rule->pattern ? fnmatch(rule->text, name, FNM_NOESCAPE) == 0
                         : strcmp(rule->text, name) == 0;
}

static bool name_allowed(const struct dpk_policy *policy, const X509 *leaf)
{
    bool fits = false;
    if (policy->signer_count == 0 || !leaf)
        return false;
    char *subject = dpk_cert_name_text(X509_get_subject_name(leaf));
    char *issuer = dpk_cert_name_text(X509_get_issuer_name(leaf));
    for (size_t i = 0; i < policy->signer_count && !fits; i++)
        fits = name_fits(&policy->signers[i].subject, subject) &&
               name_fits(&policy->signers[i].issuer, issuer);
    free(subject);
    free(issuer);
    return fits;
}

/* A digest that could not be computed is "", which is in no policy. */
static bool signer_allowed(const struct dpk_policy *policy, const struct dpk_cert_facts *digests,
                           const X509 *leaf)
{
    return has(&policy->certificates, digests->sha256) || has(&policy->keys, digests->key_sha256) ||
           name_allowed(policy, leaf);
}

/* The minimum that names the program; NULL: none does. What is in a container goes by its UUID,
 * which is signed; the name of a program in a host file is not. */
static const struct minimum *minimum_of(const struct minimums *all,
                                        const struct dpk_policy_subject *about)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct minimum *m = &all->list[i];
        if (about->uuid ? !m->name && dpk_uuid_equal(&m->uuid, about->uuid)
                        : m->name && strcmp(m->name, about->name) == 0)
            return m;
    }
    return NULL;
}

/* Refuses programs without a rule, because anybody can rename a program to avoid its minimum. A
 * digest in `programs` counts as a rule. */
static enum dpk_policy_reason check_version(const struct dpk_policy *policy,
                                            const struct dpk_policy_subject *about, char *why,
                                            size_t size)
{
    const struct minimum *m = minimum_of(&policy->minimums, about);
    if (!policy->minimums.given || (!m && (policy->unnamed || policy->programs.given)))
        return DPK_POLICY_OK;
    if (!m) {
        snprintf(why, size, "no rule names it: neither programs nor minimum_versions has it");
        return DPK_POLICY_PROGRAM;
    }
    if (about->has_version && about->version >= m->version)
        return DPK_POLICY_OK;
    if (about->has_version)
        snprintf(why, size, "version %u, and the policy allows %u and later", about->version,
                 m->version);
    else
        snprintf(why, size, "it has no version, and the policy allows %u and later", m->version);
    return DPK_POLICY_VERSION;
}

enum dpk_policy_reason dpk_policy_check(const struct dpk_policy *policy,
                                        const struct dpk_policy_subject *about, char *why,
                                        size_t size)
{
    if (policy->programs.given && !has(&policy->programs, about->sha256)) {
        snprintf(why, size, "%s is not one of the %zu programs that the policy allows",
                 about->sha256, policy->programs.count);
        return DPK_POLICY_PROGRAM;
    }
    struct dpk_cert_facts leaf = {0};
    if (policy->signers_given && about->leaf)
        dpk_cert_describe(about->leaf, &leaf);
    if (policy->signers_given && !signer_allowed(policy, &leaf, about->leaf)) {
        snprintf(why, size,
                 "signed by key: %s, certificate: %s, none of the %zu signers that the policy "
                 "allows",
                 leaf.key_sha256, leaf.sha256,
                 policy->certificates.count + policy->keys.count + policy->signer_count);
        return DPK_POLICY_SIGNER;
    }
    enum dpk_policy_reason reason = check_version(policy, about, why, size);
    if (reason == DPK_POLICY_OK)
        snprintf(why, size, "allowed");
    return reason;
}
