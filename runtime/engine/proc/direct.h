/* direct: harts that host threads run themselves. */
#ifndef DPK_ENGINE_PROC_DIRECT_H
#define DPK_ENGINE_PROC_DIRECT_H

#include "engine/proc/hart.h"

struct dpk_direct {
    struct hart *hart;
    struct dpk_direct_options options;
};

#endif
