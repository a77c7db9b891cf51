/* dpadev: what its files share. */
#ifndef DPK_DPADEV_DPADEV_H
#define DPK_DPADEV_DPADEV_H

#include "cli/cli.h"

#include "device/admin/admin.h"
#include "signer/signer.h"

/* What several commands take. */
struct dpadev_options {
    bool json;
    struct dpk_key_options key; /* claim, trust, lock: who signs */
    const char *output; /* -o, of the same: where their files go; NULL: here; report: the page */
    bool dry_run;       /* of the same: only print the commands */
};

/* The commands, each beside its options: make.c, ask.c, claim.c, trust.c, lock.c, archive.c, wire.c,
 * stats.c, switch.c, report.c. */
extern const struct dpk_command dpadev_create, dpadev_reset, dpadev_delete;
extern const struct dpk_command dpadev_list, dpadev_show, dpadev_log, dpadev_ps;
extern const struct dpk_command dpadev_claim, dpadev_trust, dpadev_lock;
extern const struct dpk_command dpadev_export, dpadev_import, dpadev_wire, dpadev_stats,
    dpadev_switch, dpadev_report;

/* The folder of a switch, which may not be there. DPK_ERR_USAGE: that is no name. switch.c */
enum dpk_status dpadev_switch_folder(const char *name, char out[PATH_MAX], struct dpk_error *err);

/* Texts and JSON about devices, on standard output. */
enum dpk_status dpadev_print_list(bool more, bool json, struct dpk_error *err);
enum dpk_status dpadev_print_show(struct dpk_device *dev, bool json, struct dpk_error *err);
enum dpk_status dpadev_print_log(struct dpk_device *dev, unsigned last, bool json,
                                 struct dpk_error *err);
/* The DPA processes of this user on `device`, or on all (NULL). ps.c */
enum dpk_status dpadev_print_ps(const char *device, bool threads, bool json, struct dpk_error *err);

/* The same as values, for cJSON_Delete. */
enum dpk_status dpadev_json_show(struct dpk_device *dev, cJSON **out, struct dpk_error *err);
enum dpk_status dpadev_json_log(struct dpk_device *dev, unsigned last, cJSON **out,
                                struct dpk_error *err);
enum dpk_status dpadev_json_ps(const char *device, cJSON **out, struct dpk_error *err);
/* What `dpadev stats --json` prints. stats.c */
enum dpk_status dpadev_json_stats(const char *device, cJSON **out, struct dpk_error *err);

/* Follows the execution units of the device for so many seconds; 0: for one, if a process runs. Which
 * were taken, and how much of the time; over_time is in percent, null where nobody looked. heat.c */
enum dpk_status dpadev_json_heat(struct dpk_device *dev, unsigned seconds, cJSON **out,
                                 struct dpk_error *err);
/* The same as a section of a page: a picture and a table. page_units.c */
void dpadev_put_heat(struct dpk_buf *out, const cJSON *heat);
/* A file of folded stacks: {"file", "instructions", "frames": [{"name", "depth", "begin",
 * "instructions", "own"}]}. `begin` is where a frame begins in a flame graph, in instructions from the
 * left. flame.c */
enum dpk_status dpadev_json_profile(const char *path, cJSON **out, struct dpk_error *err);
/* The section of a page that shows it; NULL: none. page_flame.c */
void dpadev_put_flame(struct dpk_buf *out, const cJSON *profile);

/* A report (report.c) as a page: HTML with its style and picture inside. page.c */
void dpadev_put_page(struct dpk_buf *out, const cJSON *report);

/* ---- processes.c ---- */

/* What processes said, as an array of objects for cJSON_Delete: of lines of JSON those that are
 * objects, and about `device` if that is not NULL. Their texts are fit for a terminal
 * (dpk_text_clean); what else they have, and of which type, they chose. */
enum dpk_status dpadev_processes(const struct dpk_buf *said, const struct dpk_device *device,
                                 cJSON **out, struct dpk_error *err);
/* The same for people: a line for each, and if `threads` one for each of its threads and waits. '?'
 * stands for texts that are none, and for what is no number from 0 to 2^64 without a fraction. */
void dpadev_put_processes(struct dpk_buf *out, const cJSON *list, bool threads);

/* ---- text.c ---- */

/* Lines under lines; depth 0 is the root. Zero-initialise. */
#define DPADEV_TREE_MAX 128
struct dpadev_tree {
    struct dpadev_line {
        unsigned depth;
        char *text;
    } lines[DPADEV_TREE_MAX];
    size_t count;
    bool failed;
};
void dpadev_tree_add(struct dpadev_tree *tree, unsigned depth, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Partitions and groups, if there are any. units.c */
void dpadev_tree_units(struct dpadev_tree *tree, const struct dpk_partitions *all);
void dpadev_json_units(cJSON *o, const struct dpk_partitions *all);
/* Prints and frees the lines. */
enum dpk_status dpadev_tree_print(struct dpadev_tree *tree, struct dpk_error *err);

#endif
