/* profile: declarations shared by its files. */
#ifndef DPK_PROFILE_INSIDE_H
#define DPK_PROFILE_INSIDE_H

#include "profile/profile.h"

/* Each function appends a whole file, from a settled profile. */
void profile_put_folded(const struct dpk_profile *p, struct dpk_buf *out);
void profile_put_speedscope(const struct dpk_profile *p, struct dpk_buf *out);
void profile_put_flame(const struct dpk_profile *p, struct dpk_buf *out);

#endif
