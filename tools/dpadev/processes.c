/* Reads what DPA processes report about themselves: lines of JSON, which are not trusted. */
#include <inttypes.h>
#include <string.h>

#include "dpadev.h"

/* The recursion is bounded: cJSON refuses nesting deeper than CJSON_NESTING_LIMIT, 1000. */
static void clean(cJSON *item)
{
    for (; item; item = item->next) {
        if (item->valuestring)
            dpk_text_clean(item->valuestring);
        if (item->string)
            dpk_text_clean(item->string);
        clean(item->child);
    }
}

static const char *text_of(const cJSON *o, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
    return text ? text : "?";
}

struct number {
    char text[24];
};

static const char *number_of(const cJSON *o, const char *key, struct number *out)
{
    double n = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(o, key));
    bool whole = n >= 0 && n < 0x1p64 && n == (double)(uint64_t)n;
    if (whole)
        snprintf(out->text, sizeof out->text, "%" PRIu64, (uint64_t)n);
    return whole ? out->text : "?";
}

/* Returns true if the process uses this device, not a device of the same name elsewhere. */
static bool uses(const cJSON *p, const struct dpk_device *device)
{
    char directory[PATH_MAX];
    return dpk_device_directory(device, directory, NULL) == DPK_OK &&
           strcmp(text_of(p, "directory"), directory) == 0;
}

/* Returns the device's name, or its directory if it is not in this DPAKIT_DEVICES. */
static const char *shown_device(const cJSON *p)
{
    struct dpk_device *device = NULL;
    bool here = dpk_device_open(text_of(p, "device"), &device, NULL) == DPK_OK && uses(p, device);
    dpk_device_close(device);
    return text_of(p, here ? "device" : "directory");
}

static void put_process(struct dpk_buf *out, const cJSON *p, bool threads)
{
    struct number a, b;
    const cJSON *t, *list = cJSON_GetObjectItemCaseSensitive(p, "threads");
    dpk_put_format(out, "%-8s %-12s %-20s %14s  %s\n", number_of(p, "pid", &a), shown_device(p),
                   text_of(p, "program"), number_of(p, "instructions", &b), text_of(p, "state"));
    if (!threads)
        return;
    cJSON_ArrayForEach(t, list) dpk_put_format(
        out, "  thread %-3s %-8s %-6s %-20s %14s\n", number_of(t, "id", &a), text_of(t, "state"),
        text_of(t, "does"), text_of(t, "function"), number_of(t, "instructions", &b));
    list = cJSON_GetObjectItemCaseSensitive(p, "waits");
    cJSON_ArrayForEach(t, list) if (cJSON_IsString(t))
        dpk_put_format(out, "  %s\n", t->valuestring);
}

enum dpk_status dpadev_processes(const struct dpk_buf *said, const struct dpk_device *device,
                                 cJSON **out, struct dpk_error *err)
{
    *out = cJSON_CreateArray();
    if (!*out)
        return dpk_fail_nomem(err);
    struct dpk_reader r = dpk_reader(said->data, said->size);
    while (dpk_reader_left(&r) > 0) {
        const uint8_t *end = memchr(r.pos, '\n', dpk_reader_left(&r));
        size_t size = end ? (size_t)(end - r.pos) + 1 : dpk_reader_left(&r);
        cJSON *p = cJSON_ParseWithLength((const char *)dpk_read_bytes(&r, size), size);
        clean(p);
        if (cJSON_IsObject(p) && (!device || uses(p, device)))
            cJSON_AddItemToArray(*out, p);
        else
            cJSON_Delete(p);
    }
    return DPK_OK;
}

void dpadev_put_processes(struct dpk_buf *out, const cJSON *list, bool threads)
{
    const cJSON *p;
    dpk_put_format(out, "%-8s %-12s %-20s %14s  %s\n", "PID", "DEVICE", "PROGRAM", "INSTRUCTIONS",
                   "STATE");
    cJSON_ArrayForEach(p, list) put_process(out, p, threads);
}
