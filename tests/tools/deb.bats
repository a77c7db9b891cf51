# The Debian packages (debian/), built once from a copy of the tree.

bats_require_minimum_version 1.5.0
source "$BATS_TEST_DIRNAME/../helpers/readme.bash"

# If there is ccache, the builds take objects from the caller's cache. They compile only the sources that the cache does
# not have, and those whose compilation depends on the folder or the time: by other words on the command line, other
# text after the preprocessor, __DATE__ and __TIME__, a folder in debug information that -ffile-prefix-map does not
# hide. Everything but objects is made again. .ci/run compiles the tree with the options of Debian's packages, so that
# these builds find its objects.
build_packages() { # OUTDIR
    env PATH="/usr/lib/ccache:$PATH" "$here/packaging/deb" "$here" "$1"
}

# Another folder, time zone, mask and machine name must not change the packages.
setup_file() {
    export here=$BATS_TEST_DIRNAME/../..
    if [ "${DPAKIT_BUILD##*/}" != build ]; then return; fi
    command -v dh >/dev/null || return 0
    umask 077
    TZ=Asia/Tokyo build_packages "$BATS_FILE_TMPDIR/debs" >"$BATS_FILE_TMPDIR/said"
}

setup() {
    [ "${DPAKIT_BUILD##*/}" = build ] || skip "plain build only"
    command -v dh >/dev/null || skip "no dh: package debhelper"
    cd "$BATS_TEST_TMPDIR"
    debs=$BATS_FILE_TMPDIR/debs
    export DPAKIT_DEVICES=$PWD/devices
}

packages='dpakit dpakit-doc dpakit-sign dpakit-verbs libdpakit-dev libdpakit-llvm1 libdpakit1 libdpkverify1'
unpack() {
    local p
    for p in $packages; do dpkg-deb -x "$debs"/"$p"_*.deb root; done
}

@test "make deb names the packages that it made" {
    for p in $packages; do
        [ "$(grep -c "/${p}_$(cat "$here/VERSION")_[a-z0-9]*\.deb$" "$BATS_FILE_TMPDIR/said")" -eq 1 ]
    done
    [ "$(wc -l <"$BATS_FILE_TMPDIR/said")" -eq 8 ]
}

@test "lintian has nothing to say, of source and packages" {
    command -v lintian >/dev/null || skip "no lintian"
    lintian --allow-root --fail-on error,warning "$debs"/*.changes
}

@test "their content works where it is unpacked, through pkg-config" {
    unpack
    [ -z "$(find root -type l -xtype l)" ]
    export PKG_CONFIG_PATH=$PWD/root/usr/lib/pkgconfig
    "$(pkg-config --variable=dpacc libflexio)" "$here/examples/flexio_rpc/device/flexio_rpc_dev.c" \
        -o rpc.a --app-name=flexio_rpc_app
    # shellcheck disable=SC2046
    gcc -DDEV_APP_NAME=flexio_rpc_app "$here/examples/flexio_rpc/host/flexio_rpc.c" rpc.a -o rpc \
        $(pkg-config --cflags --libs libflexio)
    root/usr/bin/dpadev create mlx5_0
    env -u LD_LIBRARY_PATH ./rpc mlx5_0 44 55 | grep -x 'Result: 99'
    diff -r "root/usr/share/doc/dpakit/examples" "$here/examples"
    for page in "$here"/man/*.[17]; do
        zcat "root/usr/share/man/man${page##*.}/$(basename "$page").gz" | cmp - "$page"
    done
}

@test "the examples' recipe for installed packages works as it stands" {
    unpack
    paste_installed "$PWD/root/usr" flexio_rpc
    [[ $output == *"Result: 99"* ]]
}

@test "dpakit-sign signs and verifies, and brings no compiler, no emulator, no libibverbs" {
    for p in dpakit-sign libdpkverify1; do dpkg-deb -x "$debs"/"$p"_*.deb sign; done
    [ -z "$(comm -12 <(dpkg-deb -c "$debs"/dpakit_*.deb | awk '!/\/$/ {print $6}' | sort) \
        <(dpkg-deb -c "$debs"/dpakit-sign_*.deb | awk '!/\/$/ {print $6}' | sort))" ]
    [ "$(ls sign/usr/bin | tr '\n' ' ')" = "flint-lite mlxconfig-lite mlxdpa " ]
    [ "$(find sign -name '*.so*' -printf '%f ')" = "libdpkverify.so.1 " ]
    depends=$(for p in dpakit-sign libdpkverify1; do dpkg-deb -f "$debs"/"$p"_*.deb Depends; done)
    ! grep -E 'clang|llvm|gcc|lld|ibverbs|libdpakit' <<<"$depends" || false
    cp "$BATS_TEST_DIRNAME/../golden/hostelf/host-named.elf" host
    sign/usr/bin/mlxdpa keygen keys --organization Example >said
    sign/usr/bin/mlxdpa -e host -c keys/chain.der -p keys/leaf.key -o signed sign_dpa_apps
    sign/usr/bin/mlxdpa verify signed --ca keys/root.der | grep 'verified'
    sign/usr/bin/mlxconfig-lite gen_tlvs_file tlvs.txt # the TLVs that it brings
    [ -s tlvs.txt ]
}

# Only if there is a builder of images, and the image that it starts from.
@test "the image of dpakit-sign builds and signs" {
    builder=$(command -v podman || command -v docker) || skip "no podman, no docker"
    base=debian:$(. /etc/os-release; echo "$VERSION_ID")-slim
    "$builder" image inspect "$base" >/dev/null 2>&1 || "$builder" pull -q "$base" 2>/dev/null ||
        skip "no image $base, and none can be pulled"
    "$builder" build --build-arg BASE="$base" -f "$here/packaging/sign.Containerfile" -t dpakit-sign-test "$debs"
    "$builder" run --rm dpakit-sign-test mlxdpa --version | grep -F "$(cat "$here/VERSION")"
    "$builder" rmi dpakit-sign-test
}

@test "the pages of dpakit-doc are there, and its README.Debian names only what there is" {
    unpack
    [ -s root/usr/share/doc/dpakit/html/index.html ]
    [ -s root/usr/share/doc/dpakit/html/docs/tutorial.html ]
    grep -o '/usr/share/[^ ]*[a-z]' root/usr/share/doc/dpakit/README.Debian >named
    [ "$(wc -l <named)" -eq 2 ]
    while read -r f; do [ -e "root$f" ]; done <named
    grep -o 'man [a-z][a-z]*' root/usr/share/doc/dpakit/README.Debian | while read -r _ page; do
        [ -n "$(find root/usr/share/man -name "$page.1*")" ]
    done
}

@test "each says what it needs, and whose it is" {
    unpack
    needs=" $(dpkg-deb -f "$debs"/dpakit_*.deb Depends | sed 's/([^)]*)//g; s/,//g') "
    for tool in clang ld.lld llvm-ar llvm-link llvm-nm llvm-objcopy gcc; do # what dpacc runs
        owner=$(dpkg -S "/usr/bin/$tool" | cut -d: -f1)
        [[ $needs == *" $owner "* ]] || { echo "$tool is in $owner"; false; }
    done
    [[ $(dpkg-deb -f "$debs"/libdpakit-dev_*.deb Depends) == *libibverbs-dev* ]]
    for p in $packages; do
        grep -q 'BSD-3-clause' "root/usr/share/doc/$p/copyright"
    done
    cat root/usr/share/doc/libdpakit-dev/copyright.picolibc* | { zcat -f; } | grep -q '^Upstream-Name: picolibc'
    # A package that is linked on this machine depends on the system's libibverbs, not on ours.
    dpkg-deb -I "$debs"/dpakit-verbs_*.deb shlibs | grep -q '^libibverbs 1 libibverbs1'
    [ "$(dpkg-parsechangelog -l "$here/debian/changelog" -S Version)" = "$(cat "$here/VERSION")" ]
}

@test "a package and make install write different files in /etc" {
    unpack
    [ -n "$(ls root/etc/ld.so.conf.d)" ]
    for name in dpakit dpakit-compat; do # packaging/ldconf
        [ ! -e "root/etc/ld.so.conf.d/00-$name.conf" ]
    done
}

@test "same source, same bytes, in another folder, at another time" {
    [ -n "${DPAKIT_TEST_ALL:-}" ] || skip "a second build takes minutes: DPAKIT_TEST_ALL=1"
    build_packages "$PWD/again" >/dev/null
    for f in "$debs"/*.deb "$debs"/*.dsc "$debs"/*.tar.xz; do
        cmp "$f" "again/${f##*/}"
    done
}

