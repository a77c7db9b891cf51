/*
 * views: the parameters of a device's NV configuration, each by default, now and at the next boot.
 *
 *     struct dpk_shown shown = {0};
 *     struct dpk_views views = {0};
 *     dpk_shown_choose(defs, NULL, 0, true, &shown, &err);        // all
 *     dpk_views_read(dev, defs, &shown, false, &views, &err);
 *     puts((char *)views.rows[0].text[DPK_VIEW_NEXT].data);       // "True(1)"
 *     dpk_views_free(&views), dpk_shown_free(&shown);
 */
#ifndef DPK_VIEWS_H
#define DPK_VIEWS_H

#include "device/state/state.h"
#include "nvconfig/nvconfig.h"

/* An emulated BlueField-3 has two ports and two modules. */
#define DPK_SHOWN_PORTS   2
#define DPK_SHOWN_MODULES 2

struct dpk_shown {
    struct dpk_nv_name *names;
    size_t count, capacity;
};

/* Lists the parameters that are named, or without names all that have one, for each port and
 * module. `elements`: each element of an array by itself, even where no index is given. Free with
 * dpk_shown_free, after failures too; the definitions must live as long. */
enum dpk_status dpk_shown_choose(const struct dpk_nv_defs *defs, const char *const *words,
                                 size_t word_count, bool elements, struct dpk_shown *out,
                                 struct dpk_error *err);
void dpk_shown_free(struct dpk_shown *shown);

#define DPK_VIEWS 3

/* One parameter. `text` is indexed by enum dpk_device_view, and ends in a zero byte. */
struct dpk_view_row {
    const char *name; /* borrowed from the struct dpk_shown */
    struct dpk_buf text[DPK_VIEWS];
    bool read_only;
    bool changes; /* the next boot changes it */
};

struct dpk_views {
    struct dpk_view_row *rows;
    size_t count;
};

/* Reads every view of every parameter in one transaction: with a reboot or a writer between two
 * reads the views would not belong together. Parameters that were not `named` are left out if the
 * device does not support them. Free with dpk_views_free, after failures too. */
enum dpk_status dpk_views_read(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                               const struct dpk_shown *shown, bool named, struct dpk_views *out,
                               struct dpk_error *err);
void dpk_views_free(struct dpk_views *table);

#endif
