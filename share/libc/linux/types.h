/* <linux/types.h>: the types of the kernel's interface to programs, for headers that host and device share. */
#ifndef DPAKIT_LINUX_TYPES_H
#define DPAKIT_LINUX_TYPES_H

#include <stdint.h>

typedef int8_t __s8;
typedef int16_t __s16;
typedef int32_t __s32;
typedef long long __s64;
typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef unsigned long long __u64;
typedef __u16 __le16, __be16;
typedef __u32 __le32, __be32;
typedef __u64 __le64, __be64;
typedef __u16 __sum16;
typedef __u32 __wsum;

#endif
