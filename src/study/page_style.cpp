#include "study/page_parts.hpp"

namespace ulna::internal {

const char* page_style() {
  return R"css(
:root { color-scheme: light dark;
  --ink: #1c2127; --paper: #fbfaf7; --card: #ffffff; --muted: #57606a; --rule: #dcdfe2; --accent: #0b5e8e; --good: #1b6e3c; --bad: #a61b1b;
  --series-1: #0067a8; --series-2: #c04f00; --series-3: #00805c; --series-4: #a8417f; --series-5: #8a6d00; --series-6: #6a3fc4; --series-7: #7a4a2b;
  --series-8: #b3202c; }
@media (prefers-color-scheme: dark) { :root {
  --ink: #e7e9ec; --paper: #14171b; --card: #1b1f24; --muted: #a3abb4; --rule: #343a41; --accent: #7cc4f2; --good: #6fcf97; --bad: #ff8a80;
  --series-1: #5cb3f0; --series-2: #f0994f; --series-3: #3fc79b; --series-4: #e08cc0; --series-5: #d2b440; --series-6: #b199ff; --series-7: #cf9f7c;
  --series-8: #ff7d85; } }
@media print { :root { color-scheme: light;
  --ink: #000; --paper: #fff; --card: #fff; --muted: #444; --rule: #bbb; --accent: #00456e; --good: #0d5228; --bad: #8a0f0f;
  --series-1: #0067a8; --series-2: #c04f00; --series-3: #00805c; --series-4: #a8417f; --series-5: #8a6d00; --series-6: #6a3fc4; --series-7: #7a4a2b;
  --series-8: #b3202c; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; overflow-wrap: anywhere; }
header, main, footer, nav.contents { max-width: 112rem; margin: 0 auto; padding: 0 clamp(1rem, 3.5vw, 4rem); }
header { padding-top: 2.5rem; }
header .kicker { color: var(--muted); font-size: .9rem; letter-spacing: .04em; margin: 0; }
h1, h2, h3 { font-family: ui-serif, "Iowan Old Style", "Palatino Linotype", Palatino, "Noto Serif", "Liberation Serif", Georgia, serif; font-weight: 600;
  line-height: 1.2; text-wrap: balance; }
h1 { font-size: clamp(2rem, 7vw, 3.4rem); margin: .2rem 0 .6rem; }
h2 { font-size: clamp(1.45rem, 4vw, 1.9rem); margin: 3rem 0 .8rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.15rem; margin: 2rem 0 .4rem; }
p, ul, ol { max-width: 52rem; }
a { color: var(--accent); text-underline-offset: .15em; }
a:focus-visible, summary:focus-visible, button:focus-visible, .wide:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; } .skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 10; }
.lead { font-size: 1.1rem; color: var(--muted); max-width: none; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: .75rem; padding: 0; margin: 1.5rem 0; max-width: none;
  list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .8rem 1rem; }
.tiles strong { display: block; font-size: 1.5rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--muted); font-size: .875rem; line-height: 1.4; display: block; }
.tiles strong span { display: inline; font-size: inherit; line-height: inherit; color: inherit; } .good, .tiles .good { color: var(--good); }
  .tiles .bad { color: var(--bad); } .bad { color: var(--bad); font-weight: 600; }
nav.contents ol { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; list-style: none; padding: 0; margin: 1rem 0 0; max-width: none; font-size: .95rem; }
figure { margin: 1.5rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; }
figure .static { overflow-x: auto; } figure .static svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem 2rem; align-items: start; }
.chart { min-width: 0; overflow-x: auto; } .for-narrow { display: none; }
@media (min-width: 60rem) { figure .static .chart:only-child > svg { width: min(100%, 58rem); } }
.beside { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: flex-start; } .beside > div { min-width: 0; max-width: 100%; }
@media (max-width: 40rem) { figure { padding: .75rem .5rem; } figure .static svg { max-width: none; width: 36rem; }
  figure:is(#figure-arm, #figure-inertia, #figure-shares, #figure-distribution, #figure-workspace) .static svg, figure .static svg.is-cropped { width: 100%; }
  svg.is-cropped text { font-size: var(--letters); } svg.is-cropped :is(.aside, .curve > text, .curve > line) { display: none; } :is(#figure-shares .choice, #figure-distribution, #figure-workspace) svg text { font-size: 15px; }
  .beside { display: block; } .wide table:not(.cards):not(.eq) { font-size: .82rem; } .wide table:not(.cards):not(.eq) :is(th, td) { padding-right: .6rem; }
  section > .wide td:first-child, section > details > .wide td:first-child { overflow-wrap: anywhere; } }
@media screen and (max-width: 40rem) { .for-wide { display: none; } .for-narrow { display: block; } figure .static .for-narrow svg { width: 100%; } }
figcaption { color: var(--muted); font-size: .925rem; margin: .75rem 0 .25rem; max-width: 60rem; }
.choice { border: 0; margin: 0; padding: 0; min-width: 0; } .choice > legend { float: left; color: var(--muted); font-size: .9rem; padding: .2rem .8rem .2rem 0; }
.choice > input { position: absolute; opacity: 0; } .choice > label { display: inline-block; cursor: pointer; font-size: .9rem; padding: .15rem .7rem;
  margin: 0 .2rem .4rem 0; border: 1px solid var(--rule); border-radius: .4rem; } .choice > input:checked + label { border-color: var(--accent); color: var(--accent); }
.choice > input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; } .choice > div { display: none; clear: left; }
.choice > input:nth-of-type(1):checked ~ div:nth-of-type(1), .choice > input:nth-of-type(2):checked ~ div:nth-of-type(2),
.choice > input:nth-of-type(3):checked ~ div:nth-of-type(3), .choice > input:nth-of-type(4):checked ~ div:nth-of-type(4),
.choice > input:nth-of-type(5):checked ~ div:nth-of-type(5), .choice > input:nth-of-type(6):checked ~ div:nth-of-type(6),
.choice > input:nth-of-type(9):checked ~ div:nth-of-type(9), .choice > input:nth-of-type(10):checked ~ div:nth-of-type(10),
.choice > input:nth-of-type(7):checked ~ div:nth-of-type(7), .choice > input:nth-of-type(8):checked ~ div:nth-of-type(8) { display: block; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--accent); width: fit-content; }
.wide { overflow-x: auto; margin: .5rem 0 1rem; max-width: 100%; }
table { border-collapse: collapse; font-size: .9rem; line-height: 1.45; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { text-align: left; color: var(--muted); padding: 0 0 .35rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--rule); }
th { color: var(--muted); font-weight: 500; } .r { text-align: right; white-space: nowrap; }
@media screen and (max-width: 40rem) { table.cards thead { display: none; } table.cards, table.cards tbody, table.cards caption { display: block; }
  table.cards tr { display: block; background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; padding: .45rem .75rem; margin: .5rem 0; }
  table.cards td { display: block; border: 0; padding: .1rem 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
  table.cards td[data-label] { padding-left: 8rem; } table.cards td[data-label=""] { padding-left: 0; } table.cards td:empty { display: none; }
  table.cards td[data-label]::before { content: attr(data-label); float: left; width: 7.6rem; margin-left: -8rem; color: var(--muted); }
  table.cards td::after { content: ""; display: block; clear: both; }
  table.cards td:first-child { font-weight: 600; } .wide:has(table.cards) { overflow-x: visible; } }
.eq { font-family: "STIX Two Math", "STIX Two Text", "Cambria Math", "Noto Serif", "Liberation Serif", serif; font-size: 1rem; }
.eq td { border: 0; padding: .1rem .4rem .1rem 0; } @media screen and (min-width: 80rem) { .wide:has(> table.eq) { columns: 38rem; column-gap: 3rem; } }
  .eq td:first-child { text-align: right; white-space: nowrap; }
sub, sup { line-height: 0; }
a.symbol { color: inherit; text-decoration: none; border-bottom: 1px dotted var(--muted); } a.symbol:hover { color: var(--accent); }
:target { background: color-mix(in srgb, var(--accent) 16%, transparent); }
pre, code { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, "Liberation Mono", monospace; font-size: .875em; } pre { overflow-x: auto;
  background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; padding: .75rem 1rem; overflow-wrap: normal; }
.warnings { list-style: none; padding: 0; max-width: none; columns: 30rem; column-gap: 3rem; } .cure { color: var(--muted); } .warnings > li { break-inside: avoid; } .warnings > li { border-left: 3px solid var(--rule); padding: .1rem 0 .1rem .9rem; margin: 0 0 .9rem; }
  .warnings li.warning { border-color: var(--series-2); } .warnings li.error { border-color: var(--bad); }
.warnings .level { font-size: .8rem; color: var(--muted); text-transform: uppercase; letter-spacing: .06em; }
.cite { max-width: none; columns: 32rem; column-gap: 3rem; } .cite li { margin: 0 0 .6rem; break-inside: avoid; }
footer { color: var(--muted); font-size: .9rem; padding-top: 2rem; padding-bottom: 4rem; margin-top: 3rem; }
@media print { body { font-size: 10pt; } nav.contents, .skip, .live { display: none !important; } figure .static { display: block !important;
  overflow: visible; } figure, tr { break-inside: avoid; } h2 { break-after: avoid; } h2 { margin-top: 1.5rem; } .wide { overflow: visible; }
  a { text-decoration: none; } }
)css";
}

}  // namespace ulna::internal
