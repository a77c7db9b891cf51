# Pages in a headless Chromium. "source" it in a bats file.

# browser ARGUMENT...: prints what it prints; a profile of its own, no network, no sandbox (the tests may
# run as root).
browser() {
    timeout 100 chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --proxy-server=127.0.0.1:9 --user-data-dir="$BATS_TEST_TMPDIR/profile" "$@" 2>"$BATS_TEST_TMPDIR/browser.errors"
}

need_browser() {
    command -v chromium >/dev/null || skip "no chromium"
    echo '<!DOCTYPE html><p>It runs.</p>' >"$BATS_TEST_TMPDIR/runs.html"
    browser --dump-dom "file://$BATS_TEST_TMPDIR/runs.html" | grep -q 'It runs' || skip "chromium does not run here"
}

# wider_than_phone FOLDER: those of the pages (names from the input) that a screen of 360 pixels does not
# hold, but by scrolling to the right; last, how many pages were looked at.
wider_than_phone() {
    local frames=$(realpath "$1")/frames.html names
    names=$(cat)
    {
        echo '<!DOCTYPE html><iframe width="360" height="700"></iframe><pre></pre><script>'
        echo 'const pages = ['
        sed 's|.*|"&",|' <<<"$names"
        cat <<'END'
];
const count = pages.length, frame = document.querySelector("iframe"), out = document.querySelector("pre");
function next() {
    if (!pages.length) { out.textContent += `\n${count} pages\n`; return; }
    const page = pages.shift();
    frame.onload = () => {
        const root = frame.contentDocument.documentElement;
        if (root.scrollWidth > root.clientWidth) out.textContent += `\nwide: ${page}`;
        next();
    };
    frame.src = page;
}
next();
</script>
END
    } >"$frames"
    browser --allow-file-access-from-files --virtual-time-budget=60000 --dump-dom "file://$frames" |
        grep -xE 'wide: .*|[0-9]+ pages'
    rm "$frames"
}
