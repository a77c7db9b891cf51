#include "clangd.h"

#include "database.h"

#include <stdlib.h>
#include <string.h>

/* Up to three compiles of each source; the list owns the names of files and outputs. */
struct list {
    struct database_entry *at;
    size_t count;
    bool failed;
};

/* `file` and `output` are allocated; the list frees them. */
static struct words *list_add(struct list *list, char *file, char *output)
{
    struct database_entry *e = &list->at[list->count++];
    e->file = file;
    e->output = output;
    list->failed |= !file || !output;
    return &e->arguments;
}

static char *in_directory(const struct paths *p, size_t index, const char *suffix)
{
    char *path = NULL;
    return asprintf(&path, "%s%s%s", p->dir, p->names[index], suffix) < 0 ? NULL : path;
}

static void add_source(const struct build *b, size_t index, struct list *list)
{
    const struct config *c = b->config;
    char *output = dpacc_config_output(c, c->mode == MODE_COMPILE     ? index
                                          : c->mode == MODE_LIBRARIES ? 1
                                                                      : 0);
    dpacc_describe_source(c, &b->device, index, list_add(list, strdup(c->units.at[index]), output));
}

static void add_generated(const struct build *b, size_t index, struct list *list)
{
    const struct config *c = b->config;
    const struct paths *p = &b->paths;
    dpacc_compile_wrappers(c, p, &b->device, index, 0,
                           list_add(list, in_directory(p, index, ".dpa.device.c"),
                                    in_directory(p, index, ".dpa.device.o")));
    dpacc_compile_host(
        c, p, index, c->mode == MODE_COMPILE,
        list_add(list, in_directory(p, index, ".dpa.host.c"), in_directory(p, index, ".dpa.o")));
}

enum dpk_status dpacc_clangd_tell(struct build *b)
{
    struct list list = {.at = calloc(b->paths.count, 3 * sizeof *list.at)};
    if (!list.at)
        return dpk_fail_nomem(&b->err);
    for (size_t i = 0; i < b->paths.count; i++) {
        if (!dpacc_build_is_source(b, i))
            continue;
        add_source(b, i, &list);
        if (dpacc_config_keeps(b->config))
            add_generated(b, i, &list);
    }
    enum dpk_status status =
        list.failed ? dpk_fail_nomem(&b->err)
                    : dpacc_database_add(b->config->database, list.at, list.count, &b->err);
    for (size_t i = 0; i < list.count; i++) {
        free(list.at[i].file);
        free(list.at[i].output);
        dpk_words_free(&list.at[i].arguments);
    }
    free(list.at);
    return status;
}
