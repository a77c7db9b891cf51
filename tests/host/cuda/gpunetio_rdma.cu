/* gpunetio_rdma: kernels write, read, send and receive by two connected contexts of DOCA RDMA. */
#include <doca_buf_array.h>
#include <doca_gpunetio_dev_rdma.cuh>
#include <doca_rdma.h>

#include "prototypes.cuh"
#include "world.cuh"

enum { THREADS = 64, SLOT = 128, SIZE = THREADS * SLOT, ROUNDS = 10 };

/* One side: a context, memory of the GPU, and an array of the peer's memory. */
struct side {
    struct doca_rdma *rdma;
    struct doca_gpu_dev_rdma *handle;
    struct doca_rdma_connection *connection;
    struct doca_mmap *map, *peers_map;
    struct doca_buf_arr *arrays[2];
    struct doca_gpu_buf_arr *mine, *peers;
    uint8_t *at;
};

/* ---- Kernels ---- */

enum { RESULTS = 32 };
struct outcome {
    doca_error_t results[RESULTS];
    uint32_t numbers[RESULTS];
};

static __device__ struct doca_gpu_buf *buf_of(const struct doca_gpu_buf_arr *array, uint64_t i)
{
    struct doca_gpu_buf *buf;
    doca_gpu_dev_buf_get_buf(array, i, &buf);
    return buf;
}

/* Each thread writes a slot in each round: more than the queue has places. */
__global__ void writes(struct doca_gpu_dev_rdma *rdma, struct doca_gpu_buf_arr *mine, struct doca_gpu_buf_arr *peers,
                       bool weak, struct outcome *out)
{
    __shared__ uint32_t position, mask;
    struct doca_gpu_buf *local = buf_of(mine, threadIdx.x), *remote = buf_of(peers, threadIdx.x);
    uintptr_t at;
    doca_gpu_dev_buf_get_addr(local, &at);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (threadIdx.x == 0)
            doca_gpu_dev_rdma_get_info(rdma, 0, &position, &mask);
        ((uint32_t *)at)[round] = round * 1000 + threadIdx.x;
        __syncthreads();
        const doca_error_t result =
            weak ? doca_gpu_dev_rdma_write_weak(rdma, 0, remote, round * 4, local, round * 4, 4, 0,
                                                DOCA_GPU_RDMA_WRITE_FLAG_NONE, (position + threadIdx.x) & mask)
                 : doca_gpu_dev_rdma_write_strong(rdma, 0, remote, round * 4, local, round * 4, 4, 0,
                                                  DOCA_GPU_RDMA_WRITE_FLAG_NONE);
        if (result != DOCA_SUCCESS)
            atomicAdd(&out->numbers[0], 1u);
        __syncthreads();
        if (threadIdx.x == 0 && (weak ? doca_gpu_dev_rdma_commit_weak(rdma, 0, THREADS)
                                      : doca_gpu_dev_rdma_commit_strong(rdma, 0)) != DOCA_SUCCESS)
            atomicAdd(&out->numbers[0], 1u);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out->results[0] = doca_gpu_dev_rdma_wait_all(rdma, &out->numbers[1]);
}