# As root, in a file system of its own above that of this machine, so that no other test meets the packages.
@test "installed with apt it works, and its removal leaves nothing" {
    [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "no mount namespace may be made here"
    cp "$here"/examples/hello/{hello_world,kernel}.c .
    mkdir machine
    # shellcheck disable=SC2016
    unshare -m bash -euo pipefail -c '
        mount -t tmpfs tmpfs machine
        for d in /etc /usr /opt /var; do
            mkdir -p machine/upper$d machine/work$d
            mount -t overlay overlay -o "lowerdir=$d,upperdir=$PWD/machine/upper$d,workdir=$PWD/machine/work$d" $d
        done
        here=$1 debs=$2 packages=$3
        apt-get install -q -y --no-install-recommends "$debs"/*.deb
        unset LD_LIBRARY_PATH
        export PATH=/usr/sbin:/usr/bin:/sbin:/bin
        dpacc libdoca_dpa_dev.a kernel.c -o dpa_program.a -hostcc=gcc --app-name=dpa_hello_world_app \
            -I/usr/include/doca-2.2
        gcc hello_world.c -o hello_world dpa_program.a /usr/lib/libdoca_dpa.a -I/usr/include/doca-2.2 \
            -DDOCA_ALLOW_EXPERIMENTAL_API -ldoca_common -lflexio -lstdc++ -libverbs -lmlx5
        dpadev create mlx5_0
        ./hello_world mlx5_0 | grep "/Hello World$"
        dpacc "$here/examples/flexio_rpc/device/flexio_rpc_dev.c" -o rpc.a --app-name=flexio_rpc_app
        gcc -DDEV_APP_NAME=flexio_rpc_app "$here/examples/flexio_rpc/host/flexio_rpc.c" rpc.a -o rpc \
            -lflexio -libverbs -lmlx5
        ./rpc mlx5_0 44 55 | grep -x "Result: 99"
        ldd rpc | grep "libibverbs.so.1 => /usr/lib/dpakit/"
        if command -v ibv_devices; then ibv_devices | grep mlx5_0; fi
        dpkg -L $packages >files
        apt-get purge -q -y $packages
        while read -r f; do [ ! -f "$f" ] || { echo "$f"; exit 1; }; done <files
        [ ! -e /usr/lib/dpakit ]
        [ ! -e /etc/ld.so.conf.d/05-dpakit-verbs.conf ]
        ! ldd /usr/bin/ibv_devices 2>/dev/null | grep /usr/lib/dpakit || exit 1' deb "$here" "$debs" "$packages"
    [ ! -e /usr/bin/dpacc ]
}
