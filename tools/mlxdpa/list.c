/* mlxdpa list: the Applications list of the guide ("Crypto Signing Flow"). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

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
    return mlxdpa_print_json(list, err);
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
    struct dpk_hostfile *host = NULL;
    enum dpk_status status = mlxdpa_need("list", "-e HOST_ELF", options->host_elf, err);
    if (status == DPK_OK)
        status = dpk_hostfile_open(options->host_elf, &host, err);
    if (status != DPK_OK)
        return status;
    if (options->json)
        status = print_json(host, err);
    else
        print_table(host);
    dpk_hostfile_close(host);
    return status;
}
