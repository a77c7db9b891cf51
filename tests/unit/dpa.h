/* What tests of the runtime share: the program of tests/data/kernels.c, and short ways to run it.
 */
#ifndef DPK_TEST_DPA_H
#define DPK_TEST_DPA_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/loader/image.h"
#include "engine/proc/proc.h"

/* How long a test waits for what will come. */
#define PATIENCE_MS 60000u

static inline double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Whether that is over, when it began at `since`; rests a moment. */
static inline bool out_of_patience(double since)
{
    usleep(100);
    return seconds(CLOCK_MONOTONIC) - since > PATIENCE_MS / 1000.0;
}

/* Waits until the condition holds; whether it does. */
#define comes_true(condition)                                                                      \
    ({                                                                                             \
        double since_ = seconds(CLOCK_MONOTONIC);                                                  \
        bool holds_;                                                                               \
        while (!(holds_ = (condition)) && !out_of_patience(since_))                                \
            ;                                                                                      \
        holds_;                                                                                    \
    })

/* The bytes of the program's ELF. */
static inline struct dpk_buf kernels_elf(void)
{
    char path[4096];
    const char *build = getenv("DPAKIT_BUILD");
    struct dpk_buf elf = {0};
    struct dpk_error err = {0};
    snprintf(path, sizeof path, "%s/obj/tests/data/kernels.elf", build ? build : "build");
    if (dpk_file_read(path, DPK_FILE_MAX, &elf, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return elf;
}

static inline struct dpk_image *kernels_image(void)
{
    struct dpk_buf elf = kernels_elf();
    struct dpk_error err = {0};
    struct dpk_image *image = loader_image_create("kernels");
    assert_non_null(image);
    const struct dpk_elf described = dpk_elf(elf.data, elf.size);
    if (loader_image_fill(image, &elf.data, &described, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return image;
}

static inline struct dpk_process *process_with(const struct dpk_process_options *options)
{
    struct dpk_image *image = kernels_image();
    struct dpk_process *p = NULL;
    struct dpk_error err = {0};
    if (dpk_process_create(image, options, &p, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_image_free(image);
    return p;
}

/* Its limit is no matter of the test, on however slow a machine. */
static inline struct dpk_process *process(void)
{
    return process_with(&(struct dpk_process_options){.run_time_limit_ms = PATIENCE_MS});
}

static inline struct dpk_call function(struct dpk_process *p, const char *name)
{
    struct dpk_call call = {0};
    struct dpk_error err = {0};
    if (dpk_process_function(p, name, &call, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return call;
}

/* Calls with as many of the arguments as the function takes. */
static inline enum dpk_status try_rpc(struct dpk_process *p, const char *name, uint64_t a,
                                      uint64_t b, uint64_t c, uint64_t *result,
                                      struct dpk_error *err)
{
    struct dpk_call call = function(p, name);
    uint64_t args[3] = {a, b, c};
    return dpk_process_call(p, &call, args, call.argument_size, result, err);
}

static inline uint64_t rpc(struct dpk_process *p, const char *name, uint64_t a, uint64_t b)
{
    uint64_t result = 0;
    struct dpk_error err = {0};
    if (try_rpc(p, name, a, b, 0, &result, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return result;
}

struct kernel {
    const char *name;
    uint64_t args[3];
    unsigned threads; /* 0: 1 */
    struct dpk_event *wait, *complete;
    uint64_t wait_threshold, complete_count;
    bool set; /* complete_count is set, not added */
};

static inline enum dpk_status try_launch(struct dpk_process *p, struct kernel k,
                                         struct dpk_error *err)
{
    struct dpk_call call = function(p, k.name);
    struct dpk_launch launch = {.call = call,
                                .args = k.args,
                                .args_size = call.argument_size,
                                .threads = k.threads ? k.threads : 1,
                                .wait = k.wait,
                                .wait_threshold = k.wait_threshold,
                                .complete = k.complete,
                                .complete_adds = !k.set,
                                .complete_count = k.complete_count ? k.complete_count : 1};
    return dpk_process_launch(p, &launch, err);
}

static inline void launch(struct dpk_process *p, struct kernel k)
{
    struct dpk_error err = {0};
    if (try_launch(p, k, &err) != DPK_OK)
        fail_msg("%s", err.message);
}

static inline void drain(struct dpk_process *p)
{
    struct dpk_error err = {0};
    if (dpk_process_drain(p, &err) != DPK_OK)
        fail_msg("%s", err.message);
}

static inline void wait_gt(struct dpk_event *e, uint64_t threshold, struct dpk_process *p)
{
    struct dpk_error err = {0};
    if (dpk_event_wait_gt(e, threshold, UINT64_MAX, p, PATIENCE_MS, &err) != DPK_OK)
        fail_msg("%s", err.message);
}

static inline uint64_t handle(struct dpk_event *e, struct dpk_process *p)
{
    uint64_t h = 0;
    assert_int_equal(dpk_event_handle(e, p, &h, NULL), DPK_OK);
    return h;
}

/* Waits until no thread of the process, which has at most 64, has anything to do. */
static inline bool is_idle(struct dpk_process *p)
{
    struct dpk_thread_info info[64];
    size_t n = dpk_process_threads(p, info, 64);
    assert_true(n <= 64);
    while (n > 0 && strcmp(info[n - 1].state, "idle") == 0)
        n--;
    return n == 0;
}

static inline void becomes_idle(struct dpk_process *p)
{
    assert_true(comes_true(is_idle(p)));
}

/* A zeroed heap buffer. */
static inline uint64_t buffer(struct dpk_process *p, uint64_t size)
{
    uint64_t address = 0;
    assert_int_equal(dpk_heap_alloc(p, size, &address, NULL), DPK_OK);
    assert_int_equal(dpk_fill(p, address, 0, size, NULL), DPK_OK);
    return address;
}

static inline uint64_t word(struct dpk_process *p, uint64_t address)
{
    uint64_t value = 0;
    assert_int_equal(dpk_copy_out(p, &value, address, sizeof value, NULL), DPK_OK);
    return value;
}

static inline void set_word(struct dpk_process *p, uint64_t address, uint64_t value)
{
    assert_int_equal(dpk_copy_in(p, address, &value, sizeof value, NULL), DPK_OK);
}

#endif
