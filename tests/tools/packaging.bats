# Results of packaging/: an installation, NVIDIA's tree, a Debian package. A user
# finds there what the README promises.

source "$BATS_TEST_DIRNAME/../helpers/readme.bash"
source "$BATS_TEST_DIRNAME/../helpers/device.bash"

here=$BATS_TEST_DIRNAME/../..
# A build without documents, which is installed faster, for tests that look at what an installation leaves.
small=$BATS_FILE_TMPDIR/small
# An installation under NVIDIA's names. Tests only read it.
compat=$BATS_FILE_TMPDIR/compat

setup_file() {
    local d
    install_to "$BATS_FILE_TMPDIR/prefix"
    "$here/packaging/install-compat" "$DPAKIT_BUILD" '' "$compat" 3
    mkdir "$small"
    for d in bin lib include share; do cp -a "$DPAKIT_BUILD/$d" "$small/"; done
    rm -r "$small/share/doc"
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    # shellcheck disable=SC2086
    hostcc="gcc -Wall -Wextra -Werror ${TEST_HOST_CFLAGS:-}"
}

install_to() { "$here/packaging/install" "${2:-$DPAKIT_BUILD}" "$1"; }
# A copy of the installation, as prefix.
installed() { cp -al "$BATS_FILE_TMPDIR/prefix" prefix; }

