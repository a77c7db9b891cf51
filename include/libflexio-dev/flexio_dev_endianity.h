/*
 * Byte orders: queues are big endian, the DPA is little endian.
 *
 *     uint32_t bytes = be32_to_cpu(cqe->byte_cnt);
 */
#ifndef FLEXIO_DEV_ENDIANITY_H
#define FLEXIO_DEV_ENDIANITY_H

#define cpu_to_be16(value) __builtin_bswap16(value)
#define cpu_to_be32(value) __builtin_bswap32(value)
#define cpu_to_be64(value) __builtin_bswap64(value)
#define be16_to_cpu(value) __builtin_bswap16(value)
#define be32_to_cpu(value) __builtin_bswap32(value)
#define be64_to_cpu(value) __builtin_bswap64(value)

#endif
