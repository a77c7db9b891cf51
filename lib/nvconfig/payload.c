/* Lists of marked TLVs, and TLVs without headers, which need a list. */
#include <stdlib.h>
#include <string.h>

#include "tlv.h"

#define FLAG_COLUMN 50

void dpk_nv_tlvs_text(const struct dpk_nv_defs *defs, struct dpk_buf *out)
{
    for (size_t i = 0; i < dpk_nv_defs_count(defs); i++)
        dpk_put_format(out, "%-*s0\n", FLAG_COLUMN, dpk_nv_defs_at(defs, i)->name);
}

/* Parses "NAME FLAG". `*def` is NULL for an empty line and for an unmarked TLV. */
static enum dpk_status parse_line(const struct dpk_nv_defs *defs, char *line,
                                  const struct dpk_nv_def **def, struct dpk_error *err)
{
    char *save = NULL;
    char *name = strtok_r(line, " \t\r", &save);
    char *flag = name ? strtok_r(NULL, " \t\r", &save) : NULL;
    *def = NULL;
    if (!name)
        return DPK_OK;
    if (!flag || (strcmp(flag, "0") != 0 && strcmp(flag, "1") != 0) ||
        strtok_r(NULL, " \t\r", &save))
        return dpk_fail(err, DPK_ERR_FORMAT, "must be the name of a TLV, then 0 or 1");
    const struct dpk_nv_def *found = dpk_nv_defs_find(defs, name);
    if (!found)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "unknown TLV %.80s", name);
    if (*flag == '1')
        *def = found;
    return DPK_OK;
}

static enum dpk_status choose(const struct dpk_nv_def **list, size_t *count,
                              const struct dpk_nv_def *def, struct dpk_error *err)
{
    for (size_t i = 0; def && i < *count; i++)
        if (list[i] == def)
            return dpk_fail(err, DPK_ERR_EXISTS, "%s is there twice", def->name);
    if (def)
        list[(*count)++] = def;
    return DPK_OK;
}

enum dpk_status dpk_nv_tlvs_parse(const struct dpk_nv_defs *defs, const char *text, size_t size,
                                  const struct dpk_nv_def ***out, size_t *count,
                                  struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    unsigned number = 0;
    const size_t mark = dpk_text_mark(text, size);
    char *copy = strndup(text + mark, size - mark);
    const struct dpk_nv_def **list =
        calloc(dpk_nv_defs_count(defs) + 1, sizeof(struct dpk_nv_def *));
    *count = 0;
    if (!copy || !list)
        status = dpk_fail_nomem(err);
    for (char *at = copy; at && status == DPK_OK;) {
        const struct dpk_nv_def *def = NULL;
        char *end = strchr(at, '\n');
        if (end)
            *end = 0;
        number++;
        status = parse_line(defs, at, &def, err);
        if (status == DPK_OK)
            status = choose(list, count, def, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "line %u", number);
        at = end ? end + 1 : NULL;
    }
    if (status == DPK_OK && *count == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "no TLV is marked with 1");
    free(copy);
    if (status != DPK_OK)
        free(list);
    else
        *out = list;
    return status;
}

void dpk_nv_payload_format(const struct dpk_nv_list *tlvs, struct dpk_buf *out)
{
    for (size_t i = 0; i < tlvs->count; i++)
        dpk_put(out, tlvs->items[i].data, tlvs->items[i].size);
}

enum dpk_status dpk_nv_payload_parse(const struct dpk_nv_def *const *defs, size_t count,
                                     const void *bytes, size_t size, struct dpk_nv_list *out,
                                     struct dpk_error *err)
{
    /* Same targets as an XML template without attributes. */
    static const struct dpk_nv_target all = {.port = DPK_NV_ALL, .module = DPK_NV_ALL};
    struct dpk_nv_list list = {0};
    struct dpk_reader r = dpk_reader(bytes, size);
    enum dpk_status status = DPK_OK;
    int part = 0; /* the part that defs[i] describes */
    for (size_t i = 0; i < count && status == DPK_OK;) {
        struct dpk_nv_target target = dpk_nv_target_at(defs[i], &all, part);
        struct dpk_nv_def bound = dpk_nv_def_bind(defs[i], &target);
        struct dpk_nv_tlv tlv = {.class_id = bound.class_id,
                                 .index = bound.index,
                                 .priority = DPK_NV_MLNX,
                                 .ovr_en = true,
                                 .rd_en = true,
                                 .size = bound.size};
        const uint8_t *data = dpk_read_bytes(&r, bound.size);
        if (!data) {
            status = dpk_fail(err, DPK_ERR_FORMAT, "truncated: %zu bytes end inside %s", size,
                              bound.name);
            break;
        }
        memcpy(tlv.data, data, bound.size);
        status = dpk_nv_list_add(&list, &tlv, err);
        if (++part == dpk_nv_target_count(defs[i], &all)) {
            part = 0;
            i++;
        }
    }
    if (status == DPK_OK && dpk_reader_left(&r) > 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "%zu bytes more than the marked TLVs have",
                          dpk_reader_left(&r));
    if (status != DPK_OK)
        dpk_nv_list_free(&list);
    else
        *out = list;
    return status;
}
