/* commands: command lines of the tools that dpacc runs, and of its own steps. */
#ifndef DPK_DPACC_COMMANDS_H
#define DPK_DPACC_COMMANDS_H

#include "config.h"

struct paths {
    char *dir;    /* working directory with its slash; "" for the current directory */
    char **names; /* base name of each unit, unique */
    size_t count;
};

/* Appends the options of every device compile, without compiler and target. */
void dpacc_device_arguments(const struct config *c, struct words *out);
/* Appends the device compiler: a program, or several words ("ccache clang"). */
void dpacc_device_compiler(struct words *out);

/* Appends compiler and target. */
void dpacc_begin_device_compile(const struct config *c, size_t target, struct words *out);

/* dpacc's own steps (steps.h). `resources` is the directory of the compiler's own headers. */
void dpacc_make_interface(const struct config *c, const struct paths *p, const struct words *device,
                          const char *resources, size_t index, struct words *out);
void dpacc_make_object_stub(const struct config *c, const struct paths *p, size_t index,
                            struct words *out);
void dpacc_extract_object(const struct config *c, const struct paths *p, size_t index,
                          struct words *out);
/* Extracts the members of library `index`, which is for several targets, to DIR
 * lib<index>.<target>.a. */
void dpacc_extract_library(const struct config *c, const struct paths *p, size_t index,
                           struct words *out);
void dpacc_make_program_stub(const struct config *c, const struct paths *p, struct words *out);
/* `hosts`: "k.f" for the function f of the source k. */
void dpacc_make_meta(const struct config *c, const struct paths *p, const struct words *hosts,
                     struct words *out);
void dpacc_make_fat_library(const struct config *c, const struct paths *p, struct words *out);
/* Of -gen-libs: what the libraries are called, and the objects that say so. The device's is made again
 * for each target. */
const char *dpacc_library_of(const struct config *c);
void dpacc_name_device_library(const struct config *c, const struct paths *p, size_t target,
                               struct words *out);
void dpacc_name_host_library(const struct config *c, const struct paths *p, struct words *out);
void dpacc_compile_library_name(const struct config *c, const struct paths *p, struct words *out);

/* `overlay`: compile through the overlay of the interface step (ifgen.h). */
void dpacc_compile_source(const struct config *c, const struct paths *p, const struct words *device,
                          size_t index, size_t target, bool overlay, struct words *out);
/* Same for tools that only read the source: it makes no object. */
void dpacc_describe_source(const struct config *c, const struct words *device, size_t index,
                           struct words *out);
/* With --coverage, the compile makes assembly, which is then changed and assembled. */
void dpacc_edit_counts(const struct config *c, const struct paths *p, size_t index, size_t target,
                       struct words *out);
void dpacc_assemble_counts(const struct config *c, const struct paths *p, size_t index,
                           size_t target, struct words *out);
void dpacc_compile_wrappers(const struct config *c, const struct paths *p,
                            const struct words *device, size_t index, size_t target,
                            struct words *out);
/* Joins source and wrappers to one relocatable object, or with -flto to one module. */
void dpacc_join_device(const struct config *c, const struct paths *p, size_t index, size_t target,
                       struct words *out);
/* Links the device executable. `entries` are symbols that the user's linker options cannot remove;
 * `fat` says which archives are for several targets. */
void dpacc_link_device(const struct config *c, const struct paths *p, const struct words *entries,
                       const bool *fat, size_t target, struct words *out);
/* Removes what only the link needed, hundreds of local labels and marks (ifgen.h), and names the
 * target in the executable. */
void dpacc_finish_device(const struct config *c, const struct paths *p, size_t target,
                         struct words *out);
void dpacc_archive_device(const struct config *c, const struct paths *p, size_t target,
                          struct words *out);
/* Lists the names of the global symbols in a file. */
void dpacc_list_symbols(const char *path, struct words *out);

/* `with_object`: also include the section .dpa_obj. */
void dpacc_compile_host(const struct config *c, const struct paths *p, size_t index,
                        bool with_object, struct words *out);
void dpacc_compile_meta(const struct config *c, const struct paths *p, struct words *out);
/* Copies a DPA object without its device object. */
void dpacc_strip_object(const struct config *c, const struct paths *p, size_t index,
                        struct words *out);
void dpacc_join_host(const struct config *c, const struct paths *p, struct words *out);
/* Make the result in the working directory, under its name by dpacc_made_output. */
void dpacc_make_archive(const struct config *c, const struct paths *p, struct words *out);
void dpacc_make_shared(const struct config *c, const struct paths *p, struct words *out);

/* Returns the name in the working directory of output `index`. */
char *dpacc_made_output(const struct config *c, const struct paths *p, size_t index);
/* Returns the file of archive `index` for a target. Allocated. */
char *dpacc_library_path(const struct config *c, const struct paths *p, const bool *fat,
                         size_t index, size_t target);

/* Shared by both sides (commands.c): a tool from its environment variable or its usual name;
 * options that keep directories out of debug information. */
const char *dpacc_commands_tool(const char *variable, const char *name);
void dpacc_add_prefix_maps(const struct config *c, struct words *out);
void dpacc_add_directory_map(const struct paths *p, struct words *out);

/* Returns an error if a file that -keep leaves is also an input (kept.c). */
enum dpk_status dpacc_commands_keep_apart(const struct config *c, const struct paths *p,
                                          struct dpk_error *err);

#endif
