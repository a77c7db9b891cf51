/* streams: order, independence, events, calls of the host. */
#include "check.cuh"
#include <string.h>

__global__ void wait_for(volatile int *word, int value)
{
    while (*word != value)
        ;
}
__global__ void set(volatile int *word, int value)
{
    *word = value;
}
__global__ void append(int *list, int value)
{
    list[++list[0]] = value;
}

static void kernels_of_two_streams_run_at_once()
{
    cudaStream_t a, b;
    int *word = on_device<int>(nullptr, 1);
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    wait_for<<<20, 1, 0, a>>>(word, 7);
    CHECK(cudaStreamQuery(a) == cudaErrorNotReady);
    set<<<1, 1, 0, b>>>(word, 7);
    OK(cudaStreamSynchronize(b));
    OK(cudaStreamSynchronize(a));
    OK(cudaStreamQuery(a));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
}

static void the_host_stops_a_kernel_that_polls()
{
    int *word;
    OK(cudaHostAlloc(&word, sizeof *word, cudaHostAllocMapped));
    wait_for<<<2, 32>>>(word, 1);
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    *(volatile int *)word = 1;
    OK(cudaDeviceSynchronize());
    OK(cudaFreeHost(word));
}

__global__ void meet_until(volatile int *word, int value)
{
    while (*word != value)
        __syncwarp();
}

/* Threads that meet again and again are never out of work. */
static void kernels_whose_threads_meet_let_others_run()
{
    cudaStream_t a, b;
    int *word = on_device<int>(nullptr, 1);
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    meet_until<<<16, 32, 0, a>>>(word, 7); /* some for each worker */
    set<<<1, 1, 0, b>>>(word, 7);
    OK(cudaStreamSynchronize(b));
    OK(cudaStreamSynchronize(a));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaFree(word));
}

__global__ void meet_and_poll(volatile int *words)
{
    if (threadIdx.x < 32) {
        while (words[1] != 7)
            __syncwarp();
    } else {
        while (words[0] != 7)
            ;
        words[1] = 7;
    }
}

static void a_warp_that_meets_lets_others_of_its_block_poll()
{
    int *words;
    OK(cudaHostAlloc(&words, 2 * sizeof *words, cudaHostAllocMapped));
    words[0] = words[1] = 0;
    meet_and_poll<<<1, 33>>>(words);
    CHECK(cudaStreamQuery(0) == cudaErrorNotReady);
    *(volatile int *)words = 7;
    OK(cudaDeviceSynchronize());
    OK(cudaFreeHost(words));
}

static void call(void *data)
{
    ++*(int *)data;
}

static void a_stream_keeps_its_order()
{
    cudaStream_t s;
    int *list = on_device<int>(nullptr, 400), calls = 0;
    int *copy;
    OK(cudaMallocHost(&copy, 400 * sizeof(int)));
    OK(cudaStreamCreate(&s));
    for (int i = 1; i <= 300; i++)
        append<<<1, 1, 0, s>>>(list, i);
    OK(cudaLaunchHostFunc(s, call, &calls));
    OK(cudaMemcpyAsync(copy, list, 400 * sizeof(int), cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    CHECK(calls == 1 && copy[0] == 300);
    for (int i = 1; i <= 300; i++)
        CHECK(copy[i] == i);
    OK(cudaStreamDestroy(s));
}

static void a_stream_waits_for_an_event_of_another()
{
    cudaStream_t a, b;
    cudaEvent_t e, end;
    float milliseconds = -1;
    int *word = on_device<int>(nullptr, 2);
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaEventCreate(&e));
    OK(cudaEventCreate(&end));
    wait_for<<<1, 1, 0, a>>>(word, 1);
    OK(cudaEventRecord(e, a));
    OK(cudaStreamWaitEvent(b, e, 0));
    set<<<1, 1, 0, b>>>(word + 1, 5);
    OK(cudaEventRecord(end, b));
    CHECK(cudaEventQuery(e) == cudaErrorNotReady && cudaEventQuery(end) == cudaErrorNotReady);
    CHECK(cudaEventElapsedTime(&milliseconds, e, end) == cudaErrorNotReady);
    set<<<1, 1>>>(word, 1); /* the default stream does not wait for those */
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&milliseconds, e, end));
    CHECK(milliseconds >= 0 && from_device(word, 2)[1] == 5);
    OK(cudaEventDestroy(e));
    OK(cudaEventDestroy(end));
    CHECK(cudaEventQuery(e) == cudaErrorInvalidResourceHandle);
}

static void the_default_stream_waits_for_others()
{
    cudaStream_t a;
    int *list = on_device<int>(nullptr, 8);
    OK(cudaStreamCreate(&a));
    for (int i = 0; i < 3; i++) {
        append<<<1, 1, 0, a>>>(list, 1);
        append<<<1, 1>>>(list, 2);
    }
    OK(cudaDeviceSynchronize());
    const int *l = from_device(list, 8);
    CHECK(l[0] == 6);
    for (int i = 1; i <= 6; i++)
        CHECK(l[i] == 2 - i % 2);
}

static void rows_are_copied_and_filled()
{
    unsigned char *at, host[4][6];
    size_t pitch;
    OK(cudaMallocPitch(&at, &pitch, 5, 4));
    OK(cudaMemset2D(at, pitch, 7, 5, 4));
    memset(host, 1, sizeof host);
    OK(cudaMemcpy2D(host, 6, at, pitch, 5, 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        CHECK(host[i][0] == 7 && host[i][4] == 7 && host[i][5] == 1);
    OK(cudaFree(at));
    CHECK(cudaFree(at) == cudaErrorInvalidValue);
}

int main()
{
    kernels_of_two_streams_run_at_once();
    the_host_stops_a_kernel_that_polls();
    kernels_whose_threads_meet_let_others_run();
    a_warp_that_meets_lets_others_of_its_block_poll();
    a_stream_keeps_its_order();
    a_stream_waits_for_an_event_of_another();
    the_default_stream_waits_for_others();
    rows_are_copied_and_filled();
    puts("good");
    return 0;
}
