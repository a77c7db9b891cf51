/* Frame and style of pages with pictures. */
#include "chart.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
    "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none';style-src 'unsafe-inline'\"/>\n";

static const char style[] =
    ":root{--ink:#1b1f24;--faint:#59636e;--line:#dfe3e8;--paper:#fff;--back:#f4f6f8;--bad:#b3261e;"
    "--accent:#0072b2}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--faint:#a4adb8;--line:#30363d;"
    "--paper:#15181c;--back:#0c0e11;--bad:#ff8a80;--accent:#58b4f0}}"
    "*{box-sizing:border-box}html{color-scheme:light dark;-webkit-text-size-adjust:100%}"
    "body{margin:0;background:var(--back);color:var(--ink);"
    "font:16px/1.5 system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif}"
    "main,header,footer{max-width:920px;margin:0 auto;padding:0 16px}"
    "header{padding-top:28px}h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem;"
    "overflow-wrap:anywhere}h2{font-size:1.1rem;margin:0 0 .2rem}"
    "header p,figcaption,footer{color:var(--faint);overflow-wrap:anywhere}"
    "header p,footer p{margin:0 0 .6rem}"
    "figcaption,footer,td,th{font-size:.9rem}figcaption{margin:.6rem 0 0}"
    "section,figure{background:var(--paper);border:1px solid var(--line);border-radius:10px;"
    "padding:16px;margin:0 0 16px}"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.4rem,1fr));gap:10px;"
    "margin:0 0 16px;padding:0}"
    ".tiles div{background:var(--paper);border:1px solid var(--line);border-radius:10px;"
    "padding:10px 14px}.tiles dt{color:var(--faint);font-size:.82rem}"
    ".tiles "
    "dd{margin:0;white-space:nowrap;font-size:1.2rem;font-weight:600;font-variant-numeric:tabular-"
    "nums}"
    ".bad{border:1px solid var(--bad);border-left-width:6px}.bad strong{color:var(--bad)}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}"
    "th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:right;"
    "white-space:nowrap;font-variant-numeric:tabular-nums}"
    "th:first-child{text-align:left;padding-left:0;font-weight:400}"
    "thead th,thead th:first-child{color:var(--faint);font-weight:600}tbody .group "
    "th{padding-top:14px;font-weight:600}"
    ".text th,.text td,.text td:first-child{text-align:left;white-space:normal;vertical-align:top;"
    "padding-left:0;overflow-wrap:anywhere;min-width:6.5rem}.text tbody "
    "th{font-weight:400;color:var(--faint)}"
    ".text td:first-child,.text thead th{overflow-wrap:break-word}"
    ".cards td[data-k=Time]{white-space:nowrap}"
    ".long{max-height:5.6em;min-width:10rem;overflow-y:auto;font:.78rem/1.4 "
    "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    ".boxes{display:block;max-width:100%;height:auto;margin:12px auto;font:13px "
    "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}.boxes rect{fill:var(--back);"
    "stroke:var(--ink)}.boxes path{fill:none;stroke:var(--ink);stroke-width:1.4}"
    ".boxes text{fill:var(--ink)}.boxes .faint{fill:var(--faint)}"
    ".boxes .strong{font-weight:700}h3{font-size:1rem;margin:1rem 0 .2rem}"
    "summary{cursor:pointer;font-weight:600}:focus-visible{outline:3px solid var(--accent);"
    "outline-offset:2px}.skip{position:absolute;left:-99rem}.skip:focus{left:8px;top:8px;"
    "background:var(--paper);padding:6px 10px}"
    ".narrow{display:none}.narrow "
    ".chart{width:100%}@media(max-width:640px){.wide{display:none}.narrow{display:block}"
    "section,figure{padding:12px 8px}h1{font-size:1.35rem}"
    ".cards thead{position:absolute;left:-99rem}.cards tr{display:block;padding:8px 0;"
    "border-bottom:1px solid var(--line)}.text.cards td,.text.cards td:first-child{display:grid;"
    "grid-template-columns:6.5rem 1fr;gap:8px;border:0;padding:1px 0}"
    ".cards td::before{content:attr(data-k);color:var(--faint)}}"
    "@media print{body{background:none}section,figure{break-inside:avoid}}";

void chart_page_begin(struct dpk_buf *out, const char *title, const char *skip_to,
                      const char *skip_text)
{
    dpk_put_format(out, "%s<title>", head);
    chart_put_xml(out, title);
    dpk_put_format(out,
                   "</title>\n<style>%s%s</style>\n</head>\n<body>\n"
                   "<a class=\"skip\" href=\"#%s\">%s</a>\n",
                   style, chart_style, skip_to, skip_text);
}
