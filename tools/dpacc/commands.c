#include "commands.h"

#include "ifgen.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *dpacc_commands_tool(const char *variable, const char *name)
{
    const char *value = getenv(variable);
    return value && *value ? value : name;
}

void dpacc_device_compiler(struct words *out)
{
    const char *value = dpacc_commands_tool("DPA_CLANG", "clang");
    if (strpbrk(value, " \t") && access(value, X_OK) != 0)
        dpk_words_split(out, value);
    else
        dpk_words_add(out, value);
}

static const char *device_linker(void)
{
    return dpacc_commands_tool("DPA_LLD", "ld.lld");
}

/* Keeps the build's working directory, the current directory and dpacc's installation out of debug
 * information. */
void dpacc_add_prefix_maps(const struct config *c, struct words *out)
{
    char *here = getcwd(NULL, 0);
    /* One directory may be inside the other. Of several matching maps, compilers take the last or
     * the longest. */
    bool first = !here || strlen(c->root) < strlen(here);
    if (first)
        dpk_words_addf(out, "-fdebug-prefix-map=%s=dpakit", c->root);
    if (here)
        dpk_words_addf(out, "-fdebug-prefix-map=%s=.", here);
    if (!first)
        dpk_words_addf(out, "-fdebug-prefix-map=%s=dpakit", c->root);
    free(here);
}

/* Same for files of the working directory. Other compiles do not name it, because a compiler cache
 * compares command lines. */
void dpacc_add_directory_map(const struct paths *p, struct words *out)
{
    if (*p->dir)
        dpk_words_addf(out, "-ffile-prefix-map=%s=", p->dir);
}

/* A step of our own (steps.h). */
/* Objects in a library have the names that NVIDIA's have, so what is compiled on the way to them has
 * others there. */
static const char *compiled_suffix(const struct config *c)
{
    return c->mode == MODE_LIBRARIES ? "dpa.source.o" : "o";
}

static const char *joined_suffix(const struct config *c)
{
    return c->mode == MODE_LIBRARIES ? ".o" : ".dpa.join.o";
}

static void begin_step(const struct config *c, const char *name, struct words *out)
{
    dpk_words_add(out, c->self);
    dpk_words_add(out, "-step");
    dpk_words_add(out, name);
}

/* ---- Device compiles ---- */

void dpacc_device_arguments(const struct config *c, struct words *out)
{
    static const char *const fixed[] = {
        "--target=riscv64-unknown-elf",
        "-mabi=lp64",
        "-mcmodel=medany",
        "-ffreestanding",
        "-fno-pic",
        "-mno-relax",
        "-nostdlibinc",
        "-Wno-attributes",
        "-O2",
        "-g",
        "-D__dpa_global__=__attribute__((annotate(\"dpa_global\")))",
        "-D__dpa_rpc__=__attribute__((annotate(\"dpa_rpc\")))",
        "-D__DPA__=1",
        "-D__NV_DPA_CX7=1",
        "-D__NV_DPA_BF3=2",
        "-D__NV_DPA_CX8=3",
        "-D__NV_DPA_CX9=4",
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        dpk_words_add(out, fixed[i]);
    if (c->flto)
        dpk_words_add(out, "-flto");
    if (c->verbose)
        dpk_words_add(out, "-v");
    dpacc_add_prefix_maps(c, out);
    for (size_t i = 0; i < c->defines.count; i++)
        dpk_words_addf(out, "-D%s", c->defines.at[i]);
    for (size_t i = 0; i < c->includes.count; i++)
        dpk_words_addf(out, "-I%s", c->includes.at[i]);
    /* The C library first: in a prefix like /usr, "include" has the host's too. */
    const char *const ours[] = {"share/dpakit/libc", "include", c->headers};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        dpk_words_add(out, "-isystem");
        dpk_words_addf(out, "%s/%s", c->root, ours[i]);
    }
    dpk_words_append(out, &c->release);
    dpk_words_append(out, &c->device_options);
    dpk_words_add(out, "-fvisibility=default"); /* entry functions must not be hidden */
}