/* One thread sends from one side and receives on the other. */
__global__ void messages(struct doca_gpu_dev_rdma *a, struct doca_gpu_dev_rdma *b, struct doca_gpu_buf_arr *of_a,
                         struct doca_gpu_buf_arr *of_b, struct doca_gpu_buf_arr *a_sees, struct outcome *out)
{
    struct doca_gpu_dev_rdma_r *receives;
    uint32_t *n = out->numbers, imms[4], connections[4];
    doca_error_t *r = out->results;
    uint8_t bytes[64];
    r[0] = doca_gpu_dev_rdma_get_recv(b, &receives);
    r[1] = doca_gpu_dev_rdma_recv_wait_all(receives, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &n[0], imms, connections);
    r[2] = doca_gpu_dev_rdma_recv_strong(receives, buf_of(of_b, 1), SLOT, 0, 0);
    r[3] = doca_gpu_dev_rdma_recv_strong(receives, NULL, 0, 0, 0);
    r[4] = doca_gpu_dev_rdma_recv_commit_strong(receives);
    r[5] = doca_gpu_dev_rdma_recv_wait_all(receives, DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB, &n[1], imms, connections);
    r[6] = doca_gpu_dev_rdma_send_strong(a, 0, buf_of(of_a, 1), 0, SLOT, 7, DOCA_GPU_RDMA_SEND_FLAG_IMM);
    r[7] = doca_gpu_dev_rdma_write_strong(a, 0, buf_of(a_sees, 2), 0, buf_of(of_a, 2), 0, SLOT, 9,
                                          DOCA_GPU_RDMA_WRITE_FLAG_IMM);
    r[8] = doca_gpu_dev_rdma_commit_strong(a, 0);
    r[9] = doca_gpu_dev_rdma_recv_wait_all(receives, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &n[2], imms, connections);
    n[3] = imms[0], n[4] = imms[1], n[5] = connections[0], n[6] = connections[1];
    r[10] = doca_gpu_dev_rdma_read_strong(a, 0, buf_of(a_sees, 1), 0, buf_of(of_a, 3), 0, SLOT, 0);
    r[11] = doca_gpu_dev_rdma_commit_strong(a, 0);
    r[12] = doca_gpu_dev_rdma_wait_all(a, &n[7]);
    /* Inline, at chosen positions, and for receives of a chosen position. */
    uint32_t position, mask;
    r[13] = doca_gpu_dev_rdma_recv_get_info(receives, &position, &mask);
    n[8] = position, n[9] = mask;
    r[14] = doca_gpu_dev_rdma_recv_weak(receives, buf_of(of_b, 4), 64, 0, 0, position);
    r[15] = doca_gpu_dev_rdma_recv_commit_weak(receives, 1);
    for (int i = 0; i < 64; i++)
        bytes[i] = (uint8_t)(i + 1);
    r[16] = doca_gpu_dev_rdma_get_info(a, 0, &position, &mask);
    r[17] = doca_gpu_dev_rdma_send_inline_weak(a, 0, bytes, 64, 0, DOCA_GPU_RDMA_SEND_FLAG_NONE, position & mask);
    bytes[0] = 100;
    r[18] = doca_gpu_dev_rdma_write_inline_weak(a, 0, buf_of(a_sees, 5), 3, bytes, 2, 0,
                                                DOCA_GPU_RDMA_WRITE_FLAG_NONE, (position + 1) & mask);
    r[19] = doca_gpu_dev_rdma_commit_weak(a, 0, 2);
    r[20] = doca_gpu_dev_rdma_wait_all(a, &n[10]);
    r[21] = doca_gpu_dev_rdma_recv_wait_all(receives, DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &n[11], NULL, NULL);
}

