/*
 * attributes: the features that a program requests, read from YAML and encoded for section
 * .dpa_proc_attr_<app>.
 *
 *     struct attributes a = {0};
 *     if (attributes2blob_parse("app.yaml", text, size, &a, &err) == DPK_OK)
 *         attributes2blob_encode(&a, &blob);
 *     attributes2blob_free(&a);
 */
#ifndef DPK_DPA_APP_ATTRIBUTES2BLOB_ATTRIBUTES_H
#define DPK_DPA_APP_ATTRIBUTES2BLOB_ATTRIBUTES_H

#include "base/base.h"

#define ATTRIBUTES_NAME_MAX 255 /* bytes of a feature's name */
#define ATTRIBUTES_MAX      256 /* features */

struct attribute {
    char *name;
    bool value;
};

struct attributes {
    struct attribute *at; /* sorted by name */
    size_t count;
};

/* Parses a mapping with the single key Feature_list; its value is empty or a mapping of names to
 * booleans. Errors name the line. */
enum dpk_status attributes2blob_parse(const char *name, const uint8_t *text, size_t size,
                                      struct attributes *out, struct dpk_error *err);
void attributes2blob_free(struct attributes *a);
/* Appends the blob (dpa-app-attributes2blob(1), "BLOB"). */
void attributes2blob_encode(const struct attributes *a, struct dpk_buf *out);

#endif
