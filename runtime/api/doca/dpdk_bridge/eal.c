/* The start of DPDK on machines without huge pages. This library comes before DPDK's, so that programs
 * call rte_eal_init of this file, which calls that of DPDK. */
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "api/doca/core/core.h"
#include "dpdk.h"

#define FREE_PAGES "/sys/kernel/mm/hugepages/hugepages-*/free_hugepages"
#define MORE_MAX   5
#define EAL_FIRST  21u /* the ABI of DPDK 20.11, and that of 39.11 */
#define EAL_LAST   40u

static void *eal; /* DPDK's library, if the program has not loaded it */

int rte_eal_init(int argc, char **argv);

/* The linker's --as-needed leaves librte_eal away if the program calls nothing of it but what this library has. */
static void load_eal(void)
{
    char name[sizeof "librte_eal.so." + 3];
    for (unsigned release = EAL_FIRST; release <= EAL_LAST; release++) {
        snprintf(name, sizeof name, "librte_eal.so.%u", release);
        if ((eal = dlopen(name, RTLD_NOW | RTLD_GLOBAL)))
            return;
    }
}

void (*dpdk_bridge_function(const char *name))(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        pthread_once(&once, load_eal);
        function = eal ? dlsym(eal, name) : NULL;
    }
    return (void (*)(void))function;
}

/* Returns the number in a file of the kernel, or 0. */
static uint64_t number_in(const char *path)
{
    char line[24] = "";
    uint64_t number = 0;
    FILE *f = fopen(path, "re");
    if (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (!dpk_number(line, 0, UINT64_MAX, &number))
            number = 0;
    }
    if (f)
        fclose(f);
    return number;
}

static bool has_huge_pages(void)
{
    glob_t found;
    bool any = false;
    if (glob(FREE_PAGES, 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc; i++)
        any = any || number_in(found.gl_pathv[i]) > 0;
    globfree(&found);
    return any;
}

/* Returns whether an argument is an option of DPDK, alone or with its value: "-m", "-m64", "--opt=1". */
static bool is_option(const char *argument, const char *option)
{
    const size_t size = strlen(option);
    const bool is_long = option[1] == '-';
    return strncmp(argument, option, size) == 0 &&
           (!is_long || argument[size] == '\0' || argument[size] == '=');
}

/* Returns whether the arguments, up to "--", have the option. */
static bool has_option(int argc, char *const *argv, const char *option)
{
    for (int i = 1; i < argc && argv[i] && strcmp(argv[i], "--") != 0; i++)
        if (is_option(argv[i], option))
            return true;
    return false;
}

/* Adds the options by which DPDK takes ordinary memory, and shares no files with other programs. DPDK
 * takes 64 MB without a size. Programs that choose their kind of memory choose alone. */
static size_t choose(int argc, char *const *argv, char *more[MORE_MAX])
{
    static char no_huge[] = "--no-huge", no_files[] = "--no-shconf",
                no_telemetry[] = "--no-telemetry", memory[] = "-m", size[] = "1024";
    static const char *const kinds[] = {"--in-memory", "--no-huge", "--socket-mem", "--huge-dir",
                                        "--legacy-mem"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has_option(argc, argv, kinds[i]))
            return 0;
    if (has_huge_pages())
        return 0;
    more[count++] = no_huge;
    more[count++] = no_files;
    more[count++] = no_telemetry;
    if (!has_option(argc, argv, "-m")) {
        more[count++] = memory;
        more[count++] = size;
    }
    return count;
}

/* Calls DPDK's function with more arguments, after the program's name. DPDK keeps pointers to arguments, so
 * the list is not freed. */
static int start(int (*init)(int, char **), int argc, char **argv)
{
    char *more[MORE_MAX];
    const size_t count = choose(argc, argv, more);
    char **all = count > 0 ? calloc((size_t)argc + count + 1, sizeof *all) : NULL;
    if (!all)
        return init(argc, argv);
    all[0] = argv[0];
    memcpy(all + 1, more, count * sizeof *all);
    memcpy(all + 1 + count, argv + 1, ((size_t)argc - 1) * sizeof *all);
    const int used = init(argc + (int)count, all);
    /* DPDK may have sorted the program's arguments. */
    memcpy(argv + 1, all + 1 + count, ((size_t)argc - 1) * sizeof *all);
    return used < (int)count ? used : used - (int)count;
}

int rte_eal_init(int argc, char **argv)
{
    int (*const init)(int, char **) = (int (*)(int, char **))dpdk_bridge_function(__func__);
    if (!init) {
        dpk_doca_refuse_call(NULL, DOCA_ERROR_NOT_FOUND, __func__,
                             "no library of DPDK is loaded after libdoca_dpdk_bridge, and there is "
                             "no librte_eal: install libdpdk-dev");
        return -1;
    }
    return argc > 0 && argv ? start(init, argc, argv) : init(argc, argv);
}
