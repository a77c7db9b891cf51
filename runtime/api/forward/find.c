/* Finds the targets of forwarded calls: libdpakit-engine.so and the system's library. */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>

#include "forward.h"

#define ENGINE "libdpakit-engine.so.1"

const struct dpk_emulated *dpk_forward_emulated(bool load)
{
    static const struct dpk_emulated *_Atomic table;
    const struct dpk_emulated *found = atomic_load(&table);
    if (found || getauxval(AT_SECURE))
        return found;
    /* A library that was found stays loaded. */
    void *engine = dlopen(ENGINE, RTLD_NOW | RTLD_LOCAL | (load ? 0 : RTLD_NOLOAD));
    if (engine)
        found = dlsym(engine, DPK_EMULATED_TABLE);
    atomic_store(&table, found);
    return found;
}

static void *system_library;

static void open_system_library(void)
{
    system_library = dlopen(DPK_SYSTEM_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
}

void *dpk_forward_system(void *_Atomic *cache, const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    void *function = atomic_load(cache);
    if (function)
        return function;
    pthread_once(&once, open_system_library);
    if (system_library)
        function = dlsym(system_library, name);
    atomic_store(cache, function);
    return function;
}
