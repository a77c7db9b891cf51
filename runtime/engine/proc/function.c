/* Entry functions of a program, by name. */
#include <stdlib.h>

#include "engine/proc/process.h"

static bool find_symbol(const struct dpk_process *p, const char *prefix, const char *name,
                        uint64_t *address)
{
    char symbol[512];
    int n = snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
    return n > 0 && (size_t)n < sizeof symbol && dpk_image_symbol(p->image, symbol, address, NULL);
}

/* Suggests the closest name, or lists the entry functions. */
static enum dpk_status no_function(const struct dpk_process *p, const char *name,
                                   struct dpk_error *err)
{
    const char *entry, *near = NULL;
    struct dpk_buf list = {0};
    size_t count = 0, entries = 0;
    for (size_t i = 0; dpk_image_next_entry(p->image, &i);)
        entries++;
    const char **names = calloc(entries + 1, sizeof(const char *));
    for (size_t i = 0; names && (entry = dpk_image_next_entry(p->image, &i)); count++) {
        names[count] = entry;
        dpk_put_format(&list, "%s%s", count ? ", " : "", entry);
    }
    if (names)
        near = dpk_closest(name, names);
    const char *app = dpk_image_app(p->image);
    if (near)
        dpk_fail(err, DPK_ERR_NOT_FOUND, "program %s has no entry function %s; did you mean %s?",
                 app, name, near);
    else if (count && !list.failed)
        dpk_fail(err, DPK_ERR_NOT_FOUND, "program %s has no entry function %s; it has %.*s", app,
                 name, list.size < 400 ? (int)list.size : 400, (const char *)list.data);
    else
        dpk_fail(err, DPK_ERR_NOT_FOUND, "program %s has no entry function %s", app, name);
    free(names);
    dpk_buf_free(&list);
    return DPK_ERR_NOT_FOUND;
}

enum dpk_status dpk_process_function(const struct dpk_process *p, const char *name,
                                     struct dpk_call *out, struct dpk_error *err)
{
    if (!find_symbol(p, "", name, &out->function) ||
        !find_symbol(p, "_dpacc_unpack_", name, &out->unpack) ||
        !dpk_image_argument_size(p->image, name, &out->argument_size))
        return no_function(p, name, err);
    if (out->argument_size > ARGUMENTS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "function %s takes %llu bytes of arguments, at most "
                        "%llu fit",
                        name, (unsigned long long)out->argument_size, ARGUMENTS_MAX);
    return DPK_OK;
}
