/* doca_dpa_dev_buf: programs name this header for memory maps and buffers in DPA code; the handles
 * are those of doca_dpa_types.h and doca_mmap.h. */
#ifndef DOCA_DPA_DEV_BUF_H
#define DOCA_DPA_DEV_BUF_H

#include "doca_dpa_types.h"

#endif
