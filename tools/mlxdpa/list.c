/* mlxdpa list: the Applications list of the guide ("Crypto Signing Flow"). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#include "appcontainer/appcontainer.h"
#include "nvconfig/nvconfig.h"

#include "target.h"

static const char *placement_name(enum dpk_placement p)
{
    switch (p) {
    case DPK_PLACEMENT_RESERVED:
        return "reserved";
    case DPK_PLACEMENT_NAMED:
        return "named";
    case DPK_PLACEMENT_ADDED:
        return "added";
    case DPK_PLACEMENT_NONE:
        break;
    }
    return "none";
}

/* ---- Other files: one line a part -------------------------------------------------------------
 */

#define NAME_WIDTH 36

struct parts {
    cJSON *json; /* NULL: text */
    unsigned count;
};

static void add_part(struct parts *p, const char *name, const uint8_t *file, const uint8_t *at,
                     size_t size, const char *what)
{
    char text[300];
    size_t offset = at ? (size_t)(at - file) : 0;
    mlxdpa_clean(name, text, sizeof text);
    if (!p->json) {
        if (p->count == 0)
            printf("%-5s  %-*s  %10s  %10s  %s\n", "Index", NAME_WIDTH, "Name", "Offset", "Size",
                   "What");
        printf("%-5u  %-*s  %10zu  %10zu  %s\n", p->count++, NAME_WIDTH, text, offset, size, what);
        return;
    }
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "index", p->count++);
    cJSON_AddStringToObject(o, "name", text);
    cJSON_AddNumberToObject(o, "offset", (double)offset);
    cJSON_AddNumberToObject(o, "size", (double)size);
    cJSON_AddStringToObject(o, "what", what);
    cJSON_AddItemToArray(p->json, o);
}

static enum dpk_status list_container(const struct dpk_buf *f, struct parts *p,
                                      struct dpk_error *err)
{
    struct dpk_container c;
    char uuid[DPK_UUID_TEXT];
    enum dpk_status status = dpk_container_parse(f->data, f->size, &c, err);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&c.cert_uuid, uuid);
    if (c.kind == DPK_CONTAINER_ADD)
        add_part(p, uuid, f->data, c.cert, c.cert_size, "certificate");
    else
        add_part(p, c.remove_all ? "all" : uuid, f->data, NULL, c.signed_size, "removal");
    if (c.signature)
        add_part(p, "signature", f->data, c.signature, 512, "RSASSA-PKCS1-v1_5, SHA-512");
    return DPK_OK;
}

static enum dpk_status list_app(const struct dpk_buf *f, struct parts *p, struct dpk_error *err)
{
    struct dpk_app app;
    char uuid[DPK_UUID_TEXT];
    enum dpk_status status = dpk_app_parse(f->data, f->size, &app, err);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&app.app_uuid, uuid);
    if (app.kind == DPK_APP_REMOVAL) {
        add_part(p, uuid, f->data, NULL, app.signed_size, "removal");
        if (app.signature)
            add_part(p, "signature", f->data, app.signature, 512, "RSASSA-PKCS1-v1_5, SHA-512");
        return DPK_OK;
    }
    add_part(p, "program", f->data, app.stored, app.stored_size, app.xz ? "ELF, xz" : "ELF");
    if (app.crypto)
        add_part(p, "crypto data", f->data, app.crypto, app.crypto_size, "signature and chain");
    add_part(p, app.metadata.description, f->data, app.metadata_bytes, DPK_APP_METADATA_SIZE,
             "app metadata");
    if (app.manifest)
        add_part(p, "manifest", f->data, app.manifest, app.manifest_size, "manifest");
    return DPK_OK;
}

static enum dpk_status list_nv(const struct dpk_buf *f, struct parts *p, struct dpk_error *err)
{
    struct dpk_nv_file nv = {0};
    struct dpk_nv_defs *defs = NULL;
    char name[64];
    size_t offset = 16;
    enum dpk_status status = dpk_nv_file_parse(f->data, f->size, &nv, err);
    if (status != DPK_OK)
        return status;
    if (dpk_nv_defs_load(NULL, &defs, NULL) != DPK_OK)
        defs = NULL;
    for (size_t i = 0; i < nv.tlvs.count; i++) {
        const struct dpk_nv_tlv *t = &nv.tlvs.items[i];
        const struct dpk_nv_def *d =
            defs ? dpk_nv_defs_find_key(defs, t->class_id, t->index) : NULL;
        snprintf(name, sizeof name, "class %u index %u", t->class_id, t->index);
        offset += 12;
        add_part(p, d ? d->name : name, f->data, f->data + offset, t->size, "TLV");
        offset += t->size;
    }
    if (nv.signature_kind != DPK_NV_UNSIGNED_FILE)
        add_part(p, "signature", f->data, f->data + nv.signed_size, f->size - nv.signed_size,
                 nv.signature_kind == DPK_NV_RSA_4096 ? "RSA-4096, SHA-512" : "RSA-2048, SHA-256");
    dpk_nv_defs_free(defs);
    dpk_nv_file_free(&nv);
    return DPK_OK;
}

