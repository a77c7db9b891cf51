#include "database.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATABASE_MAX ((size_t)1 << 30)

/* ---- Entries ---- */

/* Returns "/src/a.c" for "./a.c" in "/src". Allocated. */
static char *absolute(const char *directory, const char *path)
{
    struct dpk_buf out = {0};
    while (strncmp(path, "./", 2) == 0)
        path += 2 + strspn(path + 2, "/");
    if (*path != '/')
        dpk_put_format(&out, "%s/", directory);
    dpk_put_format(&out, "%s", path);
    dpk_put_u8(&out, 0);
    if (!out.failed)
        return (char *)out.data;
    dpk_buf_free(&out);
    return NULL;
}

static const char *text_of(const cJSON *entry, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, key));
}

/* Returns 1 if the entry's path is `path`, 0 if not, -1 if there is no memory. */
static int is_path(const cJSON *entry, const char *key, const char *path)
{
    const char *directory = text_of(entry, "directory"), *found = text_of(entry, key);
    if (!found || (*found != '/' && !directory))
        return 0;
    char *whole = absolute(directory, found);
    const int same = whole ? strcmp(whole, path) == 0 : -1;
    free(whole);
    return same;
}

/* The entry of the same file and output, or NULL. */
static enum dpk_status find_entry(const cJSON *list, const char *directory,
                                  const struct database_entry *e, cJSON **out,
                                  struct dpk_error *err)
{
    char *file = absolute(directory, e->file), *output = absolute(directory, e->output);
    enum dpk_status status = file && output ? DPK_OK : dpk_fail_nomem(err);
    cJSON *entry;
    *out = NULL;
    cJSON_ArrayForEach(entry, list)
    {
        const int same = status == DPK_OK ? is_path(entry, "file", file) : 0;
        const int whole = same > 0 ? is_path(entry, "output", output) : same;
        if (whole < 0)
            status = dpk_fail_nomem(err);
        if (whole > 0 && !*out)
            *out = entry;
    }
    free(file);
    free(output);
    return status;
}

/* ---- Text ---- */

static cJSON *make(const char *directory, const struct database_entry *e)
{
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "directory", directory);
    cJSON_AddStringToObject(entry, "file", e->file);
    cJSON_AddStringToObject(entry, "output", e->output);
    cJSON *arguments = cJSON_AddArrayToObject(entry, "arguments");
    for (size_t i = 0; i < e->arguments.count; i++)
        cJSON_AddItemToArray(arguments, cJSON_CreateString(e->arguments.at[i]));
    return entry;
}

static enum dpk_status put_one(cJSON *list, const char *directory, const struct database_entry *e,
                               struct dpk_error *err)
{
    cJSON *old;
    if (e->arguments.failed)
        return dpk_fail_nomem(err);
    enum dpk_status status = find_entry(list, directory, e, &old, err);
    if (status != DPK_OK)
        return status;
    cJSON *entry = make(directory, e);
    if (old)
        cJSON_ReplaceItemViaPointer(list, old, entry);
    else
        cJSON_AddItemToArray(list, entry);
    return DPK_OK;
}

/* Returns a list of objects, or NULL with the line of the error. `text` ends with a zero byte. */
static cJSON *parse(const struct dpk_buf *text, size_t *line)
{
    const char *begin = (const char *)text->data, *end = begin;
    const cJSON *entry;
    *line = 1;
    cJSON *list = strlen(begin) + 1 == text->size
                      ? cJSON_ParseWithLengthOpts(begin, text->size, &end, true)
                      : NULL;
    if (!list)
        for (const char *at = begin; at < end && (size_t)(at - begin) < text->size; at++)
            *line += *at == '\n';
    bool good = cJSON_IsArray(list);
    cJSON_ArrayForEach(entry, list)
    {
        good = good && cJSON_IsObject(entry);
    }
    if (good)
        return list;
    cJSON_Delete(list);
    return NULL;
}

enum dpk_status dpacc_database_put(const struct database_entry *entries, size_t count,
                                   const char *directory, struct dpk_buf *text,
                                   struct dpk_error *err)
{
    size_t line = 0;
    enum dpk_status status = DPK_OK;
    if (text->size == 0)
        dpk_put_format(text, "[]");
    dpk_put_u8(text, 0);
    if (text->failed)
        return dpk_fail_nomem(err);
    cJSON *list = parse(text, &line);
    if (!list)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "line %zu: not a JSON list of compile commands; the file stays as it is",
                        line);
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = put_one(list, directory, &entries[i], err);
    char *made = status == DPK_OK ? cJSON_Print(list) : NULL;
    cJSON_Delete(list);
    if (status != DPK_OK)
        return status;
    dpk_buf_free(text);
    dpk_put_format(text, "%s\n", made ? made : "");
    const bool failed = !made || text->failed;
    cJSON_free(made);
    return failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* ---- File ---- */

/* Makes the file if it is absent, so that it can be locked. Other processes may see it empty, which
 * is an empty database. */
static void begin_file(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return; /* the file exists, or reading it reports the error */
    const bool written = write(fd, "[]\n", 3) == 3;
    close(fd);
    if (!written)
        unlink(path);
}

enum dpk_status dpacc_database_add(const char *path, const struct database_entry *entries,
                                   size_t count, struct dpk_error *err)
{
    struct dpk_buf text = {0};
    char *directory = getcwd(NULL, 0);
    if (!directory)
        return dpk_fail_errno(err, "the current directory");
    begin_file(path);
    const int lock = dpk_file_lock(path, NULL);
    enum dpk_status status = dpk_file_read(path, DATABASE_MAX, &text, err);
    if (status == DPK_OK) {
        status = dpacc_database_put(entries, count, directory, &text, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s", path);
    }
    if (status == DPK_OK)
        status = dpk_file_replace(path, text.data, text.size, 0666, err);
    dpk_file_unlock(lock);
    dpk_buf_free(&text);
    free(directory);
    return status;
}
