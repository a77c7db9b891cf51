#include <dpaintrin.h>

__dpa_rpc__ uint64_t log2_of(unsigned x)
{
    return (uint64_t)__dpa_fxp_log2(x);
}

__dpa_rpc__ uint64_t rcp_of(int x)
{
    return (uint64_t)__dpa_fxp_rcp(x);
}

__dpa_rpc__ uint64_t pow2_of(int x)
{
    return (uint64_t)__dpa_fxp_pow2(x);
}
