/*
 * streams: run work of the emulated GPU in its order: launches, copies, host functions, events.
 * Streams are independent of each other, with one exception: the default stream (NULL) and streams
 * without DPK_STREAM_NON_BLOCKING wait for each other's earlier work.
 *
 *     struct dpk_stream *s;
 *     dpk_stream_create(0, &s);
 *     dpk_stream_launch(s, &launch);
 *     dpk_stream_wait(s);                        // returns the launch's failure
 *     dpk_stream_destroy(s);
 *
 * Functions return 0 or an error. Errors have the numbers of CUDA.
 */
#ifndef DPK_GPU_STREAMS_STREAMS_H
#define DPK_GPU_STREAMS_STREAMS_H

#include "gpu/blocks/blocks.h"

enum dpk_gpu_error {
    DPK_GPU_OK = 0,
    DPK_GPU_INVALID_VALUE = 1,
    DPK_GPU_NO_MEMORY = 2,
    DPK_GPU_INVALID_CONFIGURATION = 9,
    DPK_GPU_INVALID_HANDLE = 400,
    DPK_GPU_NOT_READY = 600,
    DPK_GPU_ILLEGAL_ADDRESS = 700,
    DPK_GPU_OUT_OF_RESOURCES = 701,
    DPK_GPU_ASSERT = 710,
    DPK_GPU_STACK_ERROR = 714,
    DPK_GPU_ILLEGAL_INSTRUCTION = 715,
    DPK_GPU_LAUNCH_FAILURE = 719,
    DPK_GPU_COOPERATIVE_TOO_LARGE = 720,
};

struct dpk_stream;    /* NULL: the default stream */
struct dpk_gpu_event; /* a point in a stream's work */

enum { DPK_STREAM_NON_BLOCKING = 1 };

int dpk_stream_create(unsigned flags, struct dpk_stream **out);
/* Destroys the stream when its submitted work is done; does not wait for it. */
int dpk_stream_destroy(struct dpk_stream *s);
int dpk_stream_flags(struct dpk_stream *s, unsigned *out);
/* Waits for all work of the stream, or of all streams. Returns the device's error. */
int dpk_stream_wait(struct dpk_stream *s);
int dpk_stream_wait_all(void);
/* Returns NOT_READY if the stream has work that has not ended. */
int dpk_stream_query(struct dpk_stream *s);

struct dpk_stream_launch {
    const struct dpk_gpu_kernel *kernel;
    uint32_t blocks[3], threads[3];
    uint32_t dynamic;      /* bytes */
    uint32_t shared_limit; /* largest sum of static and dynamic shared memory, in bytes */
    void **args;           /* copied */
    bool cooperative;      /* all blocks run at once */
};
/* Starts a kernel after the earlier work of the stream. `why`, if not NULL, receives the reason of
 * an error. */
int dpk_stream_launch(struct dpk_stream *s, const struct dpk_stream_launch *launch,
                      struct dpk_error *why);
/* Copies `rows` rows of `width` bytes. A pitch is the distance between the starts of two rows. */
struct dpk_stream_copy {
    void *to;
    const void *from;
    size_t width, rows, to_pitch, from_pitch;
};
int dpk_stream_copy(struct dpk_stream *s, const struct dpk_stream_copy *copy);
/* Writes `count` values of `size` bytes (1, 2 or 4) into each of `rows` rows. */
struct dpk_stream_fill {
    void *to;
    uint32_t value, size;
    size_t count, rows, pitch;
};
int dpk_stream_fill(struct dpk_stream *s, const struct dpk_stream_fill *fill);
int dpk_stream_call(struct dpk_stream *s, void (*call)(void *), void *context);

int dpk_gpu_event_create(struct dpk_gpu_event **out);
int dpk_gpu_event_destroy(struct dpk_gpu_event *e);
int dpk_gpu_event_record(struct dpk_gpu_event *e, struct dpk_stream *s);
int dpk_gpu_event_wait(struct dpk_gpu_event *e);
int dpk_gpu_event_query(struct dpk_gpu_event *e);
/* Gets the nanoseconds between two events. NOT_READY: one of them is not reached yet. */
int dpk_gpu_event_elapsed(struct dpk_gpu_event *from, struct dpk_gpu_event *to, int64_t *out);
/* Lets later work of the stream wait for the latest record of the event. */
int dpk_stream_wait_event(struct dpk_stream *s, struct dpk_gpu_event *e);

/* Returns the error of a kernel that failed, or 0. After such an error, the device runs no work
 * until dpk_gpu_reset. */
int dpk_gpu_failed(void);
void dpk_gpu_reset(void);

#endif
