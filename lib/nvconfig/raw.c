/* Reads and writes the raw form: TLVs as lines of hexadecimal dwords. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tlv.h"

#define RAW_TITLE  "MLNX_RAW_TLV_FILE"
#define DWORDS_MAX (TLV_HEADER_DWORDS + DPK_NV_DATA_MAX / 4)

void dpk_nv_raw_format(const struct dpk_nv_list *tlvs, struct dpk_buf *out)
{
    dpk_put_format(out, RAW_TITLE "\n");
    for (size_t i = 0; i < tlvs->count; i++) {
        struct dpk_buf one = {0};
        dpk_nv_put_tlv(&one, &tlvs->items[i]);
        struct dpk_reader r = dpk_reader(one.data, one.size);
        dpk_put_format(out, "%s", i ? "\n" : "");
        while (dpk_reader_left(&r) > 0)
            dpk_put_format(out, "0x%08x ", dpk_read_be32(&r));
        dpk_put_format(out, "\n");
        out->failed = out->failed || one.failed;
        dpk_buf_free(&one);
    }
}

static enum dpk_status parse_line(char *line, struct dpk_nv_list *out, struct dpk_error *err)
{
    uint32_t dwords[DWORDS_MAX];
    size_t count = 0;
    char *save = NULL;
    if (*line == '%')
        return DPK_OK;
    for (char *w = strtok_r(line, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save)) {
        char *end = NULL;
        errno = 0;
        unsigned long value = strtoul(w, &end, 16);
        if (strncmp(w, "0x", 2) != 0 || errno || *end || strlen(w) > 10 || !w[2])
            return dpk_fail(err, DPK_ERR_FORMAT, "'%.20s' is not a dword like 0x06000002", w);
        if (count == DWORDS_MAX)
            return dpk_fail(err, DPK_ERR_RANGE, "more than %d dwords", DWORDS_MAX);
        dwords[count++] = (uint32_t)value;
    }
    if (count == 0)
        return DPK_OK;
    if (count < TLV_HEADER_DWORDS)
        return dpk_fail(err, DPK_ERR_FORMAT, "fewer than the three dwords of a TLV header");
    struct dpk_nv_tlv tlv = {0};
    enum dpk_status status = dpk_nv_header_decode(dwords, &tlv, err);
    if (status != DPK_OK)
        return status;
    if (tlv.size / 4 != count - TLV_HEADER_DWORDS)
        return dpk_fail(err, DPK_ERR_FORMAT, "%zu dwords of data, the header says %zu bytes",
                        count - TLV_HEADER_DWORDS, tlv.size);
    for (size_t i = TLV_HEADER_DWORDS; i < count; i++)
        dpk_store_be32(tlv.data + 4 * (i - TLV_HEADER_DWORDS), dwords[i]);
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].class_id == tlv.class_id && out->items[i].index == tlv.index &&
            out->items[i].priority == tlv.priority)
            return dpk_fail(err, DPK_ERR_EXISTS, "TLV class %u index %u is there twice",
                            tlv.class_id, tlv.index);
    return dpk_nv_list_add(out, &tlv, err);
}

enum dpk_status dpk_nv_raw_parse(const char *text, size_t size, struct dpk_nv_list *out,
                                 struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    struct dpk_nv_list list = {0};
    unsigned number = 0;
    const size_t skip = dpk_text_mark(text, size);
    char *copy = strndup(text + skip, size - skip);
    if (!copy)
        return dpk_fail_nomem(err);
    for (char *at = copy; at && status == DPK_OK;) {
        char *end = strchr(at, '\n');
        if (end)
            *end = 0;
        number++;
        if (number == 1)
            status = strncmp(at, RAW_TITLE, strlen(RAW_TITLE)) == 0
                         ? DPK_OK
                         : dpk_fail(err, DPK_ERR_FORMAT,
                                    "not a raw TLV file: it must start with " RAW_TITLE);
        else
            status = parse_line(at, &list, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "line %u", number);
        at = end ? end + 1 : NULL;
    }
    free(copy);
    if (status == DPK_OK && list.count == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "no TLV");
    if (status != DPK_OK)
        dpk_nv_list_free(&list);
    else
        *out = list;
    return status;
}
