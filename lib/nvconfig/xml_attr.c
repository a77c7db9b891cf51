/* Parses the attributes of XML elements. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "xml.h"

/* Attributes read so far. */
struct attributes {
    struct dpk_nv_target target;
    bool has_port, has_module;
    unsigned ovr_en, rd_en;
};

static enum dpk_status number_attribute(const char *name, const char *value, unsigned max,
                                        unsigned *out, struct dpk_error *err)
{
    char *end = NULL;
    if (dpk_nv_is_octal(value))
        return dpk_fail(err, DPK_ERR_RANGE,
                        "attribute %s='%.40s': NVIDIA's tools read a leading zero as octal; write "
                        "the number without it",
                        name, value);
    errno = 0;
    unsigned long n = strtoul(value, &end, 0);
    if (!isdigit((unsigned char)*value) || errno || *end || n > max)
        return dpk_fail(err, DPK_ERR_RANGE, "attribute %s='%.40s'; legal: 0 to %u", name, value,
                        max);
    *out = (unsigned)n;
    return DPK_OK;
}

static enum dpk_status priority_attribute(const char *value, enum dpk_nv_priority *out,
                                          struct dpk_error *err)
{
    static const enum dpk_nv_priority all[] = {DPK_NV_USER, DPK_NV_OEM, DPK_NV_MLNX};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcasecmp(value, dpk_nv_priority_name(all[i])) == 0) {
            *out = all[i];
            return DPK_OK;
        }
    }
    return dpk_fail(err, DPK_ERR_RANGE, "attribute priority='%.40s'; legal: USER, OEM, MLNX",
                    value);
}

/* `least` is the smallest number; `all` allows "all". */
static enum dpk_status target_attribute(const char *name, const char *value, unsigned least,
                                        unsigned most, bool all, int *out, struct dpk_error *err)
{
    unsigned n = 0;
    if (all && strcasecmp(value, "all") == 0) {
        *out = DPK_NV_ALL;
        return DPK_OK;
    }
    if (dpk_nv_is_octal(value))
        return number_attribute(name, value, most, &n, err);
    if (number_attribute(name, value, most, &n, NULL) != DPK_OK || n < least)
        return dpk_fail(err, DPK_ERR_RANGE, "attribute %s='%.40s'; legal: %s%u to %u", name, value,
                        all ? "all, or " : "", least, most);
    *out = (int)n;
    return DPK_OK;
}

static const char *legal_targets(unsigned class_id)
{
    switch (class_id) {
    case DPK_NV_PORT:
        return ", port";
    case DPK_NV_MODULE:
        return ", module";
    case DPK_NV_HOST:
        return ", host";
    case DPK_NV_FUNCTION:
        return ", host, function";
    default:
        return "";
    }
}

static enum dpk_status parse_attribute(const char *name, const char *value,
                                       const struct dpk_nv_def *def, struct attributes *a,
                                       struct dpk_nv_tlv *tlv, struct dpk_error *err)
{
    bool function = def->class_id == DPK_NV_FUNCTION, host = def->class_id == DPK_NV_HOST;
    if (strcmp(name, "priority") == 0)
        return priority_attribute(value, &tlv->priority, err);
    if (strcmp(name, "writer_id") == 0)
        return number_attribute(name, value, 31, &tlv->writer_id, err);
    if (strcmp(name, "ovr_en") == 0)
        return number_attribute(name, value, 1, &a->ovr_en, err);
    if (strcmp(name, "rd_en") == 0)
        return number_attribute(name, value, 1, &a->rd_en, err);
    if (strcmp(name, "port") == 0 && def->class_id == DPK_NV_PORT) {
        a->has_port = true;
        return target_attribute(name, value, 1, NV_PORT_MAX, true, &a->target.port, err);
    }
    if (strcmp(name, "module") == 0 && def->class_id == DPK_NV_MODULE) {
        a->has_module = true;
        return target_attribute(name, value, 0, NV_MODULE_MAX, true, &a->target.module, err);
    }
    if (strcmp(name, "host") == 0 && (host || function))
        return target_attribute(name, value, 0, NV_HOST_MAX, function, &a->target.host, err);
    if (strcmp(name, "function") == 0 && function)
        return target_attribute(name, value, 0, NV_FUNCTION_MAX, true, &a->target.function, err);
    return dpk_fail(err, DPK_ERR_FORMAT,
                    "unknown attribute %.40s; legal: ovr_en, rd_en, writer_id, priority%s", name,
                    legal_targets(def->class_id));
}

