#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *tool(const char *variable, const char *name)
{
    const char *value = getenv(variable);
    return value && *value ? value : name;
}

const char *device_compiler(void)
{
    return tool("DPA_CLANG", "clang");
}

static const char *device_linker(void)
{
    return tool("DPA_LLD", "ld.lld");
}

/* Debug information names neither the working directory of this build, nor where it ran, nor where
 * dpacc is installed. */
static void add_prefix_maps(const struct config *c, const struct paths *p, struct words *out)
{
    words_addf(out, "-fdebug-prefix-map=%s=dpakit", c->root);
    char *here = getcwd(NULL, 0);
    if (here)
        words_addf(out, "-fdebug-prefix-map=%s=.", here);
    free(here);
    if (*p->dir)
        words_addf(out, "-ffile-prefix-map=%s=", p->dir);
}

void device_arguments(const struct config *c, const struct paths *p, struct words *out)
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
    words_add(out, device_compiler());
    words_addf(out, "-march=%s", c->target->march);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        words_add(out, fixed[i]);
    words_addf(out, "-D__NV_DPA=%u", c->target->id);
    if (c->flto)
        words_add(out, "-flto");
    if (c->verbose)
        words_add(out, "-v");
    add_prefix_maps(c, p, out);
    for (size_t i = 0; i < c->defines.count; i++)
        words_addf(out, "-D%s", c->defines.at[i]);
    for (size_t i = 0; i < c->includes.count; i++)
        words_addf(out, "-I%s", c->includes.at[i]);
    static const char *const ours[] = {"include", "include/doca-2.2", "share/dpakit/libc"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        words_add(out, "-isystem");
        words_addf(out, "%s/%s", c->root, ours[i]);
    }
    words_append(out, &c->device_options);
    words_add(out, "-fvisibility=default"); /* hidden entry functions would be no entries */
}

