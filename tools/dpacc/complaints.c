#include "complaints.h"

#include <stdio.h>
#include <string.h>

#include <dlfcn.h>

size_t dpacc_complaints_print(const struct unit *units, size_t count)
{
    size_t found = 0;
    struct words seen = {0};
    for (size_t i = 0; i < count; i++) {
        const struct words *list = &units[i].complaints;
        for (size_t n = 0; n < list->count; n++, found++)
            if (!dpk_words_have(&seen, list->at[n])) /* two sources may share a header */
                fprintf(stderr, "-E- %s\n", list->at[n]);
        dpk_words_append(&seen, list);
    }
    dpk_words_free(&seen);
    return found;
}

/* Returns the place of an earlier entry with the same name, or NULL. */
static const char *find_twin(const struct unit *units, size_t unit, size_t entry)
{
    const char *name = units[unit].entries.at[entry];
    for (size_t i = 0; i <= unit; i++)
        for (size_t n = 0; n < (i == unit ? entry : units[i].entries.count); n++)
            if (strcmp(units[i].entries.at[n], name) == 0)
                return units[i].places.at[n];
    return NULL;
}

static bool is_in_c_library(const char *name)
{
    static const char *const libraries[] = {"libc.so.6", "libm.so.6"};
    bool found = false;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !found; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        found = library && dlsym(library, name);
        if (library)
            dlclose(library);
    }
    return found;
}

/* The host's function for an entry only provides an address, and does nothing when it is called. */
static void warn_of_c_library(const struct unit *units, const struct config *config)
{
    for (size_t i = 0; i < config->units.count; i++)
        for (size_t n = 0;
             dpacc_config_is_source(config->units.at[i]) && n < units[i].entries.count; n++)
            if (is_in_c_library(units[i].entries.at[n]))
                fprintf(stderr,
                        "-W- %s: %s: takes the place of the C library's function in the whole host "
                        "program; rename it\n",
                        units[i].places.at[n], units[i].entries.at[n]);
}

static size_t print_about_entry(const struct unit *units, size_t unit, size_t entry,
                                const struct words *library_entries, const struct config *config)
{
    const char *name = units[unit].entries.at[entry], *place = units[unit].places.at[entry];
    const char *twin = find_twin(units, unit, entry);
    size_t bad = 0;
    if (!twin && dpk_words_have(library_entries, name))
        twin = "a device library";
    if (twin) {
        fprintf(stderr, "-E- %s: %s: already defined at %s; rename one\n", place, name, twin);
        bad++;
    }
    if (config->mode != MODE_COMPILE && config->mode != MODE_LIBRARIES &&
        strcmp(name, config->app) == 0) {
        fprintf(stderr, "-E- %s: %s: also the name of the program; give another with -app-name\n",
                place, name);
        bad++;
    }
    return bad;
}

/* Returns true if a device library calls functions of the program. Such a program needs no
 * annotated functions. */
static bool is_called_by_library(const struct config *c)
{
    static const char *const callers[] = {"/libdoca_pcc_dev.a", "/libdoca_pcc_np_dev.a"};
    for (size_t i = 0; i < c->archives.count; i++)
        for (size_t k = 0; k < sizeof callers / sizeof *callers; k++) {
            const char *name = strrchr(c->archives.at[i], '/');
            if (name && strcmp(name, callers[k]) == 0)
                return true;
        }
    return false;
}

size_t dpacc_complaints_print_names(const struct unit *units, const struct words *library_entries,
                                    const struct config *config)
{
    size_t functions = library_entries->count, bad = 0;
    for (size_t i = 0; i < config->units.count; i++)
        for (size_t n = 0; n < units[i].entries.count; n++, functions++)
            bad += print_about_entry(units, i, n, library_entries, config);
    if (!bad)
        warn_of_c_library(units, config);
    bool may_be_none = config->mode == MODE_COMPILE || config->mode == MODE_LIBRARIES ||
                       is_called_by_library(config);
    if (functions || bad || may_be_none)
        return bad;
    fprintf(stderr,
            "-E- %s%s: no function that is defined here is marked __dpa_global__ or __dpa_rpc__, "
            "so the host could call none\n",
            config->units.at[0], config->units.count > 1 ? " and the others" : "");
    return 1;
}
