/* Command lines for the host's part, and for the results. */
#include "commands.h"
#include "programs.h"

#include <stdlib.h>
#include <string.h>

static void begin_host(const struct config *c, const struct paths *p, struct words *out)
{
    dpk_words_add(out, c->hostcc);
    if (c->verbose)
        dpk_words_add(out, "-v");
    dpk_words_add(out, "-fPIC"); /* for programs and for shared libraries */
    dpacc_add_prefix_maps(c, out);
    dpacc_add_directory_map(p, out);
    for (size_t i = 0; i < c->defines.count; i++)
        dpk_words_addf(out, "-D%s", c->defines.at[i]);
    for (size_t i = 0; i < c->includes.count; i++)
        dpk_words_addf(out, "-I%s", c->includes.at[i]);
    dpk_words_addf(out, "-I%s/include", c->root);
    dpk_words_addf(out, "-I%s/%s", c->root, c->headers);
    dpk_words_append(out, &c->release);
    for (size_t i = 0; i < c->host_options.count; i++) {
        const char *word = c->host_options.at[i];
        if (strncmp(word, "-std=c++", 8) != 0 && strncmp(word, "-std=gnu++", 10) != 0)
            dpk_words_add(out, word); /* the host may be C++, but the generated code is C */
    }
}

static void add_stub(const struct paths *p, const char *macro, const char *name, struct words *out)
{
    dpk_words_addf(out, "-D%s=\"%s.stub.inc\"", macro, name);
    dpk_words_addf(out, "-I%s", *p->dir ? p->dir : ".");
}

static void end_host(struct words *out)
{
    dpk_words_add(out, "-fno-lto"); /* dpacc searches sections in the object */
    dpk_words_add(out, "-w");       /* warnings about generated code do not help the user */
    dpk_words_add(out, "-Wno-psabi");
    dpk_words_add(out, "-x"); /* for g++, too */
    dpk_words_add(out, "c");
    dpk_words_add(out, "-c");
}

void dpacc_compile_host(const struct config *c, const struct paths *p, size_t index,
                        bool with_object, struct words *out)
{
    const char *name = p->names[index];
    begin_host(c, p, out);
    if (with_object)
        add_stub(p, "__DPA_OBJ_STUB_FILE__", name, out);
    end_host(out);
    dpk_words_addf(out, "%s%s.dpa.host.c", p->dir, name);
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%s%s.dpa%s.o", p->dir, name, c->mode == MODE_LIBRARIES ? ".host" : "");
}

void dpacc_compile_library_name(const struct config *c, const struct paths *p, struct words *out)
{
    begin_host(c, p, out);
    end_host(out);
    dpk_words_addf(out, "%s%s.lib.host.c", p->dir, dpacc_library_of(c));
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%s%s.lib.host.o", p->dir, dpacc_library_of(c));
}

void dpacc_compile_meta(const struct config *c, const struct paths *p, struct words *out)
{
    begin_host(c, p, out);
    add_stub(p, "__DPA_EXEC_STUB_FILE__", "device_exec", out);
    end_host(out);
    dpk_words_addf(out, "%s%s.meta.c", p->dir, c->app);
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%s%s.meta.o", p->dir, c->app);
}

/* Adds the host object: compiled from a source, or copied from a DPA object. */
static void add_host_object(const struct config *c, const struct paths *p, size_t index,
                            struct words *out)
{
    dpk_words_addf(
        out, "%s%s.dpa%s.o", p->dir, p->names[index],
        dpacc_config_is_source(c->units.at[index]) && c->mode != MODE_LIBRARIES ? "" : ".host");
}

void dpacc_strip_object(const struct config *c, const struct paths *p, size_t index,
                        struct words *out)
{
    dpk_words_add(out, dpacc_commands_tool("DPA_OBJCOPY", "llvm-objcopy"));
    dpk_words_add(out, "--remove-section=.dpa_obj");
    dpk_words_add(out, c->units.at[index]);
    add_host_object(c, p, index, out);
}

/* Options that select the kind of code, such as -m64 or --target, also select the linker's mode. */
static void begin_host_link(const struct config *c, struct words *out)
{
    dpk_words_add(out, c->hostcc);
    for (size_t i = 0; i < c->host_options.count; i++) {
        const char *word = c->host_options.at[i];
        if (strncmp(word, "-m", 2) == 0 || strncmp(word, "--target=", 9) == 0)
            dpk_words_add(out, word);
    }
    dpk_words_add(out, "-nostdlib");
}

void dpacc_join_host(const struct config *c, const struct paths *p, struct words *out)
{
    begin_host_link(c, out);
    dpk_words_add(out, "-r");
    dpk_words_addf(out, "%s%s.meta.o", p->dir, c->app);
    for (size_t i = 0; i < p->count; i++)
        add_host_object(c, p, i, out);
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%shostStubs.o", p->dir);
}

/* gcc, a path of gcc, or gcc for another machine. */
static bool is_gcc(const char *compiler)
{
    const size_t length = strlen(compiler), gcc = strlen("gcc");
    return length >= gcc && strcmp(compiler + length - gcc, "gcc") == 0 &&
           (length == gcc || strchr("-/", compiler[length - gcc - 1]));
}

/* Adds the archiver of the host's objects. ar loads LLVM's plugin, which takes a tenth of a second,
 * and does not know the objects of another machine. gcc's own archiver, gcc-ar, has neither fault. */
static void add_archiver(const struct config *c, struct words *out)
{
    char name[PATH_MAX], path[PATH_MAX];
    const char *ar = "ar";
    if (is_gcc(c->hostcc) && snprintf(name, sizeof name, "%s-ar", c->hostcc) < (int)sizeof name &&
        dpacc_programs_find(name, path))
        ar = name;
    dpk_words_add(out, dpacc_commands_tool("DPA_HOST_AR", ar));
}

void dpacc_make_archive(const struct config *c, const struct paths *p, struct words *out)
{
    add_archiver(c, out);
    dpk_words_add(out, "crD");
    dpk_words_addf(out, "%shostStubs.a", p->dir);
    if (c->mode != MODE_LIBRARIES)
        dpk_words_addf(out, "%shostStubs.o", p->dir);
    for (size_t i = 0; i < p->count && c->mode == MODE_LIBRARIES; i++)
        add_host_object(c, p, i, out);
    if (c->mode == MODE_LIBRARIES)
        dpk_words_addf(out, "%s%s.lib.host.o", p->dir, dpacc_library_of(c));
}

void dpacc_make_shared(const struct config *c, const struct paths *p, struct words *out)
{
    begin_host_link(c, out);
    dpk_words_add(out, "-shared");
    dpk_words_add(out, "-Wl,--build-id=none");
    dpk_words_addf(out, "%shostStubs.o", p->dir);
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%shostStubs.so", p->dir);
}

char *dpacc_made_output(const struct config *c, const struct paths *p, size_t index)
{
    char *path = NULL;
    int length;
    if (c->mode == MODE_COMPILE)
        length = asprintf(&path, "%s%s.dpa.o", p->dir, p->names[index]);
    else if (c->mode == MODE_LIBRARIES && index == 1)
        length = asprintf(&path, "%sdevice_exec.a", p->dir);
    else
        length = asprintf(&path, "%shostStubs.%s", p->dir, c->mode == MODE_SHARED ? "so" : "a");
    return length < 0 ? NULL : path;
}