void dpacc_begin_device_compile(const struct config *c, size_t target, struct words *out)
{
    dpacc_device_compiler(out);
    dpk_words_addf(out, "-march=%s", c->targets[target]->march);
    dpk_words_addf(out, "-D__NV_DPA=%u", c->targets[target]->id);
}

/* Returns true for options like -MF that take the next word. */
static bool takes_dependency_word(const char *word)
{
    return strcmp(word, "-MF") == 0 || strcmp(word, "-MT") == 0 || strcmp(word, "-MQ") == 0 ||
           strcmp(word, "-MJ") == 0;
}

static void append_without_dependencies(const struct words *device, struct words *out)
{
    for (size_t i = 0; i < device->count; i++) {
        if (takes_dependency_word(device->at[i]))
            i++;
        else if (strncmp(device->at[i], "-M", 2) != 0)
            dpk_words_add(out, device->at[i]);
    }
    out->failed |= device->failed;
}

static bool names_dependency_target(const struct words *device)
{
    for (size_t i = 0; i < device->count; i++)
        if (strncmp(device->at[i], "-MT", 3) == 0 || strncmp(device->at[i], "-MQ", 3) == 0)
            return true;
    return false;
}

/* Dependencies name the output, because make does not know the object. The file of dependencies is
 * beside the kept files, else beside the output, because the working directory is removed. */
static void add_dependencies(const struct config *c, const struct paths *p,
                             const struct words *device, size_t index, struct words *out)
{
    char *output = dpacc_config_output(c, c->mode == MODE_COMPILE     ? index
                                          : c->mode == MODE_LIBRARIES ? 1
                                                                      : 0);
    if (!output) {
        out->failed = true;
        return;
    }
    if (!names_dependency_target(device)) {
        dpk_words_add(out, "-MQ");
        dpk_words_add(out, output);
    }
    if (!dpk_words_have(device, "-MF")) {
        const char *slash = strrchr(output, '/'), *beside = dpacc_config_keeps(c) ? p->dir : output;
        size_t length = dpacc_config_keeps(c) ? strlen(p->dir)
                        : slash               ? (size_t)(slash + 1 - output)
                                              : 0;
        dpk_words_add(out, "-MF");
        dpk_words_addf(out, "%.*s%s.d", (int)length, beside, p->names[index]);
    }
    free(output);
}

void dpacc_compile_source(const struct config *c, const struct paths *p, const struct words *device,
                          size_t index, size_t target, bool overlay, struct words *out)
{
    dpacc_begin_device_compile(c, target, out);
    if (overlay) {
        dpk_words_add(out, "-ivfsoverlay");
        dpk_words_addf(out, "%s%s" IFGEN_OVERLAY, p->dir, p->names[index]);
    }
    if (target == 0) {
        dpk_words_append(out, device);
        if (dpk_words_have(device, "-MMD") || dpk_words_have(device, "-MD"))
            add_dependencies(c, p, device, index, out);
    } else { /* one file of dependencies is enough */
        append_without_dependencies(device, out);
    }
    if (c->coverage) {
        /* threads of the DPA count in parallel */
        static const char *const counts[] = {"-fprofile-instr-generate", "-fcoverage-mapping",
                                             "-fprofile-update=atomic"};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            dpk_words_add(out, counts[i]);
    }
    dpk_words_add(out, c->coverage ? "-S" : "-c");
    dpk_words_add(out, c->units.at[index]);
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%s%s.%s.%s", p->dir, p->names[index], c->targets[target]->name,
                   c->coverage ? "count.s" : compiled_suffix(c));
}

void dpacc_edit_counts(const struct config *c, const struct paths *p, size_t index, size_t target,
                       struct words *out)
{
    begin_step(c, "coverage", out);
    dpk_words_addf(out, "%s%s.%s.count.s", p->dir, p->names[index], c->targets[target]->name);
    dpk_words_addf(out, "%s%s.%s.s", p->dir, p->names[index], c->targets[target]->name);
}

