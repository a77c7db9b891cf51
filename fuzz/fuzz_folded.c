/* Any bytes as folded stacks: an error, or a profile that can be written and read again. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads bytes as a file. Returns NULL if the file is refused. */
static struct dpk_profile *read_bytes(const void *data, size_t size)
{
    char path[64];
    struct dpk_error err = {0};
    struct dpk_profile *p = dpk_profile_create();
    const int fd = memfd_create("profile", 0);
    if (!p || fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const enum dpk_status status = dpk_profile_read(p, path, &err);
    close(fd);
    if (status == DPK_OK)
        return p;
    dpk_profile_free(p);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_profile *p = read_bytes(data, size), *again;
    struct dpk_buf folded = {0}, more = {0};
    if (!p)
        return 0;
    dpk_profile_settle(p);
    profile_put_folded(p, &folded);
    profile_put_speedscope(p, &more);
    profile_put_flame(p, &more);
    again = folded.size ? read_bytes(folded.data, folded.size) : NULL;
    if (again) {
        dpk_profile_settle(again);
        if (dpk_profile_frame(again, DPK_PROFILE_ROOT)->total !=
            dpk_profile_frame(p, DPK_PROFILE_ROOT)->total)
            abort();
    } else if (folded.size) {
        abort();
    }
    dpk_profile_free(again);
    dpk_profile_free(p);
    dpk_buf_free(&folded);
    dpk_buf_free(&more);
    return 0;
}
