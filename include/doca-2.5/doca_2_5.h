/*
 * doca_2_5: says to headers of later DOCA that the program is of DOCA 2.5 or 2.6: those that it has
 * otherwise are in this folder, all others include this one and the later one. A function whose
 * signature differs in later DOCA has the symbol NAME_v2_5.
 */
#ifndef DOCA_2_5
#define DOCA_2_5 1

#endif
