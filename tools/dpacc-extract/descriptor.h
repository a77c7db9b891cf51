/*
 * descriptor: what a program leaves in its host's memory for those who read core files.
 *
 * DPK_DESCRIPTOR_SIZE bytes at a multiple of that, little-endian: magic; address and size of the
 * program; address and size of the room for its crypto data; u64 that the host's constructor writes
 * to; the program's name and a NUL. tools/dpacc/embed.c writes it as C.
 */
#ifndef DPK_DPACC_EXTRACT_DESCRIPTOR_H
#define DPK_DPACC_EXTRACT_DESCRIPTOR_H

#define DPK_DESCRIPTOR_MAGIC "DPKAPP1" /* and its NUL */
#define DPK_DESCRIPTOR_SIZE  256

#endif
