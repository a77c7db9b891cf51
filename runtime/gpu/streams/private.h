/* Shared by the sources of streams. */
#ifndef DPK_GPU_STREAMS_PRIVATE_H
#define DPK_GPU_STREAMS_PRIVATE_H

#include "streams.h"

enum operation_kind { OP_LAUNCH, OP_COPY, OP_FILL, OP_CALL, OP_RECORD, OP_WAIT };

/* A piece of work, allocated. The arguments of a launch follow the structure. */
struct operation {
    enum operation_kind kind;
    struct operation *next;
    struct dpk_stream *stream;
    uint64_t number; /* order of submission */
    bool started;
    union {
        struct dpk_grid grid;
        struct dpk_stream_copy copy;
        struct dpk_stream_fill fill;
        struct {
            void (*call)(void *);
            void *context;
        } host;
        struct {
            struct dpk_gpu_event *event;
            uint64_t generation; /* record that is made or awaited */
        } event;
    };
};

struct dpk_stream {
    struct dpk_stream *next;
    unsigned flags;
    bool destroyed;
    struct operation *first, **last;
};

struct dpk_gpu_event {
    struct dpk_gpu_event *next;
    uint64_t recorded, reached; /* numbers of the latest record, and of the latest reached */
    uint64_t time;
    unsigned users; /* operations that refer to the event */
    bool destroyed;
};

/* ---- order.c: the order of work. ---- */
void stream_lock(void);
void stream_unlock(void);
/* Sleeps until some work has ended. Call this with the lock. */
void stream_sleep(void);
/* Returns the stream; for NULL, the default stream. Returns NULL if the stream does not exist. Call
 * this with the lock. */
struct dpk_stream *stream_find(struct dpk_stream *s);
struct dpk_gpu_event *stream_find_event(struct dpk_gpu_event *e);
void stream_add_event(struct dpk_gpu_event *e);
void stream_drop_event(struct dpk_gpu_event *e);
/* Gives an operation to a stream, which then owns it. Call this without the lock. Returns 0, or an
 * error; then the operation is freed. */
int stream_submit(struct dpk_stream *s, struct operation *op);

#endif
