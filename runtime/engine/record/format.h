/* Private to record: numbers shared by the writer and the reader of the file. */
#ifndef DPK_ENGINE_RECORD_FORMAT_H
#define DPK_ENGINE_RECORD_FORMAT_H

#include "record.h"

#define RECORD_MAGIC UINT64_C(0x31304345524b5044) /* "DPKREC01" */

enum {
    RECORD_FRAME = 8, /* size and CRC */
    RECORD_FIXED = 1 + 1 + 4 + 4 + 8 + 8 + 8,
    RECORD_HEAD_MAX = RECORD_FRAME + RECORD_FIXED + 8 * DPK_CHANGED_COUNT,
};

#endif
