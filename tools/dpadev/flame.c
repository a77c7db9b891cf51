/* Converts a profile to JSON for a report: the frames of a flame graph with their places. */
#include "dpadev.h"

#include "profile/profile.h"

/* Frames of less than a thousandth are invisible, so they are left out. */
enum { PARTS = 1000 };

static void add_frame(cJSON *frames, const struct dpk_profile_frame *f, uint64_t begin)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(frames, o);
    dpk_json_text(o, "name", f->name);
    cJSON_AddNumberToObject(o, "depth", f->depth);
    dpk_json_integer(o, "begin", begin);
    dpk_json_integer(o, "instructions", f->total);
    dpk_json_integer(o, "own", f->self);
}

/* Adds the frames, callers first, each from the left end of its parent. */
static void add_frames(const struct dpk_profile *p, uint64_t least, cJSON *frames)
{
    uint64_t begin[DPK_PROFILE_DEPTH + 2] = {0}; /* left end of the next frame at each depth */
    unsigned at = DPK_PROFILE_ROOT;
    while (at != DPK_PROFILE_NONE) {
        const struct dpk_profile_frame *f = dpk_profile_frame(p, at);
        const bool seen = f->total >= least;
        if (seen)
            add_frame(frames, f, begin[f->depth]);
        begin[f->depth + 1] = begin[f->depth];
        begin[f->depth] += f->total;
        if (seen && f->first != DPK_PROFILE_NONE) {
            at = f->first;
            continue;
        }
        while (f->next == DPK_PROFILE_NONE && f->parent != DPK_PROFILE_NONE)
            f = dpk_profile_frame(p, f->parent);
        at = f->next;
    }
}

enum dpk_status dpadev_json_profile(const char *path, cJSON **out, struct dpk_error *err)
{
    struct dpk_profile *p = dpk_profile_create();
    enum dpk_status status = p ? dpk_profile_read(p, path, err) : dpk_fail_nomem(err);
    if (status == DPK_OK) {
        dpk_profile_settle(p);
        const uint64_t all = dpk_profile_frame(p, DPK_PROFILE_ROOT)->total;
        *out = cJSON_CreateObject();
        dpk_json_text(*out, "file", path);
        dpk_json_integer(*out, "instructions", all);
        cJSON *frames = cJSON_AddArrayToObject(*out, "frames");
        if (all)
            add_frames(p, all / PARTS + 1, frames);
    }
    dpk_profile_free(p);
    return status;
}
