//! Style and script of the page.

pub const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1d2329; --dim: #5b6670; --paper: #fff; --edge: #d9dee3; --soft: #f3f5f7;
  --line: #2563b0; --area: #2563b022; --good: #1a7f37; --bad: #c0272d; --cut: #b26a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --dim: #9aa5b0; --paper: #14181c; --edge: #333b43;
  --soft: #1d2329; --line: #6ea8ee; --area: #6ea8ee22; --good: #4cc26a; --bad: #ff7b72; --cut: #e3a445; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1100px; margin: 0 auto; padding: 24px; }
h1 { font-size: 22px; margin: 0 0 16px; } h2 { font-size: 16px; margin: 32px 0 8px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 12px; }
.tile { border: 1px solid var(--edge); border-radius: 8px; padding: 12px; display: grid; }
.tile strong { font-size: 22px; } .name, .more, figcaption { color: var(--dim); font-size: 13px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; } #sessions { width: 100%; }
th, td { text-align: left; padding: 4px 10px; white-space: nowrap; }
#sessions th, #sessions td { border-bottom: 1px solid var(--edge); }
.n { text-align: right; font-variant-numeric: tabular-nums; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th[aria-sort=ascending] button::after { content: ' ▲'; } th[aria-sort=descending] button::after { content: ' ▼'; }
#sessions td.path { white-space: normal; overflow-wrap: anywhere; min-width: 220px; } a { color: var(--line); }
.ok { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
details { border: 1px solid var(--edge); border-radius: 8px; margin: 8px 0; }
summary { padding: 8px 12px; cursor: pointer; overflow-wrap: anywhere; } .body { padding: 0 12px 12px; }
.checks span { margin-right: 10px; white-space: nowrap; font-size: 13px; }
.failures { padding-left: 20px; } .failures li { overflow-wrap: anywhere; }
pre.diff { background: var(--soft); padding: 10px; overflow-x: auto; border-radius: 6px; font-size: 13px; }
ins { color: var(--good); text-decoration: none; } del { color: var(--bad); text-decoration: none; }
.sizes { font-size: 13px; } .sizes th { font-weight: 400; padding-left: 0; }
.before { fill: var(--dim); } .after { fill: var(--line); }
figure { margin: 12px 0 0; } figure svg { width: 100%; height: auto; }
svg text { fill: var(--dim); font-size: 11px; } .grid { stroke: var(--edge); }
.line { fill: none; stroke: var(--line); stroke-width: 1.5; } .area { fill: var(--area); stroke: none; }
.cut { stroke: var(--cut); stroke-width: 1.5; stroke-dasharray: 4 3; }
";

/// Sorting by a click on a head, numbers by value; a second click turns it round. A link opens its session.
pub const SCRIPT: &str = "
const table = document.getElementById('sessions');
const heads = [...table.tHead.rows[0].cells];
const value = (row, at) => {
  const cell = row.cells[at];
  return 'v' in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
};
heads.forEach((head, at) => head.firstElementChild.addEventListener('click', () => {
  const down = head.getAttribute('aria-sort') === 'ascending';
  heads.forEach(h => h.setAttribute('aria-sort', 'none'));
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const rows = [...table.tBodies[0].rows];
  const order = (a, b) => typeof a === 'number' ? a - b : a < b ? -1 : a > b ? 1 : 0;
  rows.sort((a, b) => (down ? -1 : 1) * order(value(a, at), value(b, at)));
  table.tBodies[0].append(...rows);
}));
const open = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === 'DETAILS') { target.open = true; target.scrollIntoView(); }
};
addEventListener('hashchange', open);
open();
";
