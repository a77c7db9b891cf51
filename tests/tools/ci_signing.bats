# examples/ci-signing: each stage of the pipeline does its part or says why not, and nobody but mlxdpa
# gets the PIN.
source "$BATS_TEST_DIRNAME/../helpers/readme.bash"

pin=test-pin-8041

setup_file() {
    export top=$BATS_TEST_DIRNAME/../..
    "$top/examples/ci-signing/make-world.sh" "$BATS_FILE_TMPDIR/world"
}

setup() {
    world=$BATS_FILE_TMPDIR/world
    recipes=$top/examples/ci-signing
    cd "$BATS_TEST_TMPDIR"
    export SIGN_CHAIN=$world/chain.der SIGN_ROOT=$world/root.der DEVICE=$world/device.archive OUT=$PWD/out
}

stage() { "$recipes/ci-sign.sh" "$1"; }
# token COMMAND...: runs the command with token, key and PIN.
token() {
    SOFTHSM2_CONF=$world/softhsm2.conf PKCS11_MODULE_PATH=/usr/lib/softhsm/libsofthsm2.so \
        SIGN_KEY='pkcs11:token=dpa;object=leaf' SIGN_PIN=${given_pin-$pin} "$@"
}
# Gets the files of earlier stages, which are built only once.
built() {
    [ -e "$BATS_FILE_TMPDIR/signed" ] || {
        OUT=$BATS_FILE_TMPDIR/signed stage build
        OUT=$BATS_FILE_TMPDIR/signed token stage sign
    }
    mkdir -p out
    cp -R "$BATS_FILE_TMPDIR/signed/$1" out/
}

# fails CODE TEXT COMMAND...: the command ends with this code, and its output has the text.
fails() {
    run "${@:3}"
    echo "$output"
    [ "$status" -eq "$1" ]
    [[ $output == *"$2"* ]]
}

@test "the commands of the README work, and those for another program" {
    paste_readme ci-signing
    [[ $output == *"Hello World"* ]]
    [[ $output == *"Released: "*"/out/release"* ]]
    [[ $output == *"release.tar.gz.sha256"* ]]
    [ "${lines[-1]}" = "Result: 99" ]
}

@test "the scripts take an installed dpakit from PATH" {
    mkdir -p try/examples && cp -R "$top"/examples/{ci-signing,hello} try/examples
    (
        unset DPAKIT_BUILD
        try/examples/ci-signing/ci-sign.sh build
    )
    [ -x out/unsigned/hello_world ]
    fails 2 "mlxdpa is not in PATH" env -u DPAKIT_BUILD PATH=/usr/bin:/bin try/examples/ci-signing/ci-sign.sh build
}

@test "a world is made whole or not at all" {
    fails 1 "make-world: mlxdpa is not in PATH" env PATH=/none /bin/bash "$recipes/make-world.sh" new
    [ ! -e new ]
    fails 1 "secret exists already; nothing is overwritten" "$recipes/make-world.sh" "$world"
}

@test "the packed release is signed, and has the log of its run" {
    built unsigned
    built release
    stage prove
    stage pack
    cd out
    sha256sum -c release.tar.gz.sha256
    tar -xzf release.tar.gz
    mlxdpa -e release/hello_world --ca "$world/root.der" verify
    (cd release && sha256sum --strict -c SHA256SUMS)
    jq -r .payload release/hello_world.intoto.jsonl | base64 -d | jq -e '.subject[0].name == "hello_world"'
    jq -e 'map(.result) == ["OK", "UNSIGNED", "OK"]' release/device-log.json
    grep -q 'Hello World' release/run.log
}

@test "the world that a job sees has no private key" {
    ! grep -rlaE 'PRIVATE KEY' "$world" --exclude-dir=secret || false
    DPAKIT_DEVICES=$PWD/d dpadev import x "$DEVICE"
    [ ! -e d/x/factory ]
}

@test "a wrong PIN, a missing variable, a foreign root, a policy: nothing is signed" {
    built unsigned
    given_pin=other-pin-1408 fails 1 '-E-' token stage sign
    given_pin='' fails 2 'SIGN_PIN is not set' token stage sign
    SIGN_CHAIN='' fails 2 'SIGN_CHAIN is not set' token stage sign
    openssl req -x509 -key "$BATS_TEST_DIRNAME/../data/keys/owner.pem" -outform der -out foreign.der -subj /CN=Foreign
    SIGN_ROOT=$PWD/foreign.der fails 1 'UNKNOWN_CA' token stage sign
    printf 'policy: 1\nsigners: []\n' >policy.yaml
    POLICY=$PWD/policy.yaml fails 22 'SIGNER_NOT_ALLOWED' token stage sign
    [ "$(ls out)" = unsigned ]
}

@test "stages in the wrong order, and no stage" {
    fails 1 'build comes first' stage test
    fails 1 'build comes first' token stage sign
    fails 1 'sign comes first' stage prove
    fails 1 'sign and prove come first' stage pack
    fails 2 'usage: ci-sign.sh build | test | sign | prove | pack' stage ''
    fails 2 'usage:' stage release
    BUILD=true PROGRAM=none fails 1 "'true' made no none" stage build
}

