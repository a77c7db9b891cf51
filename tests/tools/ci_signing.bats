# examples/ci-signing: the job signs and releases, or says why not and releases nothing.
source "$BATS_TEST_DIRNAME/../helpers/readme.bash"

setup_file() {
    "$BATS_TEST_DIRNAME/../../examples/ci-signing/make-world.sh" "$BATS_FILE_TMPDIR/world"
}

setup() {
    world=$BATS_FILE_TMPDIR/world
    job=$BATS_TEST_DIRNAME/../../examples/ci-signing/ci-sign.sh
    cd "$BATS_TEST_TMPDIR"
    export SOFTHSM2_CONF=$world/softhsm2.conf PKCS11_MODULE_PATH=/usr/lib/softhsm/libsofthsm2.so
    export SIGN_KEY='pkcs11:token=dpa;object=leaf' SIGN_PIN=1234 SIGN_CHAIN=$world/chain.der
    export SIGN_ROOT=$world/root.der DEVICE=$world/device.archive OUT=$PWD/out
}

# fails CODE TEXT: the job ends so, and nothing is released.
fails() {
    run "$job"
    echo "$output"
    [ "$status" -eq "$1" ]
    [[ $output == *"$2"* ]]
    [ -z "$(ls out 2>/dev/null)" ]
}

@test "the commands of the README work" {
    paste_readme ci-signing
    [[ $output == *"Hello World"* ]]
    [ "${lines[-1]}" = release.tar.gz.sha256 ]
}

@test "what is released is signed, and tells how it ran" {
    "$job"
    cd out
    sha256sum -c release.tar.gz.sha256
    tar -xzf release.tar.gz
    mlxdpa -e release/hello_signed --ca "$world/root.der" verify
    (cd release && sha256sum --strict -c SHA256SUMS)
    jq -r .payload release/hello_signed.intoto.jsonl | base64 -d | jq -e '.subject[0].name == "hello_signed"'
    jq -e 'map(.result) == ["OK", "UNSIGNED", "OK"]' release/device-log.json
    grep -q 'Hello World' release/run.log
}

@test "the world that a job sees has no private key" {
    ! grep -rlaE 'PRIVATE KEY' "$world" --exclude-dir=secret || false
    dpadev show --json x 2>/dev/null || DPAKIT_DEVICES=$PWD/d dpadev import x "$DEVICE"
    [ ! -e d/x/factory ]
}

@test "a wrong PIN, a missing variable, a foreign root: nothing is released" {
    SIGN_PIN=4321 fails 1 '-E-'
    SIGN_PIN='' fails 2 'SIGN_PIN is not set'
    openssl req -x509 -key "$BATS_TEST_DIRNAME/../data/keys/owner.pem" -outform der -out foreign.der -subj /CN=Foreign
    SIGN_ROOT=$PWD/foreign.der fails 1 'UNKNOWN_CA'
    printf 'policy: 1\nsigners: []\n' >policy.yaml
    POLICY=$PWD/policy.yaml fails 22 'SIGNER_NOT_ALLOWED'
}

@test "a device that loads anything is no test of a signature" {
    DPAKIT_DEVICES=$PWD/d dpadev create open
    DPAKIT_DEVICES=$PWD/d dpadev export open open.archive
    DEVICE=$PWD/open.archive fails 1 'would load unsigned programs'
}

# ---- The recipes, as they stand: every line that a runner would run, in a fresh copy ----

