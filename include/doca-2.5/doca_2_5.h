/*
 * doca_2_5: marks the program as a program of DOCA 2.5 or 2.6 for the headers of later DOCA. This
 * folder has the headers that differ; every other header includes this file and the later header. A
 * function whose signature differs in later DOCA has the symbol NAME_v2_5.
 */
#ifndef DOCA_2_5
#define DOCA_2_5 1

#include "doca_version.h"

#endif
