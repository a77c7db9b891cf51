/* Declarations that the host program of shared receive queues on the DPA and its DPA code share. */
#ifndef TESTS_HOST_VERBS_DPA_H
#define TESTS_HOST_VERBS_DPA_H

/* The operations of the RPC `shared`. */
enum { SHARED_POST, SHARED_POST_SHORT, SHARED_POST_RAW, SHARED_COMMIT, SHARED_ACK, SHARED_NUMBER };

/* The operations of the RPC `rings`. */
enum {
    RINGS_SIZES,
    RINGS_SENDS_AFTER_RECEIVES,
    RINGS_FIRST,
    RINGS_RECORD,
    RINGS_ACK,
    RINGS_SHARED_SIZES,
    RINGS_SHARED_FIRST,
    RINGS_SHARED_RECORD
};

/* Elements of work that the RPC `post_raw` makes. */
enum { RAW_INLINE, RAW_WRITE, RAW_UNKNOWN, RAW_SHORT };

/* A completion as one number. */
#define TOLD(type, user, counter)                                                                  \
    ((uint64_t)(type) << 48 | (uint64_t)(user) << 32 | (uint32_t)(counter))
#define TOLD_NOTHING UINT64_MAX

#endif
