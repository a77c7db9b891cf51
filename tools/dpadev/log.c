/* What dpadev tells of devices and of what happened to them. */
#include "dpadev.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

/* ---- list ------------------------------------------------------------------------------------ */

enum dpk_status dpadev_list(bool json, struct dpk_error *err)
{
    struct dpk_names names = {0};
    enum dpk_status status = dpk_device_list(&names, err);
    if (status != DPK_OK)
        return status;
    if (names.count == 0 && !json)
        fprintf(stderr, "-W- %s\n", DPK_NO_DEVICE);
    cJSON *array = json ? cJSON_CreateArray() : NULL;
    bool ok = true;
    for (size_t i = 0; i < names.count; i++) {
        if (json)
            ok = ok && cJSON_AddItemToArray(array, cJSON_CreateString(names.names[i]));
        else
            printf("%s\n", names.names[i]);
    }
    dpk_names_free(&names);
    return json ? dpadev_print_json(array, ok, err) : DPK_OK;
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
    char when[DPADEV_TIME];
    (void)context;
    dpadev_time(e->time, when);
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
    char when[DPADEV_TIME];
    dpadev_time(e->time, when);
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
    return dpadev_print_json(log.array, log.ok, err);
}
