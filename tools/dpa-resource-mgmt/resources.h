/* dpa-resource-mgmt: what its files share. main.c lists the commands; apply.c gives units as a file
 * says, which file.c reads; show.c tells who has them. */
#ifndef RESOURCES_H
#define RESOURCES_H

#include <yaml.h>

#include "cli/cli.h"
#include "provision/provision.h"

struct resource_options {
    const char *device; /* -d */
    const char *file;   /* -f: what to read, or where to write */
    const char *output; /* -o */
    unsigned type;      /* -t: from 1 */
    bool yaml, verbose;
};

enum dpk_status resources_apply(const struct resource_options *o, struct dpk_device *dev,
                                struct dpk_error *err);
enum dpk_status resources_destroy(const struct resource_options *o, struct dpk_device *dev,
                                  struct dpk_error *err);
enum dpk_status resources_show(const struct resource_options *o, struct dpk_device *dev,
                               struct dpk_error *err);

/* ---- Files of YAML ---- */

struct resource_file {
    yaml_parser_t parser;
    yaml_document_t document;
};
/* resource_file_close releases it. */
enum dpk_status resource_file_open(const char *path, struct resource_file *f,
                                   struct dpk_error *err);
void resource_file_close(struct resource_file *f);

/* The values of a mapping, in the order of `keys`, which ends with NULL; NULL: not there. Other keys
 * and keys that stand twice are errors. */
enum dpk_status resource_mapping(struct resource_file *f, const yaml_node_t *n,
                                 const char *const *keys, const yaml_node_t **values,
                                 struct dpk_error *err);
/* The entry `i` of a list; NULL behind the last. A value that is no list is a list of one, NULL an
 * empty one. */
const yaml_node_t *resource_entry(struct resource_file *f, const yaml_node_t *list, size_t i);
/* A text; NULL after an error, which says that `what` is one. */
const char *resource_text(const yaml_node_t *n, const char *what, struct dpk_error *err);
/* Puts the line of `n` before an error. Returns `status`. */
enum dpk_status resource_at(const yaml_node_t *n, enum dpk_status status, struct dpk_error *err);

#endif
