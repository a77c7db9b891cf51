/* inputs: the state of one run of dpacc, and the examination of its inputs. */
#ifndef DPK_DPACC_INPUTS_H
#define DPK_DPACC_INPUTS_H

#include "commands.h"
#include "complaints.h"
#include "common/run.h"

struct build {
    const struct config *config;
    struct run run;
    struct paths paths;
    struct words device; /* arguments of every device compile */
    char *resources;     /* directory of the device compiler's own headers */
    struct unit *units;
    bool *fat;                    /* device libraries that are for several targets */
    struct words library_entries; /* entry functions of the device libraries */
    struct words library_hosts;   /* "k.f" for each of them */
    struct jobs jobs;
    struct dpk_error err;
};

/* Returns true if the unit is a source, not a DPA object. */
bool dpacc_build_is_source(const struct build *b, size_t unit);
/* Returns an estimate of the work for a unit. */
size_t dpacc_build_weight(const struct build *b, size_t unit);
/* Returns true if this mode makes a device executable. */
bool dpacc_build_links(const struct config *c);
/* Runs the commands in `jobs`, and empties it. */
enum dpk_status dpacc_build_run_jobs(struct build *b);

enum dpk_status dpacc_inputs_find_resources(struct build *b);
enum dpk_status dpacc_inputs_find_fat_libraries(struct build *b);
/* Extracts interfaces of sources, device objects of DPA objects, and members of libraries for
 * several targets. */
enum dpk_status dpacc_inputs_open(struct build *b);
/* Same, and reads the results into the units. */
enum dpk_status dpacc_inputs_look(struct build *b);

#endif