@test "a device that loads anything proves nothing, nor does a program that fails by itself" {
    built unsigned
    built release
    DPAKIT_DEVICES=$PWD/d dpadev create open
    DPAKIT_DEVICES=$PWD/d dpadev export open open.archive
    DEVICE=$PWD/open.archive fails 1 'would load unsigned programs' stage prove
    TEST=false fails 1 'but the device did not refuse it' stage prove
    TEST=true fails 1 'the device ran the unsigned program' stage prove
    TEST=false fails 1 'test: failed: false' stage test
    [ ! -e out/proof ] && [ ! -e out/test ]
}

@test "a release that was changed after signing is not proven" {
    built unsigned
    built release
    echo x >>out/release/chain.der
    fails 1 'chain.der: FAILED' stage prove
}

# ---- The PIN ----

@test "stages that run code of the project do not start where there is a PIN" {
    for s in build test prove pack; do
        fails 2 'SIGN_PIN is set' token stage "$s"
    done
    [ ! -e out ]
}

# A wrapper of each program that the script may call: it notes which processes have the PIN, also in arguments.
watched() {
    mkdir watch
    for c in /usr/bin/*; do
        printf '#!/bin/bash\ncase "$(env) $*" in *%s*) echo "%s has it" ;; *) echo "%s" ;; esac >>%q\nexec %q "$@"\n' \
            "$pin" "${c##*/}" "${c##*/}" "$PWD/calls" "$c" >"watch/${c##*/}"
    done
    rm -f watch/{bash,sh,env,dash}
    chmod +x watch/*
}

@test "no program that the signing stage runs sees the PIN, but mlxdpa" {
    built unsigned
    watched
    printf '#!/bin/bash\necho "mlxdpa $1 ${SIGN_PIN:+has it}" >>%q\nexec %q "$@"\n' \
        "$PWD/calls" "$DPAKIT_BUILD/bin/mlxdpa" >watch/mlxdpa
    chmod +x watch/mlxdpa
    # The script takes the installed tools, because its own tree has none.
    mkdir -p tree/examples
    cp -R "$recipes" tree/examples/
    PATH=$PWD/watch:$PATH token env -u DPAKIT_BUILD tree/examples/ci-signing/ci-sign.sh sign
    cat calls
    grep -q '^mktemp$' calls
    [ "$(grep -c 'has it' calls)" -eq 1 ]
    grep -q '^mlxdpa release has it$' calls
    ! grep -rF "$pin" out || false
}

# ---- The templates: each command that a runner would run, in a fresh copy of the tree ----

fresh_copy() {
    mkdir copy bin
    cp -r "$top"/{bootstrap,examples} copy/
    ln -s "$DPAKIT_BUILD" copy/build
    mkdir copy/signing
    cp "$world"/{chain.der,root.der,device.archive} copy/signing/
    # Packages and the build exist already, and nothing is published: the wrappers only record their calls,
    # and whether they see a PIN.
    for f in copy/bootstrap bin/apt-get bin/curl bin/gh; do
        printf '#!/bin/sh\necho "${0##*/} $*" "${SIGN_PIN:+has the PIN}" >>%q\n' "$PWD/asked" >$f
        chmod +x $f
    done
    PATH=$PWD/bin:$PATH
    unset SIGN_CHAIN SIGN_ROOT DEVICE OUT
    cd copy
    # A program that prints everything it can see: its own environment, and that of each process above it.
    cat >spy <<'END'
#!/bin/bash
for ((p = $$; p > 1; p = $(sed -n 's/^PPid:\t//p' /proc/$p/status))); do
    tr '\0' '\n' </proc/$p/environ | grep -a ^SIGN_PIN=
done >>"${0%/*}/../betrayed"
END
    chmod +x spy
    export BUILD="$PWD/spy; bash $PWD/examples/ci-signing/build-hello.sh"
    export TEST="$PWD/spy; \"\$PROGRAM\" \"\$DEVICE_NAME\" | grep 'Hello World'"
}
# Checks what every template must have done.
published() {
    cat ../asked
    (cd out && sha256sum -c release.tar.gz.sha256 && tar -tzf release.tar.gz | grep -x release/hello_world)
    tar -xOzf out/release.tar.gz release/hello_world.intoto.jsonl | jq -r .payload | base64 -d |
        grep -F '"git+https://example.org/x"'
    [ "$(grep -c bootstrap ../asked)" -ge 2 ]
    ! grep 'has the PIN' ../asked || false
    ! cat ../betrayed | grep . || false
}
revision=$(printf 'a%.0s' {1..40})

