/* What tests/data/pcc/rp.c and tests/unit/test_pcc.c agree on. */
#ifndef PCC_MODES_H
#define PCC_MODES_H

enum { SLOT = 2 };
enum { MODE, RATE, FIXED }; /* parameters; a fourth is not described */
enum { REFUSED = 99 };      /* a value that the program does not agree with */

enum {
    MODE_SET,
    MODE_KEEP,
    MODE_FAULT,
    MODE_LOOP,
    MODE_WAIT,
    MODE_LOOK,
    MODE_PRINT,
    MODE_END,
    MODE_BAD_CALL,
    MODE_WORK,
    MODE_BEYOND, /* writes after the flow's context, RATE words after its end */
    MODE_BEFORE, /* writes the word before it */
};

enum { /* the first of three numbers of a request */
       ASK_SEEN,
       ASK_MULT,
       ASK_FXP_MULT,
       ASK_RECIP,
       ASK_POWER2,
       ASK_LOG2,
       ASK_FLS,
       ASK_TIMER,
       ASK_TIMER_LO,
       ASK_THREAD_TIME,
       ASK_RANK,
       ASK_PORTS,
       ASK_SPEED,
       ASK_PLANES,
       ASK_INDEX,
       ASK_PARAMS_NUM,
       ASK_COUNTERS_NUM,
       ASK_HAS_PARAMS,
       ASK_HAS_COUNTERS,
       ASK_COUNTERS,
       ASK_HEADER,
       ASK_TOO_MUCH,
       ASK_FAULT,
       ASK_TRACE,
       ASK_PARAM, /* sets one: its number, its value */
};
enum { SEEN_BAD, SEEN_PORTS, SEEN_SET, SEEN_EVENT = SEEN_SET + 5, SEEN_MAX = SEEN_EVENT + 32 };

#endif
