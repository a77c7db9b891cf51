/* Names of threads. The runtime knows them, and the program gets a pointer that stays valid. */
#include "guest/abi/syscall.h"

#include <libflexio-dev/flexio_dev.h>
#include <stdbool.h>
#include <string.h>

#define NAME_MAX  64
#define NAMES_MAX 64

/* The name of each function that has asked; `function` is 0 in places that are free. */
static struct {
    uint64_t function;
    char name[NAME_MAX];
} names[NAMES_MAX];

/* Takes the place of a function. Returns false if the place is another function's. */
static bool take(uint64_t *place, uint64_t function)
{
    uint64_t owner = 0;
    return __atomic_compare_exchange_n(place, &owner, function, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED) ||
           owner == function;
}

const char *flexio_dev_get_current_thread_name(void)
{
    char name[NAME_MAX];
    const uint64_t function =
        dpa_call3(DPA_SYS_THREAD_NAME, (uint64_t)(uintptr_t)name, sizeof name, 0);
    for (unsigned i = 0; i < NAMES_MAX; i++)
        if (take(&names[i].function, function)) {
            /* Threads of one function may do so at once: they store the same bytes. */
            memcpy(names[i].name, name, sizeof name);
            return names[i].name;
        }
    return "";
}
