/* Guest memory: a reserved host mapping and a permission byte for each page. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct rv64_memory *rv64_memory_create(uint64_t size)
{
    if (size == 0 || size % RV64_PAGE != 0 || size > UINT64_C(1) << 32)
        return NULL;
    struct rv64_memory *mem = calloc(1, sizeof *mem);
    if (mem == NULL)
        return NULL;
    mem->size = size;
    uint8_t *tables = mmap(NULL, RV64_NEAR_BELOW + size, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (tables == MAP_FAILED)
        goto no_base;
    if (mprotect(tables, RV64_NEAR_BELOW, PROT_READ | PROT_WRITE) != 0)
        goto no_lock;
    mem->base = tables + RV64_NEAR_BELOW;
    mem->near = tables;
    mem->access = mem->base - RV64_ACCESS_BELOW;
    mem->ahead = mem->base - RV64_AHEAD_BELOW;
    if (pthread_mutex_init(&mem->lock, NULL) != 0)
        goto no_lock;
    return mem;

no_lock:
    munmap(tables, RV64_NEAR_BELOW + size);
no_base:
    free(mem);
    return NULL;
}

void rv64_memory_destroy(struct rv64_memory *mem)
{
    if (mem == NULL)
        return;
    pthread_mutex_destroy(&mem->lock);
    munmap(mem->near, RV64_NEAR_BELOW + mem->size);
    free(mem);
}

uint64_t rv64_memory_size(const struct rv64_memory *mem)
{
    return mem->size;
}

static bool in_range(const struct rv64_memory *mem, uint64_t address, uint64_t size)
{
    return address <= mem->size && size <= mem->size - address;
}

/* Makes the host pages under [address, address+size) accessible. Host pages may be larger. */
static bool open_pages(struct rv64_memory *mem, uint64_t address, uint64_t size)
{
    uint64_t host_page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t begin = address - address % host_page;
    return mprotect(mem->base + begin, address + size - begin, PROT_READ | PROT_WRITE) == 0;
}

/* Returns the pages to the host where possible. They read as zeros from now on. They stay
 * accessible to the host's processor, because a hart that has just passed its check may still
 * access them. Its stores are cleared when the page is mapped again. The host takes whole host
 * pages, which may be larger. The bytes of other guest pages in them stay. */
static void clear_pages(struct rv64_memory *mem, uint64_t address, uint64_t size)
{
    const uint64_t host_page = (uint64_t)sysconf(_SC_PAGESIZE), end = address + size;
    const uint64_t whole = (address + host_page - 1) / host_page * host_page;
    const uint64_t whole_end = end / host_page * host_page;
    if (whole >= whole_end || madvise(mem->base + whole, whole_end - whole, MADV_DONTNEED) != 0) {
        memset(mem->base + address, 0, size);
        return;
    }
    memset(mem->base + address, 0, whole - address);
    memset(mem->base + whole_end, 0, end - whole_end);
}

/* Returns the end of a run of pages that are all mapped or all unmapped, from `page`, at most
 * `end`. */
static uint64_t run_end(const struct rv64_memory *mem, uint64_t page, uint64_t end)
{
    bool mapped = mem->access[page] != 0;
    while (page < end && (mem->access[page] != 0) == mapped)
        page++;
    return page;
}

/* Returns whether translations depend on the bytes of a page: code, and read-only data. */
static bool is_fixed(unsigned access)
{
    return (access & RV64_X) != 0 || (access & (RV64_R | RV64_W)) == RV64_R;
}

static void set_access(struct rv64_memory *mem, uint64_t page, uint64_t end, unsigned access)
{
    bool code = (access & RV64_X) != 0;
    if ((access & (RV64_R | RV64_W)) == (RV64_R | RV64_W))
        access |= RV64_RW;
    for (; page < end; page++) {
        code |= is_fixed(mem->access[page]);
        __atomic_store_n(&mem->access[page], (uint8_t)access, __ATOMIC_RELAXED);
    }
    if (code)
        atomic_fetch_add(&mem->code_generation, 1);
}

/* Counts again for pages [first, end), whose access has changed, and for the pages before them. */
static void set_ahead(struct rv64_memory *mem, uint64_t first, uint64_t end)
{
    for (uint64_t page = end; page-- > 0;) {
        const bool same = mem->access[page] == mem->access[page + 1];
        const unsigned further =
            mem->ahead[page + 1] < UINT8_MAX ? mem->ahead[page + 1] + 1u : UINT8_MAX;
        const uint8_t ahead = (uint8_t)(same ? further : 0);
        if (page < first && mem->ahead[page] == ahead)
            break;
        __atomic_store_n(&mem->ahead[page], ahead, __ATOMIC_RELAXED);
    }
}

/* Updates the pieces of pages [first, end), whose access has changed, and the last piece of the
 * page before them, by words. Only the next piece of a page's last piece is on another page. */
