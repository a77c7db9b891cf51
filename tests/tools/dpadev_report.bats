# dpadev report: the page shows the content of the JSON, whatever it is, and is readable.

source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/browser.bash"
source "$BATS_TEST_DIRNAME/../helpers/await.bash"
source "$BATS_TEST_DIRNAME/../helpers/spins.bash"

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices
    cp -r "$test_keys" keys
    dpadev create mlx5_0
    dpadev claim mlx5_0 keys/owner.pem >said
    dpadev trust mlx5_0 keys/root.der -p keys/owner.pem >said
    dpadev lock mlx5_0 -p keys/owner.pem >said
    openssl rsa -in keys/owner.pem -pubout -out nvidia.pub
}

setup() {
    cp -a "$BATS_FILE_TMPDIR/devices" "$BATS_TEST_TMPDIR/" && cd "$BATS_TEST_TMPDIR"
    export DPAKIT_DEVICES=$PWD/devices DPAKIT_RUNTIME=$PWD/run SOURCE_DATE_EPOCH=1800000000
}

# create NAME ...: makes a device without a new key, which would take seconds.
create() {
    dpadev create "$@" --nvidia-key "$BATS_FILE_TMPDIR/nvidia.pub" --nvidia-key-uuid 77dd4ef0-c633-11ed-9e20-001dd8b744ff
}

teardown() { end_background; }

# texts PAGE: prints the texts of its cells, numbers and boxes, except the numbers at an axis.
texts() {
    xmllint --nonet --xpath '//td//text() | //dd/text() | //*[local-name()="text"][not(@class="cm")]/text()' "$1" |
        sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | LC_ALL=C sort -u
}

# said FILE: prints the texts that a page of this JSON may have.
said() {
    jq -r '(.. | scalars | if . == true then "yes" elif . == false then "no"
                           elif . == null or . == "" then "–" else tostring end),
        (.. | arrays | length)' "$1" | LC_ALL=C sort -u
}

# The picture's own words.
words='NVIDIA key pair|Owner.s key pair|CA certificates|none|none yet|Loads now|Loads after the next reset|any program, signed or not|what leads to a CA certificate|no program|made the owner known|may make an owner known|installs CA certificates|which vouch for who signs programs|unit|0 %|100 %|time \(s\)|–'

page_says_what_json_says() { # NAME [OPTION...]
    dpadev report "$@" -o page.html
    dpadev report --json "$@" >report.json
    xmllint --noout --nonet page.html
    texts page.html >texts
    said report.json >said
    LC_ALL=C comm -23 texts said | grep -vxE "$words" >unsaid || true
    cat unsaid
    [ ! -s unsaid ]
}

@test "the page has the chain of trust, and says why programs load, now and after a reset" {
    page_says_what_json_says mlx5_0
    jq -e '.reasons.current == "Any program loads: DPA_AUTHENTICATION is False."' report.json
    jq -e '.reasons.next_boot | startswith("A program loads if it is signed and its certificate chain ends in the CA certificate")' report.json
    [ "$(xmllint --xpath 'string(//*[@id="trust-d"])' page.html)" = "$(jq -r '.reasons.current + " After the next reset: " + .reasons.next_boot' report.json)" ]
    for text in "$(cat "$BATS_FILE_TMPDIR/keys/owner.uuid")" "$(cat "$BATS_FILE_TMPDIR/keys/root.uuid")" "any program, signed or not" \
        "what leads to a CA certificate" DPA_AUTHENTICATION 'False(0)' 'True(1)' no_rule create apply; do
        grep -qF "$text" page.html || { echo "no $text"; false; }
    done
    dpadev reset mlx5_0
    page_says_what_json_says mlx5_0
    jq -e '.reasons.current == .reasons.next_boot' report.json
}