plain_build_only() { [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only"; }

export -f new_device # for shells of other name spaces

# The example flexio_rpc with the dpacc and the pkg-config files of one installation, nothing else.
rpc_through_pkgconfig() { # PKGCONFIG-DIR
    local PKG_CONFIG_PATH=$1
    export PKG_CONFIG_PATH
    "$(pkg-config --variable=dpacc libflexio)" "$here/examples/flexio_rpc/device/flexio_rpc_dev.c" \
        -o rpc.a --app-name=flexio_rpc_app
    # shellcheck disable=SC2046,SC2086
    $hostcc -DDEV_APP_NAME=flexio_rpc_app "$here/examples/flexio_rpc/host/flexio_rpc.c" rpc.a -o rpc \
        $(pkg-config --cflags --libs libflexio)
    new_device mlx5_0
    env -u LD_LIBRARY_PATH ./rpc mlx5_0 44 55 | tee printed
    grep -qx 'Result: 99' printed
}

namespaces() {
    unshare -m true 2>/dev/null || skip "no mount namespace may be made here"
}

@test "install and uninstall put and take away the same files" {
    install_to "$PWD/prefix"
    for t in "$DPAKIT_BUILD"/bin/*; do
        "prefix/bin/${t##*/}" --version >/dev/null || { echo "$t"; false; }
    done
    "$here/packaging/install" --remove "$PWD/prefix"
    [ -z "$(find prefix -type f -o -type l)" ]
    # Our folders are gone; shared folders remain, even if they are empty.
    [ -z "$(find prefix -name '*dpakit*' -o -name 'doca-*' -o -name 'libflexio*')" ]
    for d in bin lib include share/man/man1; do [ -d "prefix/$d" ]; done
}

@test "the examples' recipe for an installed dpakit works as it stands" {
    plain_build_only
    installed
    paste_installed "$PWD/prefix" flexio_rpc rdma_say
    [[ $output == *"Result: 99"* ]]
}

@test "install replaces its own files, takes away those of an older version, and nobody's else" {
    install_to "$PWD/prefix" "$small"
    echo bin/old-tool >>prefix/share/dpakit/files
    touch prefix/bin/old-tool prefix/bin/neighbour
    install_to "$PWD/prefix" "$small"
    [ ! -e prefix/bin/old-tool ]
    [ -e prefix/bin/neighbour ]
    [ -z "$(find prefix -maxdepth 1 -name '.*' -type d)" ]
    # A manipulated list cannot name files outside of the installation.
    touch outside
    printf '%s\n' ../outside "$PWD/outside" bin/../../outside >>prefix/share/dpakit/files
    "$here/packaging/install" --remove "$PWD/prefix"
    [ -e outside ]
    [ "$(find prefix -type f)" = prefix/bin/neighbour ]
    run "$here/packaging/install" --remove "$PWD/prefix"
    [ "$status" -eq 1 ]
    [[ $output == "-E- install: "*"dpakit is not installed in $PWD/prefix" ]]
}

@test "install overwrites no file of others, and writes nothing then" {
    mkdir -p prefix/bin
    echo theirs >prefix/bin/mlxdpa
    run install_to "$PWD/prefix" "$small"
    [ "$status" -eq 1 ]
    [[ $output == "-E- install: $PWD/prefix has files in the way"*" bin/mlxdpa "* ]]
    [ "$(find prefix -type f)" = prefix/bin/mlxdpa ]
    [ "$(cat prefix/bin/mlxdpa)" = theirs ]
}

@test "install writes nothing if a folder cannot be written" {
    mkdir blocked
    touch blocked/share
    run install_to "$PWD/blocked"
    [ "$status" -eq 1 ]
    [ "$output" = "-E- install: cannot write to $PWD/blocked/share; nothing is written" ]
    [ "$(find blocked)" = "$(printf '%s\n' blocked blocked/share)" ]
    run install_to "$PWD/blocked/share/below"
    [ "$output" = "-E- install: cannot write to $PWD/blocked/share; nothing is written" ]
    run install_to blocked # from where? make does not say
    [ "$status" -eq 1 ]
    [ "$output" = "-E- install: PREFIX must be an absolute path: blocked" ]
}

@test "install writes nothing where another owns a folder, or where nothing can be written" {
    namespaces
    run on_a_machine '
        mkdir -p p/lib readonly
        chown 65534 p/lib
        ! setpriv --bounding-set=-all --inh-caps=-all "$1/packaging/install" "$DPAKIT_BUILD" "$PWD/p" || exit 1
        [ "$(find p)" = "$(printf "%s\n" p p/lib)" ]
        mount -t tmpfs -o ro tmpfs readonly
        ! "$1/packaging/install" "$DPAKIT_BUILD" "$PWD/readonly/p" || exit 1' "$here"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "-E- install: cannot write to $PWD/p/lib; nothing is written" ]]
    [[ ${lines[1]} == "-E- install: cannot write to $PWD/readonly; nothing is written" ]]
}

@test "install follows a folder of the prefix that lies elsewhere" {
    mkdir prefix elsewhere
    ln -s ../elsewhere prefix/share
    install_to "$PWD/prefix" "$small"
    [ -e elsewhere/man/man1/dpacc.1 ]
    prefix/bin/dpacc --version
    "$here/packaging/install" --remove "$PWD/prefix"
    [ -z "$(find prefix elsewhere -type f)" ]
}

# Runs commands as root of a temporary machine: /etc, /usr/local and /opt of this machine are changed
# only for them.
on_a_machine() { # SCRIPT [ARGUMENTS]
    mkdir -p machine
    unshare -m bash -euc '
        mount -t tmpfs tmpfs machine
        for d in /etc /usr/bin /usr/local /opt /var/cache/ldconfig; do
            mkdir -p machine/upper$d machine/work$d
            mount -t overlay overlay -o "lowerdir=$d,upperdir=$PWD/machine/upper$d,workdir=$PWD/machine/work$d" $d
        done
        script=$1; shift; eval "$script"' on_a_machine "$@"
}

@test "a full disk leaves nothing half-installed" {
    plain_build_only
    namespaces
    run on_a_machine '
        mkdir small; mount -t tmpfs -o size=4m tmpfs small
        ! "$1/packaging/install" "$DPAKIT_BUILD" "$PWD/small/prefix" || exit 1
        [ -z "$(find small -type f)" ]
        ! "$1/packaging/install-compat" "$DPAKIT_BUILD" "" "$PWD/small/m" 3 || exit 1
        [ -z "$(find small -type f -o -type l)" ]; echo nothing' "$here"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"No space left on device"*nothing ]]
}

@test "installed as root, then the guide's link line: the program runs, and ibv_devices shows its device" {
    plain_build_only
    namespaces
    cp "$here"/examples/hello/{hello_world,kernel}.c .
    # shellcheck disable=SC2016
    on_a_machine '
        "$1/packaging/install" "$DPAKIT_BUILD" /usr/local
        "$1/packaging/ldconf" dpakit /usr/local/lib/dpakit /usr/local/lib
        PATH=/usr/local/bin:/usr/bin:/bin; unset LD_LIBRARY_PATH
        hello() {
            dpacc libdoca_dpa_dev.a kernel.c -o dpa_program.a -hostcc=gcc \
                --app-name=dpa_hello_world_app -I/usr/local/include/doca-2.2
            gcc hello_world.c -o hello_world dpa_program.a /usr/local/lib/libdoca_dpa.a \
                -I/usr/local/include/doca-2.2 -DDOCA_ALLOW_EXPERIMENTAL_API \
                -ldoca_common -lflexio -lstdc++ -libverbs -lmlx5
        }
        hello
        new_device mlx5_0
        ./hello_world mlx5_0 | grep "/Hello World$"
        # A FlexIO program calls libibverbs itself.
        cp -r /usr/local/share/doc/dpakit/examples/flexio_rpc .
        dpacc flexio_rpc/device/flexio_rpc_dev.c -o rpc.a --app-name=flexio_rpc_app
        gcc -DDEV_APP_NAME=flexio_rpc_app flexio_rpc/host/flexio_rpc.c rpc.a -o rpc -lflexio -libverbs -lmlx5
        ./rpc mlx5_0 44 55 | grep -x "Result: 99"
        ldd rpc | grep "libibverbs.so.1 => /usr/local/lib/dpakit/libibverbs.so.1"
        if command -v ibv_devices; then ibv_devices | grep mlx5_0; fi
        # A program with more rights than its user loads nothing that its user names.
        cp /usr/bin/ibv_devices set_user; chown nobody set_user; chmod u+s,go+rx set_user
        ! ./set_user | grep mlx5_0 || exit 1
        "$1/packaging/install" --remove /usr/local
        "$1/packaging/ldconf" --remove dpakit /usr/local/lib/dpakit /usr/local/lib
        [ -z "$(find /usr/local/bin /usr/local/lib /etc/ld.so.conf.d -name "*dpa*" -o -name "libflexio*")" ]
        ldd /usr/bin/ibv_devices | grep -v /usr/local | grep libibverbs.so.1' "$here"
    [ ! -e /usr/local/bin/dpacc ]
}

@test "install-compat as root: the guide's lines run with nothing exported" {
    plain_build_only
    namespaces
    m=$(gcc -print-multiarch)
    cp "$here"/examples/hello/{hello_world,kernel}.c .
    # shellcheck disable=SC2016
    on_a_machine '
        "$1/packaging/install-compat" "$DPAKIT_BUILD" "" /opt/mellanox 2.2
        "$1/packaging/ldconf" dpakit-compat /opt/mellanox/dpakit/lib/dpakit /opt/mellanox/dpakit/lib
        unset LD_LIBRARY_PATH
        cp "/opt/mellanox/doca/lib/$2/libdoca_dpa.a" .
        /opt/mellanox/doca/tools/dpacc libdoca_dpa_dev.a kernel.c -o dpa_program.a -hostcc=gcc \
            -hostcc-options="-Wno-deprecated-declarations" \
            --devicecc-options="-D__linux__ -Wno-deprecated-declarations" \
            --app-name="dpa_hello_world_app" -I/opt/mellanox/doca/include/
        gcc hello_world.c -o hello_world dpa_program.a libdoca_dpa.a -I/opt/mellanox/doca/include/ \
            -DDOCA_ALLOW_EXPERIMENTAL_API -L/opt/mellanox/doca/lib/x86_64-linux-gnu/ -ldoca_common \
            -L/opt/mellanox/flexio/lib/ -lflexio -lstdc++ -libverbs -lmlx5
        PATH=/opt/mellanox/doca/tools:$PATH new_device mlx5_0
        ./hello_world mlx5_0 | grep "/Hello World$"
        "$1/packaging/install-compat" --remove "" /opt/mellanox
        "$1/packaging/ldconf" --remove dpakit-compat /opt/mellanox/dpakit/lib/dpakit /opt/mellanox/dpakit/lib
        [ -z "$(find /opt/mellanox /etc/ld.so.conf.d/00-dpakit-compat.conf 2>/dev/null)" ]' "$here" "$m"
}

@test "an installation outside the system's folders says what to export, and that is enough" {
    plain_build_only
    "$here/packaging/ldconf" dpakit "$PWD/prefix/lib/dpakit" "$PWD/prefix/lib" >said
    [ "$(sed -n 1p said)" = "Programs find the libraries after" ]
    installed
    gcc -DDEV_APP_NAME=flexio_rpc_app "$here/examples/flexio_rpc/host/flexio_rpc.c" -c -o host.o -Iprefix/include
    prefix/bin/dpacc "$here/examples/flexio_rpc/device/flexio_rpc_dev.c" -o rpc.a --app-name=flexio_rpc_app
    gcc host.o rpc.a -o rpc -Lprefix/lib -lflexio -libverbs -lmlx5
    new_device mlx5_0
    unset LD_LIBRARY_PATH
    eval "$(sed -n 2p said)"
    ./rpc mlx5_0 44 55 | grep -x 'Result: 99'
}

@test "a folder is the same folder, whoever says it how" {
    namespaces
    run on_a_machine '
        "$1/packaging/ldconf" dpakit /usr/local//lib/dpakit /usr/local/share/../lib/
        ls /etc/ld.so.conf.d/00-dpakit.conf
        "$1/packaging/ldconf" --remove dpakit /usr/local/lib/dpakit /usr/local/lib
        [ ! -e /etc/ld.so.conf.d/00-dpakit.conf ]
        "$1/packaging/ldconf" dpakit /usr/../tmp/lib
        [ ! -e /etc/ld.so.conf.d/00-dpakit.conf ]' "$here"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"export LD_LIBRARY_PATH=/tmp/lib"* ]]
}

@test "the export line that the installation prints can be pasted, whatever the folder is called" {
    "$here/packaging/ldconf" dpakit "/it's \$HOME/lib/dpakit" "/it's \$HOME/lib" >said
    LD_LIBRARY_PATH=/before
    eval "$(sed -n 2p said)"
    [ "$LD_LIBRARY_PATH" = "/it's \$HOME/lib/dpakit:/it's \$HOME/lib:/before" ]
    unset LD_LIBRARY_PATH
    eval "$(sed -n 2p said)"
    [ "$LD_LIBRARY_PATH" = "/it's \$HOME/lib/dpakit:/it's \$HOME/lib" ]
}

@test "a prefix with spaces serves a program through pkg-config" {
    "$here/packaging/install-compat" "$DPAKIT_BUILD" '' "$PWD/m & |me" 3
    export PKG_CONFIG_PATH=$PWD/m\ \&\ \|me/doca/lib/$(gcc -print-multiarch)/pkgconfig
    [ -z "$(find m* -xtype l)" ]
    mv "m & |me" "and moved" # a shell takes it apart as it is
    PKG_CONFIG_PATH=${PKG_CONFIG_PATH/m & |me/and moved}
    echo 'int main(void) { return 0; }' >main.c
    for name in libflexio "doca-dpa doca-rdma doca-argp libflexio"; do
        # shellcheck disable=SC2086
        eval "$hostcc main.c -o main -Wl,--no-as-needed $(pkg-config --cflags --libs $name)"
        env -u LD_LIBRARY_PATH ldd main | grep -F "$PWD/and moved/" | grep libflexio
        env -u LD_LIBRARY_PATH ldd main | grep -F "$PWD/and moved/" | grep libibverbs
    done
    "$here/packaging/install-compat" --remove '' "$PWD/and moved"
    [ ! -e "and moved" ]
}

@test "installed files are readable for all despite a strict umask" {
    plain_build_only
    (umask 077 && install_to "$PWD/prefix")
    [ -z "$(find prefix/* ! -type l ! -perm -444)" ]
    [ -z "$(find prefix/bin prefix/share -type d ! -perm -111)" ]
}

@test "an installed tree builds and runs a Meson project of DOCA 3" {
    installed
    export PKG_CONFIG_PATH=$PWD/prefix/lib/pkgconfig
    CFLAGS=${TEST_HOST_CFLAGS:-} LDFLAGS=${TEST_HOST_CFLAGS:-} \
        meson setup b "$here/examples/dpa_kernel_launch"
    ninja -C b
    new_device mlx5_0
    env -u LD_LIBRARY_PATH b/doca_dpa_kernel_launch -n 3 | grep -q '3 threads ran$'
}

@test "a prefix with the host's own headers in its include folder serves device code" {
    installed
    printf '%s\n' '#ifdef __riscv' '#error "the header of the host"' '#endif' \
        '#include_next <stdint.h>' >prefix/include/stdint.h
    printf '%s\n' '#include <libflexio-dev/flexio_dev.h>' '#include <string.h>' \
        '__dpa_rpc__ uint64_t f(void) { return 0; }' >k.c
    prefix/bin/dpacc k.c -o k.a
}

@test "an installed tree serves a program through pkg-config, wherever it is moved, and shadows nobody's libibverbs" {
    installed
    mv prefix "the tree"
    mv "the tree" second
    [ ! -e second/lib/libibverbs.so.1 ]
    [ ! -e second/lib/libmlx5.so.1 ]
    [ -e second/lib/dpakit/libibverbs.so.1 ]
    rpc_through_pkgconfig "$PWD/second/lib/pkgconfig"
    ldd rpc | grep -F "$PWD/second/lib/pkgconfig/../../lib/dpakit/libibverbs.so.1"
}

# major.minor.sub of a version that flexio_ver.h has.
header_version() { # MACRO
    printf '#include <libflexio/flexio_ver.h>\nversion=%s\n' "$1" | $hostcc -E -P -Iprefix/include - |
        tail -1 | sed -nE 's/^version=\(\(\(([0-9]+)\) << 24\) \| \(\(([0-9]+)\) << 16\) \| \(([0-9]+)\)\)$/\1.\2.\3/p' |
        grep .
}

@test "every pkg-config file names directories and libraries that are there" {
    installed
    export PKG_CONFIG_PATH=$PWD/prefix/lib/pkgconfig
    echo 'int main(void) { return 0; }' >main.c
    $hostcc -c main.c
    for f in prefix/lib/pkgconfig/*.pc; do
        name=$(basename "$f" .pc)
        [ -d "$(pkg-config --variable=libdir "$name")" ]
        [ -d "$(pkg-config --variable=includedir "$name")" ]
        # The version of the interface, as in its headers.
        case $name in
        doca*) version=$(cat prefix/share/dpakit/VERSION) ;;
        libflexio-2.2) version=$(header_version FLEXIO_VER_2_2) ;;
        libflexio*) version=$(header_version FLEXIO_VER_LATEST) ;;
        dpkverify) version=$(cat "$here/VERSION") ;;
        cuda*) version=12.4 ;;
        esac
        [ "$(pkg-config --modversion "$name")" = "$version" ]
        [ "$name" != libflexio-libc ] || continue # a DPA library, with which no host program is linked
        # shellcheck disable=SC2046
        $hostcc main.o -o main -Wl,--no-as-needed $(pkg-config --cflags --libs "$name") ||
            { echo "$name"; false; }
    done
}

# The guide's lines (DPA subsystem guide 2.2.1, 3.5.2) with ROOT for /opt/mellanox.
guide_lines() {
    local ROOT=$1 m
    m=$(gcc -print-multiarch)
    cp "$ROOT/doca/lib/$m/libdoca_dpa.a" "$here"/examples/hello/{hello_world,kernel}.c .
    "$ROOT/doca/tools/dpacc" libdoca_dpa_dev.a kernel.c -o dpa_program.a -hostcc=gcc \
        -hostcc-options="-Wno-deprecated-declarations" \
        --devicecc-options="-D__linux__ -Wno-deprecated-declarations" \
        --app-name="dpa_hello_world_app" -I"$ROOT/doca/include/"
    $hostcc hello_world.c -o hello_world dpa_program.a libdoca_dpa.a -I"$ROOT/doca/include/" \
        -DDOCA_ALLOW_EXPERIMENTAL_API -L"$ROOT/doca/lib/$m/" -ldoca_common \
        -L"$ROOT/flexio/lib/" -lflexio -lstdc++ -libverbs -lmlx5
    PATH=$ROOT/doca/tools:$PATH new_device mlx5_0
    LD_LIBRARY_PATH=$ROOT/doca/lib/$m:$ROOT/flexio/lib ./hello_world mlx5_0 | grep '/Hello World$'
}

@test "install-compat: the guide's command lines work as they stand, under NVIDIA's paths" {
    "$here/packaging/install-compat" "$DPAKIT_BUILD" '' "$PWD/opt/mellanox" 2.2
    guide_lines "$PWD/opt/mellanox"
}

@test "install-compat: its pkg-config files serve a FlexIO program" {
    rpc_through_pkgconfig "$compat/flexio/lib/pkgconfig"
}

@test "install-compat into DESTDIR: no link leaves the tree, none hangs loose" {
    "$here/packaging/install-compat" "$DPAKIT_BUILD" "$PWD/dest" /opt/mellanox 2.2
    mv dest elsewhere
    [ -z "$(find elsewhere -xtype l)" ]
    [ -z "$(find elsewhere -type l -lname '/*')" ]
    elsewhere/opt/mellanox/doca/tools/dpacc --version
    PKG_CONFIG_SYSROOT_DIR=$PWD/elsewhere PKG_CONFIG_PATH=$PWD/elsewhere/opt/mellanox/flexio/lib/pkgconfig \
        pkg-config --cflags libflexio | grep -F -- "-I$PWD/elsewhere/opt/mellanox/flexio/include"
    [ -z "$(grep -rlF "$PWD" elsewhere --include='*.pc' --include='*.sh')" ]
}

@test "install-compat: pkg-config files name the folders that NVIDIA's name" {
    local m r=/opt/mellanox
    m=$(gcc -print-multiarch)
    "$here/packaging/install-compat" "$DPAKIT_BUILD" "$PWD/d" $r 3
    for folder in d$r/doca/lib/$m d$r/flexio/lib; do
        export PKG_CONFIG_PATH=$PWD/$folder/pkgconfig
        for name in doca doca-common doca-dpa doca-dma doca-rdma; do
            [ "$(pkg-config --variable=includedir $name)" = $r/doca/include ]
            [ "$(pkg-config --variable=libdir $name)" = "$r/doca/lib/$m" ]
        done
        [[ $(pkg-config --cflags doca-common) == "-I$r/doca/include "* ]]
        [ "$(pkg-config --variable=includedir libflexio) $(pkg-config --variable=libdir libflexio)" = "$r/flexio/include $r/flexio/lib" ]
        # Several projects do this.
        [ "$(dirname "$(pkg-config --variable=includedir doca-common)")/tools" = $r/doca/tools ]
        [ "$(pkg-config --variable=dpacc libflexio)" = $r/doca/tools/dpacc ]
    done
    [ "$(PKG_CONFIG_PATH=d$r/doca/lib/aarch64-linux-gnu/pkgconfig pkg-config --variable=libdir doca-dpa)" = $r/doca/lib/aarch64-linux-gnu ]
}

@test "install-compat: where samples of others lie, dpakit's step aside and all the rest is installed" {
    mkdir -p m/flexio/samples m/doca/samples/doca_dma/dma_local_copy m/doca/applications
    echo theirs | tee m/flexio/samples/build.sh m/doca/samples/doca_dma/dma_local_copy/meson.build \
        m/doca/applications/VERSION m/flexio/samples/doca_build_dpacc.sh >/dev/null
    "$here/packaging/install-compat" "$small" '' "$PWD/m" 3 >said
    cat said
    [ "$(grep -c 'is not from dpakit: it stays' said)" -eq 4 ]
    [ "$(find m/flexio/samples m/doca/samples/doca_dma m/doca/applications ! -type d -exec cat {} + | sort -u)" = theirs ]
    [ "$(ls m/flexio/samples)" = $'build.sh\ndoca_build_dpacc.sh' ]
    [ -e m/doca/samples/doca_dpa/dpa_kernel_launch/meson.build ]
    m/doca/tools/dpacc --version
    # NVIDIA's files that are installed later stay too; dpakit's are back when NVIDIA's are removed.
    rm m/flexio/samples/* m/doca/samples/doca_dpa/dpa_kernel_launch/meson.build
    echo theirs >m/doca/samples/doca_dpa/dpa_kernel_launch/meson.build
    "$here/packaging/install-compat" "$small" '' "$PWD/m" 3
    [ -x m/flexio/samples/build.sh ]
    [ "$(find m/doca/samples/doca_dpa ! -type d)" = m/doca/samples/doca_dpa/dpa_kernel_launch/meson.build ]
    "$here/packaging/install-compat" --remove '' "$PWD/m"
    [ "$(find m ! -type d | sort)" = "$(printf 'm/%s\n' doca/applications/VERSION \
        doca/samples/doca_dma/dma_local_copy/meson.build doca/samples/doca_dpa/dpa_kernel_launch/meson.build)" ]
}

@test "install-compat: profiles and tools outside ROOT, which replace nobody's" {
    mkdir -p d/usr/bin d/etc/profile.d
    echo theirs | tee d/usr/bin/mstflint >d/etc/profile.d/flexio.sh
    "$here/packaging/install-compat" "$small" "$PWD/d" /opt/mellanox 3
    "$here/packaging/system-compat" "$PWD/d" /opt/mellanox >said
    [ "$(grep -c 'it stays' said)" -eq 2 ]
    [ "$(cat d/usr/bin/mstflint d/etc/profile.d/flexio.sh | sort -u)" = theirs ]
    for name in mlxconfig mstconfig flint mst mlxfwreset; do
        [ "$(readlink d/usr/bin/$name)" = /opt/mellanox/doca/tools/$name ]
        "d/opt/mellanox/doca/tools/$name" --version >/dev/null
    done
    rm d/usr/bin/mstflint d/etc/profile.d/flexio.sh
    "$here/packaging/system-compat" "$PWD/d" /opt/mellanox
    "$here/packaging/system-compat" "$PWD/d" /opt/mellanox # twice is as once
    m=$(gcc -print-multiarch)
    [ "$(ls d/etc/profile.d)" = $'doca-runtime.sh\n'"doca-sdk-$m.sh"$'\nflexio.sh' ]
    for shell in sh bash; do
        env -i PATH=/usr/bin:/bin $shell -euc '
            for f in d/etc/profile.d/*.sh d/etc/profile.d/*.sh; do . "$f"; done
            printf "%s\n" "$PATH" "$PKG_CONFIG_PATH" "$LD_LIBRARY_PATH"' >set
        diff set - <<END
/usr/bin:/bin:/opt/mellanox/doca/tools
/opt/mellanox/flexio/lib/pkgconfig:/opt/mellanox/doca/lib/$m/pkgconfig
/opt/mellanox/flexio/lib:/opt/mellanox/doca/lib/$m
END
    done
    "$here/packaging/system-compat" --remove "$PWD/d" /opt/mellanox
    "$here/packaging/install-compat" --remove "$PWD/d" /opt/mellanox
    [ ! -e d ] || [ -z "$(find d ! -type d)" ]
    # In a user's own folder, the user sources the same file; nothing outside is changed.
    "$here/packaging/install-compat" "$small" '' "$PWD/my own" 3
    "$here/packaging/system-compat" '' "$PWD/my own" >said
    env -i PATH=/usr/bin:/bin DPAKIT_DEVICES="$DPAKIT_DEVICES" bash -euc "$(sed -n 2p said)"'
        pkg-config --exists doca-dpa libflexio && mst status >/dev/null'
    [ ! -e /etc/profile.d/flexio.sh ] || ! grep -F "$PWD" /etc/profile.d/flexio.sh
}

@test "mst and mlxfwreset know emulated devices, by NVIDIA's command lines" {
    PATH=$compat/doca/tools:$PATH
    new_device mlx5_0
    new_device mlx5_1 --type cx7
    for command in start stop restart 'start --with_unknown' 'stop --force'; do
        mst $command
    done
    mst status | grep -E '^/dev/mst/mt41692_pciconf0 +- PCI device, domain:bus:dev\.fn=0000:03:00\.0$'
    mst status -v | grep -E '^BlueField3\(rev:1\) +/dev/mst/mt41692_pciconf0 +03:00\.0 +mlx5_0$'
    mst status -v | grep -E '^ConnectX7\(rev:1\) +/dev/mst/mt4129_pciconf1 +03:00\.1 +mlx5_1$'
    mlxconfig -d "$(mst status | sed -n 's|^\(/dev/mst/mt41692[^ ]*\).*|\1|p')" -y set DPA_AUTHENTICATION=1
    authentication() { dpadev show mlx5_0 --json | grep -A1 '"dpa_authentication"' | grep -q '"current":[[:space:]]*true'; }
    ! authentication || false
    for device in mlx5_0 03:00.0 /dev/mst/mt41692_pciconf0; do
        mlxfwreset -d $device -y reset
        mlxfwreset -d $device query | grep '^3: '
    done
    authentication
    ! mlxfwreset -d mlx5_0 reset </dev/null || false
    for wrong in 'mst status --what' 'mst start what' 'mst what' mst 'mlxfwreset -d mlx5_0' 'mlxfwreset -y reset' \
        'mlxfwreset -d nope -y reset' 'mlxfwreset -d mlx5_0 -l 7 reset' 'mlxfwreset -d'; do
        ! $wrong 2>said || false
        [ -s said ]
    done
}

@test "installed as root, a new login builds the samples with the guides' lines, and NVIDIA's check passes" {
    plain_build_only
    namespaces
    command -v meson >/dev/null || skip 'meson is not installed'
    cat >guides <<'END'
set -eux
dpadev create mlx5_0
cd /opt/mellanox/flexio/samples
./build.sh --check-compatibility --rebuild
build/flexio_rpc/host/flexio_rpc mlx5_0 44 55 | grep -x 'Result: 99'
echo | build/packet_processor/host/flexio_packet_processor mlx5_0 --nic-mode | grep 'packets sent back$'
cd /opt/mellanox/doca/samples/doca_dpa/dpa_kernel_launch
meson /tmp/build
ninja -C /tmp/build
/tmp/build/doca_dpa_kernel_launch --pf-device mlx5_0 | grep 'threads ran$'
cd /opt/mellanox/doca/samples/doca_dma/dma_local_copy
meson /tmp/build-dma
ninja -C /tmp/build-dma
/tmp/build-dma/doca_dma_local_copy -p 03:00.0 -t 'said by DMA' | grep 'said by DMA$'
# One of each two that share their files: one rule of the build file says which is built.
for sample in doca_comch/comch_ctrl_path_client doca_rdma/rdma_receive doca_eth/eth_txq_send_ethernet_frames; do
    cd /opt/mellanox/doca/samples/$sample
    name=doca_${sample#*/}
    meson /tmp/build-$name
    ninja -C /tmp/build-$name
    [ "$(find /tmp/build-$name -maxdepth 1 -type f -perm -1 -printf %f)" = $name ]
    /tmp/build-$name/$name -h | grep -E ' --(text|pci-addr|device)'
done
mlxconfig -d mlx5_0 query | grep DPA_AUTHENTICATION
mst status
# Finds the tools like the check of NVIDIA's samples.
command -v /opt/mellanox/doca/tools/dpacc
pkg-config --modversion libflexio libmlx5 libibverbs
END
    # shellcheck disable=SC2016
    run on_a_machine '
        cp guides /opt/guides; cd /; mount -t tmpfs tmpfs /tmp; unset TMPDIR
        rm -f /usr/bin/mst /usr/bin/flint /usr/bin/mst?* /usr/bin/mlx*
        make -s -C "$1" -o all install-compat B="$DPAKIT_BUILD"
        [ "$(ls /etc/profile.d | grep -cE "^(flexio|doca-runtime|doca-sdk-.*)[.]sh$")" -eq 3 ]
        env -i HOME="$HOME" DPAKIT_DEVICES=/tmp/devices CC=gcc bash -l /opt/guides
        make -s -C "$1" -o all uninstall-compat B="$DPAKIT_BUILD"
        find /opt/mellanox /etc/profile.d/flexio.sh /etc/profile.d/doca* /usr/bin/mst /usr/bin/flint /usr/bin/mlx* ! -type d \
            ! -path "/opt/mellanox/flexio/samples/build/*" 2>/dev/null | grep . && exit 1 || :' "$(realpath "$here")"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "install-compat: the tools have NVIDIA's names, too" {
    t=$compat/doca/tools
    for pair in mlxconfig:mlxconfig-lite mstconfig:mlxconfig-lite flint:flint-lite mstflint:flint-lite \
        mstdpa:mlxdpa dpa-clang:clang; do
        [[ $("$t/${pair%:*}" --version) == *"${pair#*:}"* ]] || { echo "$pair"; false; }
    done
    echo '__dpa_global__ void f(void) {}' >f.c
    "$t/dpa-clang" -mcpu=nv-dpa-bf3 -c f.c -o f.o
    "$t/dpa-objdump" -sSdxl --mcpu=nv-dpa-bf3 f.o 2>said | grep -q '<f>:'
    [ ! -s said ]
}

