#include "inputs.h"

#include "fat/fat.h"

#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 30)

/* Runs a command and captures its standard output. */
static enum dpk_status ask(struct build *b, struct dpk_buf *answer)
{
    enum dpk_status status = b->jobs.failed
                                 ? dpk_fail_nomem(&b->err)
                                 : dpacc_run_capture(&b->run, &b->jobs.at[0], answer, &b->err);
    if (status == DPK_OK)
        dpacc_jobs_free(&b->jobs);
    return status;
}

enum dpk_status dpacc_inputs_find_resources(struct build *b)
{
    struct dpk_buf answer = {0};
    struct words *command = dpacc_jobs_add(&b->jobs, "device compiler", 2);
    dpacc_device_compiler(command);
    dpacc_words_add(command, "-print-resource-dir");
    enum dpk_status status = ask(b, &answer);
    if (status == DPK_OK) {
        b->resources = strndup((char *)answer.data, strcspn((char *)answer.data, "\n"));
        if (!b->resources)
            status = dpk_fail_nomem(&b->err);
    }
    dpk_buf_free(&answer);
    return status;
}

/* Takes names from lines "NAME TYPE VALUE SIZE". With `prefix`, it takes the rest of names that
 * start with it; without, all functions except dpacc's own. */
static void take_symbols(char *text, const char *prefix, struct words *names)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *space = strchr(line, ' ');
        if (!space || (space[1] != 'T' && space[1] != 't'))
            continue;
        *space = 0;
        size_t length = prefix ? strlen(prefix) : 0;
        if (prefix ? strncmp(line, prefix, length) == 0 : strncmp(line, "_dpacc_", 7) != 0)
            dpacc_words_add(names, line + length);
    }
}

static enum dpk_status read_symbols(struct build *b, const char *path, const char *prefix,
                                    struct words *names)
{
    struct dpk_buf answer = {0};
    dpacc_list_symbols(path, dpacc_jobs_add(&b->jobs, "symbols", 1));
    enum dpk_status status = ask(b, &answer);
    if (status == DPK_OK)
        take_symbols((char *)answer.data, prefix, names);
    dpk_buf_free(&answer);
    return status;
}

static enum dpk_status look_at_object(struct build *b, size_t index)
{
    struct unit *u = &b->units[index];
    const char *path = b->config->units.at[index];
    enum dpk_status status = read_symbols(b, path, NULL, &u->entries);
    for (size_t i = 0; i < u->entries.count; i++)
        dpacc_words_add(&u->places, path);
    return status;
}

/* Reads lines "entry NAME FILE:LINE", "complaint TEXT", "error TEXT", "overlay SUFFIX". */
static void take_summary(struct unit *u, char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *rest = strchr(line, ' ');
        if (!rest)
            continue;
        *rest++ = 0;
        char *place = strchr(rest, ' ');
        if (strcmp(line, "complaint") == 0) {
            dpacc_words_add(&u->complaints, rest);
        } else if (strcmp(line, "error") == 0 && !u->syntax_error) {
            u->syntax_error = strdup(rest);
        } else if (strcmp(line, "overlay") == 0) {
            u->overlay = true;
        } else if (strcmp(line, "entry") == 0 && place) {
            *place++ = 0;
            dpacc_words_add(&u->entries, rest);
            dpacc_words_add(&u->places, place);
        }
    }
}

static enum dpk_status look_at_source(struct build *b, size_t index)
{
    struct dpk_buf text = {0};
    char *path = NULL;
    if (asprintf(&path, "%s%s.dpa.entries", b->paths.dir, b->paths.names[index]) < 0)
        return dpk_fail_nomem(&b->err);
    enum dpk_status status = dpk_file_read(path, FILE_MAX, &text, &b->err);
    dpk_put_u8(&text, 0);
    if (status == DPK_OK && text.failed)
        status = dpk_fail_nomem(&b->err);
    if (status == DPK_OK)
        take_summary(&b->units[index], (char *)text.data);
    dpk_buf_free(&text);
    free(path);
    return status;
}

enum dpk_status dpacc_inputs_find_fat_libraries(struct build *b)
{
    const struct words *archives = &b->config->archives;
    b->fat = calloc(archives->count + 1, sizeof *b->fat);
    if (!b->fat)
        return dpk_fail_nomem(&b->err);
    for (size_t i = 0; i < archives->count; i++) {
        uint8_t magic[8] = {0};
        FILE *f = fopen(archives->at[i], "rbe");
        if (!f)
            return dpk_fail_errno(&b->err, "%s", archives->at[i]);
        b->fat[i] = fread(magic, 1, sizeof magic, f) == sizeof magic && dpk_fat_is(magic, 8);
        fclose(f);
    }
    return DPK_OK;
}

/* Libraries of dpakit have no entry functions. */
static bool is_ours(const struct config *c, const char *archive)
{
    size_t length = strlen(c->root);
    return strncmp(archive, c->root, length) == 0 && strncmp(archive + length, "/lib/", 5) == 0;
}

static enum dpk_status look_at_libraries(struct build *b)
{
    const struct config *c = b->config;
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < c->archives.count && status == DPK_OK; i++) {
        if (!dpacc_build_links(c) || is_ours(c, c->archives.at[i]))
            continue;
        char *path = dpacc_library_path(c, &b->paths, b->fat, i, 0);
        status = path ? read_symbols(b, path, "_dpacc_unpack_", &b->library_entries)
                      : dpk_fail_nomem(&b->err);
        free(path);
    }
    return status;
}

enum dpk_status dpacc_inputs_open(struct build *b)
{
    const struct config *c = b->config;
    for (size_t i = 0; i < b->paths.count; i++) {
        if (dpacc_build_is_source(b, i))
            dpacc_make_interface(c, &b->paths, &b->device, b->resources, i,
                                 dpacc_jobs_add(&b->jobs, "interface", 1));
        else
            dpacc_extract_object(c, &b->paths, i, dpacc_jobs_add(&b->jobs, "DPA object", 1));
        dpacc_jobs_weigh(&b->jobs, dpacc_build_weight(b, i));
    }
    for (size_t i = 0; i < c->archives.count; i++)
        if (b->fat[i])
            dpacc_extract_library(c, &b->paths, i, dpacc_jobs_add(&b->jobs, "device library", 1));
    return dpacc_build_run_jobs(b);
}

enum dpk_status dpacc_inputs_look(struct build *b)
{
    enum dpk_status status = dpacc_inputs_open(b);
    for (size_t i = 0; i < b->paths.count && status == DPK_OK; i++)
        status = dpacc_build_is_source(b, i) ? look_at_source(b, i) : look_at_object(b, i);
    return status == DPK_OK ? look_at_libraries(b) : status;
}
