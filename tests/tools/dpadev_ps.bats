# dpadev ps shows any answer of a process, but prints no control characters.

bats_require_minimum_version 1.5.0

source "$BATS_TEST_DIRNAME/../helpers/await.bash"

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices DPAKIT_RUNTIME=$PWD/run
    mkdir -m 700 run
}

teardown() { end_background; }

# A process that answers every request with the file "answer".
a_process() {
    in_background perl -MIO::Socket::UNIX -e '
        local $/;
        open my $file, "<", "answer" or die;
        my $answer = <$file>;
        my $listener = IO::Socket::UNIX->new(Local => "run/1.dpa", Listen => 5) or die;
        open my $ready, ">", "ready" or die;
        while (my $client = $listener->accept) {
            sysread $client, my $question, 5;
            print $client $answer;
        }'
    await test -e ready
}

# TEXT: prints JSON of a process whose texts and names of members contain TEXT.
named() {
    cat <<END
{"pid":7,"device":"d$1","directory":"/no$1","program":"p$1","state":"s$1","instructions":12,"m$1":"x",
END
}

@test "control characters of a process reach no terminal, as text or as JSON" {
    local hostile='\u001b[31m\u0007\u007f\u009b2J\r\n'
    { named "$hostile" | tr -d '\n'
      echo "\"threads\":[{\"id\":1,\"instructions\":3,\"state\":\"t$hostile\",\"does\":\"u$hostile\"," \
          "\"function\":\"f$hostile\"}],\"waits\":[\"w$hostile\"]}"; } >answer
    a_process
    dpadev ps -t >text
    grep -q '^7 .* p?\[31m' text
    grep -q 'f?\[31m' text
    grep -q '^  w?\[31m' text
    [ "$(grep -c '' text)" -eq 4 ]
    dpadev ps --json >json
    jq -e '.[0].pid == 7 and (.[0].program | startswith("p?[31m")) and .[0].threads[0].id == 1' json
    for out in text json; do
        ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f\x9b]' "$out" || false
    done
    ! grep -q '\\' json
}

@test "invalid numbers are not shown as numbers" {
    cat >answer <<'END'
{"pid":1e999,"instructions":1e300,"program":"huge"}
{"pid":-1,"instructions":0.5,"program":"small"}
{"pid":"12","instructions":{},"program":"texts"}
{"pid":4294967296,"instructions":18000000000000000000,"program":"good"}
END
    a_process
    dpadev ps >out
    grep -qE '^\? +\? +huge +\?  \?$' out
    grep -qE '^\? +\? +small +\?  \?$' out
    grep -qE '^\? +\? +texts +\?  \?$' out
    grep -qE '^4294967296 +\? +good +18000000000000000000  \?$' out
}

@test "answers that are not objects, or nested too deeply, are not shown as processes" {
    { echo '[1,2]'
      echo '"text"'
      echo '{"pid":'
      printf '[%.0s' {1..100000}
      echo
      echo '{"pid":5,"threads":7,"waits":{"a":{"b":[]},"c":"said"}}'
      printf '{"pid":6'; } >answer
    a_process
    dpadev ps -t >out
    grep -qE '^5 ' out
    grep -qx '  said' out
    [ "$(grep -c '' out)" -eq 3 ]
    [ "$(dpadev ps --json | jq length)" -eq 1 ]
}