fresh_copy() {
    local top=$BATS_TEST_DIRNAME/../..
    mkdir copy
    cp -r "$top"/{bootstrap,examples} copy/
    ln -s "$DPAKIT_BUILD" copy/build
    mkdir copy/signing
    cp "$world"/{chain.der,root.der,device.archive} copy/signing/
    # Packages and the build are there: only whether the recipe asks for them is seen.
    mkdir bin
    printf '%s\n' '#!/bin/sh' 'echo "$0 $*" >>"$ASKED"' >copy/bootstrap
    # As on Debian 12, there is no package pkcs11-provider.
    printf '%s\n' '#!/bin/sh' 'echo "$0 $*" >>"$ASKED"' 'case $* in *pkcs11-provider) exit 100 ;; esac' >bin/apt-get
    cp bin/apt-get bin/sudo
    chmod +x bin/* copy/bootstrap
    export ASKED=$PWD/asked PATH=$PWD/bin:$PATH
    unset SIGN_CHAIN SIGN_ROOT DEVICE OUT
    cd copy
}

was_asked() {
    grep -q 'bootstrap' "$ASKED"
    grep -q 'apt-get install .*libengine-pkcs11-openssl$' "$ASKED"
}

released() {
    (cd out && sha256sum -c release.tar.gz.sha256 && tar -tzf release.tar.gz | grep -x release/hello_signed)
}

@test "the GitLab job: its variables and each line of its script" {
    fresh_copy
    file=examples/ci-signing/gitlab-ci.yml
    sed -n '/^  variables:/,/^  [a-z]*:$/s/^    \([A-Z_]*\): /export \1=/p' $file >job
    [ "$(wc -l <job)" -eq 4 ]
    sed -n '/^  script:/,/^  [a-z]*:/s/^    - //p' $file >>job
    [ "$(wc -l <job)" -eq 8 ]
    bash -eo pipefail job
    was_asked
    released
    [ "$(sed -n 's/^    paths: \[\(.*\)\/\]/\1/p' $file)" = out ]
}

@test "the Jenkins pipeline: its variables and each of its steps" {
    fresh_copy
    file=examples/ci-signing/Jenkinsfile
    sed -n "/^    environment {/,/^    }/s/^        \([A-Z_]*\) = '\(.*\)'$/export \1=\2/p" $file >variables
    [ "$(wc -l <variables)" -eq 4 ]
    [ "$(grep -c "= credentials('dpa-sign-[a-z]*')$" $file)" -eq 2 ]
    awk "/sh '''/ {n++; on = 1; next} /^ *'''/ {on = 0} on {print > (\"step\" n)}" n=0 $file
    [ -s step1 ] && [ -s step2 ] && [ ! -e step3 ]
    . ./variables
    for step in step1 step2; do sh -xe $step; done # as Jenkins runs them
    was_asked
    released
    grep -q "archiveArtifacts artifacts: 'out/\*'" $file
}

@test "the GitHub Action: its inputs and each of its steps" {
    fresh_copy
    file=examples/ci-signing/action.yml
    # Environment of a step: defaults of inputs, and what the workflow gives.
    given_sign_key=$SIGN_KEY given_sign_pin=$SIGN_PIN
    unset SIGN_KEY SIGN_PIN
    while read -r name input; do
        default=$(sed -n "s/^  $input: {.*default: \(.*\) }$/\1/p" $file)
        given=given_${input//-/_}
        grep -q "^  $input: {" $file
        export "$name=${default:-${!given}}"
    done < <(sed -n 's/^        \([A-Z_]*\): \${{ inputs\.\([a-z-]*\) }}$/\1 \2/p' $file)
    [ -n "$SIGN_KEY$SIGN_PIN" ] && [ "$SIGN_CHAIN" = signing/chain.der ] && [ "$OUT" = out ]
    # Expressions in scripts would be a way in for whoever names a branch.
    ! sed -n '/ run: |/,/^    - /p' $file | grep -F '${{' || false
    export GITHUB_ACTION_PATH=$PWD/examples/ci-signing
    awk '/^      run: \|/ {n++; next} /^    - |^      [a-z]/ {in_run = 0} {if (/^        /) print > ("step" n)}' \
        n=0 <(sed -n '/^  steps:/,$p' $file | awk '/run: \|/ {on = 1; print; next} /^    - / {on = 0} on')
    [ -s step1 ] && [ -s step2 ] && [ ! -e step3 ]
    for step in step1 step2; do bash --noprofile --norc -eo pipefail $step; done
    was_asked
    released
}

@test "the GitHub workflow gives the action what it asks for, and keeps what it makes" {
    folder=$BATS_TEST_DIRNAME/../../examples/ci-signing
    sed -n 's/^  \([a-z-]*\): {.*required: true }$/\1/p' "$folder/action.yml" | sort >required
    sed -n '/uses: \.\/examples\/ci-signing/,/- uses/s/^          \([a-z-]*\):.*/\1/p' \
        "$folder/github-workflow.yml" | sort >given
    [ -s required ]
    diff required given
    grep -q '^          path: out/$' "$folder/github-workflow.yml"
}
