/* <bits/types.h> of glibc, which editors include: its names for the types of <stdint.h>. */
#ifndef DPAKIT_BITS_TYPES_H
#define DPAKIT_BITS_TYPES_H

#include <stdint.h>
#include <sys/types.h>

typedef unsigned char __u_char;
typedef unsigned short __u_short;
typedef unsigned int __u_int;
typedef unsigned long __u_long;

#endif
