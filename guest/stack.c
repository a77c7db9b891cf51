/* Functions that code compiled with -fstack-protector calls. */
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-libc/stdlib.h>

#include <stdint.h>

/* Contains a zero byte and line ends, which an overflowing string function cannot write. */
extern const uintptr_t __stack_chk_guard;
const uintptr_t __stack_chk_guard = 0x9e3779b90d0a00ff;

_Noreturn void __stack_chk_fail(void);
_Noreturn void __stack_chk_fail(void)
{
    flexio_dev_msg_err(FLEXIO_MSG_DEV_DEFAULT_STREAM_ID, "stack smashing detected\n");
    abort();
}
