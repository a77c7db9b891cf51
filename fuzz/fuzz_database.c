/* Compilation databases of other tools, to which dpacc adds an entry: an error leaves the text
 * unchanged; success adds the entry, and adding it again changes nothing. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "dpacc/database.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *words[] = {"clang", "-c", "k.c", NULL};
static const struct database_entry entry = {
    .file = "k.c", .output = "k.o", .arguments = {.at = words, .count = 3}};

static int count(const struct dpk_buf *text)
{
    cJSON *list = cJSON_ParseWithLength((const char *)text->data, text->size);
    if (!cJSON_IsArray(list))
        abort();
    const int entries = cJSON_GetArraySize(list);
    cJSON_Delete(list);
    return entries;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_buf text = {0}, once;
    dpk_put(&text, data, size);
    if (dpacc_database_put(&entry, 1, "/src", &text, NULL) != DPK_OK) {
        if (text.size < size || (size && memcmp(text.data, data, size) != 0))
            abort();
        dpk_buf_free(&text);
        return 0;
    }
    const int entries = count(&text);
    if (entries < 1 || !memmem(text.data, text.size, "\"k.c\"", 5))
        abort();
    /* Adding the entry again changes nothing. */
    once = text;
    text = (struct dpk_buf){0};
    dpk_put(&text, once.data, once.size);
    if (dpacc_database_put(&entry, 1, "/src", &text, NULL) != DPK_OK || count(&text) != entries ||
        text.size != once.size || memcmp(text.data, once.data, once.size) != 0)
        abort();
    dpk_buf_free(&once);
    dpk_buf_free(&text);
    return 0;
}
