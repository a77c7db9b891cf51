/* Style of pictures on light and dark pages. */
#include "chart/chart.h"

/* Each colour is in its rule, twice, instead of in a variable. Converters to PDF and PNG (librsvg,
 * Inkscape) support neither variables nor media queries, and so draw the light theme. */
#define SERIES(n, colour) ".chart .cl" #n "{stroke:" colour "}.chart .cf" #n "{fill:" colour "}"

/* The colours of Okabe and Ito ("Color Universal Design", 2008), which colour-blind people can tell
 * apart, made darker or lighter until each has a contrast of 3:1 with its background (WCAG 2.1,
 * 1.4.11). */
#define THEME(c0, c1, c2, c3, c4, c5, c6, c7, ink, faint, grid, paper)                             \
    SERIES(0, c0)                                                                                  \
    SERIES(1, c1)                                                                                  \
    SERIES(2, c2)                                                                                  \
    SERIES(3, c3)                                                                                  \
    SERIES(4, c4)                                                                                  \
    SERIES(5, c5)                                                                                  \
    SERIES(6, c6)                                                                                  \
    SERIES(7, c7)                                                                                  \
    ".chart .cp{fill:" paper "}.chart .ch{stroke:" paper "}.chart text{fill:" faint                \
    "}.chart .ck,.chart .ct{fill:" ink "}.chart .cg{stroke:" grid "}.chart .ca{stroke:" faint "}"

/* Classes: cl line, cf area, cn thin line, cb band, d dashes; ca axis, cg grid, cp paper; hc heat
 * map cell, h1 to h4 paler cells; ct title, ck name, ch with a halo, cr right-aligned, cm
 * centred. */
const char chart_style[] =
    ".chart{display:block;max-width:100%;height:auto;"
    "font:12px system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif}"
    ".chart .ct{font-weight:600;font-size:14px}"
    ".chart .ch{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}"
    ".chart .cr{text-anchor:end}.chart .cm{text-anchor:middle}"
    ".chart .cg,.chart .ca{stroke-width:1;fill:none}"
    ".chart .cl{fill:none;stroke-width:1.6;stroke-linejoin:round}"
    ".chart .cn{fill:none;stroke-width:1}.chart .cb{fill-opacity:.2}"
    ".chart .d1{stroke-dasharray:7 3}.chart .d2{stroke-dasharray:2 2.5}"
    ".chart .d3{stroke-dasharray:8 3 2 3}.chart .hc{shape-rendering:crispEdges}"
    ".chart .h1{fill-opacity:.2}.chart .h2{fill-opacity:.4}.chart .h3{fill-opacity:.6}"
    ".chart .h4{fill-opacity:.8}" THEME(
        "#0072b2", "#c04a00", "#00795a", "#a8497f", "#946300", "#2a86b8", "#6a4fb3", "#4d4d4d",
        "#1b1f24", "#59636e", "#dfe3e8",
        "#ffffff") "@media(prefers-color-scheme:dark){" THEME("#58b4f0", "#ff8a4c", "#2fc79a",
                                                              "#e39ac4", "#e6a93a", "#8fd3ff",
                                                              "#b7a3ff", "#d5d5d5", "#e8eaed",
                                                              "#a4adb8", "#30363d", "#15181c") "}";