# part FILE KEY INDENT: the lines below "KEY:" that are indented more than it is.
part() {
    awk -v key="$(printf '%*s' "$3" '')$2:" -v deeper="$(printf '%*s' $(($3 + 1)) '')" \
        '$0 == key {on = 1; next} on && index($0, deeper) != 1 && NF {exit} on && !/^ *#/ {print}' "$1"
}

@test "GitLab: the scripts of all jobs, with the PIN where its scope is" {
    fresh_copy
    file=examples/ci-signing/gitlab-ci.yml
    CI_PROJECT_URL=https://example.org/x CI_COMMIT_SHA=$revision
    export CI_JOB_TOKEN=t CI_API_V4_URL=https://example.org/api CI_PROJECT_ID=1 CI_PROJECT_NAME=x CI_COMMIT_TAG=v1
    part $file variables 0 | sed -n 's/^  \([A-Z_]*\): *\([^#]*[^# ]\).*/export \1=\2/p' >variables
    [ "$(wc -l <variables)" -eq 11 ]
    . ./variables
    [ "$SOURCE_URI" = git+https://example.org/x ]
    part $file .code 0 >code
    for job in $(sed -n 's/^stages: \[\(.*\)\]/\1/p' $file | tr -d ,); do
        part $file "$job" 0 >job
        grep -q "^  stage: $job$" job
        ! grep -q '^  extends: .code' job || cat code >>job
        { part job before_script 2; part job script 2; } | sed 's/^    - //' >script
        [ -s script ]
        if grep -q '^  environment: signing$' job; then
            [ "$(wc -l <script)" -eq 1 ] # nothing but this runs where the PIN is
            ! grep -q 'cache\|extends' job || false
            grep -q 'CI_COMMIT_REF_PROTECTED' job
            token bash -eo pipefail script
        else
            bash -eo pipefail script
        fi
    done
    published
    [ "$(grep -c '^curl .*/packages/generic/x/v1/release.tar.gz' ../asked)" -eq 2 ]
    # Each job's artifacts are those that the next job needs.
    [ "$(sed -n 's/^    paths: \[\(out.*\)\]/\1/p' $file | tr '\n' ' ')" = \
        "out/unsigned out/test out/release out/proof out/release.tar.gz, out/release.tar.gz.sha256 " ]
}

@test "GitHub: the steps of all jobs, with the PIN in the step that gets it" {
    fresh_copy
    file=examples/ci-signing/github-workflow.yml
    part $file env 0 | sed -n 's/^  \([A-Z_]*\): *\([^#]*[^# ]\).*/export \1=\2/p' >variables
    [ "$(wc -l <variables)" -eq 8 ]
    . ./variables
    # One file for each step that runs commands, in order. Expressions in scripts would let anybody who can
    # name a branch run commands.
    awk '/^      - / {n++; file = sprintf("step%02d", n)} n && !/^ *#/ {print > file} /^  [a-z]*:$/ {n += !n; file = "/dev/null"}' $file
    steps=0
    for step in step*; do
        grep -q ' run: ' "$step" || continue
        steps=$((steps + 1))
        sed -n '/^        run: |/,$ {/run: |/d; p}; s/^        run: \([^|].*\)/\1/p' "$step" >script
        ! grep -F '${{' script || false
        if grep -q 'secrets\.SIGN_PIN' "$step"; then
            [ "$(cat script)" = '$DPAKIT/examples/ci-signing/ci-sign.sh sign' ]
            grep -q 'SOURCE_URI: git+${{ github.server_url }}/${{ github.repository }}' "$step"
            SOURCE_URI=git+https://example.org/x SOURCE_REVISION=$revision token bash -eo pipefail script
        else
            TAG=v1 REPOSITORY=x/y bash -eo pipefail script
        fi
    done
    [ $steps -eq 8 ]
    [ "$(grep -c 'secrets\.' $file)" -eq 2 ]
    published
    grep -q '^gh release create v1 .* out/release.tar.gz out/release.tar.gz.sha256 *$' ../asked
}

@test "Jenkins: the steps of all stages, with the PIN within withCredentials" {
    fresh_copy
    file=examples/ci-signing/Jenkinsfile
    sed -n "/^    environment {/,/^    }/s/^        \([A-Z_]*\) = '\([^']*\)'.*$/export \1=\2/p" $file >variables
    [ "$(wc -l <variables)" -eq 8 ]
    . ./variables
    awk "/withCredentials/ {with = 1} /^ *}\$/ {with = 0}
         / sh '/ {line = \$0; sub(/^ *sh '/, \"\", line); sub(/'\$/, \"\", line); print with, line}" $file >steps
    [ "$(wc -l <steps)" -eq 7 ]
    [ "$(grep -c ^1 steps)" -eq 1 ]
    while read -r with line; do
        if [ "$with" -eq 1 ]; then
            SOURCE_URI=git+https://example.org/x SOURCE_REVISION=$revision token sh -xec "$line"
        else
            sh -xec "$line" # as Jenkins runs them
        fi
    done <steps
    published
    grep -q "archiveArtifacts artifacts: 'out/release.tar.gz\*'" $file
}
