/* The reaction point of rp.c as a program of DOCA 2.5. */
#define DOCA_2_5 1
#include "rp.c"
