/* The commands backup, get_raw and set_raw: TLVs as raw bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mlxconfig.h"

static uint32_t type_of(const struct dpk_nv_tlv *tlv)
{
    return (uint32_t)tlv->class_id << 24 | tlv->index;
}

static void print_tlv(size_t number, const struct dpk_nv_tlv *tlv)
{
    struct dpk_reader r = dpk_reader(tlv->data, tlv->size);
    printf("Raw TLV #%zu Info:\nLength: 0x%zx\nVersion: %u\nOverrideEn: %d\nType: 0x%08" PRIx32
           "\nData: ",
           number, tlv->size, tlv->version, tlv->ovr_en, type_of(tlv));
    while (dpk_reader_left(&r) > 0)
        printf("0x%08" PRIx32 " ", dpk_read_be32(&r));
    printf("\n\n");
}

static enum dpk_status read_raw(const char *path, struct dpk_nv_list *out, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    enum dpk_status status = dpk_file_read(path, DPK_NV_FILE_BYTES_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    status = dpk_nv_raw_parse(file.data ? (const char *)file.data : "", file.size, out, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", path);
    dpk_buf_free(&file);
    return status;
}

static enum dpk_status run_set_raw(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    const char *path = mlxconfig_raw_file(options, args, err);
    if (!path)
        return DPK_ERR_USAGE;
    struct dpk_device *dev = NULL;
    struct dpk_nv_list tlvs = {0};
    enum dpk_status status = mlxconfig_device(options, &dev, err);
    if (status == DPK_OK)
        status = read_raw(path, &tlvs, err);
    for (size_t i = 0; status == DPK_OK && i < tlvs.count; i++)
        print_tlv(i + 1, &tlvs.items[i]);
    if (status == DPK_OK)
        status = mlxconfig_confirm(options,
                                   "Operation intended for advanced users.\n Are you sure you want "
                                   "to apply raw TLV file?",
                                   err);
    if (status == DPK_OK) {
        status = dpk_device_set_tlvs(dev, &tlvs, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s", path);
    }
    if (status == DPK_OK)
        mlxconfig_print_applied();
    dpk_nv_list_free(&tlvs);
    dpk_device_close(dev);
    return status;
}

const struct dpk_command mlxconfig_set_raw_command = {.names = "set_raw",
                                                      .words = "[RAW]",
                                                      .help = "set TLVs of a device (-d)",
                                                      .needs = "d",
                                                      .takes = "y,f",
                                                      .run = run_set_raw};

/* Prints the device's TLV of one type for the next boot; if it has none, a TLV of zeros. */
static void print_type(size_t number, const struct dpk_nv_list *on_device,
                       const struct dpk_nv_tlv *asked)
{
    const struct dpk_nv_tlv *found = NULL;
    for (size_t i = 0; i < on_device->count; i++)
        if (type_of(&on_device->items[i]) == type_of(asked))
            if (!found || found->ovr_en)
                found = &on_device->items[i];
    struct dpk_nv_tlv none = *asked;
    none.ovr_en = true;
    memset(none.data, 0, sizeof none.data);
    print_tlv(number, found ? found : &none);
}

static enum dpk_status run_get_raw(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    const char *path = mlxconfig_raw_file(options, args, err);
    if (!path)
        return DPK_ERR_USAGE;
    struct dpk_device *dev = NULL;
    struct dpk_nv_list asked = {0}, on_device = {0};
    size_t hidden = 0;
    enum dpk_status status = mlxconfig_device(options, &dev, err);
    if (status == DPK_OK)
        status = read_raw(path, &asked, err);
    if (status == DPK_OK)
        status = dpk_device_next_tlvs(dev, &on_device, &hidden, err);
    for (size_t i = 0; status == DPK_OK && i < asked.count; i++)
        print_type(i + 1, &on_device, &asked.items[i]);
    if (status == DPK_OK)
        printf("Done!\n");
    dpk_nv_list_free(&asked);
    dpk_nv_list_free(&on_device);
    dpk_device_close(dev);
    return status;
}

const struct dpk_command mlxconfig_get_raw_command = {
    .names = "get_raw",
    .words = "[RAW]",
    .help = "show a device's TLVs of these types (-d)",
    .needs = "d",
    .takes = "f",
    .run = run_get_raw};

