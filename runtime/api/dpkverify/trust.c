/* Trust of a verification: roots, devices, and a policy. */
#include <stdlib.h>
#include <string.h>

#include "inside.h"

struct dpkverify_trust *dpkverify_trust_new(void)
{
    return calloc(1, sizeof(struct dpkverify_trust));
}

void dpkverify_trust_free(struct dpkverify_trust *trust)
{
    if (!trust)
        return;
    for (size_t i = 0; i < trust->count; i++)
        free((void *)trust->list[i].data);
    free(trust->list);
    for (size_t i = 0; i < trust->device_count; i++)
        dpk_load_terms_free(&trust->devices[i]);
    free(trust->devices);
    dpk_policy_free(trust->policy);
    free(trust);
}

int dpkverify_say(const struct dpk_error *err, enum dpk_status status, char *why)
{
    if (why)
        snprintf(why, DPKVERIFY_WHY, "%s", status == DPK_OK ? "" : err->message);
    return status == DPK_OK ? 0 : -1;
}

/* Adds copies of all roots, or of no root. */
static enum dpk_status add(struct dpkverify_trust *trust, const struct dpk_der *roots, size_t count,
                           struct dpk_error *err)
{
    size_t before = trust->count;
    struct dpk_der *list = reallocarray(trust->list, before + count + 1, sizeof *list);
    if (!list)
        return dpk_fail_nomem(err);
    trust->list = list;
    for (size_t i = 0; i < count; i++) {
        uint8_t *copy = malloc(roots[i].size + 1);
        if (!copy) {
            while (trust->count > before)
                free((void *)list[--trust->count].data);
            return dpk_fail_nomem(err);
        }
        memcpy(copy, roots[i].data, roots[i].size);
        list[trust->count++] = (struct dpk_der){copy, roots[i].size};
    }
    return DPK_OK;
}

int dpkverify_add_roots(struct dpkverify_trust *trust, const char *path, char *why)
{
    struct dpk_error err = {0};
    struct dpk_roots *roots = NULL;
    size_t count = 0;
    enum dpk_status status = dpk_openssl_start(&err);
    if (status == DPK_OK)
        status = dpk_roots_load(&roots, path, &err);
    if (status == DPK_OK) {
        const struct dpk_der *list = dpk_roots_list(roots, &count);
        status = add(trust, list, count, &err);
    }
    dpk_roots_free(roots);
    return dpkverify_say(&err, status, why);
}

int dpkverify_add_device(struct dpkverify_trust *trust, const char *device, char *why)
{
    struct dpk_error err = {0};
    struct dpk_device *dev = NULL;
    struct dpk_load_terms terms = {0};
    struct dpk_load_terms *more = NULL;
    enum dpk_status status = dpk_device_open(device, &dev, &err);
    if (status == DPK_OK)
        status = dpk_load_terms(dev, &terms, &err);
    if (status == DPK_OK) {
        more = reallocarray(trust->devices, trust->device_count + 1, sizeof *more);
        status = more ? DPK_OK : dpk_fail_nomem(&err);
    }
    if (status == DPK_OK) {
        trust->devices = more;
        more[trust->device_count++] = terms;
    } else {
        dpk_load_terms_free(&terms);
    }
    dpk_device_close(dev);
    return dpkverify_say(&err, status, why);
}

int dpkverify_set_policy(struct dpkverify_trust *trust, const char *path, char *why)
{
    struct dpk_error err = {0};
    struct dpk_policy *policy = NULL;
    enum dpk_status status = dpk_openssl_start(&err);
    if (status == DPK_OK)
        status = dpk_policy_load(path, &policy, &err);
    if (status == DPK_OK) {
        dpk_policy_free(trust->policy);
        trust->policy = policy;
    }
    return dpkverify_say(&err, status, why);
}
