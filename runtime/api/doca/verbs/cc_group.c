/* Congestion control groups. Emulated devices do not have them, but their attributes can be set. */
#include <string.h>

#include "verbs.h"

#define HINT_MAX 4096u /* maximum bytes of a hint */

struct cc_group_attr {
    struct dpk_object object;
    uint8_t hint[HINT_MAX];
    size_t size;
};
LIFE(doca_verbs_cc_group_attr_create, doca_verbs_cc_group_attr_destroy, cc_group_attr)

doca_error_t doca_verbs_cc_group_attr_set_hint(struct doca_verbs_cc_group_attr *attr,
                                               const void *hint, size_t hint_size)
{
    struct cc_group_attr *a = hint ? dpk_object_lock(attr, &verbs_cc_group_attr_kind) : NULL;
    const bool fits = hint_size <= HINT_MAX;
    if (a && fits) {
        memcpy(a->hint, hint, hint_size);
        a->size = hint_size;
    }
    return dpk_doca_unlock(a, __func__, fits ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE,
                           "a hint has at most %u bytes, and not %zu", HINT_MAX, hint_size);
}

doca_error_t doca_verbs_cc_group_attr_get_hint(const struct doca_verbs_cc_group_attr *attr,
                                               const void **hint, size_t *hint_size)
{
    struct cc_group_attr *a =
        hint && hint_size ? dpk_object_lock(attr, &verbs_cc_group_attr_kind) : NULL;
    if (a) {
        *hint = a->hint;
        *hint_size = a->size;
    }
    return dpk_doca_end(attr, __func__, dpk_object_unlock(a, DOCA_SUCCESS));
}

static doca_error_t cannot(void)
{
    return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                            "groups of congestion control are not emulated");
}

doca_error_t doca_verbs_cc_group_create(const struct doca_verbs_context *context,
                                        struct doca_verbs_cc_group_attr *attr,
                                        struct doca_verbs_cc_group **group)
{
    if (group)
        *group = NULL;
    const bool good = group && context && attr && verbs_is_a(context, &verbs_context_kind) &&
                      verbs_is_a(attr, &verbs_cc_group_attr_kind);
    return dpk_doca_end(context, __func__, good ? cannot() : DOCA_ERROR_INVALID_VALUE);
}

doca_error_t doca_verbs_query_cc_group_caps(const struct doca_verbs_context *context,
                                            struct doca_verbs_cc_group_caps **caps)
{
    if (caps)
        *caps = NULL;
    const bool good = caps && context && verbs_is_a(context, &verbs_context_kind);
    return dpk_doca_end(context, __func__, good ? cannot() : DOCA_ERROR_INVALID_VALUE);
}

/* ---- Groups and capabilities, which do not exist ---- */

doca_error_t doca_verbs_cc_group_destroy(struct doca_verbs_cc_group *group)
{
    (void)group;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_verbs_cc_group_modify(struct doca_verbs_cc_group *group,
                                        struct doca_verbs_cc_group_attr *attr)
{
    (void)group;
    (void)attr;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_verbs_cc_group_query(const struct doca_verbs_cc_group *group,
                                       struct doca_verbs_cc_group_attr *attr)
{
    (void)group;
    (void)attr;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_verbs_cc_group_caps_free(struct doca_verbs_cc_group_caps *caps)
{
    (void)caps;
    return dpk_doca_no_object(__func__);
}

doca_error_t doca_verbs_cc_group_caps_get_data(struct doca_verbs_cc_group_caps *caps,
                                               const void **data, size_t *size)
{
    (void)caps;
    (void)data;
    (void)size;
    return dpk_doca_no_object(__func__);
}

uint32_t doca_verbs_cc_group_caps_get_vendor_id(const struct doca_verbs_cc_group_caps *caps)
{
    (void)caps;
    return 0;
}

uint32_t doca_verbs_cc_group_caps_get_format_id(const struct doca_verbs_cc_group_caps *caps)
{
    (void)caps;
    return 0;
}

doca_error_t doca_verbs_qp_attr_set_cc_group(struct doca_verbs_qp_attr *attr,
                                             struct doca_verbs_cc_group *group)
{
    struct qp_attr *a = group ? NULL : dpk_object_lock(attr, &verbs_qp_attr_kind);
    return dpk_doca_end(attr, __func__, dpk_object_unlock(a, DOCA_SUCCESS));
}

struct doca_verbs_cc_group *doca_verbs_qp_attr_get_cc_group(const struct doca_verbs_qp_attr *attr)
{
    (void)attr;
    return NULL;
}
