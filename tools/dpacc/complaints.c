#include "complaints.h"

#include <stdio.h>
#include <string.h>

size_t complaints_print(const struct ifgen_unit *units, size_t count)
{
    size_t found = 0;
    struct words seen = {0};
    for (size_t i = 0; i < count; i++) {
        const struct words *list = &units[i].complaints;
        for (size_t n = 0; n < list->count; n++, found++)
            if (!words_have(&seen, list->at[n])) /* of a header that two sources have */
                fprintf(stderr, "-E- %s\n", list->at[n]);
        words_append(&seen, list);
    }
    words_free(&seen);
    return found;
}

static const struct ifgen_function *find_twin(const struct ifgen_unit *units, size_t unit,
                                              size_t function)
{
    const char *name = units[unit].functions[function].name;
    for (size_t i = 0; i <= unit; i++)
        for (size_t n = 0; n < (i == unit ? function : units[i].function_count); n++)
            if (strcmp(units[i].functions[n].name, name) == 0)
                return &units[i].functions[n];
    return NULL;
}

size_t complaints_print_names(const struct ifgen_unit *units, const struct config *config)
{
    size_t functions = 0, bad = 0;
    for (size_t i = 0; i < config->sources.count; i++)
        for (size_t n = 0; n < units[i].function_count; n++, functions++) {
            const struct ifgen_function *f = &units[i].functions[n], *twin = find_twin(units, i, n);
            if (twin) {
                fprintf(stderr, "-E- %s:%u: %s: already defined at %s:%u; rename one\n", f->file,
                        f->line, f->name, twin->file, twin->line);
                bad++;
            }
            if (strcmp(f->name, config->app) == 0) {
                fprintf(stderr,
                        "-E- %s:%u: %s: also the name of the program; give another with "
                        "-app-name\n",
                        f->file, f->line, f->name);
                bad++;
            }
        }
    if (functions || bad)
        return bad;
    fprintf(stderr,
            "-E- %s%s: no function is marked __dpa_global__ or __dpa_rpc__, so the host could "
            "call none\n",
            config->sources.at[0], config->sources.count > 1 ? " and the others" : "");
    return 1;
}
