/* Shared by the sources of streams. */
#ifndef DPK_GPU_STREAMS_PRIVATE_H
#define DPK_GPU_STREAMS_PRIVATE_H

#include "streams.h"

enum operation_kind { OP_LAUNCH, OP_COPY, OP_FILL, OP_CALL, OP_RECORD, OP_WAIT };

/* One piece of work. Allocated; launches have their arguments behind it. */
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
            uint64_t generation; /* record of the event */
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
    uint64_t recorded, reached; /* number of the latest record, and of the latest that is reached */
    uint64_t time;
    unsigned users; /* operations */
    bool destroyed;
};

/* ---- order.c: the order of work. Functions with a stream lock and unlock themselves. ---- */
void stream_lock(void);
void stream_unlock(void);
/* Sleeps until work has ended. The caller holds the lock. */
void stream_sleep(void);
/* Returns the stream, the default one for NULL, or NULL if there is no such stream. Locked. */
struct dpk_stream *stream_find(struct dpk_stream *s);
struct dpk_gpu_event *stream_find_event(struct dpk_gpu_event *e);
void stream_add_event(struct dpk_gpu_event *e);
void stream_drop_event(struct dpk_gpu_event *e);
/* Gives an operation to the stream, which owns it then. Returns 0, or an error: it is freed. */
int stream_submit(struct dpk_stream *s, struct operation *op);

#endif
