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
    size_t room[LISTS]; /* elements of the last size that the program requested */
};
extern const struct dpk_kind telemetry_kind;

/* Returns the number of a thread for programs. */
static inline uint32_t thread_id(unsigned process, unsigned thread)
{
    return process << 16 | thread;
}
/* Returns true if `process` and `id` are among the processes and threads that a program
 * requests. */
static inline bool is_asked(uint32_t process_id, uint32_t thread, unsigned process, uint32_t id)
{
    return (process_id == ALL_IDS || process_id == process) && (thread == ALL_IDS || thread == id);
}

/* Stores the reason of a call that needs a started context. Returns BAD_STATE. */
doca_error_t telemetry_not_started(void);

#endif
