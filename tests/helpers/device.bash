# Emulated devices for tests that ask nothing of how a device gets its keys. "source" it in a bats file.

# .pem, .pub, .uuid: a test key that plays the part of NVIDIA's. Exported for shells of other name spaces.
export nvidia_key=${BASH_SOURCE[0]%/*}/../data/keys/owner

# new_device [OPTION ...] NAME: dpadev create, with that key; to make one takes seconds.
new_device() {
    dpadev create --nvidia-key "$nvidia_key.pub" --nvidia-key-uuid "$(<"$nvidia_key.uuid")" "$@"
}

# ready_build FOLDER: what a text's reader has for the build, exported as $ready_build. Its "dpadev create" takes that
# key, too, unless the words name one. It is a command, no function, since texts end it in the background, and scripts
# and build systems call it. A text that uses the pair that create makes has the real build.
ready_build() {
    export ready_build=$1
    mkdir "$1" && ln -s "$DPAKIT_BUILD"/* "$1" && rm "$1/bin" && mkdir "$1/bin" && ln -s "$DPAKIT_BUILD"/bin/* "$1/bin" &&
        rm "$1/bin/dpadev" || return
    printf '%s\n' '#!/bin/bash' '[[ "$1" != create || "$*" == *--nvidia-key* ]] ||' \
        '    set -- create --nvidia-key "$nvidia_key.pub" --nvidia-key-uuid "$(<"$nvidia_key.uuid")" "${@:2}"' \
        'exec "$DPAKIT_BUILD/bin/dpadev" "$@"' >"$1/bin/dpadev"
    chmod +x "$1/bin/dpadev"
}
uses_the_pair() { grep -qE 'dpadev claim|/factory' "$@"; }
