/* Finds the library next to the engine, or in ../lib of a tool. */
#include "engine/jit/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char in_this_file = 0;

/* Finds the folder of the library or program that contains this code. */
static bool own_folder(char out[PATH_MAX])
{
    Dl_info self;
    void *found = NULL;
    const struct link_map *map =
        dladdr1(&in_this_file, &self, &found, RTLD_DL_LINKMAP) ? found : NULL;
    ssize_t length;
    if (map && *map->l_name) /* the map of a program has no name */
        length = snprintf(out, PATH_MAX, "%s", map->l_name);
    else
        length = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (length < 0 || length >= PATH_MAX)
        return false;
    out[length] = '\0';
    char *end = strrchr(out, '/');
    if (end != NULL)
        *end = '\0';
    return end != NULL;
}

static bool find_library(char path[PATH_MAX], struct stat *file)
{
    static const char *const places[] = {"", "/../lib"};
    char folder[PATH_MAX];
    bool there = own_folder(folder);
    for (size_t i = 0; there && i < sizeof places / sizeof *places; i++) {
        int n = snprintf(path, PATH_MAX, "%s%s/" DPK_JIT_LIBRARY, folder, places[i]);
        if (n > 0 && n < PATH_MAX && stat(path, file) == 0)
            return true;
    }
    return false;
}

jit_translate_fn *jit_library_load(struct dpk_error *err)
{
    char path[PATH_MAX];
    struct stat file;
    if (!find_library(path, &file)) {
        dpk_fail(err, DPK_ERR_NOT_FOUND,
                 "no " DPK_JIT_LIBRARY " beside dpakit's libraries (Debian: libdpakit-llvm1)");
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, "dpk_jit_translate") : NULL;
    if (function == NULL) {
        const char *reason = dlerror();
        dpk_fail(err, DPK_ERR_NOT_FOUND, "%s", reason ? reason : path);
    }
    return (jit_translate_fn *)function;
}

bool jit_library_stamp(uint64_t stamp[3])
{
    char path[PATH_MAX];
    struct stat file;
    if (!find_library(path, &file))
        return false;
    stamp[0] = (uint64_t)file.st_size;
    stamp[1] = (uint64_t)file.st_mtim.tv_sec;
    stamp[2] = (uint64_t)file.st_mtim.tv_nsec;
    return true;
}