@test "uninstall-compat takes away what is ours alone" {
    "$here/packaging/install-compat" "$small" '' "$PWD/m" 2.2
    "$here/packaging/install-compat" "$small" '' "$PWD/m" 3
    [ "$(readlink m/doca/include)" = ../dpakit/include/doca ]
    touch m/doca/tools/theirs
    "$here/packaging/install-compat" --remove '' "$PWD/m"
    [ "$(find m ! -type d)" = m/doca/tools/theirs ]
    rm m/doca/tools/theirs
    "$here/packaging/install-compat" "$small" "$PWD/d" /opt/mellanox 3
    "$here/packaging/install-compat" --remove "$PWD/d" /opt/mellanox
    [ ! -e d/opt/mellanox ]
    run "$here/packaging/install-compat" --remove '' "$PWD/m"
    [ "$status" -eq 1 ]
    [[ $output == "-E- install-compat: "*"nothing to remove" ]]
}

@test "install-compat looks before it writes" {
    mkdir -p m/flexio/lib/pkgconfig
    echo theirs >m/flexio/lib/pkgconfig/libflexio.pc
    run "$here/packaging/install-compat" "$small" '' "$PWD/m" 3
    [ "$status" -eq 1 ]
    [[ $output == "-E- install-compat: "*"libflexio.pc is in the way"*"nothing is written" ]]
    [ "$(find m ! -type d)" = m/flexio/lib/pkgconfig/libflexio.pc ]
}

