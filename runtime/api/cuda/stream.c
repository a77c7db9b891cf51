#include "private.h"

#include <stdlib.h>

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    struct dpk_stream *s = NULL;
    if (!stream || flags > cudaStreamNonBlocking)
        return cuda_error(cudaErrorInvalidValue);
    cuda_driver_use();
    const int error = dpk_stream_create(flags, &s);
    if (!error)
        *stream = (cudaStream_t)s;
    return cuda_error(error);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    (void)priority; /* there is one priority */
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return cuda_error(dpk_stream_destroy(cuda_stream(stream)));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return cuda_error(dpk_stream_wait(cuda_stream(stream)));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return cuda_error(dpk_stream_query(cuda_stream(stream)));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    if (!flags)
        return cuda_error(cudaErrorInvalidValue);
    return cuda_error(dpk_stream_flags(cuda_stream(stream), flags));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    if (flags > 1)
        return cuda_error(cudaErrorInvalidValue);
    return cuda_error(dpk_stream_wait_event(cuda_stream(stream), cuda_event(event)));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *userData)
{
    if (!function)
        return cuda_error(cudaErrorInvalidValue);
    return cuda_error(dpk_stream_call(cuda_stream(stream), function, userData));
}

struct callback {
    cudaStreamCallback_t call;
    cudaStream_t stream;
    void *data;
};

static void call_back(void *context)
{
    struct callback *c = context;
    c->call(c->stream, (cudaError_t)dpk_gpu_failed(), c->data);
    free(c);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags)
{
    if (!callback || flags)
        return cuda_error(cudaErrorInvalidValue);
    struct callback *c = malloc(sizeof *c);
    if (!c)
        return cuda_error(cudaErrorMemoryAllocation);
    *c = (struct callback){.call = callback, .stream = stream, .data = userData};
    const int error = dpk_stream_call(cuda_stream(stream), call_back, c);
    if (error)
        free(c);
    return cuda_error(error);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    struct dpk_gpu_event *e = NULL;
    if (!event || flags > 7)
        return cuda_error(cudaErrorInvalidValue);
    cuda_driver_use();
    const int error = dpk_gpu_event_create(&e);
    if (!error)
        *event = (cudaEvent_t)e;
    return cuda_error(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return cuda_error(dpk_gpu_event_destroy(cuda_event(event)));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cuda_error(dpk_gpu_event_record(cuda_event(event), cuda_stream(stream)));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return cuda_error(dpk_gpu_event_wait(cuda_event(event)));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return cuda_error(dpk_gpu_event_query(cuda_event(event)));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    int64_t nanoseconds = 0;
    if (!milliseconds)
        return cuda_error(cudaErrorInvalidValue);
    const int error = dpk_gpu_event_elapsed(cuda_event(from), cuda_event(to), &nanoseconds);
    if (!error)
        *milliseconds = (float)((double)nanoseconds / 1e6);
    return cuda_error(error);
}
