/* doca_bitfield: conversion of numbers to network byte order and back. */
#ifndef DOCA_BITFIELD_H
#define DOCA_BITFIELD_H

#include <endian.h>

#include "doca_compat.h"

#define DOCA_HTOBE16(x) htobe16(x)
#define DOCA_HTOBE32(x) htobe32(x)
#define DOCA_HTOBE64(x) htobe64(x)
#define DOCA_BETOH16(x) be16toh(x)
#define DOCA_BETOH32(x) be32toh(x)
#define DOCA_BETOH64(x) be64toh(x)

#endif
