/* dpadev: what its files share. */
#ifndef DPADEV_H
#define DPADEV_H

#include <cjson/cJSON.h>

#include "device/device.h"

/* Texts and JSON about devices, on standard output. */
enum dpk_status dpadev_list(bool json, struct dpk_error *err);
enum dpk_status dpadev_show(struct dpk_device *dev, bool json, struct dpk_error *err);
enum dpk_status dpadev_log(struct dpk_device *dev, unsigned last, bool json, struct dpk_error *err);
/* The DPA processes of this user on `device`, or on all (NULL). ps.c */
enum dpk_status dpadev_ps(const char *device, bool threads, bool json, struct dpk_error *err);

/* ---- text.c ---- */

/* Prints and deletes `json`; `complete` false: something of it could not be made. */
enum dpk_status dpadev_print_json(cJSON *json, bool complete, struct dpk_error *err);

#define DPADEV_TIME 32
/* "2026-11-20T12:00:00Z"; returns `out`. */
const char *dpadev_time(int64_t seconds, char out[DPADEV_TIME]);

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
/* Prints and frees the lines. */
enum dpk_status dpadev_tree_print(struct dpadev_tree *tree, struct dpk_error *err);

#endif
