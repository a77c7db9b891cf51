/*
 * dpa_abi: the contract between code on the DPA side and the runtime that runs it (ours; not NVIDIA's).
 * Included by the device libraries (guest), by dpacc's generated device code and by
 * runtime/engine/proc. Plain C and assembler.
 *
 * Starting a thread: pc = e_entry of the device ELF (`_dpa_start`, in libflexio_dev), sp = top of the
 * thread's stack (16-byte aligned), and
 *     a0 = guest address of the argument buffer        a1 = address of the user's function
 *     a2 = address of its unpack function `_dpacc_unpack_<function>`
 * `_dpa_start` calls a2 with a0 and a1 as C arguments (uint64_t unpack(void *argbuf, void *func)) and
 * ends with DPA_SYS_EXIT and the result.
 *
 * The argument buffer: each argument at the next multiple of 8 bytes; integers, enums and pointers take
 * 8 bytes (little-endian, sign- or zero-extended by the host by their own type), structures by value
 * their size rounded up to 8. For every annotated function `f` the device ELF has the global symbols
 *     f                      the function
 *     _dpacc_unpack_f        its unpack wrapper
 *     _dpacc_argsize_f       const uint64_t: bytes of its argument buffer
 *
 * Calls: ECALL with the number in a7, arguments in a0..a5, result in a0. A call with a bad handle,
 * address or number faults the thread.
 */
#ifndef DPK_GUEST_ABI_DPA_ABI_H
#define DPK_GUEST_ABI_DPA_ABI_H

#define DPA_SYS_EXIT          1  /* (value): ends the thread; value is the RPC's result */
#define DPA_SYS_MSG           2  /* (stream, level, address, length): one message, text */
#define DPA_SYS_THREAD_RANK   3  /* () -> rank in the kernel launch, 0 in an RPC */
#define DPA_SYS_NUM_THREADS   4  /* () -> threads of the launch, 1 in an RPC */
#define DPA_SYS_THREAD_ID     5  /* () -> id of the DPA thread, as in the prefix of messages */
#define DPA_SYS_EVENT_GET     6  /* (event) -> value */
#define DPA_SYS_EVENT_ADD     7  /* (event, value) -> value before */
#define DPA_SYS_EVENT_SET     8  /* (event, value) */
#define DPA_SYS_EVENT_WAIT_GT 9  /* (event, value, mask): returns once (event & mask) > value */
#define DPA_SYS_YIELD         10 /* (): lets other threads run */
#define DPA_SYS_TIME          11 /* () -> microseconds since an arbitrary start */
#define DPA_SYS_FINISH        12 /* (): ends the thread; never returns */
#define DPA_SYS_RESCHEDULE    13 /* (): ends this activation; never returns */
#define DPA_SYS_LOCAL_STORAGE 14 /* () -> the thread's local storage address, 0 if none */
#define DPA_SYS_RETRIGGER     15 /* (): ends this activation and starts the next; never returns */
#define DPA_SYS_PARK                                                                               \
    16                    /* (): ends this activation; in a continuable thread returns when        \
                             the next event comes, in another never */
#define DPA_SYS_NOTIFY 17 /* (trigger): an event for the thread of the trigger */
#define DPA_SYS_ARM                                                                                \
    18 /* (trigger, consumed): the next completion is an event; at once    \
                                  if more than `consumed` (32 bits, wrapping) have come */
#define DPA_SYS_EU             19 /* () -> number of the execution unit, or ~0 in an RPC */
#define DPA_SYS_END_PROCESS    20 /* (): ends the process without an error; never returns */
#define DPA_SYS_PARK_RETRIGGER 21 /* (): as DPA_SYS_PARK, with an immediate event */

/* (address, size, how, place): code compiled with -fsanitize=address is about to access `size` bytes,
 * and some of them are poisoned. `how`: DPA_ACCESS_*. `place`: the return address of the call in the
 * accessing code. */
#define DPA_SYS_BAD_ACCESS 22
#define DPA_ACCESS_WRITES  1
#define DPA_ACCESS_GOES_ON 2 /* the program continues (-fsanitize-recover=address) */
/* (address, size, how, place): code compiled with -fsanitize=thread is about to access memory, or, with
 * DPA_ACCESS_LOADED, has loaded it. */
#define DPA_SYS_ACCESS      23
#define DPA_ACCESS_ATOMIC   4
#define DPA_ACCESS_RELEASES 8
#define DPA_ACCESS_ACQUIRES 16
#define DPA_ACCESS_LOADED   32 /* of an atomic */
#define DPA_ACCESS_TOLD     64 /* the same access was reported before it was made */
#define DPA_SYS_FENCE       24 /* (how): a fence of such code */
#define DPA_FENCE_RELEASES  1
#define DPA_FENCE_ACQUIRES  2
/* (address, size) -> address of the function that the host started. Its name, cut to `size` - 1 bytes, and a
 * 0 are stored at `address`. */
#define DPA_SYS_THREAD_NAME 25
/* Shadow memory of code compiled with -fsanitize=address: a byte for each 8 bytes of the 4 GiB of guest
 * memory. */
#define DPA_SHADOW_BASE 0x50000000
#define DPA_SHADOW_SIZE 0x20000000

/* The host libraries execute the calls from here: the number is family << 8 | call. */
#define DPA_SYS_FAMILY_FIRST       1
#define DPA_SYS_FAMILIES           16
#define DPA_SYS_FAMILY_FLEXIO      1 /* windows, outboxes, queues */
#define DPA_SYS_FAMILY_DOCA        2
#define DPA_SYS_FAMILY_PCC         3 /* pcc_abi.h */
#define DPA_SYS_CALL(family, call) ((family) << 8 | (call))

#endif
