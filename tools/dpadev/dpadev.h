/* Shared by the files of dpadev. */
#ifndef DPK_DPADEV_DPADEV_H
#define DPK_DPADEV_DPADEV_H

#include "cli/cli.h"

#include "device/admin/admin.h"
#include "signer/signer.h"

/* Options of several commands. */
struct dpadev_options {
    bool json;
    struct dpk_key_options key; /* claim, trust, lock: the signing key */
    const char *output; /* -o; claim, trust, lock: a folder (NULL: the current); report: a page */
    bool dry_run;       /* claim, trust, lock: only print the commands */
};

/* The commands, with their options, in make.c, ask.c, claim.c, trust.c, lock.c, archive.c, wire.c,
 * fabric.c, stats.c, switch.c, report.c, exec.c and attach.c. */
extern const struct dpk_command dpadev_create, dpadev_reset, dpadev_delete;
extern const struct dpk_command dpadev_list, dpadev_show, dpadev_log, dpadev_ps;
extern const struct dpk_command dpadev_claim, dpadev_trust, dpadev_lock;
extern const struct dpk_command dpadev_export, dpadev_import, dpadev_wire, dpadev_fabric,
    dpadev_stats, dpadev_switch, dpadev_report, dpadev_exec, dpadev_attach;

/* Gets the folder of a switch, which may be absent. Errors: DPK_ERR_USAGE for an invalid name.
 * switch.c */
enum dpk_status dpadev_switch_folder(const char *name, char out[PATH_MAX], struct dpk_error *err);

/* Options of exec and attach. exec.c */
struct dpadev_card_options {
    struct dpadev_options shared;
    const char *database, *trace;
};
extern const struct dpk_option dpadev_card_options[];

/* Returns the database that NVIDIA's tools have of Debian's package, or NULL if it is not installed. exec.c */
const char *dpadev_packaged_database(void);

/* Get the name of, or open, the device of an optional NAME: without NAME, the only device. ask.c */
enum dpk_status dpadev_name(const struct dpk_args *args, const char **out, struct dpk_error *err);
enum dpk_status dpadev_open(const struct dpk_args *args, struct dpk_device **out,
                            struct dpk_error *err);

/* Print texts and JSON about devices on standard output. */
enum dpk_status dpadev_print_list(bool more, bool json, struct dpk_error *err);
enum dpk_status dpadev_print_show(struct dpk_device *dev, bool json, struct dpk_error *err);
enum dpk_status dpadev_print_log(struct dpk_device *dev, unsigned last, bool json,
                                 struct dpk_error *err);
/* Prints the DPA processes of this user on `device`, or on all devices if it is NULL. ps.c */
enum dpk_status dpadev_print_ps(const char *device, bool threads, bool json, struct dpk_error *err);

/* Same as JSON; release it with cJSON_Delete. */
enum dpk_status dpadev_json_show(struct dpk_device *dev, cJSON **out, struct dpk_error *err);
enum dpk_status dpadev_json_log(struct dpk_device *dev, unsigned last, cJSON **out,
                                struct dpk_error *err);
enum dpk_status dpadev_json_ps(const char *device, cJSON **out, struct dpk_error *err);
/* Gets the JSON of `dpadev stats --json`. stats.c */
enum dpk_status dpadev_json_stats(const char *device, cJSON **out, struct dpk_error *err);

/* Samples the execution units of the device for `seconds`; 0: one second if a process runs. The
 * JSON says which units were busy, and when; over_time is in percent, null for times without
 * samples. heat.c */
enum dpk_status dpadev_json_heat(struct dpk_device *dev, unsigned seconds, cJSON **out,
                                 struct dpk_error *err);
/* Appends a section of a page with a picture and a table. page_units.c */
void dpadev_put_heat(struct dpk_buf *out, const cJSON *heat);
/* Reads a file of folded stacks: {"file", "instructions", "frames": [{"name", "depth", "begin",
 * "instructions", "own"}]}. `begin` is the left end of a frame in a flame graph, in instructions.
 * flame.c */
enum dpk_status dpadev_json_profile(const char *path, cJSON **out, struct dpk_error *err);
/* Appends the section of a page with the profile; nothing if `profile` is NULL. page_flame.c */
void dpadev_put_flame(struct dpk_buf *out, const cJSON *profile);

/* Appends a report (report.c) as an HTML page with its style and pictures inside. page.c */
void dpadev_put_page(struct dpk_buf *out, const cJSON *report);

/* ---- processes.c ---- */

/* Collects the answers of processes as an array of objects; release it with cJSON_Delete. Lines
 * that are not JSON objects are dropped, as are objects about other devices than `device` (NULL:
 * all). Texts are safe for a terminal (dpk_text_clean); other members and their types are not
 * checked. */
enum dpk_status dpadev_processes(const struct dpk_buf *said, const struct dpk_device *device,
                                 cJSON **out, struct dpk_error *err);
/* Same as text: a line for each process, and if `threads`, for each of its threads and waits. '?'
 * replaces members that are not texts, or not integers from 0 to 2^64. */
void dpadev_put_processes(struct dpk_buf *out, const cJSON *list, bool threads);

/* ---- text.c ---- */

/* Lines below lines; depth 0 is the root. Zero-initialise it. */
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
/* Add partitions and groups, if there are any. units.c */
void dpadev_tree_units(struct dpadev_tree *tree, const struct dpk_partitions *all);
void dpadev_json_units(cJSON *o, const struct dpk_partitions *all);
/* Prints the lines and frees them. */
enum dpk_status dpadev_tree_print(struct dpadev_tree *tree, struct dpk_error *err);

#endif
