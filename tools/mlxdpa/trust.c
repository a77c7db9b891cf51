/* Reads --ca, --key and -d. */
#include "trust.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Loads every file of a directory, sorted by name. */
static enum dpk_status load_directory(struct dpk_roots **roots, const char *path,
                                      struct dpk_error *err)
{
    struct dirent **entries = NULL;
    char file[PATH_MAX];
    int count = scandir(path, &entries, visible, alphasort);
    if (count < 0)
        return dpk_fail_errno(err, "%s", path);
    enum dpk_status status = DPK_OK;
    if (count == 0)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no certificate in this directory", path);
    for (int i = 0; i < count; i++) {
        int length = snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        if (status == DPK_OK && (length < 0 || (size_t)length >= sizeof file))
            status = dpk_fail(err, DPK_ERR_RANGE, "%s: the path is too long", path);
        if (status == DPK_OK)
            status = dpk_roots_load(roots, file, err);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static enum dpk_status load_ca(struct dpk_roots **roots, const char *path, struct dpk_error *err)
{
    struct stat st;
    if (!dpk_key_in_token(path) && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return load_directory(roots, path, err);
    return dpk_roots_load(roots, path, err);
}

static enum dpk_status ask_device(const char *name, struct trust *t, struct dpk_error *err)
{
    enum dpk_status status = dpk_device_open(name, &t->device, err);
    if (status == DPK_OK)
        status = dpk_load_terms(t->device, &t->terms, err);
    t->programs = (struct dpk_trust){.roots = t->terms.cas.roots, .count = t->terms.cas.count};
    return status;
}

static enum dpk_status open_anchors(const struct mlxdpa_options *o, struct trust *out,
                                    struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    *out = (struct trust){0};
    if (o->device && (o->ca.count || o->keys.count))
        return dpk_fail(err, DPK_ERR_USAGE, "verify takes --ca and --key, or -d, not both");
    if (o->device)
        return ask_device(o->device, out, err);
    for (size_t i = 0; i < o->ca.count && status == DPK_OK; i++)
        status = load_ca(&out->roots, o->ca.at[i], err);
    out->key_names = o->keys.at;
    out->keys = calloc(o->keys.count + 1, sizeof *out->keys);
    if (!out->keys)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < o->keys.count && status == DPK_OK; i++) {
        status = dpk_public_key_read(o->keys.at[i], &out->keys[i], err);
        out->key_count += status == DPK_OK;
    }
    out->programs.roots = dpk_roots_list(out->roots, &out->programs.count);
    return status;
}

/* --at without --policy makes a policy that allows everything, at that date. */
static enum dpk_status open_policy(const struct mlxdpa_options *o, struct trust *t,
                                   struct dpk_error *err)
{
    static const char everything[] = "policy: 1";
    int64_t at = 0;
    enum dpk_status status = DPK_OK;
    if (!o->policy && !o->at)
        return DPK_OK;
    if (o->at)
        status = dpk_policy_date(o->at, &at, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "--at");
    status = o->policy ? dpk_policy_load(o->policy, &t->policy, err)
                       : dpk_policy_parse(everything, strlen(everything), &t->policy, err);
    if (status != DPK_OK)
        return status;
    dpk_policy_set_date(t->policy, at);
    t->programs.rules = dpk_policy_rules(t->policy);
    return DPK_OK;
}

enum dpk_status mlxdpa_trust_open(const struct mlxdpa_options *o, struct trust *out,
                                  struct dpk_error *err)
{
    enum dpk_status status = open_anchors(o, out, err);
    return status == DPK_OK ? open_policy(o, out, err) : status;
}

void mlxdpa_trust_close(struct trust *t)
{
    for (size_t i = 0; i < t->key_count; i++)
        EVP_PKEY_free(t->keys[i]);
    free(t->keys);
    dpk_load_terms_free(&t->terms);
    dpk_roots_free(t->roots);
    dpk_policy_free(t->policy);
    dpk_device_close(t->device);
}
