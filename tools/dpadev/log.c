/* Prints the list of devices, and the log of a device. */
#include "dpadev.h"

#include <stdlib.h>
#include <string.h>

/* ---- list ---- */

/* A device that cannot be opened shows the reason instead of a description. */
static void print_one(const char *name, bool more, cJSON *array)
{
    struct dpk_device_info info = {0};
    struct dpk_error why = {0};
    char pci[DPK_PCI_ADDRESS_TEXT] = "";
    if (more && dpk_device_info_by_name(name, &info, &why) == DPK_OK)
        dpk_pci_address_format(&info.pci, pci);
    (void)dpk_text_clean(why.message);
    const char *text = *pci ? info.description : why.message;
    if (array && more) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToArray(array, o);
        dpk_json_text(o, "name", name);
        dpk_json_text(o, "hw_target", info.hw_target);
        dpk_json_text(o, "pci_address", pci);
        dpk_json_text(o, *pci ? "description" : "error", text);
    } else if (array) {
        cJSON_AddItemToArray(array, cJSON_CreateString(name));
    } else if (more) {
        printf("%-16s %-4s %-13s %s\n", name, *pci ? info.hw_target : "?", *pci ? pci : "?", text);
    } else {
        printf("%s\n", name);
    }
}

enum dpk_status dpadev_print_list(bool more, bool json, struct dpk_error *err)
{
    struct dpk_names names = {0};
    enum dpk_status status = dpk_device_list(&names, err);
    if (status != DPK_OK)
        return status;
    if (names.count == 0 && !json)
        fprintf(stderr, "-W- %s\n", DPK_NO_DEVICE);
    cJSON *array = json ? cJSON_CreateArray() : NULL;
    for (size_t i = 0; i < names.count; i++)
        print_one(names.names[i], more, array);
    dpk_names_free(&names);
    return json ? dpk_json_print(array, err) : DPK_OK;
}

/* ---- log ---- */

/* Names in the log come from untrusted files. */
static void print_plain(const char *text)
{
    char *copy = dpk_text_cleaned(text);
    printf("%s", copy ? copy : "?");
    free(copy);
}

static void print_event(void *context, const struct dpk_device_event *e)
{
    char when[DPK_TOOL_TIME];
    (void)context;
    dpk_tool_time(e->time, when);
    printf("%s  uid %lld pid %lld ", when, (long long)e->uid, (long long)e->pid);
    print_plain(e->command);
    printf("  %s  %s%s", e->action, e->result, e->detail[0] ? "  " : "");
    print_plain(e->detail);
    printf("\n");
}

static void json_event(void *context, const struct dpk_device_event *e)
{
    char when[DPK_TOOL_TIME];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(context, o);
    cJSON_AddNumberToObject(o, "id", (double)e->id);
    cJSON_AddStringToObject(o, "time", dpk_tool_time(e->time, when));
    cJSON_AddNumberToObject(o, "uid", (double)e->uid);
    cJSON_AddNumberToObject(o, "pid", (double)e->pid);
    dpk_json_text(o, "command", e->command);
    dpk_json_text(o, "action", e->action);
    dpk_json_text(o, "result", e->result);
    dpk_json_text(o, "detail", e->detail);
}

enum dpk_status dpadev_json_log(struct dpk_device *dev, unsigned last, cJSON **out,
                                struct dpk_error *err)
{
    cJSON *array = cJSON_CreateArray();
    enum dpk_status status = dpk_device_events(dev, last, json_event, array, err);
    if (status == DPK_OK)
        *out = array;
    else
        cJSON_Delete(array);
    return status;
}

enum dpk_status dpadev_print_log(struct dpk_device *dev, unsigned last, bool json,
                                 struct dpk_error *err)
{
    cJSON *array = NULL;
    if (!json)
        return dpk_device_events(dev, last, print_event, NULL, err);
    enum dpk_status status = dpadev_json_log(dev, last, &array, err);
    return status == DPK_OK ? dpk_json_print(array, err) : status;
}
