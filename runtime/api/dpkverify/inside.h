/* Declarations that the files of this room share. */
#ifndef DPK_API_DPKVERIFY_INSIDE_H
#define DPK_API_DPKVERIFY_INSIDE_H

#include "base/base.h"
#include "certchain/certchain.h"
#include "device/state/state.h"
#include "engine/loader/loader.h"
#include "policy/policy.h"

#include "dpkverify.h"

struct dpkverify_trust {
    struct dpk_der *list; /* root certificates, each owned */
    size_t count;
    struct dpk_load_terms *devices; /* as they were when they were added */
    size_t device_count;
    struct dpk_policy *policy; /* NULL: none */
};

/* Puts the message into `why`, which may be NULL; 0, or -1. */
int dpkverify_say(const struct dpk_error *err, enum dpk_status status, char *why);

#endif
