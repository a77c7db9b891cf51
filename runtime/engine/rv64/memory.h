/* Private to rv64: the representation of guest memory, for the two interpreters. */
#ifndef DPK_ENGINE_RV64_MEMORY_H
#define DPK_ENGINE_RV64_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "rv64.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "guest words are read as host words");

enum { RV64_PAGE_SHIFT = 12 };
_Static_assert(RV64_PAGE == 1u << RV64_PAGE_SHIFT, "page size");

/* Pages of the largest memory. Pages after the end of a smaller memory have no access. */
enum { RV64_PAGES = 1 << (32 - RV64_PAGE_SHIFT) };

/* For accesses that may cross a page, memory is divided into pieces. */
enum { RV64_NEAR_SHIFT = 8, RV64_NEAR = 1 << RV64_NEAR_SHIFT };

/* The tables are below `base`, at distances that translated code knows. Each has more entries than
 * there are pages or pieces; the additional entries are zero. */
enum {
    RV64_TABLE = RV64_PAGES + RV64_PAGE, /* bytes */
    RV64_NEAR_TABLE = (1 << (32 - RV64_NEAR_SHIFT)) + RV64_PAGE,
    RV64_NEAR_BELOW = 2 * RV64_TABLE + RV64_NEAR_TABLE,
    RV64_ACCESS_BELOW = 2 * RV64_TABLE,
    RV64_AHEAD_BELOW = RV64_TABLE,
};

/* Additional bit in the table of access: both R and W, so that a single bit can be tested. */
enum { RV64_RW = 8 };

struct rv64_memory {
    uint8_t *base;   /* host address of guest address 0 */
    uint8_t *access; /* RV64_R | RV64_W | RV64_X | RV64_RW of each page; read without the lock */
    uint8_t *ahead;  /* number of following pages with the same access, at most UINT8_MAX */
    uint8_t *near;   /* of each piece: access that both its page and the page of the next piece
                      * allow */
    uint64_t size;
    pthread_mutex_t lock;               /* one rv64_memory_map at a time */
    _Atomic uint64_t run[RV64_WINDOWS]; /* pages of windows, except stacks: windows.c */
    _Atomic uint64_t layout; /* changes, to a unique number, when pages change */
    _Atomic uint64_t
        code_generation; /* counts changes of executable or read-only pages, and of their bytes */
};

/* Guest words in host memory. They alias other types, and several threads access them. */
typedef uint8_t rv64_u8;
typedef uint16_t __attribute__((may_alias)) rv64_u16;
typedef uint32_t __attribute__((may_alias)) rv64_u32;
typedef uint64_t __attribute__((may_alias)) rv64_u64;

/* Called after an atomic that writes: later accesses come after the write, as .aq requires. On
 * AArch64 without LSE an atomic is a load and a store, and later accesses wait only for the
 * load. */
static inline void rv64_atomic_done(void)
{
#ifdef __aarch64__
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* ---- windows.c ---- */
/* Called with the lock after pages [first, end) have got a new access, which is the same for all of
 * them. */
void rv64_windows_map(struct rv64_memory *mem, uint64_t first, uint64_t end);
/* Fills the windows of a hart with this stack pointer. */
void rv64_windows_find(const struct rv64_memory *mem, uint64_t stack_pointer,
                       struct rv64_window out[RV64_WINDOWS]);
bool rv64_window_has(const struct rv64_window *window, uint64_t address);
/* Same for the hart's own windows, if they are outdated. */
void rv64_windows_refresh(const struct rv64_memory *mem, struct rv64_hart *hart);

static inline unsigned rv64_page_access(const struct rv64_memory *mem, uint64_t address)
{
    return __atomic_load_n(&mem->access[address >> RV64_PAGE_SHIFT], __ATOMIC_RELAXED) &
           (RV64_R | RV64_W | RV64_X);
}

#endif
