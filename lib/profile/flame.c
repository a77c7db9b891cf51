/* Writes flame graphs as a single SVG. A frame's width is the share of instructions in it and in
 * its callees; callers are below. A browser shows a frame's figures at the pointer, a click widens
 * the frame, and the search field marks frames by name. A separate picture is as wide as its
 * window; inside a page, or without scripts, it has WIDTH pixels. */
#include <inttypes.h>
#include <string.h>

#include "chart/chart.h"
#include "profile/inside.h"

enum { WIDTH = 1200, ROW = 18, TOP = 56, BOTTOM = 8, GLYPH = 7 };
#define LEAST 0.15 /* pixels; narrower frames are invisible, so they are left out */

static const char style[] =
    "svg{background:#fff;font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}"
    "text{fill:#1b1f24}rect{stroke:#fff;stroke-width:.5}g.f{cursor:pointer}"
    "g.f text{fill:#1b1f24;pointer-events:none}g.f:hover rect,g.f:focus rect{stroke:#1b1f24}"
    "g.m rect{fill:#7fb2ff}#t{font-weight:600;font-size:14px}#s,#r{cursor:pointer}"
    "@media(prefers-color-scheme:dark){svg{background:#15181c}text{fill:#e8eaed}"
    "rect{stroke:#15181c}}";

/* Each frame keeps its x and width as fractions of the whole, so that a click can widen it. */
static const char script[] =
    "(function(){var "
    "W=1200,Z=[0,1,0],R=document.getElementById('t').ownerSVGElement,F=[].slice.call(document."
    "querySelectorAll('g.f'));"
    "function at(g,n){return parseFloat(g.getAttribute(n))}"
    "function show(x,w,d){Z=[x,w,d];F.forEach(function(g){var "
    "a=(at(g,'data-x')-x)/w,b=at(g,'data-w')/w,"
    "l=Math.max(a,0),r=Math.min(a+b,1),in_=r-l>1e-9&&(at(g,'data-d')>=d||b>=.999999),"
    "q=g.querySelector('rect'),t=g.querySelector('text'),n=g.getAttribute('data-n'),"
    "k=Math.floor((r-l)*W/7)-1;g.style.display=in_?'':'none';if(!in_)return;"
    "q.setAttribute('x',l*W);q.setAttribute('width',(r-l)*W);t.setAttribute('x',l*W+4);"
    "t.textContent=k<3?'':n.length<=k?n:n.slice(0,k-1)+'…'})}"
    "function mark(word){var sum=0,end=0;F.slice().sort(function(a,b){"
    "return at(a,'data-x')-at(b,'data-x')||at(b,'data-w')-at(a,'data-w')}).forEach(function(g){"
    "var m=word&&g.getAttribute('data-n').toLowerCase().indexOf(word.toLowerCase())>=0;"
    "g.setAttribute('class',m?'f m':'f');var x=at(g,'data-x'),w=at(g,'data-w');"
    "if(m&&x+1e-9>=end){sum+=w;end=x+w}});"
    "document.getElementById('h').textContent=word?word+': '+(100*sum).toFixed(1)+' %':''}"
    "F.forEach(function(g){function z(){show(at(g,'data-x'),at(g,'data-w'),at(g,'data-d'))}"
    "g.onclick=z;g.onkeydown=function(e){if(e.key==='Enter')z()}});"
    "document.getElementById('s').onclick=function(){"
    "var w=prompt('mark frames with this word in their names','');if(w!==null)mark(w)};"
    "document.getElementById('r').onclick=function(){show(0,1,0);mark('')};"
    "function fit(){W=Math.max(320,window.innerWidth);R.setAttribute('width',W);"
    "R.setAttribute('viewBox','0 0 '+W+' '+R.getAttribute('height'));show(Z[0],Z[1],Z[2])}"
    "if(document.documentElement===R){window.onresize=fit;fit()}})();";

/* Returns one of a few warm colours; equal names have equal colours in all pictures. */
static unsigned colour_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619u;
    return (0xe0u + hash % 32) << 16 | (0x70u + (hash >> 8) % 112) << 8 |
           (0x38u + (hash >> 16) % 32);
}

