/* Copies and fills. */
#include "private.h"

#include <string.h>

/* Returns true if all rows are inside one allocation. Memory that this library does not know is
 * accepted if it may be host memory. */
static bool is_inside(const void *at, size_t pitch, size_t width, size_t rows, bool device)
{
    struct dpk_gpu_memory m;
    if (!width || !rows)
        return true;
    if (!dpk_gpu_memory_find(at, &m))
        return at && !device;
    const size_t left = m.size - ((uintptr_t)at - m.base);
    if (rows > 1 && pitch > (SIZE_MAX - width) / (rows - 1))
        return false;
    /* A copy may continue from registered memory into other memory of the program. */
    return (rows - 1) * pitch + width <= left || m.kind == DPK_GPU_MEMORY_REGISTERED;
}

static int check(const struct dpk_stream_copy *c, enum cudaMemcpyKind kind)
{
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (c->rows > 1 && (c->to_pitch < c->width || c->from_pitch < c->width))
        return cudaErrorInvalidPitchValue;
    if (!is_inside(c->to, c->to_pitch, c->width, c->rows, to_device) ||
        !is_inside(c->from, c->from_pitch, c->width, c->rows, from_device))
        return cudaErrorInvalidValue;
    return dpk_gpu_failed();
}

static cudaError_t copy(const struct dpk_stream_copy *c, enum cudaMemcpyKind kind,
                        cudaStream_t stream, bool waits)
{
    struct dpk_stream_copy on_bus = *c;
    on_bus.to = dpk_gpu_memory_bus(c->to);
    on_bus.from = dpk_gpu_memory_bus(c->from);
    int error = check(c, kind);
    if (!error && c->width && c->rows)
        error = dpk_stream_copy(cuda_stream(stream), &on_bus);
    if (!error && waits)
        error = dpk_stream_wait(cuda_stream(stream));
    return cuda_error(error);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    const struct dpk_stream_copy c = {.to = to, .from = from, .width = size, .rows = 1};
    return copy(&c, kind, NULL, true);
}

/* Returns true for device memory and for pinned host memory. Other host memory is copied during the
 * call, because the program may change the memory after the call. */
static bool is_pinned(const void *at)
{
    struct dpk_gpu_memory m;
    return dpk_gpu_memory_find(at, &m);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    const struct dpk_stream_copy c = {.to = to, .from = from, .width = size, .rows = 1};
    return copy(&c, kind, stream, !is_pinned(to) || !is_pinned(from));
}

cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    const struct dpk_stream_copy c = {.to = to,
                                      .from = from,
                                      .width = width,
                                      .rows = height,
                                      .to_pitch = toPitch,
                                      .from_pitch = fromPitch};
    return copy(&c, kind, NULL, true);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    const struct dpk_stream_copy c = {.to = to,
                                      .from = from,
                                      .width = width,
                                      .rows = height,
                                      .to_pitch = toPitch,
                                      .from_pitch = fromPitch};
    return copy(&c, kind, stream, !is_pinned(to) || !is_pinned(from));
}

static cudaError_t fill(const struct dpk_stream_fill *f, cudaStream_t stream, bool waits)
{
    if (f->count > SIZE_MAX / f->size ||
        !is_inside(f->to, f->pitch, f->count * f->size, f->rows, true) ||
        (f->rows > 1 && f->pitch < f->count))
        return cuda_error(cudaErrorInvalidValue);
    struct dpk_stream_fill on_bus = *f;
    on_bus.to = dpk_gpu_memory_bus(f->to);
    int error = dpk_gpu_failed();
    if (!error && f->count && f->rows)
        error = dpk_stream_fill(cuda_stream(stream), &on_bus);
    if (!error && waits)
        error = dpk_stream_wait(cuda_stream(stream));
    return cuda_error(error);
}

cudaError_t cuda_copy_fill(void *to, uint32_t value, unsigned size, size_t count,
                           cudaStream_t stream, bool waits)
{
    const struct dpk_stream_fill f = {
        .to = to, .value = value, .size = size, .count = count, .rows = 1};
    return fill(&f, stream, waits);
}

cudaError_t cudaMemset(void *at, int value, size_t size)
{
    const struct dpk_stream_fill f = {
        .to = at, .value = (uint8_t)value, .size = 1, .count = size, .rows = 1};
    return fill(&f, NULL, true);
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t size, cudaStream_t stream)
{
    const struct dpk_stream_fill f = {
        .to = at, .value = (uint8_t)value, .size = 1, .count = size, .rows = 1};
    return fill(&f, stream, false);
}

cudaError_t cudaMemset2D(void *at, size_t pitch, int value, size_t width, size_t height)
{
    const struct dpk_stream_fill f = {.to = at,
                                      .value = (uint8_t)value,
                                      .size = 1,
                                      .count = width,
                                      .rows = height,
                                      .pitch = pitch};
    return fill(&f, NULL, true);
}

cudaError_t cudaMemPrefetchAsync(const void *at, size_t size, int device, cudaStream_t stream)
{
    struct dpk_gpu_memory m;
    unsigned flags;
    (void)size;
    if (!dpk_gpu_memory_find(at, &m) || m.kind != DPK_GPU_MEMORY_MANAGED || device > 0)
        return cuda_error(cudaErrorInvalidValue);
    return cuda_error(dpk_stream_flags(cuda_stream(stream), &flags));
}

/* Gets the address of `size` bytes of a variable. */
static int find_symbol(const void *symbol, size_t size, size_t offset, char **at)
{
    const struct dpk_gpu_variable *v = cuda_registry_variable(symbol);
    if (!v)
        return cudaErrorInvalidSymbol;
    if (offset > v->size || size > v->size - offset)
        return cudaErrorInvalidValue;
    *at = (char *)v->address + offset;
    return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    char *at = NULL;
    const int error = find_symbol(symbol, size, offset, &at);
    return error ? cuda_error(error) : cudaMemcpy(at, from, size, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    char *at = NULL;
    const int error = find_symbol(symbol, size, offset, &at);
    return error ? cuda_error(error) : cudaMemcpy(to, at, size, kind);
}
