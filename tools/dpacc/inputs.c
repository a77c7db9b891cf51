#include "inputs.h"

#include "fat/fat.h"
#include "ifgen.h"
#include "programs.h"

#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 30)

/* Runs a command and captures its standard output. */
static enum dpk_status ask(struct build *b, struct dpk_buf *answer)
{
    enum dpk_status status = b->jobs.failed
                                 ? dpk_fail_nomem(&b->err)
                                 : dpk_run_capture(&b->run, &b->jobs.at[0], answer, &b->err);
    if (status == DPK_OK)
        dpk_jobs_free(&b->jobs);
    return status;
}

enum dpk_status dpacc_inputs_find_resources(struct build *b)
{
    struct dpk_buf answer = {0};
    struct words *command = dpk_jobs_add(&b->jobs, "device compiler", 2);
    dpacc_device_compiler(command);
    if (command->count == 1 && (b->resources = dpacc_programs_resources(command->at[0]))) {
        dpk_jobs_free(&b->jobs);
        return DPK_OK;
    }
    dpk_words_add(command, "-print-resource-dir");
    enum dpk_status status = ask(b, &answer);
    if (status == DPK_OK) {
        b->resources = strndup((char *)answer.data, strcspn((char *)answer.data, "\n"));
        if (!b->resources)
            status = dpk_fail_nomem(&b->err);
    }
    dpk_buf_free(&answer);
    return status;
}

/* Takes names from lines "NAME TYPE VALUE SIZE" with one of these types: the rest of names that start
 * with `prefix`. */
static void take_symbols(const struct dpk_buf *symbols, const char *types, const char *prefix,
                         struct words *names)
{
    const size_t length = strlen(prefix);
    char *text = strdup((const char *)symbols->data), *rest = text;
    names->failed |= !text;
    for (char *line; text && (line = strsep(&rest, "\n"));) {
        char *space = strchr(line, ' ');
        if (!space || !space[1] || !strchr(types, space[1]) || strncmp(line, prefix, length) != 0)
            continue;
        *space = 0;
        dpk_words_add(names, line + length);
    }
    free(text);
}

static enum dpk_status read_symbols(struct build *b, const char *path, struct dpk_buf *symbols)
{
    dpacc_list_symbols(path, dpk_jobs_add(&b->jobs, "symbols", 1));
    return ask(b, symbols);
}

/* Adds "k.f" for the function f of the source that is k in symbols. */
static void add_host(struct words *hosts, const char *file, const char *function)
{
    dpk_words_addf(hosts, "%s.%s", file, function);
}

/* The host's part of a DPA object has all functions, and a registrar for all of them. */
static enum dpk_status look_at_object(struct build *b, size_t index)
{
    static const char tail[] = "_register_all";
    struct unit *u = &b->units[index];
    const char *path = b->config->units.at[index];
    struct dpk_buf symbols = {0};
    struct words functions = {0}, files = {0};
    enum dpk_status status = read_symbols(b, path, &symbols);
    if (status == DPK_OK) {
        take_symbols(&symbols, "Tt", "", &functions);
        take_symbols(&symbols, "Ww", "_dpacc_file_", &files);
    }
    char *file = files.count ? files.at[0] : NULL;
    size_t length = file ? strlen(file) : 0;
    if (status == DPK_OK &&
        (length < sizeof tail - 1 || strcmp(file + length - (sizeof tail - 1), tail) != 0))
        status = dpk_fail(&b->err, DPK_ERR_FORMAT,
                          "%s: made by another version of dpacc; make it again", path);
    else if (status == DPK_OK)
        file[length - (sizeof tail - 1)] = '\0';
    for (size_t i = 0; i < functions.count && status == DPK_OK; i++) {
        if (strncmp(functions.at[i], "_dpacc_", 7) == 0)
            continue;
        dpk_words_add(&u->entries, functions.at[i]);
        dpk_words_add(&u->places, path);
        add_host(&u->hosts, file, functions.at[i]);
    }
    u->entries.failed |= functions.failed || files.failed;
    dpk_words_free(&functions);
    dpk_words_free(&files);
    dpk_buf_free(&symbols);
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
            dpk_words_add(&u->complaints, rest);
        } else if (strcmp(line, "error") == 0 && !u->syntax_error) {
            u->syntax_error = strdup(rest);
        } else if (strcmp(line, "overlay") == 0) {
            u->overlay = true;
        } else if (strcmp(line, "entry") == 0 && place) {
            *place++ = 0;
            dpk_words_add(&u->entries, rest);
            dpk_words_add(&u->places, place);
        }
    }
}

static enum dpk_status look_at_source(struct build *b, size_t index)
{
    char file[IFGEN_FILE_MAX];
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
    dpacc_ifgen_file(b->paths.names[index], file);
    for (size_t i = 0; i < b->units[index].entries.count; i++)
        add_host(&b->units[index].hosts, file, b->units[index].entries.at[i]);
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
        struct dpk_buf symbols = {0};
        status = path ? read_symbols(b, path, &symbols) : dpk_fail_nomem(&b->err);
        if (status == DPK_OK) {
            take_symbols(&symbols, "Tt", "_dpacc_unpack_", &b->library_entries);
            /* T in bitcode */
            take_symbols(&symbols, "AT", IFGEN_REGISTRAR, &b->library_hosts);
        }
        if (status == DPK_OK && b->library_entries.count != b->library_hosts.count)
            status =
                dpk_fail(&b->err, DPK_ERR_FORMAT,
                         "%s: made by another version of dpacc; make it again", c->archives.at[i]);
        dpk_buf_free(&symbols);
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
                                 dpk_jobs_add(&b->jobs, "interface", 1));
        else
            dpacc_extract_object(c, &b->paths, i, dpk_jobs_add(&b->jobs, "DPA object", 1));
        dpk_jobs_weigh(&b->jobs, dpacc_build_weight(b, i));
    }
    for (size_t i = 0; i < c->archives.count; i++)
        if (b->fat[i])
            dpacc_extract_library(c, &b->paths, i, dpk_jobs_add(&b->jobs, "device library", 1));
    return dpacc_build_run_jobs(b);
}

enum dpk_status dpacc_inputs_look(struct build *b)
{
    enum dpk_status status = dpacc_inputs_open(b);
    for (size_t i = 0; i < b->paths.count && status == DPK_OK; i++)
        status = dpacc_build_is_source(b, i) ? look_at_source(b, i) : look_at_object(b, i);
    return status == DPK_OK ? look_at_libraries(b) : status;
}