@test "every value of the parts is on the page" {
    page_says_what_json_says mlx5_0
    jq -r '(.configuration[] | .name, .default, .current, .next_boot), (.log[] | .time, .command, .action, .result, .detail),
        (.device.ca_certificates[] | .subject, .uuid, .sha256, .valid_from, .valid_until), .counters.port.tx_packets,
        (.device | .alias, .pci_address, .psid, .serial, .created, .wire)' report.json | grep -vx '' | LC_ALL=C sort -u >wanted
    [ "$(wc -l <wanted)" -gt 30 ]
    LC_ALL=C comm -23 wanted texts >missing
    cat missing
    [ ! -s missing ]
    # The commands that show a part print the same.
    for part in device:show log:log counters:stats processes:ps; do
        jq -S ".${part%%:*}" report.json >from_report
        dpadev "${part##*:}" --json mlx5_0 | jq -S . | cmp - from_report
    done
}

@test "a process that runs, and its program, are on the page" {
    printf '#include <libflexio-dev/flexio_dev.h>\n__dpa_rpc__ uint64_t f(uint64_t a) { return a; }\n' >f.c
    dpacc f.c -o f.a --app-name=shown_here
    in_background dparun -d mlx5_0 --gdb ./socket f.a --rpc f 1 >out 2>&1
    await test -S socket
    page_says_what_json_says mlx5_0
    end_background
    [ "$(jq -r '.processes[].program' report.json)" = shown_here ]
    grep -qE '<td[^>]*>shown_here</td>' page.html
}

