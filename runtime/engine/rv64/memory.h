/* Private to rv64: how guest memory is represented, for the two interpreters. */
#ifndef DPK_ENGINE_RV64_MEMORY_H
#define DPK_ENGINE_RV64_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "rv64.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "guest words are read as host words");

enum { RV64_PAGE_SHIFT = 12 };
_Static_assert(RV64_PAGE == 1u << RV64_PAGE_SHIFT, "page size");

/* Pages of the largest memory. Pages beyond the size of a smaller one have no access. */
enum { RV64_PAGES = 1 << (32 - RV64_PAGE_SHIFT) };

/* For accesses that may reach beyond one page, memory is seen as pieces. */
enum { RV64_NEAR_SHIFT = 8, RV64_NEAR = 1 << RV64_NEAR_SHIFT };

/* The tables lie below `base`, at distances that translated code knows. Each has more entries than
 * there are pages, or pieces; they are zero. */
enum {
    RV64_TABLE = RV64_PAGES + RV64_PAGE, /* bytes */
    RV64_NEAR_TABLE = (1 << (32 - RV64_NEAR_SHIFT)) + RV64_PAGE,
    RV64_NEAR_BELOW = 2 * RV64_TABLE + RV64_NEAR_TABLE,
    RV64_ACCESS_BELOW = 2 * RV64_TABLE,
    RV64_AHEAD_BELOW = RV64_TABLE,
};

/* In the table of access, besides RV64_R, RV64_W and RV64_X: R and W both, so that one bit tells. */
enum { RV64_RW = 8 };

struct rv64_memory {
    uint8_t *base;   /* host address of guest address 0 */
    uint8_t *access; /* RV64_R | RV64_W | RV64_X | RV64_RW of each page; read without the lock */
    uint8_t *ahead;  /* how many pages behind each have the same access, at most UINT8_MAX */
    uint8_t *near;   /* of each piece: what its page and that of the next piece both allow */
    uint64_t size;
    pthread_mutex_t lock;               /* one rv64_memory_map at a time */
    _Atomic uint64_t run[RV64_WINDOWS]; /* pages of windows, but for stacks: windows.c */
    _Atomic uint64_t layout; /* a new number when pages have changed, unlike all others */
    _Atomic uint64_t
        code_generation; /* counts changes of pages that are executable or only read, or of their bytes */
};

/* Guest words in host memory. They alias other types, and several threads access them. */
typedef uint8_t rv64_u8;
typedef uint16_t __attribute__((may_alias)) rv64_u16;
typedef uint32_t __attribute__((may_alias)) rv64_u32;
typedef uint64_t __attribute__((may_alias)) rv64_u64;

/* Behind an atomic that writes: what follows comes after the write, as .aq asks. On AArch64 without
 * LSE an atomic is a load and a store, and what follows only waits for the load. */
static inline void rv64_atomic_done(void)
{
#ifdef __aarch64__
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* ---- windows.c ---- */
/* The access of pages [first, end) has changed: all of them have the same now. With the lock held. */
void rv64_windows_map(struct rv64_memory *mem, uint64_t first, uint64_t end);
/* Fills the windows of a hart that has this stack pointer. */
void rv64_windows_find(const struct rv64_memory *mem, uint64_t stack_pointer,
                       struct rv64_window out[RV64_WINDOWS]);
bool rv64_window_has(const struct rv64_window *window, uint64_t address);
/* The same for those of the hart, if they are not as they should be. */
void rv64_windows_refresh(const struct rv64_memory *mem, struct rv64_hart *hart);

static inline unsigned rv64_page_access(const struct rv64_memory *mem, uint64_t address)
{
    return __atomic_load_n(&mem->access[address >> RV64_PAGE_SHIFT], __ATOMIC_RELAXED) &
           (RV64_R | RV64_W | RV64_X);
}

#endif
