/*
 * yaml: YAML files that people write, read whole and walked by known keys. Errors name the line;
 * the caller puts the file name before them.
 *
 *     static const char *const keys[] = {"name", "range", NULL};
 *     const yaml_node_t *values[2];
 *     yaml_document_t document;
 *     enum dpk_status status = dpk_yaml_read(bytes, size, &document, err);
 *     if (status == DPK_OK) {
 *         status = dpk_yaml_mapping(&document, yaml_document_get_root_node(&document), keys, values,
 *                                   err);
 *         yaml_document_delete(&document);
 *     }
 */
#ifndef DPK_YAML_YAML_H
#define DPK_YAML_YAML_H

#include <yaml.h>

#include "base/base.h"

#define DPK_YAML_DEPTH_MAX 100 /* levels of lists and mappings */

/* Reads a text of one document, which yaml_document_delete releases. An empty text gives a document
 * without a root. Errors: DPK_ERR_FORMAT if it is not YAML, nests deeper than DPK_YAML_DEPTH_MAX or
 * has a second document. */
enum dpk_status dpk_yaml_read(const void *bytes, size_t size, yaml_document_t *out,
                              struct dpk_error *err);
/* Puts the line of `n` before an error that has no line yet. Returns `status`. */
enum dpk_status dpk_yaml_at(const yaml_node_t *n, enum dpk_status status, struct dpk_error *err);
/* Returns a scalar as text without a NUL inside. NULL if it is another node. It lives as long as
 * the document. */
const char *dpk_yaml_text(const yaml_node_t *n);
/* Gets the values of a mapping, in the order of `keys` (NULL ends them); an absent value is NULL.
 * Other keys and duplicate keys are errors. */
enum dpk_status dpk_yaml_mapping(yaml_document_t *document, const yaml_node_t *n,
                                 const char *const *keys, const yaml_node_t **values,
                                 struct dpk_error *err);
/* Returns entry `i` of a list, or NULL after the last. A value that is not a list counts as a list
 * of one; NULL is an empty list. */
const yaml_node_t *dpk_yaml_entry(yaml_document_t *document, const yaml_node_t *list, size_t i);

#endif
