/* The reaction point of rp.c as a program for a ConnectX-8. */
#define __NV_DPA_CX8 3
#define __NV_DPA     __NV_DPA_CX8
#include "rp.c"
