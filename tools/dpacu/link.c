/* The command that links. Its program is dpacu under the name dpacu-link, which CMake calls, too:
 * it executes the host's compiler, and adds where programs find libcudart at run time. */
#include "common/self.h"
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Device code is a part of the objects, and the link of the host joins it: there is nothing to make
 * of it before. */
static void device_link_words(const char *output, struct words *w)
{
    dpacu_add_clang(w);
    const char *const rest[] = {"-x", "c", "-c", "/dev/null", "-o", output};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        dpk_words_add(w, rest[i]);
}

static void archive_words(const char *output, const struct words *objects, struct words *w)
{
    const char *const first[] = {"ar", "rcs", output};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        dpk_words_add(w, first[i]);
    dpk_words_append(w, objects);
}

/* Adds the compiler of -ccbin, which may be its folder. */
static void add_linker(const struct config *c, struct words *w)
{
    struct stat there;
    if (!c->hostcc)
        dpk_words_addf(w, "%s/lib/dpakit/cuda/bin/dpacu-link", c->root);
    else if (stat(c->hostcc, &there) == 0 && S_ISDIR(there.st_mode))
        dpk_words_addf(w, "%s/g++", c->hostcc);
    else
        dpk_words_add(w, c->hostcc);
}

/* Options of the linker may come as the host's compiler takes them, too. */
static void add_linker_options(const struct words *list, struct words *w)
{
    for (size_t i = 0; i < list->count; i++)
        dpk_words_addf(w, "%s%s", strncmp(list->at[i], "-Wl,", 4) == 0 ? "" : "-Wl,", list->at[i]);
    w->failed |= list->failed;
}

void dpacu_link_words(const struct config *c, const struct words *objects, struct words *w)
{
    const bool runtime = !c->cudart || strcmp(c->cudart, "none") != 0;
    if (c->device_link) {
        device_link_words(c->output ? c->output : "a_dlink.o", w);
        return;
    }
    const char *output = c->output ? c->output : "a.out";
    if (c->archive) {
        archive_words(output, objects, w);
        return;
    }
    add_linker(c, w);
    if (c->shared)
        dpk_words_add(w, "-shared");
    if (c->address)
        dpk_words_add(w, "-fsanitize=address");
    if (c->undefined)
        dpk_words_add(w, "-fsanitize=undefined");
    dpk_words_append(w, &c->host_options);
    dpk_words_append(w, objects);
    dpk_words_add(w, "-o");
    dpk_words_add(w, output);
    dpk_words_add_each(w, "-L", &c->folders);
    dpk_words_add_each(w, "-l", &c->libraries);
    add_linker_options(&c->linker_options, w);
    dpk_words_addf(w, "-L%s/lib/dpakit/cuda/lib64", c->root);
    if (runtime) {
        if (c->hostcc)
            dpk_words_addf(w, "-Wl,-rpath,%s/lib/dpakit/cuda", c->root);
        dpk_words_add(w, "-lcudart");
    }
    dpk_words_add(w, "-lpthread");
    dpk_words_add(w, "-lm");
}

int dpacu_link_execute(int argc, char *const *argv)
{
    struct dpk_error err = {0};
    struct words w = {0};
    char folder[PATH_MAX];
    enum dpk_status status = dpk_self_beside("lib/dpakit/cuda", folder, &err);
    const char *chosen = getenv("NVCC_CCBIN");
    dpk_words_add(&w, chosen && *chosen ? chosen : "g++");
    for (int i = 1; i < argc; i++)
        dpk_words_add(&w, argv[i]);
    if (status == DPK_OK)
        dpk_words_addf(&w, "-Wl,-rpath,%s", folder);
    if (status == DPK_OK && w.failed)
        status = dpk_fail_nomem(&err);
    if (status == DPK_OK) {
        execvp(w.at[0], w.at);
        dpk_fail_errno(&err, "%s: cannot be run", w.at[0]);
    }
    dpk_words_free(&w);
    dpk_tool_fail(&err);
    return 2;
}
