/* What dpadev tells about devices. */
#include "dpadev.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

static enum dpk_status print_json(cJSON *json, bool complete, struct dpk_error *err)
{
    char *text = complete && json ? cJSON_Print(json) : NULL;
    cJSON_Delete(json);
    if (!text)
        return dpk_fail_nomem(err);
    printf("%s\n", text);
    free(text);
    return DPK_OK;
}

static bool add_uuid(cJSON *o, const char *key, const struct dpk_uuid *uuid)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(uuid, text);
    return cJSON_AddStringToObject(o, key, text) != NULL;
}

static void time_text(int64_t seconds, char *out, size_t size)
{
    time_t t = (time_t)seconds;
    struct tm tm;
    if (!gmtime_r(&t, &tm) || strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        snprintf(out, size, "?");
}

/* ---- list ------------------------------------------------------------------------------------ */

enum dpk_status dpadev_list(bool json, struct dpk_error *err)
{
    struct dpk_names names = {0};
    enum dpk_status status = dpk_device_list(&names, err);
    if (status != DPK_OK)
        return status;
    cJSON *array = json ? cJSON_CreateArray() : NULL;
    bool ok = true;
    for (size_t i = 0; i < names.count; i++) {
        if (json)
            ok = ok && cJSON_AddItemToArray(array, cJSON_CreateString(names.names[i]));
        else
            printf("%s\n", names.names[i]);
    }
    dpk_names_free(&names);
    return json ? print_json(array, ok, err) : DPK_OK;
}

/* ---- show ------------------------------------------------------------------------------------ */

struct portrait {
    struct dpk_device_info info;
    struct dpk_device_key *keys;
    size_t key_count;
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t cert_count;
    bool authentication, authentication_next;
    char factory_key[4200]; /* "" if there is none */
};

static enum dpk_status next_authentication(struct dpk_device *dev, bool *out, struct dpk_error *err)
{
    static const struct dpk_nv_def def = {.name = "nv_dpa_auth",
                                          .class_id = DPK_NV_GLOBAL,
                                          .index = DPK_NV_INDEX_DPA_AUTH,
                                          .size = 4};
    struct dpk_device_value value;
    enum dpk_status status = dpk_device_get(dev, DPK_VIEW_NEXT, &def, &value, err);
    *out = value.data[0] & 0x80;
    return status;
}

static enum dpk_status look(struct dpk_device *dev, struct portrait *p, struct dpk_error *err)
{
    enum dpk_status status = dpk_device_info(dev, &p->info, err);
    if (status == DPK_OK)
        status = dpk_device_dpa_authentication(dev, &p->authentication, err);
    if (status == DPK_OK)
        status = next_authentication(dev, &p->authentication_next, err);
    if (status == DPK_OK)
        status = dpk_device_certs(dev, p->certs, &p->cert_count, err);
    if (status == DPK_OK)
        status = dpk_device_nvidia_keys(dev, &p->keys, &p->key_count, err);
    if (status == DPK_OK) {
        snprintf(p->factory_key, sizeof p->factory_key, "%s/factory/nvidia.pem", p->info.path);
        if (access(p->factory_key, F_OK) != 0)
            p->factory_key[0] = 0;
    }
    return status;
}

static void print_portrait(const char *name, const struct portrait *p)
{
    const struct dpk_device_info *info = &p->info;
    char uuid[DPK_UUID_TEXT] = "none", keypair[DPK_UUID_TEXT], created[32];
    time_text(info->created, created, sizeof created);
    if (info->has_owner)
        dpk_uuid_format(&info->owner, uuid);
    printf("Device:             %s\n", name);
    printf("Alias:              %s\n", info->alias[0] ? info->alias : "none");
    printf("Directory:          %s\n", info->path);
    printf("Description:        %s\n", info->description);
    printf("Part number:        %s\n", info->part_number);
    printf("PSID:               %s\n", info->psid);
    printf("PSID branch:        %s\n", info->psid_branch[0] ? info->psid_branch : "none");
    printf("Hardware:           %s\n", info->hw_target);
    printf("Serial number:      %s\n", info->serial);
    printf("Created:            %s\n", created);
    printf("DPA authentication: %s, after the next reset %s\n", p->authentication ? "on" : "off",
           p->authentication_next ? "on" : "off");
    printf("Owner key pair:     %s\n", uuid);
    for (size_t i = 0; i < p->key_count; i++) {
        dpk_uuid_format(&p->keys[i].uuid, uuid);
        printf("NVIDIA key pair:    %s, RSA-%d\n", uuid, p->keys[i].bits);
    }
    if (p->factory_key[0])
        printf("Factory test key:   %s\n", p->factory_key);
    printf("CA certificates:    %zu of %d places taken\n", p->cert_count, DPK_DEVICE_CERT_PLACES);
    for (size_t i = 0; i < p->cert_count; i++) {
        dpk_uuid_format(&p->certs[i].uuid, uuid);
        dpk_uuid_format(&p->certs[i].keypair, keypair);
        printf("  %s  %-6s  key pair %s  %s\n", uuid, dpk_lifecycle_name(p->certs[i].priority),
               keypair, p->certs[i].subject);
    }
}

static bool json_cert(cJSON *array, const struct dpk_device_cert *cert)
{
    cJSON *o = cJSON_CreateObject();
    return o && cJSON_AddItemToArray(array, o) && add_uuid(o, "uuid", &cert->uuid) &&
           add_uuid(o, "keypair_uuid", &cert->keypair) &&
           cJSON_AddStringToObject(o, "priority", dpk_lifecycle_name(cert->priority)) &&
           cJSON_AddStringToObject(o, "subject", cert->subject) &&
           cJSON_AddNumberToObject(o, "size", (double)cert->der_size) &&
           cJSON_AddBoolToObject(o, "container_kept", cert->container_size > 0);
}

static bool json_texts(cJSON *o, const char *name, const struct dpk_device_info *info)
{
    char created[32];
    time_text(info->created, created, sizeof created);
    const char *const texts[][2] = {
        {"name", name},
        {"alias", info->alias},
        {"path", info->path},
        {"description", info->description},
        {"part_number", info->part_number},
        {"psid", info->psid},
        {"psid_branch", info->psid_branch},
        {"hw_target", info->hw_target},
        {"serial", info->serial},
        {"created", created},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ok = ok && cJSON_AddStringToObject(o, texts[i][0], texts[i][1]);
    return ok;
}

static bool json_portrait(cJSON *o, const char *name, const struct portrait *p)
{
    bool ok = json_texts(o, name, &p->info);
    cJSON *authentication = cJSON_AddObjectToObject(o, "dpa_authentication");
    ok = ok && authentication &&
         cJSON_AddBoolToObject(authentication, "current", p->authentication) &&
         cJSON_AddBoolToObject(authentication, "next_boot", p->authentication_next);
    ok = ok && (p->info.has_owner ? add_uuid(o, "owner_keypair_uuid", &p->info.owner)
                                  : cJSON_AddNullToObject(o, "owner_keypair_uuid") != NULL);
    cJSON *keys = cJSON_AddArrayToObject(o, "nvidia_keys");
    for (size_t i = 0; ok && i < p->key_count; i++) {
        cJSON *key = cJSON_CreateObject();
        ok = keys && key && cJSON_AddItemToArray(keys, key) &&
             add_uuid(key, "uuid", &p->keys[i].uuid) &&
             cJSON_AddNumberToObject(key, "bits", p->keys[i].bits);
    }
    ok = ok && (p->factory_key[0] ? cJSON_AddStringToObject(o, "factory_key", p->factory_key)
                                  : cJSON_AddNullToObject(o, "factory_key"));
    cJSON *certs = cJSON_AddArrayToObject(o, "ca_certificates");
    for (size_t i = 0; ok && i < p->cert_count; i++)
        ok = certs && json_cert(certs, &p->certs[i]);
    return ok && certs && keys;
}

enum dpk_status dpadev_show(struct dpk_device *dev, bool json, struct dpk_error *err)
{
    struct portrait p = {0};
    enum dpk_status status = look(dev, &p, err);
    if (status == DPK_OK && json) {
        cJSON *o = cJSON_CreateObject();
        bool ok = o && json_portrait(o, dpk_device_name(dev), &p);
        status = print_json(o, ok, err);
    } else if (status == DPK_OK) {
        print_portrait(dpk_device_name(dev), &p);
    }
    free(p.keys);
    return status;
}

/* ---- log ------------------------------------------------------------------------------------- */

/* Names in the log come from files that nobody trusts. */
static void print_plain(const char *text)
{
    char *copy = strdup(text);
    printf("%s", copy ? dpk_text_clean(copy) : "?");
    free(copy);
}

static void print_event(void *context, const struct dpk_device_event *e)
{
    char when[32];
    (void)context;
    time_text(e->time, when, sizeof when);
    printf("%s  uid %lld pid %lld ", when, (long long)e->uid, (long long)e->pid);
    print_plain(e->command);
    printf("  %s  %s%s", e->action, e->result, e->detail[0] ? "  " : "");
    print_plain(e->detail);
    printf("\n");
}

struct json_log {
    cJSON *array;
    bool ok;
};

static void json_event(void *context, const struct dpk_device_event *e)
{
    struct json_log *log = context;
    char when[32];
    time_text(e->time, when, sizeof when);
    char *command = strdup(e->command), *detail = strdup(e->detail);
    cJSON *o = command && detail ? cJSON_CreateObject() : NULL;
    log->ok = log->ok && o && cJSON_AddItemToArray(log->array, o) &&
              cJSON_AddNumberToObject(o, "id", (double)e->id) &&
              cJSON_AddStringToObject(o, "time", when) &&
              cJSON_AddNumberToObject(o, "uid", (double)e->uid) &&
              cJSON_AddNumberToObject(o, "pid", (double)e->pid) &&
              cJSON_AddStringToObject(o, "command", dpk_text_clean(command)) &&
              cJSON_AddStringToObject(o, "action", e->action) &&
              cJSON_AddStringToObject(o, "result", e->result) &&
              cJSON_AddStringToObject(o, "detail", dpk_text_clean(detail));
    free(command);
    free(detail);
}

enum dpk_status dpadev_log(struct dpk_device *dev, unsigned last, bool json, struct dpk_error *err)
{
    if (!json)
        return dpk_device_events(dev, last, print_event, NULL, err);
    struct json_log log = {.array = cJSON_CreateArray(), .ok = true};
    enum dpk_status status =
        log.array ? dpk_device_events(dev, last, json_event, &log, err) : dpk_fail_nomem(err);
    if (status != DPK_OK) {
        cJSON_Delete(log.array);
        return status;
    }
    return print_json(log.array, log.ok, err);
}
