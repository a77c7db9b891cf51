/* Values of parameters of a device: the default, now, and at the next boot. */
#include "admin.h"

#include <stdlib.h>
#include <string.h>

void dpk_views_free(struct dpk_views *table)
{
    for (size_t i = 0; i < table->count; i++)
        for (size_t view = 0; view < DPK_VIEWS; view++)
            dpk_buf_free(&table->rows[i].text[view]);
    free(table->rows);
}

/* Returns false if a value's valid bit is 0: the default is then in effect. */
static bool counts(const struct dpk_nv_name *name, const uint8_t *data)
{
    const struct dpk_nv_param *bit = dpk_nv_valid_bit(name->base, &name->param);
    return !bit || dpk_nv_value_number(bit, data) != 0;
}

static bool same_value(const struct dpk_nv_param *param, const uint8_t *a, const uint8_t *b)
{
    bool same = true;
    for (size_t i = 0; same && i < (param->count ? param->count : 1); i++) {
        struct dpk_nv_param one = dpk_nv_param_element(param, i);
        struct dpk_buf texts[2] = {0};
        dpk_nv_value_format(&one, a, DPK_NV_STYLE_XML, &texts[0]);
        dpk_nv_value_format(&one, b, DPK_NV_STYLE_XML, &texts[1]);
        same = texts[0].size == texts[1].size &&
               (texts[0].size == 0 || memcmp(texts[0].data, texts[1].data, texts[0].size) == 0);
        dpk_buf_free(&texts[0]);
        dpk_buf_free(&texts[1]);
    }
    return same;
}

static enum dpk_status read_row(struct dpk_device *dev, const struct dpk_nv_name *name,
                                struct dpk_view_row *row, struct dpk_error *err)
{
    struct dpk_device_value values[DPK_VIEWS];
    row->name = name->text;
    for (size_t view = 0; view < DPK_VIEWS; view++) {
        struct dpk_device_value *value = &values[view];
        enum dpk_status status =
            dpk_device_get(dev, (enum dpk_device_view)view, &name->def, value, err);
        if (status != DPK_OK)
            return status;
        if (!counts(name, value->data))
            memcpy(value->data, values[DPK_VIEW_DEFAULT].data, sizeof value->data);
        if (value->hidden)
            dpk_put_format(&row->text[view], "hidden");
        else
            dpk_nv_value_format(&name->param, value->data, DPK_NV_STYLE_QUERY, &row->text[view]);
        dpk_put_u8(&row->text[view], 0);
        if (row->text[view].failed)
            return dpk_fail_nomem(err);
    }
    const struct dpk_device_value *current = &values[DPK_VIEW_CURRENT],
                                  *next = &values[DPK_VIEW_NEXT];
    row->read_only = next->read_only || name->base->capability;
    row->changes =
        current->hidden != next->hidden || !same_value(&name->param, current->data, next->data);
    return DPK_OK;
}

enum dpk_status dpk_views_read(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                               const struct dpk_shown *shown, bool named, struct dpk_views *out,
                               struct dpk_error *err)
{
    static const uint8_t zeros[DPK_NV_DATA_MAX];
    out->rows = calloc(shown->count + 1, sizeof *out->rows);
    if (!out->rows)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_device_begin_looking(dev, err);
    if (status != DPK_OK)
        return status;
    for (size_t i = 0; i < shown->count && status == DPK_OK; i++) {
        struct dpk_nv_rules rules = {.defs = defs,
                                     .def = shown->names[i].base,
                                     .data = zeros,
                                     .look = dpk_device_look,
                                     .context = dev};
        if (named || dpk_nv_rules_depend(&rules, &shown->names[i].param))
            status = read_row(dev, &shown->names[i], &out->rows[out->count++], err);
    }
    dpk_device_end_looking(dev);
    return status;
}