/* Writes the TLVs as text, each after a comment with its name and origin. */
static void put_raw(const struct dpk_nv_defs *defs, const struct dpk_nv_list *tlvs, size_t hidden,
                    struct dpk_buf *out)
{
    struct dpk_nv_list one = {.count = 1, .capacity = 1};
    struct dpk_buf line = {0};
    dpk_put_format(out, "MLNX_RAW_TLV_FILE\n");
    if (hidden)
        dpk_put_format(out, "%% %zu TLVs are hidden (rd_en 0)\n", hidden);
    for (size_t i = 0; i < tlvs->count; i++) {
        const struct dpk_nv_tlv *tlv = &tlvs->items[i];
        const struct dpk_nv_def *def = dpk_nv_defs_find_key(defs, tlv->class_id, tlv->index);
        dpk_put_format(out, "%% TLV Type: 0x%08" PRIx32 ", Writer ID: 0x%02x, %s, %s\n",
                       type_of(tlv), tlv->writer_id, dpk_nv_priority_name(tlv->priority),
                       def ? def->name : "no definition");
        one.items = &tlvs->items[i];
        line.size = 0;
        dpk_nv_raw_format(&one, &line);
        const uint8_t *end = line.data ? memchr(line.data, '\n', line.size) : NULL;
        if (end)
            dpk_put(out, end + 1, line.size - (size_t)(end + 1 - line.data));
    }
    out->failed = out->failed || line.failed;
    dpk_buf_free(&line);
}

/* Writes XML of a file to sign and apply. Its leading TLVs restrict it to this PSID, keep the
 * device's other settings, and let each TLV keep its own priority. */
static enum dpk_status put_xml(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                               const struct dpk_nv_list *tlvs, struct dpk_buf *out,
                               struct dpk_error *err)
{
    struct dpk_device_info info;
    struct dpk_nv_list list = {0};
    struct dpk_nv_tlv applicable = {.class_id = DPK_NV_FILE,
                                    .index = DPK_NV_INDEX_APPLICABLE_TO,
                                    .priority = DPK_NV_MLNX,
                                    .rd_en = true,
                                    .size = 32};
    struct dpk_nv_tlv identity = {.class_id = DPK_NV_GLOBAL,
                                  .index = DPK_NV_INDEX_ID_VENDOR,
                                  .priority = DPK_NV_MLNX,
                                  .rd_en = true,
                                  .size = 16,
                                  .data = {0x60}}; /* keep_same_priority, per_tlv_priority */
    enum dpk_status status = dpk_device_info(dev, &info, err);
    if (status != DPK_OK)
        return status;
    memcpy(applicable.data, info.psid, strnlen(info.psid, 16));
    memcpy(applicable.data + 16, info.psid_branch, strnlen(info.psid_branch, 16));
    status = dpk_nv_list_add(&list, &applicable, err);
    if (status == DPK_OK)
        status = dpk_nv_list_add(&list, &identity, err);
    for (size_t i = 0; status == DPK_OK && i < tlvs->count; i++) {
        const struct dpk_nv_tlv *tlv = &tlvs->items[i];
        if (dpk_nv_list_find(&list, tlv->class_id, tlv->index))
            status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                              "TLV class %u index %u is set at two priorities, which one XML "
                              "cannot say: back up without --xml",
                              tlv->class_id, tlv->index);
        else
            status = dpk_nv_list_add(&list, tlv, err);
    }
    if (status == DPK_OK)
        status = dpk_nv_xml_format(defs, &list, out, err);
    dpk_nv_list_free(&list);
    return status;
}

static enum dpk_status run_backup(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    const char *path = mlxconfig_raw_file(options, args, err);
    if (!path)
        return DPK_ERR_USAGE;
    struct dpk_device *dev = NULL;
    struct dpk_nv_defs *defs = NULL;
    struct dpk_nv_list tlvs = {0};
    struct dpk_buf out = {0};
    size_t hidden = 0;
    const char *const inputs[] = {options->database};
    enum dpk_status status = mlxconfig_device(options, &dev, err);
    if (status == DPK_OK)
        status = dpk_file_apart(path, inputs, 1, err);
    if (status == DPK_OK)
        status = mlxconfig_defs(options, &defs, err);
    if (status == DPK_OK)
        status = dpk_device_next_tlvs(dev, &tlvs, &hidden, err);
    if (status != DPK_OK)
        goto out;
    fprintf(dpk_file_messages(path), "Collecting...\n");
    if (tlvs.count == 0) {
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "NV data area is empty, nothing to back up");
        goto out;
    }
    if (options->xml)
        status = put_xml(dev, defs, &tlvs, &out, err);
    else
        put_raw(defs, &tlvs, hidden, &out);
    if (status == DPK_OK && out.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = dpk_file_replace(path, out.data, out.size, 0644, err);
    if (status == DPK_OK)
        mlxconfig_print_saved(path);
out:
    dpk_buf_free(&out);
    dpk_nv_list_free(&tlvs);
    dpk_nv_defs_free(defs);
    dpk_device_close(dev);
    return status;
}

static const struct dpk_option backup_options[] = {
    {"xml", .at = MLXCONFIG_AT(xml), .help = "XML, to be signed and applied"},
    {0},
};

const struct dpk_command mlxconfig_backup_command = {
    .names = "backup",
    .words = "[RAW]",
    .help = "save the TLVs that are set on a device (-d)",
    .needs = "d",
    .takes = "b,f",
    .options = backup_options,
    .run = run_backup};
