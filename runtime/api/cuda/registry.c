/* Kernels and variables of the program's objects. Constructors of each object register its device
 * code, and the host's names for kernels and variables, in any order. The first use of a name joins
 * them. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct dpk_gpu_module **modules;
static size_t module_count;
static struct cuda_function **functions; /* a hash table by stub */
static size_t function_count, function_room;
static struct cuda_symbol *symbols;
static size_t symbol_count;

void dpk_gpu_module_add(const struct dpk_gpu_module *module);

void dpk_gpu_module_add(const struct dpk_gpu_module *module)
{
    if (module->abi != DPK_GPU_ABI) {
        fprintf(stderr, "dpakit: GPU: device code of another version of dpacu: compile it again\n");
        return;
    }
    pthread_mutex_lock(&lock);
    const struct dpk_gpu_module **more = reallocarray(modules, module_count + 1, sizeof *modules);
    if (more) {
        modules = more;
        modules[module_count++] = module;
    }
    pthread_mutex_unlock(&lock);
    for (uint64_t i = 0; more && i < module->variable_count; i++)
        if (module->variables[i].size)
            dpk_gpu_memory_note(module->variables[i].address, module->variables[i].size,
                                DPK_GPU_MEMORY_VARIABLE);
}

/* ---- The calls that clang puts into host objects ---- */

struct fat_binary {
    int magic, version;
    const void *data;
    void *unused;
};
struct handle {
    const char *id;
};

void **__cudaRegisterFatBinary(const void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_name, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int external, size_t size, int constant, int global);

void **__cudaRegisterFatBinary(const void *binary)
{
    const struct fat_binary *fat = binary;
    struct handle *h = malloc(sizeof *h);
    if (h)
        h->id = fat->data;
    return (void **)h;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle; /* nothing is freed: destructors of the program may still use kernels */
}

static size_t slot_of(const void *stub, size_t room)
{
    return (size_t)(((uintptr_t)stub >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
}

static void put(struct cuda_function **table, size_t room, struct cuda_function *f)
{
    size_t i = slot_of(f->stub, room);
    while (table[i])
        i = (i + 1) & (room - 1);
    table[i] = f;
}

static bool grow(void)
{
    const size_t room = function_room ? function_room * 2 : 64;
    struct cuda_function **table = calloc(room, sizeof(struct cuda_function *));
    if (!table)
        return false;
    for (size_t i = 0; i < function_room; i++)
        if (functions[i])
            put(table, room, functions[i]);
    free(functions);
    functions = table;
    function_room = room;
    return true;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_name, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp)
{
    (void)device_name, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    const struct handle *h = (const struct handle *)handle;
    struct cuda_function *f = h ? calloc(1, sizeof *f) : NULL;
    if (!f)
        return;
    *f = (struct cuda_function){.stub = stub, .name = name, .id = h->id};
    pthread_mutex_lock(&lock);
    if (function_count * 2 < function_room || grow()) {
        put(functions, function_room, f);
        function_count++;
    } else {
        free(f);
    }
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int external, size_t size, int constant, int global)
{
    (void)device_address, (void)external, (void)size, (void)constant, (void)global;
    const struct handle *h = (const struct handle *)handle;
    if (!h)
        return;
    pthread_mutex_lock(&lock);
    struct cuda_symbol *more = reallocarray(symbols, symbol_count + 1, sizeof *symbols);
    if (more) {
        symbols = more;
        symbols[symbol_count++] = (struct cuda_symbol){.shadow = shadow, .name = name, .id = h->id};
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Finding ---- */

static const struct dpk_gpu_kernel *find_kernel(const char *id, const char *name)
{
    for (size_t m = 0; m < module_count; m++)
        for (uint64_t i = 0; strcmp(modules[m]->id, id) == 0 && i < modules[m]->kernel_count; i++)
            if (strcmp(modules[m]->kernels[i].name, name) == 0)
                return &modules[m]->kernels[i];
    return NULL;
}

static const struct dpk_gpu_variable *find_variable(const char *id, const char *name)
{
    for (size_t m = 0; m < module_count; m++)
        for (uint64_t i = 0; strcmp(modules[m]->id, id) == 0 && i < modules[m]->variable_count; i++)
            if (strcmp(modules[m]->variables[i].name, name) == 0)
                return &modules[m]->variables[i];
    return NULL;
}

struct cuda_function *cuda_registry_function(const void *stub)
{
    struct cuda_function *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = function_room ? slot_of(stub, function_room) : 0; function_room && functions[i];
         i = (i + 1) & (function_room - 1))
        if (functions[i]->stub == stub) {
            found = functions[i];
            break;
        }
    if (found && !found->kernel)
        found->kernel = find_kernel(found->id, found->name);
    pthread_mutex_unlock(&lock);
    return found && found->kernel ? found : NULL;
}

const struct dpk_gpu_variable *cuda_registry_variable(const void *shadow)
{
    const struct dpk_gpu_variable *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < symbol_count && !found; i++) {
        if (symbols[i].shadow != shadow)
            continue;
        if (!symbols[i].variable)
            symbols[i].variable = find_variable(symbols[i].id, symbols[i].name);
        found = symbols[i].variable;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

struct cuda_function *cuda_registry_search(bool (*is)(const struct cuda_function *f,
                                                      const void *context),
                                           const void *context)
{
    struct cuda_function *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < function_room && !found; i++)
        if (functions[i] && is(functions[i], context))
            found = functions[i];
    pthread_mutex_unlock(&lock);
    return found ? cuda_registry_function(found->stub) : NULL;
}

const struct dpk_gpu_variable *
cuda_registry_search_variable(bool (*is)(const struct dpk_gpu_variable *v, const void *context),
                              const void *context)
{
    const struct dpk_gpu_variable *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t m = 0; m < module_count && !found; m++)
        for (uint64_t i = 0; i < modules[m]->variable_count && !found; i++)
            if (is(&modules[m]->variables[i], context))
                found = &modules[m]->variables[i];
    pthread_mutex_unlock(&lock);
    return found;
}

bool cuda_registry_has(const struct cuda_function *f)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < function_room && f && !found; i++)
        found = functions[i] == f;
    pthread_mutex_unlock(&lock);
    return found;
}

uint32_t cuda_registry_shared_limit(const struct cuda_function *f)
{
    return f->dynamic_max ? f->kernel->shared + f->dynamic_max : DPK_BLOCK_SHARED_DEFAULT;
}