@test "install-compat twice is as once, and replaces no file of others" {
    "$here/packaging/install-compat" "$small" '' "$PWD/m" 2.2
    find m | sort >once
    "$here/packaging/install-compat" "$small" '' "$PWD/m" 2.2
    find m | sort | diff once -
    rm m/doca/tools/dpacc
    echo theirs >m/doca/tools/dpacc
    run "$here/packaging/install-compat" "$small" '' "$PWD/m" 2.2
    [ "$status" -eq 1 ]
    [[ $output == "-E- install-compat: "*"doca/tools/dpacc is in the way"* ]]
    [ "$(cat m/doca/tools/dpacc)" = theirs ]
}

@test "install-compat leaves alone what others put in the place of its links" {
    "$here/packaging/install-compat" "$small" '' "$PWD/m" 3
    ln -sfn ../../theirs m/doca/tools/flint
    run "$here/packaging/install-compat" "$small" '' "$PWD/m" 3
    [ "$status" -eq 1 ]
    [[ $output == *"doca/tools/flint is in the way"*"nothing is written" ]]
    echo theirs >m/flexio/lib/pkgconfig/libflexio.pc
    rm m/doca/tools/dpacc
    echo theirs >m/doca/tools/dpacc
    "$here/packaging/install-compat" --remove '' "$PWD/m"
    [ "$(find m ! -type d | sort)" = "$(printf 'm/%s\n' doca/tools/dpacc doca/tools/flint flexio/lib/pkgconfig/libflexio.pc)" ]
    [ "$(cat m/doca/tools/dpacc m/flexio/lib/pkgconfig/libflexio.pc)" = "$(printf 'theirs\ntheirs')" ]
    [ "$(readlink m/doca/tools/flint)" = ../../theirs ]
}

