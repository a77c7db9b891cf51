/* Messages of processes to dpadev ps: it prints one line for each, without control characters. */
#include <stdlib.h>
#include <string.h>

#include "dpadev/dpadev.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dpk_device *device(void)
{
    static struct dpk_device *dev; /* one device for all inputs */
    if (!dev && dpk_device_open(getenv("FUZZ_DEVICE"), &dev, NULL) != DPK_OK)
        abort();
    return dev;
}

static void check_clean(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        abort();
    dpk_message_clean(copy, strlen(copy));
    if (strcmp(copy, text) != 0)
        abort();
    free(copy);
}

static size_t lines(const cJSON *list, bool threads)
{
    struct dpk_buf out = {0};
    size_t count = 0;
    dpadev_put_processes(&out, list, threads);
    for (size_t i = 0; i < out.size; i++)
        count += out.data[i] == '\n';
    dpk_put_u8(&out, 0);
    if (out.failed || strlen((const char *)out.data) != out.size - 1)
        abort();
    check_clean((const char *)out.data);
    dpk_buf_free(&out);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_buf said = {0};
    cJSON *all = NULL, *here = NULL;
    dpk_put(&said, data, size);
    if (dpadev_processes(&said, NULL, &all, NULL) != DPK_OK ||
        dpadev_processes(&said, device(), &here, NULL) != DPK_OK)
        abort();
    size_t count = (size_t)cJSON_GetArraySize(all);
    if ((size_t)cJSON_GetArraySize(here) > count || lines(all, false) != count + 1 ||
        lines(all, true) < count + 1)
        abort();
    char *json = cJSON_Print(all);
    if (!json)
        abort();
    check_clean(json);
    cJSON_free(json);
    cJSON_Delete(here);
    cJSON_Delete(all);
    dpk_buf_free(&said);
    return 0;
}
