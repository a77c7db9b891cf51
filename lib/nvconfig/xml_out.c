/* Writes TLVs and templates as XML. */
#include <stdlib.h>
#include <string.h>

#include "tlv.h"

#define HEAD                                                                                       \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                 \
    "<config xmlns=\"http://www.mellanox.com/config\">\n"

static void put_escaped(struct dpk_buf *out, const uint8_t *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '&':
            dpk_put_format(out, "&amp;");
            break;
        case '<':
            dpk_put_format(out, "&lt;");
            break;
        case '>':
            dpk_put_format(out, "&gt;");
            break;
        default:
            dpk_put_u8(out, text[i]);
        }
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct dpk_nv_choice *)a)->name, ((const struct dpk_nv_choice *)b)->name);
}

/* NVIDIA's tool sorts the choices by name. */
static void put_choices(struct dpk_buf *out, const struct dpk_nv_param *p)
{
    struct dpk_nv_choice *sorted = calloc(p->choice_count + 1, sizeof *sorted);
    if (!sorted) {
        out->failed = true;
        return;
    }
    memcpy(sorted, p->choices, p->choice_count * sizeof *sorted);
    qsort(sorted, p->choice_count, sizeof *sorted, by_name);
    dpk_put_format(out, "\t<!-- Legal Values:");
    for (size_t i = 0; i < p->choice_count; i++)
        dpk_put_format(out, "%s%s", i ? "|" : "", sorted[i].name);
    dpk_put_format(out, " -->\n");
    free(sorted);
}

/* Appends one element: a parameter, or the i-th number of an array. */
static void put_value(struct dpk_buf *out, const struct dpk_nv_param *p, size_t i,
                      const struct dpk_nv_tlv *tlv)
{
    struct dpk_nv_param one = dpk_nv_param_element(p, i);
    struct dpk_buf value = {0};
    if (p->type == DPK_NV_BOOL)
        dpk_put_format(out, "\t<!-- Legal Values: False/True -->\n");
    if (p->type == DPK_NV_ENUM)
        put_choices(out, p);
    if (tlv)
        dpk_nv_value_format(&one, tlv->data, DPK_NV_STYLE_XML, &value);
    dpk_put_format(out, "\t<%s", p->name);
    if (p->count)
        dpk_put_format(out, " index='%zu' ", i);
    dpk_put_format(out, ">");
    put_escaped(out, value.data, value.size);
    dpk_put_format(out, "</%s>\n", p->name);
    out->failed = out->failed || value.failed;
    dpk_buf_free(&value);
}

static void put_target(struct dpk_buf *out, const char *name, int value)
{
    if (value == DPK_NV_ALL)
        dpk_put_format(out, " %s='all'", name);
    else
        dpk_put_format(out, " %s='%d'", name, value);
}

/* Appends the attributes in alphabetical order: port and module always, the others only with
 * `all`. */
static void put_attributes(struct dpk_buf *out, const struct dpk_nv_def *def,
                           const struct dpk_nv_tlv *tlv, const struct dpk_nv_target *target,
                           bool all)
{
    if (def->class_id == DPK_NV_FUNCTION && all)
        put_target(out, "function", target->function);
    if (def->class_id == DPK_NV_FUNCTION && all)
        put_target(out, "host", target->host);
    /* NVIDIA's tool knows only the first host, and omits it. */
    if (def->class_id == DPK_NV_HOST && target->host > 0)
        put_target(out, "host", target->host);
    if (def->class_id == DPK_NV_MODULE)
        put_target(out, "module", target->module);
    if (all)
        dpk_put_format(out, " ovr_en='%d'", tlv->ovr_en);
    if (def->class_id == DPK_NV_PORT)
        put_target(out, "port", target->port);
    if (all)
        dpk_put_format(out, " priority='%s' rd_en='%d' writer_id='%u'",
                       dpk_nv_priority_name(tlv->priority), tlv->rd_en, tlv->writer_id);
}

static void put_params(struct dpk_buf *out, const struct dpk_nv_def *def,
                       const struct dpk_nv_tlv *tlv)
{
    dpk_put_format(out, ">\n\n");
    for (size_t i = 0; i < def->param_count; i++) {
        const struct dpk_nv_param *p = &def->params[i];
        for (size_t j = 0; j < (p->count ? p->count : 1); j++)
            put_value(out, p, j, tlv);
        dpk_put_format(out, "\n");
    }
    dpk_put_format(out, "</%s>\n", def->name);
}

enum dpk_status dpk_nv_xml_format(const struct dpk_nv_defs *defs, const struct dpk_nv_list *tlvs,
                                  struct dpk_buf *out, struct dpk_error *err)
{
    dpk_put_format(out, HEAD);
    for (size_t i = 0; i < tlvs->count; i++) {
        const struct dpk_nv_tlv *tlv = &tlvs->items[i];
        const struct dpk_nv_def *def = dpk_nv_defs_find_key(defs, tlv->class_id, tlv->index);
        if (!def)
            return dpk_fail(err, DPK_ERR_NOT_FOUND, "TLV class %u index %u: no definition",
                            tlv->class_id, tlv->index);
        if (def->size != tlv->size)
            return dpk_fail(err, DPK_ERR_FORMAT, "%s has %zu bytes, not %zu", def->name, tlv->size,
                            def->size);
        struct dpk_nv_target target = dpk_nv_target_of(tlv->class_id, tlv->index);
        dpk_put_format(out, "%s<%s", i ? "\n" : "", def->name);
        put_attributes(out, def, tlv, &target, true);
        put_params(out, def, tlv);
    }
    dpk_put_format(out, "</config>");
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status dpk_nv_xml_template(const struct dpk_nv_defs *defs, const char *text, size_t size,
                                    bool attributes, struct dpk_buf *out, struct dpk_error *err)
{
    static const struct dpk_nv_tlv none = {.priority = DPK_NV_MLNX, .ovr_en = true, .rd_en = true};
    static const struct dpk_nv_target target = {
        .port = DPK_NV_ALL, .module = DPK_NV_ALL, .host = DPK_NV_ALL, .function = DPK_NV_ALL};
    const struct dpk_nv_def **chosen = NULL;
    size_t count = 0;
    enum dpk_status status = dpk_nv_tlvs_parse(defs, text, size, &chosen, &count, err);
    if (status != DPK_OK)
        return status;
    dpk_put_format(out, HEAD);
    for (size_t i = 0; i < count; i++) {
        dpk_put_format(out, "%s<%s", i ? "\n" : "", chosen[i]->name);
        put_attributes(out, chosen[i], &none, &target, attributes);
        put_params(out, chosen[i], NULL);
    }
    dpk_put_format(out, "</config>");
    free(chosen);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}
