/* commands: the command lines of the tools that dpacc runs, and of its own steps. */
#ifndef DPK_DPACC_COMMANDS_H
#define DPK_DPACC_COMMANDS_H

#include "config.h"

struct paths {
    char *dir;    /* working directory with its slash, "" for the current one */
    char **names; /* base name of each unit, unique */
    size_t count;
};

/* What every device compile is given, but for compiler and target. */
void device_arguments(const struct config *c, struct words *out);
/* The device compiler: a program, or several words ("ccache clang"). */
void device_compiler(struct words *out);

/* Compiler and target. */
void begin_device_compile(const struct config *c, size_t target, struct words *out);

/* Steps of our own (steps.h). `resources`: directory of the compiler's own headers. */
void make_interface(const struct config *c, const struct paths *p, const struct words *device,
                    const char *resources, size_t index, struct words *out);
void make_object_stub(const struct config *c, const struct paths *p, size_t index,
                      struct words *out);
void extract_object(const struct config *c, const struct paths *p, size_t index, struct words *out);
/* A library for several targets among the archives: members go to DIR lib<index>.<target>.a. */
void extract_library(const struct config *c, const struct paths *p, size_t index,
                     struct words *out);
void make_program_stub(const struct config *c, const struct paths *p, struct words *out);
void make_meta(const struct config *c, const struct paths *p, const struct words *entries,
               struct words *out);
void make_fat_library(const struct config *c, const struct paths *p, struct words *out);

/* `overlay`: through that of the interface step (ifgen.h). */
void compile_source(const struct config *c, const struct paths *p, const struct words *device,
                    size_t index, size_t target, bool overlay, struct words *out);
/* The same for tools that only look at the source: it makes nothing. */
void describe_source(const struct config *c, const struct words *device, size_t index,
                     struct words *out);
/* With --coverage the compile makes assembly, which is changed and assembled. */
void edit_counts(const struct config *c, const struct paths *p, size_t index, size_t target,
                 struct words *out);
void assemble_counts(const struct config *c, const struct paths *p, size_t index, size_t target,
                     struct words *out);
void compile_wrappers(const struct config *c, const struct paths *p, const struct words *device,
                      size_t index, size_t target, struct words *out);
/* Source and wrappers to one relocatable object, or with -flto to one module. */
void join_device(const struct config *c, const struct paths *p, size_t index, size_t target,
                 struct words *out);
/* `entries`: symbols that stay, whatever the user's linker options throw away. `fat`: which
 * archives are. */
void link_device(const struct config *c, const struct paths *p, const struct words *entries,
                 const bool *fat, size_t target, struct words *out);
/* The compiler leaves hundreds of nameless labels behind, for relocations that are done by now. */
void strip_labels(const struct config *c, const struct paths *p, size_t target, struct words *out);
void archive_device(const struct config *c, const struct paths *p, size_t target,
                    struct words *out);
/* Names of the global symbols in a file. */
void list_symbols(const char *path, struct words *out);

/* `with_object`: the section .dpa_obj too. */
void compile_host(const struct config *c, const struct paths *p, size_t index, bool with_object,
                  struct words *out);
void compile_meta(const struct config *c, const struct paths *p, struct words *out);
/* A DPA object without its device object. */
void strip_object(const struct config *c, const struct paths *p, size_t index, struct words *out);
void join_host(const struct config *c, const struct paths *p, struct words *out);
/* The result: `made` is its name in the working directory. */
void make_archive(const struct config *c, const struct paths *p, struct words *out);
void make_shared(const struct config *c, const struct paths *p, struct words *out);

/* Name in the working directory of what becomes output `index`. */
char *made_output(const struct config *c, const struct paths *p, size_t index);
/* The file of archive `index` for a target. Allocated. */
char *library_path(const struct config *c, const struct paths *p, const bool *fat, size_t index,
                   size_t target);

/* What both sides have (commands.c): a tool by its variable or its usual name; options that keep
 * this place and the working directory out of debug information. */
const char *commands_tool(const char *variable, const char *name);
void add_prefix_maps(const struct config *c, struct words *out);
void add_directory_map(const struct paths *p, struct words *out);

/* Is a file that stays with -keep one of the inputs? (kept.c) */
enum dpk_status commands_keep_apart(const struct config *c, const struct paths *p,
                                    struct dpk_error *err);

#endif
