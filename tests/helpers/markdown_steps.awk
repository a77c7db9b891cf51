# Takes commands out of a text in Markdown: what stands in ```sh is typed, ```text behind it is what is
# printed, where "..." stands for lines left out.
#
#     awk -v dir=DIR -f markdown_steps.awk FILE.md
#
# writes DIR/N.cmd, and DIR/N.out where output is shown, for N = 001, 002, ...
/^```sh$/ { file = sprintf("%s/%03d.cmd", dir, ++number); next }
/^```text$/ && number { file = sprintf("%s/%03d.out", dir, number); next }
/^```/ { if (file) close(file); file = ""; next }
file { print > file }
