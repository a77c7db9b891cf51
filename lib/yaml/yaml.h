/*
 * yaml: files of YAML that people write, read whole and walked by known keys. Errors name the line;
 * who opened the file puts its name before them.
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

/* Reads a text of one document, which yaml_document_delete releases. It has no root if the text is
 * empty. DPK_ERR_FORMAT: no YAML, or a second document. */
enum dpk_status dpk_yaml_read(const void *bytes, size_t size, yaml_document_t *out,
                              struct dpk_error *err);
/* Puts the line of `n` before an error that has none. Returns `status`. */
enum dpk_status dpk_yaml_at(const yaml_node_t *n, enum dpk_status status, struct dpk_error *err);
/* A scalar as text without NUL; NULL: it is none. It lives as long as the document. */
const char *dpk_yaml_text(const yaml_node_t *n);
/* The values of a mapping, in the order of `keys`, which ends with NULL; NULL: not there. Other keys
 * and keys that stand twice are errors. */
enum dpk_status dpk_yaml_mapping(yaml_document_t *document, const yaml_node_t *n,
                                 const char *const *keys, const yaml_node_t **values,
                                 struct dpk_error *err);
/* The entry `i` of a list; NULL behind the last. A value that is no list is a list of one, NULL an
 * empty one. */
const yaml_node_t *dpk_yaml_entry(yaml_document_t *document, const yaml_node_t *list, size_t i);

#endif