void dpacc_assemble_counts(const struct config *c, const struct paths *p, size_t index,
                           size_t target, struct words *out)
{
    static const char *const fixed[] = {"--target=riscv64-unknown-elf", "-mabi=lp64", "-mno-relax",
                                        "-c"};
    dpacc_device_compiler(out);
    dpk_words_addf(out, "-march=%s", c->targets[target]->march);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        dpk_words_add(out, fixed[i]);
    dpk_words_addf(out, "%s%s.%s.s", p->dir, p->names[index], c->targets[target]->name);
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%s%s.%s.%s", p->dir, p->names[index], c->targets[target]->name,
                   compiled_suffix(c));
}

void dpacc_compile_wrappers(const struct config *c, const struct paths *p,
                            const struct words *device, size_t index, size_t target,
                            struct words *out)
{
    struct words plain = {0};
    append_without_dependencies(device, &plain);
    dpacc_begin_device_compile(c, target, out);
    for (size_t i = 0; i < plain.count; i++) {
        if (strcmp(plain.at[i], "-include") == 0 || strcmp(plain.at[i], "--include") == 0)
            i++; /* the source's object already has the header's definitions */
        else
            dpk_words_add(out, plain.at[i]);
    }
    out->failed |= plain.failed;
    dpk_words_free(&plain);
    dpacc_add_directory_map(p, out);
    if (c->coverage) {
        dpk_words_add(out, "-include");
        dpk_words_addf(out, "%s/share/dpakit/coverage.h", c->root);
    }
    dpk_words_add(out, "-w");
    dpk_words_add(out, "-c");
    dpk_words_addf(out, "%s%s.dpa.device.c", p->dir, p->names[index]);
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%s%s.%s.dpa.device.o", p->dir, p->names[index], c->targets[target]->name);
}

/* ---- dpacc's own steps ---- */

/* Omits options that write files, or that have no meaning for a parser. */
static void append_for_parser(const struct words *device, struct words *out)
{
    struct words plain = {0};
    append_without_dependencies(device, &plain);
    for (size_t i = 0; i < plain.count; i++) {
        const char *word = plain.at[i];
        if (strcmp(word, "-v") != 0 && strcmp(word, "-w") != 0 && strncmp(word, "-flto", 5) != 0 &&
            strncmp(word, "-save-temps", 11) != 0 && strncmp(word, "--save-temps", 12) != 0)
            dpk_words_add(out, word);
    }
    out->failed |= plain.failed;
    dpk_words_free(&plain);
}

void dpacc_describe_source(const struct config *c, const struct words *device, size_t index,
                           struct words *out)
{
    dpacc_begin_device_compile(c, 0, out);
    append_for_parser(device, out);
    if (dpk_words_have(device, "-w"))
        dpk_words_add(out, "-w");
    dpk_words_add(out, "-c");
    dpk_words_add(out, c->units.at[index]);
}

void dpacc_make_interface(const struct config *c, const struct paths *p, const struct words *device,
                          const char *resources, size_t index, struct words *out)
{
    struct dpk_buf targets = {0};
    for (size_t i = 0; i < c->target_count; i++)
        dpk_put_format(&targets, "%s%s", i ? "," : "", c->targets[i]->name);
    dpk_put_u8(&targets, 0);
    begin_step(c, "interface", out);
    dpk_words_add(out, c->units.at[index]);
    dpk_words_addf(out, "%s%s", p->dir, p->names[index]);
    dpk_words_add(out, targets.failed ? "" : (const char *)targets.data);
    out->failed |= targets.failed;
    dpk_buf_free(&targets);
    dpk_words_add(out, "--");
    dpk_words_add(out, "-resource-dir");
    dpk_words_add(out, resources);
    append_for_parser(device, out);
}

/* Adds TARGET=DIR NAME.TARGET SUFFIX for each target. */
static void add_members(const struct config *c, const struct paths *p, const char *name,
                        const char *suffix, struct words *out)
{
    for (size_t i = 0; i < c->target_count; i++) {
        const char *target = c->targets[i]->name;
        dpk_words_addf(out, "%s=%s%s.%s%s", target, p->dir, name, target, suffix);
    }
}

void dpacc_make_object_stub(const struct config *c, const struct paths *p, size_t index,
                            struct words *out)
{
    begin_step(c, "object-stub", out);
    dpk_words_addf(out, "%s%s", p->dir, p->names[index]);
    add_members(c, p, p->names[index], joined_suffix(c), out);
}

