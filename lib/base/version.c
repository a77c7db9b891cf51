#include "base/base.h"

const char dpk_version[] = DPK_VERSION;