/* The functions of DOCA 2.7: the context's only connection. */
__global__ void single(struct doca_gpu_dev_rdma *a, struct doca_gpu_dev_rdma *b, struct doca_gpu_buf_arr *of_a,
                       struct doca_gpu_buf_arr *of_b, struct doca_gpu_buf_arr *a_sees, struct outcome *out)
{
    struct doca_gpu_dev_rdma_r *receives;
    enum doca_rdma_opcode opcode = DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM;
    uint32_t *n = out->numbers, position, mask, imm = 0;
    uint64_t hdl[3];
    doca_error_t *r = out->results;
    r[0] = doca_gpu_dev_rdma_get_recv(b, &receives);
    r[1] = doca_gpu_dev_rdma_recv_strong(receives, buf_of(of_b, 1), SLOT, 0, 0, &hdl[0]);
    r[2] = doca_gpu_dev_rdma_recv_strong(receives, NULL, 0, 0, 0, &hdl[1]);
    r[3] = doca_gpu_dev_rdma_recv_commit_strong(receives);
    n[0] = doca_gpu_dev_rdma_recv_wait(receives, &hdl[0], DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB, &opcode, &imm) ==
           DOCA_ERROR_AGAIN;
    r[4] = doca_gpu_dev_rdma_send_strong(a, buf_of(of_a, 1), 0, SLOT, 0, DOCA_GPU_RDMA_WRITE_FLAG_NONE);
    r[5] = doca_gpu_dev_rdma_write_strong(a, buf_of(a_sees, 2), 0, buf_of(of_a, 2), 0, SLOT, 9,
                                          DOCA_GPU_RDMA_WRITE_FLAG_IMM);
    r[6] = doca_gpu_dev_rdma_commit_strong(a);
    r[7] = doca_gpu_dev_rdma_flush(a);
    /* In any order. */
    r[8] = doca_gpu_dev_rdma_recv_wait(receives, &hdl[1], DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &opcode, &imm);
    n[1] = opcode, n[2] = imm;
    r[9] = doca_gpu_dev_rdma_recv_wait(receives, &hdl[0], DOCA_GPU_RDMA_RECV_WAIT_FLAG_NB, &opcode, &imm);
    n[3] = opcode;
    r[10] = doca_gpu_dev_rdma_read_strong(a, buf_of(a_sees, 1), 0, buf_of(of_a, 3), 0, SLOT, 0);
    r[11] = doca_gpu_dev_rdma_commit_strong(a);
    r[12] = doca_gpu_dev_rdma_flush(a);
    r[13] = doca_gpu_dev_rdma_recv_get_info(receives, &position, &mask);
    r[14] = doca_gpu_dev_rdma_recv_weak(receives, buf_of(of_b, 4), SLOT, 0, 0, position, &hdl[2]);
    r[15] = doca_gpu_dev_rdma_recv_commit_weak(receives, 1);
    r[16] = doca_gpu_dev_rdma_get_info(a, &position, &mask);
    r[17] = doca_gpu_dev_rdma_send_weak(a, buf_of(of_a, 4), 0, SLOT, 11, DOCA_GPU_RDMA_WRITE_FLAG_IMM, position);
    r[18] = doca_gpu_dev_rdma_write_weak(a, buf_of(a_sees, 5), 0, buf_of(of_a, 5), 0, SLOT, 0,
                                         DOCA_GPU_RDMA_WRITE_FLAG_NONE, (position + 1) & mask);
    r[19] = doca_gpu_dev_rdma_read_weak(a, buf_of(a_sees, 2), 0, buf_of(of_a, 6), 0, SLOT, 0, (position + 2) & mask);
    r[20] = doca_gpu_dev_rdma_commit_weak(a, 3);
    r[21] = doca_gpu_dev_rdma_flush(a);
    r[22] = doca_gpu_dev_rdma_recv_wait(receives, &hdl[2], DOCA_GPU_RDMA_RECV_WAIT_FLAG_B, &opcode, &imm);
    n[4] = opcode, n[5] = imm;
    r[23] = doca_gpu_dev_rdma_recv_wait_all(receives);
    n[6] = doca_gpu_dev_rdma_recv_strong(receives, NULL, 0, 0, 0, NULL) == DOCA_ERROR_INVALID_VALUE;
}

__global__ void refused(struct doca_gpu_dev_rdma *a, struct doca_gpu_buf_arr *of_a, struct doca_gpu_buf_arr *a_sees,
                        struct outcome *out)
{
    uint8_t bytes[65] = {0};
    doca_error_t *r = out->results;
    struct doca_gpu_buf *local = buf_of(of_a, 0), *remote = buf_of(a_sees, 0);
    r[0] = doca_gpu_dev_rdma_commit_strong(a, 1);
    r[1] = doca_gpu_dev_rdma_commit_strong(a, 2);
    r[2] = doca_gpu_dev_rdma_commit_strong(NULL, 0);
    r[3] = doca_gpu_dev_rdma_read_strong(a, 0, buf_of(a_sees, THREADS), 0, local, 0, 4, 0);
    r[4] = doca_gpu_dev_rdma_send_inline_strong(a, 0, bytes, 65, 0, DOCA_GPU_RDMA_SEND_FLAG_NONE);
    r[5] = doca_gpu_dev_rdma_commit_weak(a, 0, THREADS + 1);
    for (int i = 0; i <= THREADS; i++)
        r[6] = doca_gpu_dev_rdma_read_strong(a, 0, remote, 0, local, 0, 4, 0);
    r[7] = doca_gpu_dev_rdma_commit_strong(a, 0);
    r[8] = doca_gpu_dev_rdma_write_strong(a, 0, remote, SIZE, local, 0, 4, 0, DOCA_GPU_RDMA_WRITE_FLAG_NONE);
    doca_gpu_dev_rdma_commit_strong(a, 0);
    r[9] = doca_gpu_dev_rdma_wait_all(a, out->numbers);
    r[10] = doca_gpu_dev_rdma_write_strong(a, 0, remote, 0, local, 0, 4, 0, DOCA_GPU_RDMA_WRITE_FLAG_NONE);
}

/* ---- The two sides ---- */