static void set_near(struct rv64_memory *mem, uint64_t first, uint64_t end)
{
    _Static_assert(RV64_PAGE / RV64_NEAR == 2 * sizeof(uint64_t), "two words for a page");
    for (uint64_t page = first == 0 ? 0 : first - 1; page < end; page++) {
        const uint64_t all = mem->access[page] * UINT64_C(0x0101010101010101);
        const uint64_t last = (uint64_t)(mem->access[page] & mem->access[page + 1]) << 56;
        rv64_u64 *words = (rv64_u64 *)mem->near + 2 * page;
        __atomic_store_n(&words[0], all, __ATOMIC_RELAXED);
        __atomic_store_n(&words[1], all << 8 >> 8 | last, __ATOMIC_RELAXED);
    }
}

bool rv64_memory_map(struct rv64_memory *mem, uint64_t address, uint64_t size, unsigned access)
{
    if (address % RV64_PAGE != 0 || size % RV64_PAGE != 0 || !in_range(mem, address, size))
        return false;
    if ((access & ~(unsigned)(RV64_R | RV64_W | RV64_X)) != 0 ||
        (access & (RV64_W | RV64_X)) == (RV64_W | RV64_X))
        return false;
    if (size == 0)
        return true;
    if (address == 0)
        return false;

    bool done = false;
    uint64_t first = address / RV64_PAGE, end = first + size / RV64_PAGE;
    pthread_mutex_lock(&mem->lock);
    if (access != 0 && !open_pages(mem, address, size))
        goto out;
    for (uint64_t page = first, next; page < end; page = next) {
        next = run_end(mem, page, end);
        bool mapped = mem->access[page] != 0;
        if (mapped != (access != 0))
            clear_pages(mem, page * RV64_PAGE, (next - page) * RV64_PAGE);
    }
    set_access(mem, first, end, access);
    set_ahead(mem, first, end);
    set_near(mem, first, end);
    rv64_windows_map(mem, first, end);
    done = true;
out:
    pthread_mutex_unlock(&mem->lock);
    return done;
}

/* Returns whether all pages of the range have `access`. *code: whether any is executable. *fixed:
 * whether translations depend on any. */
static bool check_range(const struct rv64_memory *mem, uint64_t address, uint64_t size,
                        unsigned access, bool *code, bool *fixed)
{
    *code = *fixed = false;
    if (!in_range(mem, address, size))
        return false;
    uint64_t end = address + size;
    for (uint64_t at = address; at < end; at += RV64_PAGE - at % RV64_PAGE) {
        unsigned have = rv64_page_access(mem, at);
        if (have == 0 || (have & access) != access)
            return false;
        *code |= (have & RV64_X) != 0;
        *fixed |= is_fixed(have);
    }
    return true;
}

void *rv64_memory_at(const struct rv64_memory *mem, uint64_t address, uint64_t size,
                     unsigned access)
{
    bool code, fixed;
    return check_range(mem, address, size, access, &code, &fixed) ? mem->base + address : NULL;
}

/* Harts may fetch this code meanwhile, by halfwords. Each halfword is old or new. */
static void store_code(uint8_t *to, const uint8_t *from, uint64_t size)
{
    while (size != 0) {
        bool wide = (uintptr_t)to % 8 == 0 && size >= 8;
        size_t step = wide ? 8 : (uintptr_t)to % 2 == 0 && size >= 2 ? 2 : 1;
        uint64_t word = 0;
        memcpy(&word, from, step);
        if (wide)
            __atomic_store_n((rv64_u64 *)to, word, __ATOMIC_RELAXED);
        else if (step == 2)
            __atomic_store_n((rv64_u16 *)to, (uint16_t)word, __ATOMIC_RELAXED);
        else
            __atomic_store_n(to, (uint8_t)word, __ATOMIC_RELAXED);
        to += step;
        from += step;
        size -= step;
    }
}

/* Populates pages that are about to be written in full, with one call instead of a fault for each
 * page. Hosts without this call take the faults. */
static void populate(struct rv64_memory *mem, uint64_t address, uint64_t size)
{
#ifdef MADV_POPULATE_WRITE
    uint64_t host_page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t begin = address - address % host_page;
    if (size >= 16 * host_page)
        (void)madvise(mem->base + begin, address + size - begin, MADV_POPULATE_WRITE);
#endif
}

bool rv64_memory_store(struct rv64_memory *mem, uint64_t address, const void *from, uint64_t size)
{
    bool code, fixed;
    if (!check_range(mem, address, size, 0, &code, &fixed))
        return false;
    populate(mem, address, size);
    if (code) {
        store_code(mem->base + address, from, size);
    } else if (size != 0) {
        memcpy(mem->base + address, from, size);
    }
    if (fixed)
        atomic_fetch_add(&mem->code_generation, 1);
    return true;
}

bool rv64_memory_next(const struct rv64_memory *mem, uint64_t from, uint64_t *address,
                      uint64_t *size, unsigned *access)
{
    uint64_t at = (from + RV64_PAGE - 1) / RV64_PAGE * RV64_PAGE;
    while (at < mem->size && rv64_page_access(mem, at) == 0)
        at += RV64_PAGE;
    if (at >= mem->size)
        return false;
    *address = at;
    *access = rv64_page_access(mem, at);
    while (at < mem->size && rv64_page_access(mem, at) == *access)
        at += RV64_PAGE;
    *size = at - *address;
    return true;
}
