/* Shared by the files of dpaeumgmt. groups.c and partitions.c have the verbs of these objects,
 * info.c describes the card, main.c has the commands. */
#ifndef DPK_DPAEUMGMT_DPAEUMGMT_H
#define DPK_DPAEUMGMT_DPAEUMGMT_H

#include "cli/cli.h"
#include "device/admin/admin.h"

struct eu_options {
    const char *device;  /* -d */
    const char *name;    /* -n */
    const char *range;   /* -r */
    const char *vhcas;   /* -v */
    const char *file;    /* -f: file of groups or of partitions */
    unsigned group;      /* -g; 0 if absent */
    unsigned partition;  /* -p; 0 if absent */
    unsigned groups_max; /* -m; 0 if absent */
};

/* A verb of a command: `name` is the word after the command. */
struct eu_verb {
    const char *name;
    enum dpk_status (*run)(const struct eu_options *o, struct dpk_device *dev,
                           struct dpk_error *err);
    const char *needs; /* the options that are missing if `has` returns false; or NULL */
    bool (*has)(const struct eu_options *o);
};
extern const struct eu_verb dpaeumgmt_group_verbs[], dpaeumgmt_partition_verbs[],
    dpaeumgmt_info_verbs[]; /* end with {0} */

/* Parses units from the command line or a file. Errors: DPK_ERR_USAGE for other texts. */
enum dpk_status dpaeumgmt_read_units(const char *text, struct dpk_units *out,
                                     struct dpk_error *err);
/* Gets the array `key` of objects in the JSON file. Release everything with cJSON_Delete(*root). */
enum dpk_status dpaeumgmt_read_file(const char *path, const char *key, cJSON **root,
                                    const cJSON **out, struct dpk_error *err);
/* Returns the text `key` of an object, or NULL after an error. */
const char *dpaeumgmt_text(const cJSON *object, const char *key, struct dpk_error *err);
/* Prints a line with `what` and units such as "6,7,8". */
enum dpk_status dpaeumgmt_print_units(const char *what, const struct dpk_units *units,
                                      struct dpk_error *err);

#endif
