/* TLVs and templates as XML, and the list of TLVs as text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tlv.h"

#define HEAD                                                                                       \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                 \
    "<config xmlns=\"http://www.mellanox.com/config\">\n"
#define FLAG_COLUMN 50

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

static void put_legal(struct dpk_buf *out, const struct dpk_nv_param *p)
{
    if (p->type == DPK_NV_BOOL)
        dpk_put_format(out, "\t<!-- Legal Values: False/True -->\n");
    if (p->type != DPK_NV_ENUM)
        return;
    dpk_put_format(out, "\t<!-- Legal Values: ");
    for (size_t i = 0; i < p->choice_count; i++)
        dpk_put_format(out, "%s%s", i ? "/" : "", p->choices[i].name);
    dpk_put_format(out, " -->\n");
}

/* One TLV; `tlv` NULL: without values. */
static void put_tlv(struct dpk_buf *out, const struct dpk_nv_def *def, const char *attributes,
                    const struct dpk_nv_tlv *tlv)
{
    dpk_put_format(out, "<%s%s>\n\n", def->name, attributes);
    for (size_t i = 0; i < def->param_count; i++) {
        const struct dpk_nv_param *p = &def->params[i];
        struct dpk_buf value = {0};
        put_legal(out, p);
        if (tlv)
            dpk_nv_value_format(p, tlv->data, DPK_NV_STYLE_XML, &value);
        dpk_put_format(out, "\t<%s>", p->name);
        put_escaped(out, value.data, value.size);
        dpk_put_format(out, "</%s>\n\n", p->name);
        out->failed = out->failed || value.failed;
        dpk_buf_free(&value);
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
        char attributes[80];
        snprintf(attributes, sizeof attributes,
                 " ovr_en='%d' priority='%s' rd_en='%d' "
                 "writer_id='%u'",
                 tlv->ovr_en, dpk_nv_priority_name(tlv->priority), tlv->rd_en, tlv->writer_id);
        dpk_put_format(out, "%s", i ? "\n" : "");
        put_tlv(out, def, attributes, tlv);
    }
    dpk_put_format(out, "</config>");
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

void dpk_nv_tlvs_text(const struct dpk_nv_defs *defs, struct dpk_buf *out)
{
    for (size_t i = 0; i < dpk_nv_defs_count(defs); i++)
        dpk_put_format(out, "%-*s0\n", FLAG_COLUMN, dpk_nv_defs_at(defs, i)->name);
}

/* "NAME FLAG": NULL in `name` for an empty line. */
static enum dpk_status parse_mark(char *line, char **name, bool *wanted, struct dpk_error *err)
{
    char *save = NULL;
    *name = strtok_r(line, " \t\r", &save);
    char *flag = *name ? strtok_r(NULL, " \t\r", &save) : NULL;
    if (!*name)
        return DPK_OK;
    if (!flag || (strcmp(flag, "0") != 0 && strcmp(flag, "1") != 0) ||
        strtok_r(NULL, " \t\r", &save))
        return dpk_fail(err, DPK_ERR_FORMAT, "must be the name of a TLV, then 0 or 1");
    *wanted = flag[0] == '1';
    return DPK_OK;
}

static enum dpk_status template_line(const struct dpk_nv_defs *defs, char *line,
                                     const char *attributes, size_t *count, struct dpk_buf *out,
                                     struct dpk_error *err)
{
    char *name = NULL;
    bool wanted = false;
    enum dpk_status status = parse_mark(line, &name, &wanted, err);
    if (status != DPK_OK || !name)
        return status;
    const struct dpk_nv_def *def = dpk_nv_defs_find(defs, name);
    if (!def)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "unknown TLV %.80s", name);
    if (!wanted)
        return DPK_OK;
    dpk_put_format(out, "%s", *count ? "\n" : "");
    put_tlv(out, def, attributes, NULL);
    ++*count;
    return DPK_OK;
}

enum dpk_status dpk_nv_xml_template(const struct dpk_nv_defs *defs, const char *text, size_t size,
                                    bool attributes, struct dpk_buf *out, struct dpk_error *err)
{
    static const char all[] = " ovr_en='1' priority='MLNX' rd_en='1' writer_id='0'";
    enum dpk_status status = DPK_OK;
    size_t count = 0;
    unsigned number = 0;
    char *copy = strndup(text, size);
    if (!copy)
        return dpk_fail_nomem(err);
    dpk_put_format(out, HEAD);
    for (char *at = copy; at && status == DPK_OK;) {
        char *end = strchr(at, '\n');
        if (end)
            *end = 0;
        number++;
        status = template_line(defs, at, attributes ? all : "", &count, out, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "line %u", number);
        at = end ? end + 1 : NULL;
    }
    free(copy);
    if (status == DPK_OK && count == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "no TLV is marked with 1");
    dpk_put_format(out, "</config>");
    return status == DPK_OK && out->failed ? dpk_fail_nomem(err) : status;
}
