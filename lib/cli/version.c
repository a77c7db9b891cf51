#include "cli/cli.h"

const char dpk_version[] = DPK_VERSION;