@test "install-compat: a generation or root that cannot be is refused" {
    run "$here/packaging/install-compat" "$DPAKIT_BUILD" '' "$PWD/m" 1.5
    [ "$status" -eq 1 ]
    [ "$output" = "-E- install-compat: DOCA is 3, or 2.10, 2.9, 2.8, 2.7, 2.6, 2.5 or 2.2: 1.5" ]
    run "$here/packaging/install-compat" "$DPAKIT_BUILD" '' m 2.2
    [ "$status" -eq 1 ]
    [ "$output" = "-E- install-compat: ROOT must be an absolute path: m" ]
    [ ! -e m ]
}

@test "an installed example runs with the commands of its README" {
    installed
    mkdir try && cd try && cp -r ../prefix/share/doc/dpakit/examples . && ln -s ../prefix build
    diff -r examples "$here/examples"
    sed -n '/^```sh$/,/^```$/p' examples/hello/README.md | grep -v '^```' |
        sed -E "s|^( *)gcc |\1gcc ${TEST_HOST_CFLAGS:-} |" >commands
    TMPDIR=$BATS_TEST_TMPDIR bash -euc '. ./commands' | grep '/Hello World$'
}

@test "headers of the other generation of DOCA: the compiler names the right ones" {
    cat >three.c <<'C'
#include <doca_dpa.h>
extern struct doca_dpa_app *app;
doca_error_t start(struct doca_dpa *dpa);
doca_error_t start(struct doca_dpa *dpa) { doca_error_t e = doca_dpa_set_app(dpa, app); return e ? e : doca_dpa_start(dpa); }
C
    cp "$here/examples/hello/hello_world.c" two.c
    for compiler in gcc clang "g++ -x c++"; do
        $compiler -fsyntax-only -I"$DPAKIT_BUILD/include/doca" three.c
        $compiler -fsyntax-only -I"$DPAKIT_BUILD/include/doca-2.2" -DDOCA_ALLOW_EXPERIMENTAL_API two.c
        run $compiler -fsyntax-only -I"$DPAKIT_BUILD/include/doca" two.c
        [ "$status" -ne 0 ]
        [[ ${lines[0]}${lines[1]} == *"this program is for DOCA 2.2: use its headers (make install-compat DOCA=2.2"* ]]
        run $compiler -fsyntax-only -I"$DPAKIT_BUILD/include/doca-2.2" three.c
        [ "$status" -ne 0 ]
        [[ $output == *"this program is for DOCA 3: use its headers (make install-compat DOCA=3"* ]]
    done
}

@test "-static says why not" {
    local library linker libraries=''
    echo 'int main(void) { return 0; }' >main.c
    echo 'int of_the_library(void); int main(void) { return of_the_library(); }' >user.c
    gcc -c user.c
    for library in flexio doca_common doca_argp doca_rdma doca_dma doca_comch doca_eth doca_flow doca_gpunetio doca_dpdk_bridge doca_verbs doca_pcc doca_telemetry_dpa doca_devemu doca_urom; do
        libraries+=" -l$library"
        for linker in bfd lld; do
            # The files differ in the name of the library alone: one is enough for the second linker.
            [ $linker = bfd ] || [ $library = flexio ] || continue
            run gcc -fuse-ld=$linker -static user.o -o user -L"$DPAKIT_BUILD/lib" "-l$library"
            [ "$status" -ne 0 ]
            [[ $output != *of_the_library* ]] # which would come in hundreds
            [[ $output == *"dpakit: lib$library is a shared library only: link without -static"* ]]
        done
    done
    # shellcheck disable=SC2086
    $hostcc main.c -o main -L"$DPAKIT_BUILD/lib" -Wl,--no-as-needed $libraries # shared, they are found first
}
