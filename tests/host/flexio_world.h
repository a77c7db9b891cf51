/* What the behaviours of libflexio share: a device, a process, a stream. */
#ifndef TESTS_FLEXIO_WORLD_H
#define TESTS_FLEXIO_WORLD_H

#include <string.h>
#include <unistd.h>

#include "app.h"

#define OK FLEXIO_STATUS_SUCCESS

static struct ibv_context *context;

static inline struct ibv_context *open_device(const char *name)
{
    struct ibv_context *c = NULL;
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list);
    for (size_t i = 0; list[i] && !c; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            c = ibv_open_device(list[i]);
    ibv_free_device_list(list);
    return c;
}

static inline struct flexio_process *process_new(void)
{
    struct flexio_process *p = NULL;
    CHECK(flexio_process_create(context, test_app, NULL, &p) == OK);
    return p;
}

static inline struct flexio_msg_stream *stream_new(struct flexio_process *p,
                                                   flexio_log_dev_sync_mode mode,
                                                   flexio_msg_dev_level level, FILE *out)
{
    struct flexio_msg_stream *s = NULL;
    flexio_msg_stream_attr_t attr = {.data_bsize = 4096, .sync_mode = mode, .level = level};
    CHECK(flexio_msg_stream_create(p, &attr, out, NULL, &s) == OK);
    return s;
}

static inline void device_counts(struct flexio_process *p, uint64_t stream, uint64_t level,
                                 uint64_t n)
{
    uint64_t result = 0;
    CHECK(flexio_process_call(p, &count, &result, stream, level, n) == OK && result == n);
}

/* Reads what was printed to `f`, and empties it. */
static inline char *printed(FILE *f)
{
    static char text[1 << 20];
    rewind(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    rewind(f);
    CHECK(ftruncate(fileno(f), 0) == 0);
    return text;
}

static inline size_t lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* The body of main, after its table of cases. */
static inline int run_case(const struct test_case *cases, size_t count, int argc, char **argv)
{
    const struct test_case *c = find_case(cases, count, argc, argv);
    if (!c)
        return 98;
    CHECK((context = open_device("mlx5_0")));
    c->run();
    CHECK(ibv_close_device(context) == 0);
    return 0;
}

#endif
