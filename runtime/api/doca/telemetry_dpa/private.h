/* Declarations that the files of doca/telemetry_dpa share. */
#ifndef DPK_API_DOCA_TELEMETRY_DPA_PRIVATE_H
#define DPK_API_DOCA_TELEMETRY_DPA_PRIVATE_H

#include <doca_telemetry_dpa.h>

#include "api/doca/core/core.h"
#include "device/running/running.h"

#define ALL_IDS UINT32_MAX

/* The kinds of list. */
enum telemetry_list { LIST_PROCESSES, LIST_THREADS, LIST_CUMUL, LISTS };

struct telemetry {
    struct dpk_object object; /* its lock guards the members below */
    struct dpk_dev *dev;      /* a use */
    char directory[PATH_MAX]; /* of the card */
    bool started;
    uint32_t samples_max;
    size_t room[LISTS]; /* elements of the size that was asked last */
};
extern const struct dpk_kind telemetry_kind;

/* The number of a thread for programs, and back. */
static inline uint32_t thread_id(unsigned process, unsigned thread)
{
    return process << 16 | thread;
}
/* Whether `process` and `thread` are among those that a program asks for. */
static inline bool is_asked(uint32_t process_id, uint32_t thread, unsigned process, uint32_t id)
{
    return (process_id == ALL_IDS || process_id == process) && (thread == ALL_IDS || thread == id);
}

#endif
