/*
 * cooperative_groups: threads of a block, of a part of a warp, and of a grid, as objects.
 *
 *     namespace cg = cooperative_groups;
 *     cg::thread_block block = cg::this_thread_block();
 *     auto tile = cg::tiled_partition<8>(block);
 *     int sum = value;
 *     for (int i = tile.size() / 2; i; i /= 2)
 *         sum += tile.shfl_down(sum, i);
 *     block.sync();
 *
 * A function in which threads wait is called by all threads of its group. Groups of threads that
 * have met by chance (coalesced_threads) and clusters are not there.
 */
#ifndef DPAKIT_CUDA_COOPERATIVE_GROUPS_H
#define DPAKIT_CUDA_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#ifdef __CUDA__
#define DPAKIT_CUDA_GROUP __attribute__((always_inline)) __attribute__((device))

namespace cooperative_groups
{

/* The threads of a block. */
struct thread_block {
    static DPAKIT_CUDA_GROUP void sync()
    {
        dpk_gpu_barrier(0);
    }
    static DPAKIT_CUDA_GROUP unsigned thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static DPAKIT_CUDA_GROUP unsigned size()
    {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static DPAKIT_CUDA_GROUP unsigned num_threads()
    {
        return size();
    }
    static DPAKIT_CUDA_GROUP dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static DPAKIT_CUDA_GROUP dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static DPAKIT_CUDA_GROUP dim3 dim_threads()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static DPAKIT_CUDA_GROUP dim3 group_dim()
    {
        return dim_threads();
    }
};

DPAKIT_CUDA_GROUP inline thread_block this_thread_block()
{
    return thread_block();
}

/* The threads of a grid. sync() needs cudaLaunchCooperativeKernel. */
struct grid_group {
    static DPAKIT_CUDA_GROUP bool is_valid()
    {
        return true;
    }
    static DPAKIT_CUDA_GROUP void sync()
    {
        dpk_gpu_barrier_grid();
    }
    static DPAKIT_CUDA_GROUP unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static DPAKIT_CUDA_GROUP unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static DPAKIT_CUDA_GROUP unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static DPAKIT_CUDA_GROUP unsigned long long size()
    {
        return num_blocks() * thread_block::size();
    }
    static DPAKIT_CUDA_GROUP unsigned long long num_threads()
    {
        return size();
    }
    static DPAKIT_CUDA_GROUP dim3 group_dim()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
};

DPAKIT_CUDA_GROUP inline grid_group this_grid()
{
    return grid_group();
}

/* `Size` neighbours of a warp: 1, 2, 4, 8, 16 or 32. */
template <unsigned Size, class Parent = thread_block> struct thread_block_tile {
    static_assert(Size && Size <= 32 && (Size & (Size - 1)) == 0, "1, 2, 4, 8, 16 or 32 threads");

    static DPAKIT_CUDA_GROUP void sync()
    {
        __syncwarp(lanes());
    }
    static DPAKIT_CUDA_GROUP unsigned thread_rank()
    {
        return __lane_id() & (Size - 1);
    }
    static DPAKIT_CUDA_GROUP constexpr unsigned size()
    {
        return Size;
    }
    static DPAKIT_CUDA_GROUP constexpr unsigned num_threads()
    {
        return Size;
    }
    /* The tile's number among those of its block, and how many these are. */
    static DPAKIT_CUDA_GROUP unsigned meta_group_rank()
    {
        return thread_block::thread_rank() / Size;
    }
    static DPAKIT_CUDA_GROUP unsigned meta_group_size()
    {
        return (thread_block::size() + Size - 1) / Size;
    }
    template <class T> static DPAKIT_CUDA_GROUP T shfl(T value, int rank)
    {
        return __shfl_sync(lanes(), value, rank, Size);
    }
    template <class T> static DPAKIT_CUDA_GROUP T shfl_up(T value, unsigned delta)
    {
        return __shfl_up_sync(lanes(), value, delta, Size);
    }
    template <class T> static DPAKIT_CUDA_GROUP T shfl_down(T value, unsigned delta)
    {
        return __shfl_down_sync(lanes(), value, delta, Size);
    }
    template <class T> static DPAKIT_CUDA_GROUP T shfl_xor(T value, unsigned ranks)
    {
        return __shfl_xor_sync(lanes(), value, (int)ranks, Size);
    }
    static DPAKIT_CUDA_GROUP int any(int predicate)
    {
        return __any_sync(lanes(), predicate);
    }
    static DPAKIT_CUDA_GROUP int all(int predicate)
    {
        return __all_sync(lanes(), predicate);
    }
    /* Ranks whose predicate is not 0, or whose value is the same. */
    static DPAKIT_CUDA_GROUP unsigned ballot(int predicate)
    {
        return __ballot_sync(lanes(), predicate) >> first();
    }
    template <class T> static DPAKIT_CUDA_GROUP unsigned match_any(T value)
    {
        return __match_any_sync(lanes(), value) >> first();
    }
    template <class T> static DPAKIT_CUDA_GROUP unsigned match_all(T value, int &same)
    {
        return __match_all_sync(lanes(), value, &same) >> first();
    }

  private:
    static DPAKIT_CUDA_GROUP unsigned first()
    {
        return __lane_id() & ~(Size - 1);
    }
    static DPAKIT_CUDA_GROUP unsigned lanes()
    {
        return (Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1) << first();
    }
};

template <unsigned Size, class Parent>
DPAKIT_CUDA_GROUP inline thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

template <class Group> DPAKIT_CUDA_GROUP inline void sync(const Group &group)
{
    group.sync();
}

} // namespace cooperative_groups

#undef DPAKIT_CUDA_GROUP
#endif
#endif
