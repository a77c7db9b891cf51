/* What tests of runtime/api/pcc share: programs of tests/data/pcc, opened with a clock of the test's. */
#ifndef PCC_WORLD_H
#define PCC_WORLD_H

#include "dpa.h"

#include "api/pcc/pcc.h"

#include "../data/pcc/pcc_modes.h"

struct pcc_world {
    uint64_t now;
    char printed[256];
    uint64_t traced[6]; /* format, five numbers */
    unsigned flushed, counted;
};

static inline uint64_t world_now(void *context)
{
    return ((struct pcc_world *)context)->now;
}
static inline uint64_t world_counter(void *context, unsigned port, enum dpk_pcc_port_counter which)
{
    ((struct pcc_world *)context)->counted++;
    return UINT64_C(0x700000000) + 100 * port + which;
}
static inline void world_print(void *context, unsigned thread, const char *text, size_t size)
{
    struct pcc_world *w = context;
    (void)thread;
    snprintf(w->printed, sizeof w->printed, "%.*s", (int)size, text);
}
static inline void world_trace(void *context, unsigned thread, int format, const uint64_t a[5])
{
    struct pcc_world *w = context;
    (void)thread;
    w->traced[0] = (uint64_t)format;
    memcpy(w->traced + 1, a, 5 * sizeof *a);
}
static inline void world_flush(void *context)
{
    ((struct pcc_world *)context)->flushed++;
}

static inline struct dpk_image *pcc_image(const char *name)
{
    char path[4096];
    const char *build = getenv("DPAKIT_BUILD");
    struct dpk_buf elf = {0};
    struct dpk_image *image = NULL;
    struct dpk_error err = {0};
    snprintf(path, sizeof path, "%s/obj/tests/data/pcc/%s.elf", build ? build : "build", name);
    if (dpk_file_read(path, DPK_FILE_MAX, &elf, &err) != DPK_OK ||
        dpk_image_examine(name, NULL, elf.data, elf.size, &image, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_buf_free(&elf);
    return image;
}

static inline enum dpk_status pcc_try(const char *name, struct dpk_pcc_options o,
                                      struct pcc_world *w, struct dpk_pcc **out,
                                      struct dpk_error *err)
{
    struct dpk_image *image = pcc_image(name);
    if (w) {
        o.now = world_now;
        o.counter = world_counter;
        o.print = world_print;
        o.trace = world_trace;
        o.flush = world_flush;
        o.context = w;
    }
    enum dpk_status status = dpk_pcc_open(image, &o, out, err);
    dpk_image_free(image);
    return status;
}

static inline struct dpk_pcc *pcc_open(const char *name, struct dpk_pcc_options o,
                                       struct pcc_world *w)
{
    struct dpk_pcc *pcc = NULL;
    struct dpk_error err = {0};
    if (pcc_try(name, o, w, &pcc, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return pcc;
}

static inline void pcc_set(struct dpk_pcc *pcc, unsigned parameter, uint32_t value)
{
    struct dpk_error err = {0};
    if (dpk_pcc_set_parameter(pcc, 0, SLOT, parameter, value, &err) != DPK_OK)
        fail_msg("%s", err.message);
}

/* Asks the program rp by its mailbox. */
static inline uint64_t pcc_ask(struct dpk_pcc *pcc, uint64_t what, uint64_t a, uint64_t b)
{
    const uint64_t request[3] = {what, a, b};
    uint64_t response = 0;
    size_t size = sizeof response;
    uint32_t returned = 77;
    struct dpk_error err = {0};
    if (dpk_pcc_mailbox(pcc, request, sizeof request, &response, &size, &returned, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(returned, 0);
    assert_int_equal(size, sizeof response);
    return response;
}

#endif
