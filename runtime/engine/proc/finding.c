#include "engine/proc/finding.h"

void finding_tell(const struct dpk_process *p, char *text)
{
    fprintf(stderr, "-E- program %.80s: %s\n", dpk_image_app(p->image), dpk_text_clean(text));
}
