#include "private.h"

static _Thread_local int last;

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define ERROR(name, number, text) {number, #name, text},
#include "errors.def"
#undef ERROR
};

cudaError_t cuda_error(int error)
{
    /* NOT_READY is an answer and not a failure, so it is not noted. */
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last = error;
    return (cudaError_t)error;
}

int cuda_error_noted(void)
{
    return last;
}

void cuda_error_note(int error)
{
    last = error;
}

cudaError_t cuda_error_because(int error, const struct dpk_error *why)
{
    if (error && why->message[0])
        fprintf(stderr, "dpakit: GPU: %s\n", why->message);
    return cuda_error(error);
}

cudaError_t cudaGetLastError(void)
{
    const int error = last ? last : dpk_gpu_failed();
    last = 0;
    return (cudaError_t)error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return (cudaError_t)(last ? last : dpk_gpu_failed());
}

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error)
            return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error)
            return errors[i].text;
    return "unrecognized error code";
}
