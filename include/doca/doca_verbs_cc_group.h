/*
 * doca_verbs_cc_group: groups of congestion control for queue pairs. doca_verbs.h includes it.
 *
 * Emulated devices have no groups: creating a group and querying capabilities return NOT_SUPPORTED.
 * Functions that take a group return INVALID_VALUE, or 0 if they cannot return an error. A hint can be
 * set and read back.
 */
#ifndef DOCA_VERBS_CC_GROUP_H
#define DOCA_VERBS_CC_GROUP_H

#include <stddef.h>

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_verbs_cc_group;
struct doca_verbs_cc_group_attr;
struct doca_verbs_cc_group_caps;
struct doca_verbs_context;
struct doca_verbs_qp_attr;

/* A bit of doca_verbs_qp_modify: NOT_SUPPORTED. */
#define DOCA_VERBS_QP_ATTR_CC_GROUP (1 << 18)

/* A hint is copied. Errors: INVALID_VALUE also for more than 4096 bytes. The hint that was read is
 * valid until the next is set. */
doca_error_t doca_verbs_cc_group_attr_create(struct doca_verbs_cc_group_attr **attr);
doca_error_t doca_verbs_cc_group_attr_destroy(struct doca_verbs_cc_group_attr *attr);
doca_error_t doca_verbs_cc_group_attr_set_hint(struct doca_verbs_cc_group_attr *attr,
                                               const void *hint, size_t hint_size);
doca_error_t doca_verbs_cc_group_attr_get_hint(const struct doca_verbs_cc_group_attr *attr,
                                               const void **hint, size_t *hint_size);

doca_error_t doca_verbs_cc_group_create(const struct doca_verbs_context *context,
                                        struct doca_verbs_cc_group_attr *attr,
                                        struct doca_verbs_cc_group **group);
doca_error_t doca_verbs_cc_group_destroy(struct doca_verbs_cc_group *group);
doca_error_t doca_verbs_cc_group_modify(struct doca_verbs_cc_group *group,
                                        struct doca_verbs_cc_group_attr *attr);
doca_error_t doca_verbs_cc_group_query(const struct doca_verbs_cc_group *group,
                                       struct doca_verbs_cc_group_attr *attr);

doca_error_t doca_verbs_query_cc_group_caps(const struct doca_verbs_context *context,
                                            struct doca_verbs_cc_group_caps **caps);
doca_error_t doca_verbs_cc_group_caps_free(struct doca_verbs_cc_group_caps *caps);
doca_error_t doca_verbs_cc_group_caps_get_data(struct doca_verbs_cc_group_caps *caps,
                                               const void **data, size_t *size);
uint32_t doca_verbs_cc_group_caps_get_vendor_id(const struct doca_verbs_cc_group_caps *caps);
uint32_t doca_verbs_cc_group_caps_get_format_id(const struct doca_verbs_cc_group_caps *caps);

/* Sets the group. Errors: INVALID_VALUE for any group except NULL. */
doca_error_t doca_verbs_qp_attr_set_cc_group(struct doca_verbs_qp_attr *attr,
                                             struct doca_verbs_cc_group *group);
struct doca_verbs_cc_group *doca_verbs_qp_attr_get_cc_group(const struct doca_verbs_qp_attr *attr);

#ifdef __cplusplus
}
#endif

#endif
