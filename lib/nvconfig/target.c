/* Class, target and index in the type dword of a TLV header. */
#include "tlv.h"

/* Class bytes for "all"; one function of all hosts is 0x83. */
#define ALL_PORTS          0x81u
#define ALL_FUNCTIONS      0x43u /* of one host */
#define ALL_HOSTS          0x83u /* one function of each host */
#define ALL_HOSTS_ALL_FUNC 0xc3u

#define PORT_SHIFT     16
#define MODULE_SHIFT   14
#define HOST_SHIFT     18
#define FUNCTION_SHIFT 10
#define PORT_INDEX     0xffffu
#define MODULE_INDEX   0x3fffu
#define HOST_INDEX     0x3ffffu
#define FUNCTION_INDEX 0x3ffu

const char *dpk_nv_class_name(unsigned class_id)
{
    switch (class_id) {
    case DPK_NV_GLOBAL:
        return "global";
    case DPK_NV_PORT:
        return "port";
    case DPK_NV_FUNCTION:
        return "function";
    case DPK_NV_FILE:
        return "file";
    case DPK_NV_HOST:
        return "host";
    case DPK_NV_SWITCH:
        return "switch";
    case DPK_NV_MODULE:
        return "module";
    default:
        return NULL;
    }
}

static uint32_t field(int value, unsigned most, unsigned shift)
{
    return value == DPK_NV_ALL ? 0 : ((uint32_t)value & most) << shift;
}

struct dpk_nv_def dpk_nv_def_bind(const struct dpk_nv_def *def, const struct dpk_nv_target *target)
{
    struct dpk_nv_def bound = *def;
    bool all_hosts = target->host == DPK_NV_ALL, all_functions = target->function == DPK_NV_ALL;
    switch (def->class_id) {
    case DPK_NV_PORT:
        bound.class_id = target->port == DPK_NV_ALL ? ALL_PORTS : DPK_NV_PORT;
        bound.index = (def->index & PORT_INDEX) | field(target->port, NV_PORT_MAX, PORT_SHIFT);
        break;
    case DPK_NV_MODULE:
        bound.index =
            (def->index & MODULE_INDEX) | field(target->module, NV_MODULE_MAX, MODULE_SHIFT);
        break;
    case DPK_NV_HOST:
        bound.index = (def->index & HOST_INDEX) | field(target->host, NV_HOST_MAX, HOST_SHIFT);
        break;
    case DPK_NV_FUNCTION:
        bound.class_id = all_hosts ? (all_functions ? ALL_HOSTS_ALL_FUNC : ALL_HOSTS)
                                   : (all_functions ? ALL_FUNCTIONS : DPK_NV_FUNCTION);
        bound.index = (def->index & FUNCTION_INDEX) | field(target->host, NV_HOST_MAX, HOST_SHIFT) |
                      field(target->function, NV_FUNCTION_MAX, FUNCTION_SHIFT);
        break;
    default:
        break;
    }
    return bound;
}

int dpk_nv_target_count(const struct dpk_nv_def *def, const struct dpk_nv_target *target)
{
    if (def->class_id == DPK_NV_PORT && target->port == DPK_NV_ALL)
        return NV_ALL_PORTS;
    if (def->class_id == DPK_NV_MODULE && target->module == DPK_NV_ALL)
        return NV_ALL_MODULES;
    return 1;
}

struct dpk_nv_target dpk_nv_target_at(const struct dpk_nv_def *def,
                                      const struct dpk_nv_target *target, int i)
{
    struct dpk_nv_target one = *target;
    if (def->class_id == DPK_NV_PORT && target->port == DPK_NV_ALL)
        one.port = i + 1;
    if (def->class_id == DPK_NV_MODULE && target->module == DPK_NV_ALL)
        one.module = i;
    return one;
}

struct dpk_nv_target dpk_nv_target_of(unsigned class_id, uint32_t index)
{
    struct dpk_nv_target target = {0};
    int host = (int)(index >> HOST_SHIFT & NV_HOST_MAX);
    int function = (int)(index >> FUNCTION_SHIFT & NV_FUNCTION_MAX);
    switch (class_id) {
    case DPK_NV_PORT:
        target.port = (int)(index >> PORT_SHIFT & NV_PORT_MAX);
        break;
    case ALL_PORTS:
        target.port = DPK_NV_ALL;
        break;
    case DPK_NV_MODULE:
        target.module = (int)(index >> MODULE_SHIFT & NV_MODULE_MAX);
        break;
    case DPK_NV_HOST:
        target.host = host;
        break;
    case DPK_NV_FUNCTION:
    case ALL_FUNCTIONS:
    case ALL_HOSTS:
    case ALL_HOSTS_ALL_FUNC:
        target.host = class_id == ALL_HOSTS || class_id == ALL_HOSTS_ALL_FUNC ? DPK_NV_ALL : host;
        target.function =
            class_id == ALL_FUNCTIONS || class_id == ALL_HOSTS_ALL_FUNC ? DPK_NV_ALL : function;
        break;
    default:
        break;
    }
    return target;
}