static unsigned depth_of(const struct dpk_profile *p)
{
    unsigned depth = 0;
    for (unsigned i = 0; i < dpk_profile_frames(p); i++)
        if (dpk_profile_frame(p, i)->depth > depth)
            depth = dpk_profile_frame(p, i)->depth;
    return depth;
}

/* Appends as many UTF-8 characters of a name as fit. */
static void put_short(struct dpk_buf *out, const char *name, double width)
{
    char text[DPK_PROFILE_NAME];
    size_t room = width < 3 * GLYPH ? 0 : (size_t)(width / GLYPH) - 1, at = 0;
    const bool cut = strlen(name) > room;
    snprintf(text, sizeof text, "%s", name);
    if (room < 3)
        return;
    if (cut) {
        at = room - 1;
        while (at > 0 && ((uint8_t)text[at] & 0xc0) == 0x80)
            at--;
        text[at] = '\0';
    }
    chart_put_xml(out, text);
    if (cut)
        dpk_put_format(out, "…");
}

static void put_frame(struct dpk_buf *out, const struct dpk_profile_frame *f, double x, double w,
                      double part, unsigned y)
{
    dpk_put_format(
        out,
        "<g class=\"f\" tabindex=\"0\" data-x=\"%.9g\" data-w=\"%.9g\" data-d=\"%u\" data-n=\"",
        x / WIDTH, w / WIDTH, f->depth);
    chart_put_xml(out, f->name);
    dpk_put_format(out, "\"><title>");
    chart_put_xml(out, f->name);
    dpk_put_format(out, ": %" PRIu64 " instructions, %.2f %%; %" PRIu64 " of its own</title>",
                   f->total, 100 * part, f->self);
    dpk_put_format(out,
                   "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" rx=\"2\" "
                   "fill=\"#%06x\"/><text x=\"%.2f\" y=\"%u\">",
                   x, y, w, ROW - 1, colour_of(f->name), x + 4, y + 13);
    put_short(out, f->name, w);
    dpk_put_format(out, "</text></g>\n");
}

/* Draws children side by side from the left end of their parent. The parent's own share is at the
 * right. */
static void put_frames(const struct dpk_profile *p, struct dpk_buf *out, unsigned height)
{
    const double all = (double)dpk_profile_frame(p, DPK_PROFILE_ROOT)->total;
    double begin[DPK_PROFILE_DEPTH + 2] = {0}; /* left end of the next frame at each depth */
    unsigned at = DPK_PROFILE_ROOT;
    while (at != DPK_PROFILE_NONE) {
        const struct dpk_profile_frame *f = dpk_profile_frame(p, at);
        const double part = all > 0 ? (double)f->total / all : 0, w = WIDTH * part;
        const bool seen = w >= LEAST;
        if (seen)
            put_frame(out, f, begin[f->depth], w, part,
                      height - BOTTOM - (f->depth + 1) * (unsigned)ROW);
        begin[f->depth + 1] = begin[f->depth];
        begin[f->depth] += w;
        if (seen && f->first != DPK_PROFILE_NONE) {
            at = f->first;
            continue;
        }
        while (f->next == DPK_PROFILE_NONE && f->parent != DPK_PROFILE_NONE)
            f = dpk_profile_frame(p, f->parent);
        at = f->next;
    }
}

void profile_put_flame(const struct dpk_profile *p, struct dpk_buf *out)
{
    const unsigned height = TOP + BOTTOM + (depth_of(p) + 1) * (unsigned)ROW;
    dpk_put_format(out,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
                   "xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" "
                   "height=\"%u\" role=\"img\" aria-labelledby=\"t\">\n<style>%s</style>\n",
                   WIDTH, height, WIDTH, height, style);
    dpk_put_format(out,
                   "<text id=\"t\" x=\"8\" y=\"22\">Instructions by call stack: %" PRIu64
                   "</text>\n"
                   "<text id=\"s\" x=\"8\" y=\"42\" tabindex=\"0\">[search]</text>\n"
                   "<text id=\"r\" x=\"80\" y=\"42\" tabindex=\"0\">[whole]</text>\n"
                   "<text id=\"h\" x=\"152\" y=\"42\"></text>\n",
                   dpk_profile_frame(p, DPK_PROFILE_ROOT)->total);
    put_frames(p, out, height);
    dpk_put_format(out, "<script><![CDATA[%s]]></script>\n</svg>\n", script);
}