static void add_extract(const struct config *c, const struct paths *p, const char *input,
                        const char *name, const char *suffix, struct words *out)
{
    begin_step(c, "extract", out);
    dpk_words_add(out, input);
    dpk_words_addf(out, "%s%s", p->dir, name);
    dpk_words_add(out, suffix);
    for (size_t i = 0; i < c->target_count; i++)
        dpk_words_add(out, c->targets[i]->name);
}

void dpacc_extract_object(const struct config *c, const struct paths *p, size_t index,
                          struct words *out)
{
    add_extract(c, p, c->units.at[index], p->names[index], joined_suffix(c), out);
}

static void library_name(size_t index, char name[32])
{
    snprintf(name, 32, "device_lib%zu", index);
}

void dpacc_extract_library(const struct config *c, const struct paths *p, size_t index,
                           struct words *out)
{
    char name[32];
    library_name(index, name);
    add_extract(c, p, c->archives.at[index], name, ".a", out);
}

char *dpacc_library_path(const struct config *c, const struct paths *p, const bool *fat,
                         size_t index, size_t target)
{
    char name[32], *path = NULL;
    if (!fat[index])
        return strdup(c->archives.at[index]);
    library_name(index, name);
    return asprintf(&path, "%s%s.%s.a", p->dir, name, c->targets[target]->name) < 0 ? NULL : path;
}

void dpacc_make_program_stub(const struct config *c, const struct paths *p, struct words *out)
{
    begin_step(c, "program-stub", out);
    dpk_words_addf(out, "%sdevice_exec.stub.inc", p->dir);
    dpk_words_add(out, c->app);
    dpk_words_add(out, c->attributes ? c->attributes : "");
    dpk_words_add(out, c->bare ? "bare" : "area");
    add_members(c, p, "device_exec", "", out);
}

void dpacc_make_meta(const struct config *c, const struct paths *p, const struct words *hosts,
                     struct words *out)
{
    begin_step(c, "meta", out);
    dpk_words_addf(out, "%s%s.meta.c", p->dir, c->app);
    dpk_words_add(out, c->app);
    dpk_words_append(out, hosts);
}

/* The base name of the libraries. */
const char *dpacc_library_of(const struct config *c)
{
    const char *slash = strrchr(c->output, '/');
    return slash ? slash + 1 : c->output;
}

void dpacc_name_device_library(const struct config *c, const struct paths *p, size_t target,
                               struct words *out)
{
    begin_step(c, "library-name", out);
    dpk_words_addf(out, "%s%s.lib.device.o", p->dir, dpacc_library_of(c));
    dpk_words_add(out, dpacc_library_of(c));
    dpk_words_add(out, c->targets[target]->name);
}

void dpacc_name_host_library(const struct config *c, const struct paths *p, struct words *out)
{
    begin_step(c, "library-name", out);
    dpk_words_addf(out, "%s%s.lib.host.c", p->dir, dpacc_library_of(c));
    dpk_words_add(out, dpacc_library_of(c));
}

void dpacc_make_fat_library(const struct config *c, const struct paths *p, struct words *out)
{
    char *made = dpacc_made_output(c, p, 1);
    begin_step(c, "library", out);
    dpk_words_add(out, made ? made : "");
    out->failed |= !made;
    free(made);
    add_members(c, p, "device_exec", ".a", out);
}

/* ---- Device links ---- */

void dpacc_join_device(const struct config *c, const struct paths *p, size_t index, size_t target,
                       struct words *out)
{
    const char *name = p->names[index], *tag = c->targets[target]->name;
    dpk_words_add(out,
                  c->flto ? dpacc_commands_tool("DPA_LLVM_LINK", "llvm-link") : device_linker());
    if (!c->flto)
        dpk_words_add(out, "-r");
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%s%s.%s%s", p->dir, name, tag, joined_suffix(c));
    dpk_words_addf(out, "%s%s.%s.%s", p->dir, name, tag, compiled_suffix(c));
    dpk_words_addf(out, "%s%s.%s.dpa.device.o", p->dir, name, tag);
}

