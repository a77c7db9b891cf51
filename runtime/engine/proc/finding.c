#include "engine/proc/finding.h"

#include <inttypes.h>

#include "engine/debug/debug.h"

void proc_finding_place(const struct dpk_process *p, uint64_t pc, char *out, size_t size)
{
    struct dpk_line at;
    if (dpk_line_find(p->image, pc, &at))
        snprintf(out, size, "%.80s:%u", at.file, at.line);
    else
        snprintf(out, size, "pc 0x%" PRIx64, pc);
}

void proc_finding_tell(const struct dpk_process *p, char *text)
{
    fprintf(stderr, "-E- program %.80s: %s\n", dpk_image_app(p->image), dpk_text_clean(text));
}