static struct doca_gpu_buf_arr *array_of(struct doca_gpu *gpu, struct doca_mmap *map, struct doca_buf_arr **out)
{
    struct doca_gpu_buf_arr *handle;
    DONE(doca_buf_arr_create(THREADS, out));
    DONE(doca_buf_arr_set_params(*out, map, SLOT, 0));
    DONE(doca_buf_arr_set_target_gpu(*out, gpu));
    DONE(doca_buf_arr_start(*out));
    DONE(doca_buf_arr_get_gpu_handle(*out, &handle));
    return handle;
}

static void open_side(struct side *s, struct doca_dev *dev, struct doca_gpu *gpu)
{
    const uint32_t permissions =
        DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_READ;
    DONE(doca_rdma_create(dev, &s->rdma));
    struct doca_ctx *ctx = doca_rdma_as_ctx(s->rdma);
    DONE(doca_rdma_set_permissions(s->rdma, permissions));
    DONE(doca_rdma_set_send_queue_size(s->rdma, THREADS - 1));
    DONE(doca_rdma_set_recv_queue_size(s->rdma, 16));
    DONE(doca_rdma_set_max_num_connections(s->rdma, 2));
    DONE(doca_ctx_set_datapath_on_gpu(ctx, gpu));
    CHECK(doca_rdma_get_gpu_handle(s->rdma, &s->handle) == DOCA_ERROR_BAD_STATE && !s->handle);
    DONE(doca_ctx_start(ctx));
    DONE(doca_rdma_get_gpu_handle(s->rdma, &s->handle));
    s->map = gpu_map_new(gpu, dev, SIZE, permissions, (void **)&s->at);
    s->mine = array_of(gpu, s->map, &s->arrays[0]);
}

/* Makes what `s` knows of `peer`. */
static void meet(struct side *s, const struct side *peer, struct doca_dev *dev, struct doca_gpu *gpu)
{
    const void *bytes;
    size_t size;
    DONE(doca_mmap_export_rdma(peer->map, dev, &bytes, &size));
    DONE(doca_mmap_create_from_export(NULL, bytes, size, dev, &s->peers_map));
    s->peers = array_of(gpu, s->peers_map, &s->arrays[1]);
}

static void connect_sides(struct side *a, struct side *b)
{
    const void *of_a, *of_b;
    size_t a_size, b_size;
    DONE(doca_rdma_export(a->rdma, &of_a, &a_size, &a->connection));
    DONE(doca_rdma_export(b->rdma, &of_b, &b_size, &b->connection));
    DONE(doca_rdma_connect(a->rdma, of_b, b_size, a->connection));
    DONE(doca_rdma_connect(b->rdma, of_a, a_size, b->connection));
}

static void close_side(struct side *s)
{
    DONE(doca_buf_arr_destroy(s->arrays[0]));
    DONE(doca_buf_arr_destroy(s->arrays[1]));
    DONE(doca_ctx_stop(doca_rdma_as_ctx(s->rdma)));
    DONE(doca_rdma_destroy(s->rdma));
    DONE(doca_mmap_destroy(s->peers_map));
    DONE(doca_mmap_destroy(s->map));
}

/* ---- Cases ---- */

static struct outcome *take(struct outcome *on_gpu)
{
    OK(cudaDeviceSynchronize());
    struct outcome *o = from_device(on_gpu, 1);
    OK(cudaMemset(on_gpu, 0, sizeof *on_gpu));
    return o;
}

static void write_all(const struct side *a, const struct side *b, bool weak, struct outcome *on_gpu)
{
    OK(cudaMemset(b->at, 0, SIZE));
    writes<<<1, THREADS>>>(a->handle, a->mine, a->peers, weak, on_gpu);
    const struct outcome *o = take(on_gpu);
    CHECK(o->results[0] == DOCA_SUCCESS && o->numbers[0] == 0 && o->numbers[1] == ROUNDS);
    const uint32_t *words = from_device((uint32_t *)b->at, SIZE / 4);
    for (uint32_t i = 0; i < THREADS; i++)
        for (uint32_t round = 0; round < ROUNDS; round++)
            CHECK(words[i * (SLOT / 4) + round] == round * 1000 + i);
}

