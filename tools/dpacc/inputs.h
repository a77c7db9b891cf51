/* inputs: what one run of dpacc knows, and looking at what it was given. */
#ifndef DPK_DPACC_INPUTS_H
#define DPK_DPACC_INPUTS_H

#include "commands.h"
#include "complaints.h"
#include "run.h"

struct build {
    const struct config *config;
    struct run run;
    struct paths paths;
    struct words device; /* arguments of every device compile */
    char *resources;     /* directory of the device compiler's own headers */
    struct unit *units;
    bool *fat;                    /* which of the device libraries are for several targets */
    struct words library_entries; /* entry functions of the device libraries */
    struct jobs jobs;
    struct dpk_error err;
};

/* Is that unit a source, not a DPA object? */
bool build_is_source(const struct build *b, size_t unit);
/* How much work it is likely to be. */
size_t build_weight(const struct build *b, size_t unit);
/* Does this mode make a device executable? */
bool build_links(const struct config *c);
/* Runs what `jobs` has, and empties it. */
enum dpk_status build_run_jobs(struct build *b);

enum dpk_status inputs_find_resources(struct build *b);
enum dpk_status inputs_find_fat_libraries(struct build *b);
/* Interfaces of sources, device objects of DPA objects, members of libraries for several targets. */
enum dpk_status inputs_open(struct build *b);
/* The same, and reads into the units what was found. */
enum dpk_status inputs_look(struct build *b);

#endif
