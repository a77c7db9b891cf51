/* A policy as YAML: an error with a message, or a policy that decides the same twice. */
#include "policy/policy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char digest[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    struct dpk_policy *policy = NULL;
    struct dpk_error err = {0};
    char why[256], again[256];
    if (dpk_policy_parse(data, size, &policy, &err) != DPK_OK) {
        if (policy || !err.message[0] || strchr(err.message, '\n'))
            abort();
        return 0;
    }
    static const struct dpk_uuid uuid = {{0x77, 0xdd}};
    const struct dpk_policy_subject about = {.name = "hello",
                                             .uuid = size % 2 ? &uuid : NULL,
                                             .sha256 = digest,
                                             .has_version = true,
                                             .version = 7};
    enum dpk_policy_reason reason = dpk_policy_check(policy, &about, why, sizeof why);
    if (dpk_policy_check(policy, &about, again, sizeof again) != reason || strcmp(why, again) != 0)
        abort();
    if (dpk_policy_rules(policy)->crl_count)
        abort();
    dpk_policy_free(policy);
    return 0;
}