static void add_libraries(const struct config *c, const struct paths *p, const bool *fat,
                          size_t target, struct words *out)
{
    dpk_words_add(out, "--whole-archive");
    for (size_t i = 0; i < c->archives.count; i++) {
        char *path = dpacc_library_path(c, p, fat, i, target);
        dpk_words_add(out, path ? path : "");
        out->failed |= !path;
        free(path);
    }
    dpk_words_append(out, &c->device_libs);
    dpk_words_addf(out, "-L%s/lib", c->root);
    dpk_words_add(out, "--no-whole-archive");
    dpk_words_add(out, "--start-group");
    static const char *const ours[] = {"libdoca_dpa_dev.a", "libflexio_dev.a", "libflexio-libc.a"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        dpk_words_addf(out, "%s/lib/%s", c->root, ours[i]);
    dpk_words_add(out, "--end-group");
}

void dpacc_link_device(const struct config *c, const struct paths *p, const struct words *entries,
                       const bool *fat, size_t target, struct words *out)
{
    static const char *const fixed[] = {
        "-static", "--build-id=none",   "--discard-locals", "-z", "nognustack", "-z", "norelro",
        "-z",      "max-page-size=4096"};
    const char *tag = c->targets[target]->name;
    dpk_words_add(out, device_linker());
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        dpk_words_add(out, fixed[i]);
    dpk_words_add(out, "-T");
    dpk_words_addf(out, "%s/share/dpakit/dpa.ld", c->root);
    dpk_words_add(out, "-o");
    dpk_words_addf(out, "%sdevice_exec.%s", p->dir, tag);
    for (size_t i = 0; i < p->count; i++) {
        const char *name = p->names[i];
        if (!dpacc_config_is_source(c->units.at[i])) {
            dpk_words_addf(out, "%s%s.%s.dpa.join.o", p->dir, name, tag);
            continue;
        }
        dpk_words_addf(out, "%s%s.%s.o", p->dir, name, tag);
        dpk_words_addf(out, "%s%s.%s.dpa.device.o", p->dir, name, tag);
    }
    for (size_t i = 0; i < c->link_options.count; i++) {
        const char *word = c->link_options.at[i];
        if (strcmp(word, "-Wl") != 0 && strcmp(word, "-Xlinker") != 0)
            dpk_words_add(out, word);
    }
    for (size_t i = 0; i < entries->count; i++) {
        const char *name = entries->at[i];
        dpk_words_addf(out, "--undefined=%s", name);
        /* The linker script keeps these only if the objects with them are linked. */
        dpk_words_addf(out, "--undefined=_dpacc_unpack_%s", name);
        dpk_words_addf(out, "--undefined=_dpacc_argsize_%s", name);
    }
    add_libraries(c, p, fat, target, out);
}

void dpacc_finish_device(const struct config *c, const struct paths *p, size_t target,
                         struct words *out)
{
    begin_step(c, "finish", out);
    dpk_words_addf(out, "%sdevice_exec.%s", p->dir, c->targets[target]->name);
    dpk_words_add(out, c->targets[target]->name);
}

void dpacc_archive_device(const struct config *c, const struct paths *p, size_t target,
                          struct words *out)
{
    const char *tag = c->targets[target]->name, *library = dpacc_library_of(c);
    dpk_words_add(out, dpacc_commands_tool("DPA_AR", "llvm-ar"));
    dpk_words_add(out, "crD");
    dpk_words_addf(out, "%sdevice_exec.%s.a", p->dir, tag);
    for (size_t i = 0; i < p->count; i++)
        dpk_words_addf(out, "%s%s.%s%s", p->dir, p->names[i], tag, joined_suffix(c));
    dpk_words_addf(out, "%s%s.lib.device.o", p->dir, library);
}

void dpacc_list_symbols(const char *path, struct words *out)
{
    static const char *const fixed[] = {"--extern-only", "--defined-only", "--format=posix",
                                        "--quiet"};
    dpk_words_add(out, dpacc_commands_tool("DPA_NM", "llvm-nm"));
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        dpk_words_add(out, fixed[i]);
    dpk_words_add(out, path);
}
