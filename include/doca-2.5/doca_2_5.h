/*
 * doca_2_5: says to headers of later DOCA that the program is of DOCA 2.5 or 2.6: those that it has
 * otherwise are in this folder, all others include this one and the later one.
 */
#ifndef DOCA_2_5
#define DOCA_2_5 1

/* The symbol of a function whose name has another signature in later DOCA. */
#define DOCA_ONLY_2_5(name) __asm__(#name "_v2_5")

#endif
