/*
 * Allocations that fail: every one of a deed, once. The functions below stand before those of libc
 * for the whole test program, its libraries included; one file of it includes this.
 *
 * Sanitizers bring their own: STARVE is 0 then, and the program one test that is skipped.
 */
#ifndef TESTS_STARVE_H
#define TESTS_STARVE_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <openssl/err.h>

#include "base/base.h"

#include "golden.h"
#include "skip.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STARVE 0

static void needs_a_build_without_sanitizer(void **state)
{
    (void)state;
    skip_because("a sanitizer allocates by itself");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(needs_a_build_without_sanitizer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#define STARVE 1

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static struct {
    _Atomic unsigned long at; /* the allocation to fail, from 1; 0: none */
    _Atomic unsigned long calls;
    _Atomic bool fired;
    _Atomic long live; /* blocks allocated and not freed */
} starve;

static inline bool starve_now(void)
{
    if (!starve.at || ++starve.calls != starve.at)
        return false;
    starve.fired = true;
    errno = ENOMEM;
    return true;
}

static inline void *starve_count(void *block)
{
    if (block)
        starve.live++;
    return block;
}

void *malloc(size_t size)
{
    return starve_now() ? NULL : starve_count(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return starve_now() ? NULL : starve_count(__libc_calloc(count, size));
}

void *memalign(size_t alignment, size_t size)
{
    return starve_now() ? NULL : starve_count(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *block = memalign(alignment, size);
    if (!block)
        return ENOMEM;
    *out = block;
    return 0;
}

void *realloc(void *block, size_t size)
{
    if (starve_now())
        return NULL;
    void *moved = __libc_realloc(block, size);
    if (!block)
        starve_count(moved);
    else if (!moved && size == 0)
        starve.live--;
    return moved;
}

void free(void *block)
{
    if (block)
        starve.live--;
    __libc_free(block);
}

/* DPK_OK only with the right result. */
typedef enum dpk_status deed(struct dpk_error *err);

static inline enum dpk_status starved(deed *what, unsigned long at, struct dpk_error *err,
                                      long *kept)
{
    *err = (struct dpk_error){0};
    ERR_clear_error();
    long before = starve.live;
    starve.calls = 0;
    starve.fired = false;
    starve.at = at;
    enum dpk_status status = what(err);
    starve.at = 0;
    ERR_clear_error();
    *kept = starve.live - before;
    return status;
}

/* A library may keep something the first time (a table of its own); what a second time keeps too
 * is a leak. */
static inline void survives_every_failure(deed *what)
{
    struct dpk_error err;
    long kept;
    for (int warm = 0; warm < 2; warm++)
        if (starved(what, 0, &err, &kept) != DPK_OK)
            fail_msg("not starved: %s", err.message);
    unsigned long at = 1, refused = 0;
    for (;; at++) {
        enum dpk_status status = starved(what, at, &err, &kept);
        if (!starve.fired) {
            if (status != DPK_OK)
                fail_msg("nothing failed, but: %s", err.message);
            break;
        }
        if (status != DPK_OK && !err.message[0])
            fail_msg("allocation %lu: status %d without a message", at, (int)status);
        refused += status != DPK_OK;
        for (int again = 0; kept && again < 3; again++)
            starved(what, at, &err, &kept);
        if (kept)
            fail_msg("allocation %lu: %ld blocks leaked (%s)", at, kept, err.message);
    }
    if (getenv("STARVE_VERBOSE"))
        fprintf(stderr, "%lu allocations, %lu refused\n", at - 1, refused);
    assert_true(refused > 0);
}

#endif
#endif