enum dpk_status dpk_nv_xml_attributes(const xmlNode *node, const struct dpk_nv_def *def,
                                      struct dpk_nv_tlv *tlv, struct dpk_nv_target *target,
                                      struct dpk_error *err)
{
    struct attributes all = {.ovr_en = tlv->ovr_en, .rd_en = tlv->rd_en};
    enum dpk_status status = DPK_OK;
    for (xmlAttr *a = node->properties; a && status == DPK_OK; a = a->next) {
        xmlChar *value = xmlNodeListGetString(node->doc, a->children, 1);
        status = parse_attribute((const char *)a->name, value ? (const char *)value : "", def, &all,
                                 tlv, err);
        xmlFree(value);
    }
    if (status != DPK_OK)
        return status;
    if (def->class_id == DPK_NV_PORT && !all.has_port)
        return dpk_fail(err, DPK_ERR_FORMAT, "attribute port is missing; legal: all, or 1 to %d",
                        NV_PORT_MAX);
    if (def->class_id == DPK_NV_MODULE && !all.has_module)
        return dpk_fail(err, DPK_ERR_FORMAT, "attribute module is missing; legal: all, or 0 to %d",
                        NV_MODULE_MAX);
    *target = all.target;
    tlv->ovr_en = all.ovr_en;
    tlv->rd_en = all.rd_en;
    return DPK_OK;
}

static bool number_at(const char **at, size_t most, size_t *out)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**at) || dpk_nv_is_octal(*at))
        return false;
    errno = 0;
    unsigned long n = strtoul(*at, &end, 10);
    *at = end;
    *out = n;
    return !errno && n <= most;
}

/* Parses "0..3,7", with each number at most once. */
static bool parse_indexes(const char *at, size_t size, size_t *indexes, size_t *count)
{
    size_t first, last;
    *count = 0;
    do {
        while (isspace((unsigned char)*at))
            at++;
        if (!number_at(&at, size - 1, &first))
            return false;
        last = first;
        if (strncmp(at, "..", 2) == 0 && (at += 2, !number_at(&at, size - 1, &last)))
            return false;
        for (size_t i = first; i <= last; i++) {
            if (*count == size)
                return false;
            indexes[(*count)++] = i;
        }
        while (isspace((unsigned char)*at))
            at++;
    } while (*at == ',' && at++);
    return *count > 0 && !*at;
}

enum dpk_status dpk_nv_xml_index(const xmlNode *node, const struct dpk_nv_param *param,
                                 size_t indexes[NV_ARRAY_MAX], size_t *count, struct dpk_error *err)
{
    const xmlAttr *a = node->properties;
    indexes[0] = 0;
    *count = 1;
    if (!param->count)
        return a ? dpk_fail(err, DPK_ERR_FORMAT, "a parameter has no attributes") : DPK_OK;
    if (!a || a->next || strcmp((const char *)a->name, "index") != 0)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "an array of %zu: its elements have the attribute index, and no other",
                        param->count);
    xmlChar *value = xmlNodeListGetString(node->doc, a->children, 1);
    enum dpk_status status = DPK_OK;
    if (!parse_indexes(value ? (const char *)value : "", param->count, indexes, count))
        status = dpk_fail(err, DPK_ERR_RANGE, "attribute index='%.40s'; legal: 0 to %zu",
                          value ? (const char *)value : "", param->count - 1);
    xmlFree(value);
    return status;
}
