# dpadev report: the page says what the JSON says, whatever is in it, and is readable.

source "$BATS_TEST_DIRNAME/../helpers/provision.bash"
source "$BATS_TEST_DIRNAME/../helpers/browser.bash"
source "$BATS_TEST_DIRNAME/../helpers/await.bash"

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

# create NAME ...: without a key of its own, which takes seconds to make.
create() {
    dpadev create "$@" --nvidia-key "$BATS_FILE_TMPDIR/nvidia.pub" --nvidia-key-uuid 77dd4ef0-c633-11ed-9e20-001dd8b744ff
}

teardown() { end_background; }

# texts PAGE: those of its cells, numbers and boxes, but for the numbers at an axis.
texts() {
    xmllint --nonet --xpath '//td/text() | //dd/text() | //*[local-name()="text"][not(@class="cm")]/text()' "$1" |
        sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | LC_ALL=C sort -u
}

# said FILE: the texts that a page of this JSON may have.
said() {
    jq -r '(.. | scalars | if . == true then "yes" elif . == false then "no"
                           elif . == null or . == "" then "–" else tostring end),
        (.. | arrays | length)' "$1" | LC_ALL=C sort -u
}

# The picture's own words.
words='NVIDIA key pair|Owner.s key pair|CA certificates|none|none yet|Loads now|Loads after the next reset|any program, signed or not|what leads to a CA certificate|no program|made the owner known|may make an owner known|installs CA certificates|which vouch for who signs programs|unit|0 %|100 %|time \(s\)|–'

page_says_what_json_says() { # NAME
    dpadev report "$1" -o page.html
    dpadev report --json "$1" >report.json
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
    # And the same as the commands that show a part.
    for part in device:show log:log counters:stats processes:ps; do
        jq -S ".${part%%:*}" report.json >from_report
        dpadev "${part##*:}" --json mlx5_0 | jq -S . | cmp - from_report
    done
}

@test "a process that runs, and its program, are on the page" {
    printf '#include <libflexio-dev/flexio_dev.h>\n__dpa_rpc__ uint64_t f(uint64_t a) { return a; }\n' >f.c
    dpacc f.c -o f.a --app-name=shown_here
    dparun -d mlx5_0 --gdb ./socket f.a --rpc f 1 >out 2>&1 &
    for i in $(seq 300); do [ -S socket ] && break; sleep 0.1; done
    page_says_what_json_says mlx5_0
    kill $!
    wait || true
    [ "$(jq -r '.processes[].program' report.json)" = shown_here ]
    grep -qF '<td>shown_here</td>' page.html
}

# spins: a program that has a unit until it is killed, and no longer.
spins() {
    in_background dparun -d mlx5_0 "$DPAKIT_BUILD/obj/tests/data/kernels.elf" --kernel spin --threads "$1" --run-time-limit 600000
    await listed "$1"
}
listed() { [ "$(dpa-ps -d mlx5_0 -t | grep -c spin)" -ge "$1" ]; }

@test "execution units over time: which were taken, and how much of it" {
    spins 2
    dpadev report mlx5_0 -o page.html
    dpadev report mlx5_0 --json >report.json
    xmllint --noout --nonet page.html
    jq -e '.units | .seconds == 1 and .columns == 60 and ([.rows[].unit] == [254, 255])
        and all(.rows[]; .busy == 100 and (.over_time | length == 60 and all(. == null or . == 100) and any(. == 100)))' report.json
    # The table has the same, and either picture a row for each unit and a cell of the last step.
    [ "$(xmllint --xpath 'count(//*[@id="units"]//td[text()="254" or text()="255"])' page.html)" = 2 ]
    [ "$(xmllint --xpath 'count(//*[@id="units"]//td[text()="100"])' page.html)" = 2 ]
    for width in wide narrow; do
        [ "$(xmllint --xpath "count(//*[@id='units']//*[local-name()='svg']//*[text()='254' or text()='255'][ancestor::div[@class='$width']])" page.html)" = 2 ]
        [ "$(xmllint --xpath "count(//*[@id='units']/div[@class='$width']/*[local-name()='svg']/*[local-name()='path'][contains(@class,'h5')])" page.html)" = 2 ]
    done
}

@test "--for follows the units even if no process runs yet; without one nothing is waited for" {
    dpadev report mlx5_0 --json >report.json
    jq -e '.units == {"seconds": 0, "columns": 0, "rows": []}' report.json
    dpadev report mlx5_0 --for 1 -o page.html
    grep -qF 'No process had a unit in 1 s.' page.html
    refused 2 dpadev report mlx5_0 --for 0 && says "for"
    spins 1
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

@test "without -o it is printed; what cannot be written or is no device is an error" {
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
