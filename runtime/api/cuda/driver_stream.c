/* Streams and events of the driver, which are the runtime's. */
#include "driver.h"

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    CUDA_DRIVER_CALL(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    CUDA_DRIVER_CALL(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    CUDA_DRIVER_CALL(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
    CUDA_DRIVER_CALL(cudaStreamSynchronize(stream));
}

CUresult cuStreamQuery(CUstream stream)
{
    CUDA_DRIVER_CALL(cudaStreamQuery(stream));
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    CUDA_DRIVER_CALL(cudaStreamGetFlags(stream, flags));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    CUDA_DRIVER_CALL(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *userData)
{
    CUDA_DRIVER_CALL(cudaLaunchHostFunc(stream, function, userData));
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    CUDA_DRIVER_CALL(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy_v2(CUevent event)
{
    CUDA_DRIVER_CALL(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    CUDA_DRIVER_CALL(cudaEventRecord(event, stream));
}

CUresult cuEventSynchronize(CUevent event)
{
    CUDA_DRIVER_CALL(cudaEventSynchronize(event));
}

CUresult cuEventQuery(CUevent event)
{
    CUDA_DRIVER_CALL(cudaEventQuery(event));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
    CUDA_DRIVER_CALL(cudaEventElapsedTime(milliseconds, from, to));
}