@test "execution units over time: which were taken, and how much of it" {
    spins kernels.elf 2
    dpadev report mlx5_0 -o page.html
    dpadev report mlx5_0 --json >report.json
    xmllint --noout --nonet page.html
    jq -e '.units | .seconds == 1 and .columns == 60 and ([.rows[].unit] == [254, 255])
        and all(.rows[]; .busy == 100 and (.over_time | length == 60 and all(. == null or . == 100) and any(. == 100)))' report.json
    # The table has the same numbers, and both pictures have a row for each unit and a cell for the last step.
    [ "$(xmllint --xpath 'count(//*[@id="units"]//td[text()="254" or text()="255"])' page.html)" = 2 ]
    [ "$(xmllint --xpath 'count(//*[@id="units"]//td[text()="100"])' page.html)" = 2 ]
    for width in wide narrow; do
        [ "$(xmllint --xpath "count(//*[@id='units']//*[local-name()='svg']//*[text()='254' or text()='255'][ancestor::div[@class='$width']])" page.html)" = 2 ]
        [ "$(xmllint --xpath "count(//*[@id='units']/div[@class='$width']/*[local-name()='svg']/*[local-name()='path'][contains(@class,'h5')])" page.html)" = 2 ]
    done
}

@test "with --profile there is a flame graph, and its frames as a table" {
    cat >prime.c <<'END'
__attribute__((noinline)) static int divides(unsigned n, unsigned d) { return n % d == 0; }
__dpa_rpc__ unsigned long f(unsigned n) { unsigned long c = 0; for (unsigned d = 1; d < n; d++) c += (unsigned long)divides(n, d); return c; }
END
    dpacc prime.c -o prime.a --app-name='prime_app'
    DPAKIT_PROFILE_EVERY=1009 dparun -d mlx5_0 --profile out.folded prime.a --rpc f 300000
    echo '<b>;a&b;c 1000' >>out.folded
    page_says_what_json_says mlx5_0 --profile out.folded
    # A frame starts within its caller; the frames below a caller and its own instructions fill it.
    jq -e '.profile | .instructions as $all | .file == "out.folded" and .frames[0] ==
        {"name": "all", "depth": 0, "begin": 0, "instructions": $all, "own": 0}
        and ([.frames[].own] | add) <= $all and all(.frames[]; .begin + .instructions <= $all)
        and any(.frames[]; .name == "divides" and .depth == 3)' report.json
    [ "$(xmllint --xpath 'count(//*[@id="profile"]//tbody/tr)' page.html)" = "$(jq '.profile.frames | length' report.json)" ]
    [ "$(xmllint --xpath 'count(//div[@class="wide"]/*[local-name()="svg"]/*[local-name()="svg"][contains(*[local-name()="title"],"divides")])' page.html)" = 1 ]
    : >empty.folded
    page_says_what_json_says mlx5_0 --profile empty.folded
    grep -qF 'empty.folded has no instructions.' page.html
    refused 1 dpadev report mlx5_0 --profile nowhere.folded && says "nowhere.folded"
    echo 'no number' >bad.folded
    refused 1 dpadev report mlx5_0 --profile bad.folded && says "bad.folded"
    dpadev report mlx5_0 -o page.html
    ! grep -q 'id="profile"' page.html
}

@test "--for follows the units even if no process runs yet; without one nothing is waited for" {
    dpadev report mlx5_0 --json >report.json
    jq -e '.units == {"seconds": 0, "columns": 0, "rows": []}' report.json
    dpadev report mlx5_0 --for 1 -o page.html
    grep -qF 'No process had a unit in 1 s.' page.html
    refused 2 dpadev report mlx5_0 --for 0 && says "for"
    spins kernels.elf 1
    dpadev report mlx5_0 --for 2 --json >report.json
    jq -e '.units | .seconds == 2 and (.rows | length) == 1' report.json
}

@test "texts of others are texts: no markup, no scripts, nothing from elsewhere" {
    create mlx5_1 --description '<script>alert("1")</script> & more' --serial "\"'><b>"
    page_says_what_json_says mlx5_1
    [ "$(xmllint --xpath 'count(//script | //b)' page.html)" = 0 ]
    [ "$(xmllint --xpath 'string(//header/p)' page.html)" = '<script>alert("1")</script> & more' ]
    ! grep -qE 'src=|url\(|@import|<link|https?:' page.html
    grep -qF "default-src 'none'" page.html
}

@test "without -o the report is printed; an unwritable file or unknown device is an error" {
    dpadev report mlx5_0 >printed.html
    dpadev report mlx5_0 -o page.html
    cmp printed.html page.html
    refused 2 dpadev report mlx5_0 --json -o x && says "--json prints"
    refused 1 dpadev report mlx5_9 && says "mlx5_9"
    refused 1 dpadev report mlx5_0 -o nowhere/page.html && says "nowhere"
    [ ! -e x ]
}

@test "keyboards reach the tables, and a page without anything says so" {
    create mlx5_2
    page_says_what_json_says mlx5_2
    for text in 'No process runs.' 'There is no CA certificate.' 'There was no queue.' 'none yet' 'No process ran, so no unit was followed.'; do grep -qF "$text" page.html; done
    [ "$(xmllint --xpath 'count(//div[@class="scroll"])' page.html)" = "$(xmllint --xpath 'count(//div[@class="scroll"][@tabindex="0"][@role="region"][@aria-label])' page.html)" ]
    [ "$(xmllint --xpath 'count(//*[@id="programs"])' page.html)" = 1 ]
    grep -qF '<a class="skip" href="#programs">' page.html
}

@test "in a browser it is not blank, light or dark, and not wider than a phone" {
    need_browser
    mkdir site
    dpadev report mlx5_0 -o site/page.html
    echo page.html | wider_than_phone site >found
    cat found
    [ "$(cat found)" = "1 pages" ]
    echo '<!DOCTYPE html><html></html>' >blank.html
    browser --screenshot=blank.png --window-size=500,1200 "file://$PWD/blank.html"
    browser --screenshot=light.png --window-size=500,1200 "file://$PWD/site/page.html"
    browser --screenshot=dark.png --window-size=500,1200 --blink-settings=preferredColorScheme=0 "file://$PWD/site/page.html"
    [ "$(stat -c %s light.png)" -gt $((10 * $(stat -c %s blank.png))) ]
    [ "$(stat -c %s dark.png)" -gt $((10 * $(stat -c %s blank.png))) ]
    ! cmp -s light.png dark.png
}

# A program whose threads have received and sent packets through queues, and which waits for one more packet.
reflects() {
    cp -r "$BATS_TEST_DIRNAME"/../../examples/{common,reflector} .
    (cd reflector && dpacc device/reflector_dev.c -o app.a --app-name=reflector_app &&
        gcc ${TEST_HOST_CFLAGS:-} host/reflector.c ../common/packets.c -o reflector app.a -I"$DPAKIT_BUILD/include" \
            -L"$DPAKIT_BUILD/lib" -lflexio -libverbs -lmlx5 -Wl,-rpath,"$DPAKIT_BUILD/lib")
    in_background env DPAKIT_WIRE_mlx5_0=generate:500,60,16 reflector/reflector mlx5_0 4 501
    reflected() { [ "$(dpadev stats mlx5_0 --json | jq .port.tx_packets)" = 500 ]; }
    await reflected
}

@test "the page shows running processes, their units and queues, and where instructions were executed" {
    echo 'app;spin 700
app;spin;other 300' >out.folded
    reflects
    spins kernels.elf 2
    dpadev report mlx5_0 --json --profile out.folded >before.json
    dpadev report mlx5_0 --profile out.folded -o page.html
    dpadev report mlx5_0 --json --profile out.folded >report.json
    texts page.html >texts
    said report.json >said
    LC_ALL=C comm -23 texts said | grep -vxE "$words" >unsaid || true
    # The program continues to run.
    for app in reflector_app kernels.elf; do
        ran=$(xmllint --xpath "string(//*[@id='running']//tr[td='$app']/td[5])" page.html)
        count() { jq -r --arg app "$app" '.processes[] | select(.program == $app).instructions' "$1"; }
        [ "$(count before.json)" -le "$ran" ] && [ "$ran" -le "$(count report.json)" ]
        sed -i "/^$ran\$/d" unsaid
    done
    cat unsaid
    [ ! -s unsaid ]
    [ "$(xmllint --xpath 'sum(//*[@id="traffic"]//tr[td="SQ"]/td[5])' page.html)" = 500 ]
    [ "$(xmllint --xpath 'sum(//*[@id="traffic"]//tr[td="RQ"]/td[6])' page.html)" = 500 ]
    need_browser
    # In frames as wide as the screens of a desktop and a phone, everything visible is inside the frame.
    cat >look.html <<'END'
<!DOCTYPE html><iframe width="1000" height="700"></iframe><iframe width="360" height="700"></iframe><pre></pre><script>
const out = document.querySelector("pre"), parts = ["#running table", "#units .chart", "#profile .chart", "#traffic table"];
for (const frame of document.querySelectorAll("iframe")) {
    frame.onload = () => {
        const page = frame.contentDocument;
        for (const part of parts) {
            const seen = [...page.querySelectorAll(part)].filter(e => e.getBoundingClientRect().height > 30);
            out.textContent += `\n${frame.width} ${part} ${seen.length > 0}`;
        }
        const cells = [...page.querySelectorAll("#units path.h5")].map(e => e.getBoundingClientRect()).filter(r => r.width > 0);
        out.textContent += `\n${frame.width} cells ${cells.length}`;
    };
    frame.src = "page.html";
}
</script>
END
    browser --allow-file-access-from-files --virtual-time-budget=60000 --dump-dom "file://$PWD/look.html" | grep -E '^(1000|360) ' | sed 's/<.*//' | sort >seen
    cat seen
    diff seen - <<'END'
1000 #profile .chart true
1000 #running table true
1000 #traffic table true
1000 #units .chart true
1000 cells 2
360 #profile .chart true
360 #running table true
360 #traffic table true
360 #units .chart true
360 cells 2
END
    mkdir site && cp page.html site
    [ "$(echo page.html | wider_than_phone site)" = "1 pages" ]
    for theme in light:1 dark:0; do
        browser --screenshot=${theme%:*}.png --window-size=1000,3600 --blink-settings=preferredColorScheme=${theme#*:} "file://$PWD/page.html"
    done
    ! cmp -s light.png dark.png
}
