/* The library lies beside the engine, or where a tool's libraries are. */
#include "jit/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static const char in_this_library = 0;

static bool find(char path[PATH_MAX], struct stat *file)
{
    static const char *const places[] = {"", "../lib/"};
    Dl_info self;
    if (!dladdr(&in_this_library, &self) || !self.dli_fname)
        return false;
    const char *end = strrchr(self.dli_fname, '/');
    const int folder = end ? (int)(end + 1 - self.dli_fname) : 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int n =
            snprintf(path, PATH_MAX, "%.*s%s" DPK_JIT_LIBRARY, folder, self.dli_fname, places[i]);
        if (n > 0 && n < PATH_MAX && stat(path, file) == 0)
            return true;
    }
    return false;
}

jit_translate_fn *jit_library_load(void)
{
    char path[PATH_MAX];
    struct stat file;
    void *library = find(path, &file) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    return library ? (jit_translate_fn *)dlsym(library, "dpk_jit_translate") : NULL;
}

bool jit_library_stamp(uint64_t stamp[3])
{
    char path[PATH_MAX];
    struct stat file;
    if (!find(path, &file))
        return false;
    stamp[0] = (uint64_t)file.st_size;
    stamp[1] = (uint64_t)file.st_mtim.tv_sec;
    stamp[2] = (uint64_t)file.st_mtim.tv_nsec;
    return true;
}