static enum dpk_status list_device_elf(const struct dpk_buf *f, struct parts *p,
                                       struct dpk_error *err)
{
    struct dpk_fat fat;
    if (!dpk_fat_is(f->data, f->size)) {
        add_part(p, "program", f->data, f->data, f->size, "ELF");
        return DPK_OK;
    }
    enum dpk_status status = dpk_fat_parse(f->data, f->size, &fat, err);
    for (size_t i = 0; status == DPK_OK && i < fat.count; i++) {
        const struct dpk_fat_member *m = &fat.members[i];
        const char *name = dpk_target_name(m->target);
        add_part(p, name ? name : "unknown target", f->data, m->stored, m->stored_size,
                 m->compressed ? "ELF, zlib" : "ELF");
    }
    return status;
}

static enum dpk_status list_parts(const struct target *t, bool json, struct dpk_error *err)
{
    struct parts p = {.json = json ? cJSON_CreateArray() : NULL};
    enum dpk_status status = DPK_OK;
    if (t->kind == TARGET_CONTAINER)
        status = list_container(&t->file, &p, err);
    else if (t->kind == TARGET_APP)
        status = list_app(&t->file, &p, err);
    else if (t->kind == TARGET_NV)
        status = list_nv(&t->file, &p, err);
    else
        status = list_device_elf(&t->file, &p, err);
    if (status != DPK_OK) {
        cJSON_Delete(p.json);
        return dpk_error_prefix(err, "%s", t->path);
    }
    return json ? dpk_json_print(p.json, err) : DPK_OK;
}

/* ---- Host files -------------------------------------------------------------------------------
 */

static enum dpk_status print_json(const struct dpk_hostfile *host, struct dpk_error *err)
{
    char text[300];
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddNumberToObject(o, "index", p->index);
        cJSON_AddStringToObject(o, "name", mlxdpa_clean(p->name, text, sizeof text));
        if (p->member)
            cJSON_AddStringToObject(o, "member", mlxdpa_clean(p->member, text, sizeof text));
        cJSON_AddNumberToObject(o, "offset", (double)p->offset);
        cJSON_AddNumberToObject(o, "size", (double)p->elf_size);
        cJSON_AddStringToObject(o, "crypto_section",
                                mlxdpa_clean(p->crypto_section, text, sizeof text));
        cJSON_AddStringToObject(o, "placement", placement_name(p->placement));
        cJSON_AddBoolToObject(o, "signed", p->crypto != NULL);
        if (!cJSON_AddItemToArray(list, o)) {
            cJSON_Delete(o);
            cJSON_Delete(list);
            list = NULL;
            break;
        }
    }
    return dpk_json_print(list, err);
}

static void print_table(const struct dpk_hostfile *host)
{
    char name[256], section[300];
    int width = 4;
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        size_t length = strlen(dpk_hostfile_program(host, i)->name);
        if (length > (size_t)width)
            width = length < 64 ? (int)length : 64;
    }
    printf("%-5s  %-*s  %10s  %10s  %s\n", "Index", width, "Name", "Offset", "Size",
           "Crypto data section");
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        printf("%-5u  %-*s  %10" PRIu64 "  %10zu  %s\n", p->index, width,
               mlxdpa_clean(p->name, name, sizeof name), p->offset, p->elf_size,
               mlxdpa_clean(p->crypto_section, section, sizeof section));
    }
}

enum dpk_status cmd_list(const struct mlxdpa_options *options, struct dpk_error *err)
{
    struct targets targets;
    enum dpk_status status = targets_open("list", options, &targets, err);
    for (size_t i = 0; i < targets.count && status == DPK_OK; i++) {
        const struct target *t = &targets.list[i];
        if (t->kind != TARGET_HOST)
            status = list_parts(t, options->json, err);
        else if (options->json)
            status = print_json(t->host, err);
        else
            print_table(t->host);
    }
    targets_close(&targets);
    return status;
}
