/* doca_buf_array: programs name this header for memory maps and buffers in DPA code; the handles
 * are those of doca_dpa_types.h and doca_mmap.h. */
#ifndef DOCA_BUF_ARRAY_H
#define DOCA_BUF_ARRAY_H

#include "doca_dpa_types.h"

#endif
