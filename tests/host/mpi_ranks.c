/* mpi_ranks [forever]: ranks of MPI in pairs send to and fro, and sum; each checks what it got. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (1 << 22)

static void check(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

/* The lower rank of a pair sends first. The byte names sender and round. */
static void ping_pong(char *bytes, int size, int rank, int round)
{
    const int peer = rank ^ 1;
    const char mine = (char)(rank * 16 + round), theirs = (char)(peer * 16 + round);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank % 2) {
            memset(bytes, mine, (size_t)size);
            MPI_Send(bytes, size, MPI_CHAR, peer, round, MPI_COMM_WORLD);
            continue;
        }
        memset(bytes, 0x55, (size_t)size);
        MPI_Recv(bytes, size, MPI_CHAR, peer, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < size; i++)
            check(bytes[i] == theirs, "a byte of the peer");
    }
}

int main(int argc, char **argv)
{
    int rank, count;
    long sum = 0;
    char *bytes = malloc(MOST);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    const long mine = rank;
    do {
        for (int size = 1; size <= MOST && (rank ^ 1) < count; size *= 16)
            for (int round = 0; round < 3; round++)
                ping_pong(bytes, size, rank, round);
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        check(sum == (long)count * (count - 1) / 2, "the sum of the ranks");
        if (rank == 0) {
            printf("%d ranks: sum %ld\n", count, sum);
            fflush(stdout);
        }
    } while (argc > 1 && strcmp(argv[1], "forever") == 0);
    MPI_Finalize();
    free(bytes);
    return 0;
}
