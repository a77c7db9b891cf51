/* commands: the command lines of the tools that dpacc runs. */
#ifndef DPACC_COMMANDS_H
#define DPACC_COMMANDS_H

#include "config.h"

struct paths {
    char *dir;    /* working directory with its slash, "" for the current one */
    char **names; /* base name of each source, unique */
    size_t count;
};

/* What every device compile is given, the compiler's name first. `resources`: directory of the
 * compiler's own headers, for libclang, or NULL. */
void device_arguments(const struct config *c, const struct paths *p, struct words *out);
/* The same for libclang: without the compiler's name and options that write files. */
void parse_arguments(const struct words *device, const char *resources, struct words *out);

void compile_source(const struct config *c, const struct paths *p, const struct words *device,
                    size_t index, struct words *out);
void compile_wrappers(const struct config *c, const struct paths *p, const struct words *device,
                      size_t index, struct words *out);
void join_device(const struct config *c, const struct paths *p, size_t index, struct words *out);
/* `entries`: symbols that stay, whatever the user's linker options throw away. */
void link_device(const struct config *c, const struct paths *p, const struct words *entries,
                 struct words *out);
/* The compiler leaves hundreds of nameless labels behind, for relocations that are done by now. */
void strip_labels(const struct config *c, const struct paths *p, struct words *out);
void compile_host(const struct config *c, const struct paths *p, const char *name,
                  const char *stub_macro, const char *stub, struct words *out);
void join_host(const struct config *c, const struct paths *p, struct words *out);
void make_archive(const struct paths *p, struct words *out);

const char *device_compiler(void);

/* Is a file that stays with -keep one of the inputs? (kept.c) */
enum dpk_status commands_keep_apart(const struct config *c, const struct paths *p,
                                    struct dpk_error *err);

#endif