void parse_arguments(const struct words *device, const char *resources, struct words *out)
{
    words_add(out, "-resource-dir");
    words_add(out, resources);
    for (size_t i = 1; i < device->count; i++) {
        const char *word = device->at[i];
        if (strcmp(word, "-MF") == 0 || strcmp(word, "-MT") == 0 || strcmp(word, "-MQ") == 0)
            i++;
        else if (strncmp(word, "-M", 2) != 0 && strcmp(word, "-v") != 0 &&
                 strncmp(word, "-flto", 5) != 0 && strncmp(word, "-save-temps", 11) != 0 &&
                 strncmp(word, "--save-temps", 12) != 0)
            words_add(out, word);
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

void compile_source(const struct config *c, const struct paths *p, const struct words *device,
                    size_t index, struct words *out)
{
    const char *name = p->names[index];
    words_append(out, device);
    bool dependencies = words_have(device, "-MMD") || words_have(device, "-MD");
    if (dependencies && !names_dependency_target(device)) {
        /* What make knows is the program, not an object that goes away. */
        words_add(out, "-MQ");
        words_add(out, c->output);
    }
    if (dependencies && !words_have(device, "-MF")) {
        /* Beside what is kept, else beside the output: the working directory goes away. */
        const char *slash = strrchr(c->output, '/');
        bool kept = c->keep || c->keep_dir;
        words_add(out, "-MF");
        words_addf(out, "%.*s%s.d",
                   kept    ? (int)strlen(p->dir)
                   : slash ? (int)(slash + 1 - c->output)
                           : 0,
                   kept ? p->dir : c->output, name);
    }
    words_add(out, "-c");
    words_add(out, c->sources.at[index]);
    words_add(out, "-o");
    words_addf(out, "%s%s.%s.o", p->dir, name, c->target->name);
}

void compile_wrappers(const struct config *c, const struct paths *p, const struct words *device,
                      size_t index, struct words *out)
{
    for (size_t i = 0; i < device->count; i++) {
        const char *word = device->at[i];
        if (strcmp(word, "-MF") == 0 || strcmp(word, "-MT") == 0 || strcmp(word, "-MQ") == 0 ||
            strcmp(word, "-include") == 0 || strcmp(word, "--include") == 0)
            i++; /* what a header defines is in the source's object already */
        else if (strncmp(word, "-M", 2) != 0)
            words_add(out, word);
    }
    out->failed |= device->failed;
    words_add(out, "-w");
    words_add(out, "-c");
    words_addf(out, "%s%s.dpa.device.c", p->dir, p->names[index]);
    words_add(out, "-o");
    words_addf(out, "%s%s.%s.dpa.device.o", p->dir, p->names[index], c->target->name);
}

void join_device(const struct config *c, const struct paths *p, size_t index, struct words *out)
{
    const char *name = p->names[index], *target = c->target->name;
    words_add(out, device_linker());
    words_add(out, "-r");
    words_add(out, "-o");
    words_addf(out, "%s%s.%s.dpa.join.o", p->dir, name, target);
    words_addf(out, "%s%s.%s.o", p->dir, name, target);
    words_addf(out, "%s%s.%s.dpa.device.o", p->dir, name, target);
}

void link_device(const struct config *c, const struct paths *p, const struct words *entries,
                 struct words *out)
{
    static const char *const fixed[] = {
        "-static", "--build-id=none",   "--discard-locals", "-z", "nognustack", "-z", "norelro",
        "-z",      "max-page-size=4096"};
    const char *target = c->target->name;
    words_add(out, device_linker());
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        words_add(out, fixed[i]);
    words_add(out, "-T");
    words_addf(out, "%s/share/dpakit/dpa.ld", c->root);
    words_add(out, "-o");
    words_addf(out, "%sdevice_exec.%s", p->dir, target);
    for (size_t i = 0; i < p->count; i++) {
        if (!c->flto) {
            words_addf(out, "%s%s.%s.dpa.join.o", p->dir, p->names[i], target);
            continue;
        }
        words_addf(out, "%s%s.%s.o", p->dir, p->names[i], target);
        words_addf(out, "%s%s.%s.dpa.device.o", p->dir, p->names[i], target);
    }
    for (size_t i = 0; i < c->link_options.count; i++) {
        const char *word = c->link_options.at[i];
        if (strcmp(word, "-Wl") != 0 && strcmp(word, "-Xlinker") != 0)
            words_add(out, word);
    }
    for (size_t i = 0; i < entries->count; i++)
        words_addf(out, "--undefined=%s", entries->at[i]);
    words_add(out, "--whole-archive");
    words_append(out, &c->archives);
    words_append(out, &c->device_libs);
    words_addf(out, "-L%s/lib", c->root);
    words_add(out, "--no-whole-archive");
    words_add(out, "--start-group");
    static const char *const ours[] = {"libdoca_dpa_dev.a", "libflexio_dev.a", "libflexio-libc.a"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        words_addf(out, "%s/lib/%s", c->root, ours[i]);
    words_add(out, "--end-group");
}

void strip_labels(const struct config *c, const struct paths *p, struct words *out)
{
    words_add(out, tool("DPA_OBJCOPY", "llvm-objcopy"));
    words_add(out, "--strip-symbol=");
    words_addf(out, "%sdevice_exec.%s", p->dir, c->target->name);
}

void compile_host(const struct config *c, const struct paths *p, const char *name,
                  const char *stub_macro, const char *stub, struct words *out)
{
    words_add(out, c->hostcc);
    if (c->verbose)
        words_add(out, "-v");
    add_prefix_maps(c, p, out);
    for (size_t i = 0; i < c->defines.count; i++)
        words_addf(out, "-D%s", c->defines.at[i]);
    for (size_t i = 0; i < c->includes.count; i++)
        words_addf(out, "-I%s", c->includes.at[i]);
    words_addf(out, "-I%s/include", c->root);
    words_addf(out, "-I%s/include/doca-2.2", c->root);
    words_append(out, &c->host_options);
    if (stub) {
        words_addf(out, "-D%s=\"%s\"", stub_macro, stub);
        words_addf(out, "-I%s", *p->dir ? p->dir : ".");
    }
    words_add(out, "-w"); /* the generated code is ours, not the user's */
    words_add(out, "-Wno-psabi");
    words_add(out, "-x"); /* also for g++ */
    words_add(out, "c");
    words_add(out, "-c");
    words_addf(out, "%s%s.c", p->dir, name);
    words_add(out, "-o");
    size_t length = strlen(name);
    bool of_source = length >= 9 && strcmp(name + length - 9, ".dpa.host") == 0;
    words_addf(out, "%s%.*s.o", p->dir, (int)(of_source ? length - 5 : length), name);
}

void join_host(const struct config *c, const struct paths *p, struct words *out)
{
    words_add(out, c->hostcc);
    words_add(out, "-r");
    words_add(out, "-nostdlib");
    /* Whatever chooses the kind of code, such as -m64 or --target, chooses the linker's too. */
    for (size_t i = 0; i < c->host_options.count; i++) {
        const char *word = c->host_options.at[i];
        if (strncmp(word, "-m", 2) == 0 || strncmp(word, "--target=", 9) == 0 ||
            strncmp(word, "-flto", 5) == 0)
            words_add(out, word);
    }
    words_addf(out, "%s%s.meta.o", p->dir, c->app);
    for (size_t i = 0; i < p->count; i++)
        words_addf(out, "%s%s.dpa.o", p->dir, p->names[i]);
    words_add(out, "-o");
    words_addf(out, "%shostStubs.o", p->dir);
}

void make_archive(const struct paths *p, struct words *out)
{
    words_add(out, tool("DPA_HOST_AR", "ar"));
    words_add(out, "crD");
    words_addf(out, "%shostStubs.a", p->dir);
    words_addf(out, "%shostStubs.o", p->dir);
}
