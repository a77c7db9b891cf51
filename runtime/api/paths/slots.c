/* Redirects calls of loaded objects. An object calls a function of another object through a slot of
 * its own, which the dynamic linker fills (JUMP_SLOT and GLOB_DAT of ELF). The
 * function that comes first in the order of the objects is not enough here: a library that is loaded
 * later, as UCX's plugins are, finds the C library before this library. */
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "private.h"

/* Relocations of slots. */
#if defined __x86_64__
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT };
#elif defined __aarch64__
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT };
#else
#error "the relocations of this machine are not known"
#endif

/* Objects whose calls stay as they are. */
static bool is_left_alone(const char *path)
{
    static const char *const stems[] = {"libdpakit", "libibverbs", "librdmacm", "libmlx4",
                                        "libmlx5",   "linux-vdso", "ld-linux"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (strncmp(name, stems[i], strlen(stems[i])) == 0)
            return true;
    return strstr(name, "-rdmav") != NULL; /* drivers of rdma-core */
}

/* What is needed of an object. The dynamic linker has checked and used it. */
struct object {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *names;
    size_t names_size;
    const ElfW(Rela) * tables[2];
    size_t counts[2];
    uintptr_t guarded, guarded_end; /* pages that the dynamic linker made read-only */
};

/* Addresses are relocated, except in a read-only dynamic section. */
static const void *at(const struct object *o, ElfW(Addr) address)
{
    return (const void *)(address < o->base ? address + o->base : address);
}

static void take_dynamic(struct object *o, const ElfW(Dyn) * d)
{
    ElfW(Xword) kind = 0;
    size_t sizes[2] = {0};
    for (; d->d_tag != DT_NULL; d++) {
        switch (d->d_tag) {
        case DT_SYMTAB:
            o->symbols = at(o, d->d_un.d_ptr);
            break;
        case DT_STRTAB:
            o->names = at(o, d->d_un.d_ptr);
            break;
        case DT_STRSZ:
            o->names_size = d->d_un.d_val;
            break;
        case DT_JMPREL:
            o->tables[0] = at(o, d->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            sizes[0] = d->d_un.d_val;
            break;
        case DT_PLTREL:
            kind = d->d_un.d_val;
            break;
        case DT_RELA:
            o->tables[1] = at(o, d->d_un.d_ptr);
            break;
        case DT_RELASZ:
            sizes[1] = d->d_un.d_val;
            break;
        default:
            break;
        }
    }
    o->counts[0] = o->tables[0] && kind == DT_RELA ? sizes[0] / sizeof(ElfW(Rela)) : 0;
    o->counts[1] = o->tables[1] ? sizes[1] / sizeof(ElfW(Rela)) : 0;
}

static bool take_object(struct object *o, const struct dl_phdr_info *info)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    *o = (struct object){.base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_DYNAMIC)
            take_dynamic(o, (const void *)start);
        if (p->p_type == PT_GNU_RELRO) {
            o->guarded = start & ~(page - 1);
            o->guarded_end = (start + p->p_memsz) & ~(page - 1);
        }
        if (p->p_type == PT_LOAD && (uintptr_t)take_object - start < p->p_memsz)
            return false; /* this library */
    }
    return o->symbols && o->names;
}

struct redirection {
    const struct paths_list *lists; /* two */
    unsigned long long seen;        /* number of objects that were ever loaded */
};

/* Returns the function for a relocation, or NULL if the relocation stays. */
static void *target(const struct redirection *r, const struct object *o, const ElfW(Rela) * rela)
{
    const ElfW(Word) type = ELF64_R_TYPE(rela->r_info);
    if (type != JUMP_SLOT && type != GLOB_DAT)
        return NULL;
    const ElfW(Sym) *symbol = &o->symbols[ELF64_R_SYM(rela->r_info)];
    if (symbol->st_shndx != SHN_UNDEF || symbol->st_name >= o->names_size)
        return NULL;
    const char *name = o->names + symbol->st_name;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < r->lists[l].count; i++)
            if (strcmp(name, r->lists[l].calls[i].name) == 0)
                return r->lists[l].calls[i].ours;
    return NULL;
}

static void put(const struct object *o, uintptr_t slot, void *function)
{
    const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = slot & ~(size - 1);
    _Atomic(void *) *const place = (_Atomic(void *) *)slot;
    const bool guarded = slot >= o->guarded && slot < o->guarded_end;
    if (atomic_load(place) == function)
        return;
    if (guarded && mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0)
        return;
    atomic_store(place, function);
    if (guarded)
        mprotect((void *)page, size, PROT_READ);
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    struct redirection *r = context;
    struct object o;
    (void)size;
    if (r->seen == info->dlpi_adds)
        return 1; /* nothing was loaded since the last call */
    if (is_left_alone(info->dlpi_name) || !take_object(&o, info))
        return 0;
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < o.counts[t]; i++) {
            void *function = target(r, &o, &o.tables[t][i]);
            if (function)
                put(&o, o.base + o.tables[t][i].r_offset, function);
        }
    return 0;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(unsigned long long *)context = info->dlpi_adds;
    return 1;
}

void paths_slots_redirect(const struct paths_list lists[2])
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static unsigned long long seen;
    unsigned long long now = 0;
    dl_iterate_phdr(count_loads, &now);
    pthread_mutex_lock(&lock);
    struct redirection r = {lists, seen};
    dl_iterate_phdr(visit, &r);
    seen = now;
    pthread_mutex_unlock(&lock);
}

void paths_redirect_calls(const struct paths_call *calls, size_t count)
{
    const struct paths_list lists[2] = {{calls, count}};
    paths_slots_redirect(lists);
}
