/* dpadev ps: asks the processes of this user that use the DPA. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "debug/debug.h"
#include "dpadev.h"

enum { ANSWER_MAX = 16 << 20 };

/* One process's answer goes behind what others said. */
static bool ask(void *context, int fd)
{
    struct dpk_buf *all = context;
    char bytes[4096];
    ssize_t n;
    size_t before = all->size;
    if (dpk_peer_say(fd, "list\n", 5))
        while ((n = recv(fd, bytes, sizeof bytes, 0)) > 0 && all->size - before < ANSWER_MAX)
            dpk_put(all, bytes, (size_t)n);
    close(fd);
    return true;
}

static const char *text_of(const cJSON *o, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
    return text ? text : "?";
}

static double number_of(const cJSON *o, const char *key)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

/* Whether the process uses this very device, not one of that name elsewhere. */
static bool uses(const cJSON *p, const struct dpk_device *device)
{
    char directory[PATH_MAX];
    return dpk_device_directory(device, directory, NULL) == DPK_OK &&
           strcmp(text_of(p, "directory"), directory) == 0;
}

/* The device's name, or where it is if it is none of those of this DPAKIT_DEVICES. */
static const char *shown_device(const cJSON *p)
{
    struct dpk_device *device = NULL;
    bool here = dpk_device_open(text_of(p, "device"), &device, NULL) == DPK_OK && uses(p, device);
    dpk_device_close(device);
    return text_of(p, here ? "device" : "directory");
}

static void print_process(const cJSON *p, bool threads)
{
    const cJSON *t, *list = cJSON_GetObjectItemCaseSensitive(p, "threads");
    printf("%-8.0f %-12s %-20s %14.0f  %s\n", number_of(p, "pid"), shown_device(p),
           text_of(p, "program"), number_of(p, "instructions"), text_of(p, "state"));
    if (!threads)
        return;
    cJSON_ArrayForEach(t, list)
        printf("  thread %-3.0f %-8s %-6s %-20s %14.0f\n", number_of(t, "id"), text_of(t, "state"),
               text_of(t, "does"), text_of(t, "function"), number_of(t, "instructions"));
    list = cJSON_GetObjectItemCaseSensitive(p, "waits");
    cJSON_ArrayForEach(t, list) if (cJSON_IsString(t)) printf("  %s\n", t->valuestring);
}

static enum dpk_status print_json(const cJSON *list, struct dpk_error *err)
{
    char *text = cJSON_Print(list);
    if (!text)
        return dpk_fail_nomem(err);
    printf("%s\n", text);
    free(text);
    return DPK_OK;
}

/* The lines that are JSON and about the device. */
static enum dpk_status collect(const struct dpk_buf *all, const struct dpk_device *device,
                               cJSON *list, struct dpk_error *err)
{
    const char *line = (const char *)all->data, *end = line + all->size, *next;
    for (; line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        cJSON *p = cJSON_ParseWithLength(line, (size_t)(next - line));
        if (!cJSON_IsObject(p) || (device && !uses(p, device)))
            cJSON_Delete(p);
        else if (!cJSON_AddItemToArray(list, p))
            return dpk_fail_nomem(err);
    }
    return DPK_OK;
}

enum dpk_status dpadev_ps(const char *name, bool threads, bool json, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    struct dpk_buf all = {0};
    const cJSON *p;
    cJSON *list = cJSON_CreateArray();
    enum dpk_status status = list ? DPK_OK : dpk_fail_nomem(err);
    if (status == DPK_OK && name)
        status = dpk_device_open(name, &device, err);
    if (status == DPK_OK)
        status = dpk_peers_each(ask, &all, err);
    if (status == DPK_OK && all.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && all.size)
        status = collect(&all, device, list, err);
    if (status != DPK_OK)
        goto out;
    if (json) {
        status = print_json(list, err);
        goto out;
    }
    printf("%-8s %-12s %-20s %14s  %s\n", "PID", "DEVICE", "PROGRAM", "INSTRUCTIONS", "STATE");
    cJSON_ArrayForEach(p, list) print_process(p, threads);
out:
    cJSON_Delete(list);
    dpk_buf_free(&all);
    dpk_device_close(device);
    return status;
}
