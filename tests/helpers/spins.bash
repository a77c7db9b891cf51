# Programs that run on mlx5_0 until they are killed. "source" it in a bats file, after await.bash.

# spins FILE THREADS: a copy of the test kernels; then all threads run that this test began so.
spinning=0
spins() {
    cp "$DPAKIT_BUILD/obj/tests/data/kernels.elf" "$1"
    in_background dparun -d mlx5_0 "$1" --kernel spin --threads "$2" --run-time-limit 600000
    ((spinning += $2))
    await all_spin
}
all_spin() { [ "$(dpa-ps -d mlx5_0 -t | grep -cE '^  [0-9a-f]+ +spin$')" -eq "$spinning" ]; }
