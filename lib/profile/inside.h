/* profile: what its files share. */
#ifndef DPK_PROFILE_INSIDE_H
#define DPK_PROFILE_INSIDE_H

#include "profile/profile.h"

/* Each appends a whole file, of a profile that is settled. */
void profile_put_folded(const struct dpk_profile *p, struct dpk_buf *out);
void profile_put_speedscope(const struct dpk_profile *p, struct dpk_buf *out);
void profile_put_flame(const struct dpk_profile *p, struct dpk_buf *out);

#endif
