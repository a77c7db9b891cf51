#include "ifgen.h"

#include <stdlib.h>
#include <string.h>

bool dpacc_ifgen_add_static(struct ifgen_unit *unit, char *path, size_t offset)
{
    struct ifgen_place *more = NULL;
    for (size_t i = 0; i < unit->static_count; i++) {
        if (unit->statics[i].offset == offset && strcmp(unit->statics[i].path, path) == 0) {
            free(path);
            return true;
        }
    }
    more = reallocarray(unit->statics, unit->static_count + 1, sizeof *unit->statics);
    if (!more) {
        free(path);
        return false;
    }
    unit->statics = more;
    more[unit->static_count++] = (struct ifgen_place){path, offset};
    return true;
}

void dpacc_ifgen_free_record(struct ifgen_record *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->members[i].name);
    free(r->members);
    free(r->name);
}

void dpacc_ifgen_free_function(struct ifgen_function *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->arguments[i].name);
    free(f->arguments);
    free(f->name);
    free(f->file);
}

void dpacc_ifgen_free(struct ifgen_unit *unit)
{
    for (size_t i = 0; i < unit->record_count; i++)
        dpacc_ifgen_free_record(&unit->records[i]);
    for (size_t i = 0; i < unit->function_count; i++)
        dpacc_ifgen_free_function(&unit->functions[i]);
    for (size_t i = 0; i < unit->static_count; i++)
        free(unit->statics[i].path);
    free(unit->statics);
    free(unit->records);
    free(unit->functions);
    dpk_words_free(&unit->complaints);
    free(unit->first_error);
    *unit = (struct ifgen_unit){0};
}
