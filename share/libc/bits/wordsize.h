/* <bits/wordsize.h> of glibc. */
#ifndef DPAKIT_BITS_WORDSIZE_H
#define DPAKIT_BITS_WORDSIZE_H

#ifndef __WORDSIZE
#define __WORDSIZE 64
#endif

#endif
