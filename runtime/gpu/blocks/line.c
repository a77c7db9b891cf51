/* Source lines of code of this process, from its debug information (elfutils' libdw). */
#include "private.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <string.h>
#include <unistd.h>

static bool line_in_unit(Dwarf_Die *unit, Dwarf_Addr address, char *out, size_t size)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;
    char name[256];
    if (!file || dwarf_lineno(line, &number) != 0 || number <= 0)
        return false;
    snprintf(name, sizeof name, "%s", file);
    dpk_text_clean(name);
    snprintf(out, size, "%s:%d", name, number);
    return true;
}

/* LLVM gives no line to code that it has moved. The line of code at most this many bytes before it
 * is close enough. */
enum { NEAR = 64 };

/* LLVM writes no list of addresses (.debug_aranges), so this searches each compilation unit. */
static bool find_in_module(Dwfl_Module *module, uintptr_t pc, char *out, size_t size)
{
    Dwarf_Addr bias = 0;
    for (unsigned back = 0; back < NEAR; back++)
        for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &bias));)
            if (line_in_unit(unit, pc - bias - back, out, size))
                return true;
    return false;
}

static bool from_debug_information(uintptr_t pc, char *out, size_t size)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    bool found = false;
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (!dwfl)
        return false;
    dwfl_report_begin(dwfl);
    if (dwfl_linux_proc_report(dwfl, getpid()) == 0 && dwfl_report_end(dwfl, NULL, NULL) == 0) {
        Dwfl_Module *module = dwfl_addrmodule(dwfl, pc);
        found = module && find_in_module(module, pc, out, size);
    }
    dwfl_end(dwfl);
    return found;
}

void block_line(const void *pc, char *out, size_t size)
{
    Dl_info where;
    /* `pc` is the address after a call. */
    if (from_debug_information((uintptr_t)pc - 1, out, size))
        return;
    if (dladdr(pc, &where) && where.dli_fname)
        snprintf(out, size, "%s+0x%tx", where.dli_fname,
                 (const char *)pc - (const char *)where.dli_fbase);
    else
        snprintf(out, size, "%p", pc);
}
