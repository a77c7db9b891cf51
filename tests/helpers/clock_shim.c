/* For LD_PRELOAD: a process that asks libuuid for the time, which opens its clock file, exits with
 * 99. */
#include <unistd.h>

void uuid_generate_time(unsigned char *out);
void uuid_generate_time(unsigned char *out)
{
    (void)out;
    _exit(99);
}
