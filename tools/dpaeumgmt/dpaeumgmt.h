/* dpaeumgmt: what its files share. groups.c and partitions.c have what is done with each sort of
 * object, info.c what the card is; main.c lists the commands. */
#ifndef DPK_DPAEUMGMT_DPAEUMGMT_H
#define DPK_DPAEUMGMT_DPAEUMGMT_H

#include "cli/cli.h"
#include "device/admin/admin.h"

struct eu_options {
    const char *device;  /* -d */
    const char *name;    /* -n */
    const char *range;   /* -r */
    const char *vhcas;   /* -v */
    const char *file;    /* -f: groups, or partitions */
    unsigned group;      /* -g, 0: not given */
    unsigned partition;  /* -p, 0: not given */
    unsigned groups_max; /* -m, 0: not given */
};

/* What a command does: `name` is the word behind it. */
struct eu_verb {
    const char *name;
    enum dpk_status (*run)(const struct eu_options *o, struct dpk_device *dev,
                           struct dpk_error *err);
    const char *needs; /* what is missing if `has` says no; or NULL */
    bool (*has)(const struct eu_options *o);
};
extern const struct eu_verb group_verbs[], partition_verbs[], info_verbs[]; /* end with {0} */

/* Units from the command line or a file. DPK_ERR_USAGE: they are none. */
enum dpk_status eu_read_units(const char *text, struct dpk_units *out, struct dpk_error *err);
/* The array `key` of objects in the JSON file; cJSON_Delete(*root) frees all of it. */
enum dpk_status eu_read_file(const char *path, const char *key, cJSON **root, const cJSON **out,
                             struct dpk_error *err);
/* The text `key` of an object in it; NULL after an error. */
const char *eu_text(const cJSON *object, const char *key, struct dpk_error *err);
/* "6,7,8" after `what`, as a line. */
enum dpk_status eu_print_units(const char *what, const struct dpk_units *units,
                               struct dpk_error *err);

#endif
