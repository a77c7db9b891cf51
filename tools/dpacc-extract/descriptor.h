/*
 * descriptor: what a program leaves in its host's memory for readers of core files.
 *
 * DPK_DESCRIPTOR_SIZE bytes at a multiple of that, little-endian: magic; address and size of the
 * program; address and size of the room for its crypto data; a u64 that the host's constructor
 * sets; the program's name with a NUL. tools/dpacc/embed.c writes it as C.
 */
#ifndef DPK_DPACC_EXTRACT_DESCRIPTOR_H
#define DPK_DPACC_EXTRACT_DESCRIPTOR_H

#define DPK_DESCRIPTOR_MAGIC "DPKAPP1" /* with its NUL */
#define DPK_DESCRIPTOR_SIZE  256

#endif