static void pass_messages(const struct side *a, const struct side *b, struct outcome *on_gpu)
{
    uint8_t bytes[SIZE];
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 7 + i / SLOT);
    OK(cudaMemcpy(a->at, bytes, SIZE, cudaMemcpyHostToDevice));
    OK(cudaMemset(b->at, 0, SIZE));
    messages<<<1, 1>>>(a->handle, b->handle, a->mine, b->mine, a->peers, on_gpu);
    const struct outcome *o = take(on_gpu);
    for (int i = 0; i < 22; i++)
        if (o->results[i] != DOCA_SUCCESS)
            printf("result %d: %s\n", i, doca_error_get_name(o->results[i]));
    const uint32_t wanted[] = {0, 0, 2, 7, 9, 0, 0, 2, 2, 15, 1, 1};
    for (int i = 0; i < 12; i++)
        if (o->numbers[i] != wanted[i])
            printf("number %d: %u\n", i, o->numbers[i]);
    CHECK(memcmp(o->numbers, wanted, sizeof wanted) == 0);
    const uint8_t *of_a = from_device(a->at, SIZE), *of_b = from_device(b->at, SIZE);
    CHECK(memcmp(of_b + SLOT, bytes + SLOT, 2 * SLOT) == 0);
    CHECK(memcmp(of_a + 3 * SLOT, bytes + SLOT, SLOT) == 0);
    CHECK(of_b[4 * SLOT] == 1 && of_b[4 * SLOT + 63] == 64);
    CHECK(of_b[5 * SLOT + 3] == 100 && of_b[5 * SLOT + 4] == 2 && of_b[5 * SLOT + 5] == 0);
}

static void use_the_only_connection(const struct side *a, const struct side *b, struct outcome *on_gpu)
{
    uint8_t bytes[SIZE];
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 11 + i / SLOT);
    OK(cudaMemcpy(a->at, bytes, SIZE, cudaMemcpyHostToDevice));
    OK(cudaMemset(b->at, 0, SIZE));
    single<<<1, 1>>>(a->handle, b->handle, a->mine, b->mine, a->peers, on_gpu);
    const struct outcome *o = take(on_gpu);
    for (int i = 0; i < 24; i++)
        if (o->results[i] != DOCA_SUCCESS)
            printf("result %d: %s\n", i, doca_error_get_name(o->results[i]));
    const uint32_t wanted[] = {
        1, DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM, 9, DOCA_RDMA_OPCODE_RECV_SEND, DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM,
        11, 1};
    CHECK(memcmp(o->numbers, wanted, sizeof wanted) == 0);
    const uint8_t *of_a = from_device(a->at, SIZE), *of_b = from_device(b->at, SIZE);
    CHECK(memcmp(of_b + SLOT, bytes + SLOT, 2 * SLOT) == 0 && memcmp(of_b + 4 * SLOT, bytes + 4 * SLOT, 2 * SLOT) == 0);
    CHECK(memcmp(of_a + 3 * SLOT, bytes + SLOT, SLOT) == 0 && memcmp(of_a + 6 * SLOT, bytes + 2 * SLOT, SLOT) == 0);
}

static void refuse(const struct side *a, struct outcome *on_gpu)
{
    refused<<<1, 1>>>(a->handle, a->mine, a->peers, on_gpu);
    const doca_error_t *r = take(on_gpu)->results;
    CHECK(r[0] == DOCA_ERROR_NOT_CONNECTED && r[1] == DOCA_ERROR_NOT_CONNECTED);
    for (int i = 2; i <= 5; i++)
        CHECK(r[i] == DOCA_ERROR_INVALID_VALUE);
    CHECK(r[6] == DOCA_ERROR_FULL && r[7] == DOCA_SUCCESS && r[8] == DOCA_SUCCESS);
    CHECK(r[9] == DOCA_ERROR_IO_FAILED && r[10] == DOCA_ERROR_IO_FAILED);
}

int main()
{
    struct doca_dev *dev = NULL;
    struct doca_gpu *gpu = NULL;
    struct side a = {}, b = {};
    struct outcome *on_gpu = on_device<struct outcome>(NULL, 1);
    OK(cudaMemset(on_gpu, 0, sizeof *on_gpu));
    open_device(&dev, &gpu);
    open_side(&a, dev, gpu);
    open_side(&b, dev, gpu);
    meet(&a, &b, dev, gpu);
    meet(&b, &a, dev, gpu);
    connect_sides(&a, &b);
    write_all(&a, &b, false, on_gpu);
    write_all(&b, &a, true, on_gpu);
    pass_messages(&a, &b, on_gpu);
    use_the_only_connection(&b, &a, on_gpu);
    refuse(&a, on_gpu);
    close_side(&a);
    close_side(&b);
    DONE(doca_dev_close(dev));
    DONE(doca_gpu_destroy(gpu));
    puts("good");
}
