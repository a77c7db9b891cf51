# dpadev is interrupted: it has done everything that it reported, and leaves no secrets.
source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/cut.bash"

setup_file() { make_world; }

setup() {
    [ -z "${GCOV_ERROR_FILE:-}" ] || skip "counts of lines are files, too"
    enter_world
    cp -a devices saved
}

restore() { rm -rf devices out && cp -a saved devices && mkdir out; }

exports_logged() { dpadev log --json mlx5_0 | jq '[.[] | select(.action == "export")] | length'; }

# At every call: the disk becomes full, or dpadev is killed.
@test "an archive exists if export reports success, and then the log has the export" {
    for mode in full kill; do
        for ((n = 1; ; n++)); do
            restore
            cut $mode:$n dpadev export --with-factory-keys mlx5_0 out/dev.archive
            $fired || break
            logged=$(exports_logged)
            there=0
            [ ! -e out/dev.archive ] || there=1
            echo "$mode $n: exit $code, archive $there, events $logged"
            cat said err
            [ $mode = kill ] || [ $((code == 0)) -eq "$there" ]
            [ $there -le "$logged" ]
            # After the log, only the renaming of the archive can fail.
            [ $mode = kill ] || [ $there -eq 1 ] || [ "$logged" -eq 0 ] || says out/dev.archive
            ! grep -q 'nothing was changed' err || [ "$logged$there" = 00 ]
            [ -z "$(find out -name '.*' -type f)" ]
        done
    done
    [ $n -gt 4 ]
}

@test "any next command of dpadev removes the files that a killed create left" {
    pub=nvidia.pub
    for command in list "show mlx5_0" "log mlx5_0" "reset mlx5_0" ps; do
        mkdir -p -m 700 devices/.new-AbCdEf/factory
        echo secret >devices/.new-AbCdEf/factory/nvidia.pem
        dpadev $command >/dev/null
        [ ! -e devices/.new-AbCdEf ] || { echo "$command"; return 1; }
    done
}
