/* complaints: what is wrong with the sources, one -E- line each on stderr. */
#ifndef DPK_DPACC_COMPLAINTS_H
#define DPK_DPACC_COMPLAINTS_H

#include "config.h"

/* What is known of one source or DPA object. */
struct unit {
    struct words entries; /* names of its entry functions */
    struct words places;  /* of the same index: "file:line", or the object's name */
    struct words complaints;
    bool overlay;       /* its source is compiled through BASE.dpa.overlay */
    char *syntax_error; /* the first one, for want of a compiler that says it better */
};

/* What was found in each; returns how much that is. */
size_t complaints_print(const struct unit *units, size_t count);
/* What only all together show: two functions of one name, none at all. `library_entries`: of the
 * device libraries. */
size_t complaints_print_names(const struct unit *units, const struct words *library_entries,
                              const struct config *config);

#endif
