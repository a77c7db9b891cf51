/* complaints: errors of the sources, each an -E- line on standard error. */
#ifndef DPK_DPACC_COMPLAINTS_H
#define DPK_DPACC_COMPLAINTS_H

#include "config.h"

/* Facts about one source or DPA object. */
struct unit {
    struct words entries; /* names of its entry functions */
    struct words places;  /* for each entry: "file:line", or the object's name */
    struct words hosts;   /* for each entry f of the source k: "k.f" */
    struct words complaints;
    bool overlay;       /* compile the source through BASE.dpa.overlay */
    char *syntax_error; /* first error, used if no compiler reports it better */
};

/* Prints the complaints about each unit. Returns their number. */
size_t dpacc_complaints_print(const struct unit *units, size_t count);
/* Prints complaints about all units together: duplicate names, or no entry function at all.
 * `library_entries` are those of the device libraries. */
size_t dpacc_complaints_print_names(const struct unit *units, const struct words *library_entries,
                                    const struct config *config);

#endif
