/* An interpreter of byte code, which counts the steps of the Collatz sequences: a switch in a loop. */
#include "kernel.h"

enum { ROUNDS = 96, LIMIT = 4000, STACK_SIZE = 8 };
enum operation { PUSH, LOAD, STORE, ADD, MULTIPLY, HALVE, ODD, LESS, JUMP, JUMP_IF, END };
enum local { FIRST, NUMBER, STEPS, BOUND, LOCALS };

struct instruction {
    uint8_t operation, operand;
};

static const struct instruction program[] = {
    {PUSH, 2},       {STORE, FIRST},                 /*  0: first = 2 */
    {LOAD, FIRST},   {STORE, NUMBER},                /*  2: number = first */
    {LOAD, NUMBER},  {PUSH, 2},       {LESS, 0},     /*  4: while number >= 2 */
    {JUMP_IF, 25},                                   /*  7 */
    {LOAD, STEPS},   {PUSH, 1},       {ADD, 0},      /*  8:     steps++ */
    {STORE, STEPS},                                  /* 11 */
    {LOAD, NUMBER},  {ODD, 0},        {JUMP_IF, 18}, /* 12:     if number is even */
    {LOAD, NUMBER},  {HALVE, 0},      {JUMP, 23},    /* 15:         number /= 2 */
    {LOAD, NUMBER},  {PUSH, 3},       {MULTIPLY, 0}, /* 18:     else number = 3 number + 1 */
    {PUSH, 1},       {ADD, 0},                       /* 21 */
    {STORE, NUMBER}, {JUMP, 4},                      /* 23 */
    {LOAD, FIRST},   {PUSH, 1},       {ADD, 0},      /* 25: first++ */
    {STORE, FIRST},  {LOAD, FIRST},   {LOAD, BOUND}, /* 28 */
    {LESS, 0},       {JUMP_IF, 2},                   /* 31: again while first < bound */
    {END, 0},                                        /* 33 */
};

static __attribute__((noinline)) uint64_t interpret(const struct instruction *code, uint64_t bound)
{
    uint64_t stack[STACK_SIZE], locals[LOCALS] = {[BOUND] = bound};
    uint64_t *top = stack; /* where the next value goes */
    for (const struct instruction *at = code;;) {
        uint8_t operand = at->operand;
        switch ((enum operation)(at++)->operation) {
        case PUSH:
            *top++ = operand;
            break;
        case LOAD:
            *top++ = locals[operand];
            break;
        case STORE:
            locals[operand] = *--top;
            break;
        case ADD:
            top--;
            top[-1] += *top;
            break;
        case MULTIPLY:
            top--;
            top[-1] *= *top;
            break;
        case HALVE:
            top[-1] >>= 1;
            break;
        case ODD:
            top[-1] &= 1;
            break;
        case LESS:
            top--;
            top[-1] = top[-1] < *top;
            break;
        case JUMP:
            at = code + operand;
            break;
        case JUMP_IF:
            if (*--top != 0)
                at = code + operand;
            break;
        case END:
            return locals[STEPS];
        }
    }
}

uint64_t kernel(void)
{
    uint64_t sum = 0;
    for (uint32_t round = 0; round < ROUNDS; round++)
        sum = add_to_checksum(sum, interpret(program, LIMIT + round));
    return sum;
}
