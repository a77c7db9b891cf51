/* The DPA side: does some work and tells of it on message streams. */
#include <libflexio-dev/flexio_dev.h>

/* Squares the numbers from 1 to `last`. Results go to the stream `results`, what it does on the way
 * to the stream `details`; returns their sum. */
__dpa_rpc__ uint64_t squares(uint64_t results, uint64_t details, uint64_t last)
{
    uint64_t sum = 0;
    flexio_dev_msg_broadcast(FLEXIO_MSG_DEV_INFO, "squares of 1 to %lu\n", last);
    for (uint64_t i = 1; i <= last; i++) {
        sum += i * i;
        flexio_dev_msg_info((int)results, "%lu * %lu = %lu\n", i, i, i * i);
        flexio_dev_msg_dbg((int)details, "the sum is %lu now\n", sum);
    }
    if (sum > 50)
        flexio_dev_msg_warn((int)details, "the sum, %lu, exceeds 50\n", sum);
    return sum;
}
