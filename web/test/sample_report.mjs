// A small report made by hand, of the shape that the program writes: an arm of seven links with a slide, a follower and a fixed tool, names in several scripts.
// Its numbers are smooth functions of time, not dynamics; they only have to look like a motion.

const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
const at = (x, y, z) => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];
const straight = [1, 0, 0, 0, 1, 0, 0, 0, 1];

const rows = (n, times, value) => Array.from({ length: n }, (_, i) => times.map((t) => value(i, t)));

function motion(title, joints, units, duration, samples) {
  const t = Array.from({ length: samples }, (_, k) => (duration * k) / (samples - 1));
  const n = joints.length;
  const w = (i) => 0.8 + 0.3 * (i % 4);
  const a = (i) => (units[i] === 'm' ? 0.15 : 0.7);
  const q = rows(n, t, (i, s) => a(i) * Math.sin(w(i) * s + i));
  const v = rows(n, t, (i, s) => a(i) * w(i) * Math.cos(w(i) * s + i));
  const tau = rows(n, t, (i, s) => (20 / (i + 1)) * Math.cos(w(i) * s + i) + 3);
  const kinetic = t.map((_, k) => v.reduce((sum, row) => sum + row[k] ** 2, 0));
  const potential = t.map((_, k) => 12 - q.reduce((sum, row) => sum + row[k] ** 2, 0));
  return { title, t, joints, units, q, v, tau, energy: { kinetic, potential, total: t.map((_, k) => kinetic[k] + potential[k]) }, poses_check: [] };
}

export function sampleReport() {
  const names = ['base', 'плечо', '肘', 'κοντός', '<b>wrist</b>', 'finger', 'Werkzeug'];
  const link = (name, i) => ({
    name,
    mass: i === 0 ? 0 : 3 / i,
    com: i === 0 ? [0, 0, 0] : [0.02, 0, 0.14],
    ellipsoid: i === 0 || i === 6 ? null : { axes: [0.07 - 0.006 * i, 0.06 - 0.006 * i, 0.16 - 0.012 * i], rotation: straight },
  });
  const joint = (i, kind, coordinate, before, axis, more = {}) => ({
    name: `joint ${i} of ${names[i]}`,
    kind,
    parent: i - 1,
    child: i,
    coordinate,
    before,
    after: identity,
    axis,
    ratio: 1,
    offset: 0,
    lower: -2,
    upper: 2,
    unit: kind === 'prismatic' ? 'm' : 'rad',
    ...more,
  });
  const joints = ['joint 1', 'плечо', '伸びる', 'wrist'];
  const units = ['rad', 'rad', 'm', 'rad'];
  const cells = [];
  for (let unit = 0; unit < 4; ++unit)
    for (let k = 0; k < 24 - 2 * unit; ++k) cells.push({ processor: unit, start: k + unit, length: 1, name: `Z${4 * k + unit + 1}` });
  const row = (formulation, title, paper, written, reduced, published) => ({
    formulation,
    title,
    paper,
    as_written: written && { mul: written[0], add: written[1] },
    reduced: reduced && { mul: reduced[0], add: reduced[1] },
    published,
  });
  return {
    format: 1,
    ulna: '0.0.0',
    model: {
      name: 'sample 腕',
      source: 'by hand',
      gravity: [0, 0, -9.81],
      links: names.map(link),
      joints: [
        joint(1, 'revolute', 0, at(0, 0, 0.1), [0, 0, 1]),
        joint(2, 'revolute', 1, at(0, 0, 0.3), [0, 1, 0]),
        joint(3, 'prismatic', 2, at(0, 0, 0.3), [0, 0, 1]),
        joint(4, 'revolute', 3, at(0, 0, 0.3), [1, 0, 0]),
        joint(5, 'revolute', 3, at(0, 0, 0.2), [0, 1, 0], { ratio: -0.5, offset: 0.2 }),
        joint(6, 'fixed', null, at(0, 0, 0.15), [0, 0, 1]),
      ],
    },
    warnings: [{ level: 'warning', where: 'link finger', text: 'is light', cure: 'check its mass' }],
    motion: motion('released from rest', joints, units, 4, 401),
    reference: motion('a fifth-order way', joints, units, 2, 201),
    counts: [
      {
        quantity: 'torque',
        rows: [
          row('uicker-kahn', 'Uicker and Kahn', 'Kahn 1969', [75270, 57856], [2327, 1562], null),
          row('newton-euler', 'Newton and Euler', 'Luh, Walker and Paul 1980', [657, 571], [187, 141], '852 mul, 738 add'),
          row('kane-stanford', 'Kane, by hand', 'Kane and Levinson 1983', [622, 397], [533, 362], '646 mul, 394 add'),
          row('horn-raibert', 'Horn and Raibert', 'Horn and Raibert 1978', [468, 252], null, null),
          row('ulna', 'Ulna', '', [145, 132], [117, 90], null),
        ],
      },
      { quantity: 'inertia matrix', rows: [row('composite', 'Composite bodies', 'Walker and Orin 1982', [400, 300], [80, 70], null)] },
    ],
    growth: [
      {
        quantity: 'torque',
        joints: [2, 3, 4, 5, 6, 7, 8, 10, 12],
        series: [
          { formulation: 'uicker-kahn', title: 'Uicker and Kahn', operations: [2, 3, 4, 5, 6, 7, 8, 10, 12].map((n) => 57 * n ** 4 + 90 * n ** 3) },
          { formulation: 'newton-euler', title: 'Newton and Euler', operations: [2, 3, 4, 5, 6, 7, 8, 10, 12].map((n) => 281 * n - 93) },
          { formulation: 'ulna', title: 'Ulna', operations: [2, 3, 4, 5, 6, 7, 8, 10, 12].map((n) => 140 * n - 120) },
        ],
      },
    ],
    schedule: [{ quantity: 'torque', processors: 4, length: 24, work: cells.length, speedup: 3.5, cells }],
    timing: [
      { library: 'ulna', path: 'machine code', task: 'inverse', mode: 'single', real: 'double', threads: 1, ns: 76 },
      { library: 'ulna', path: 'templates', task: 'inverse', mode: 'single', real: 'double', threads: 1, ns: 480 },
      { library: 'pinocchio', path: 'clang', task: 'inverse', mode: 'single', real: 'double', threads: 1, ns: 645 },
      { library: 'mujoco', path: 'mj_rne', task: 'inverse', mode: 'single', real: 'double', threads: 1, ns: 2410 },
      { library: 'ulna', path: 'machine code', task: 'forward', mode: 'single', real: 'double', threads: 1, ns: 310 },
      { library: 'pinocchio', path: 'clang', task: 'forward', mode: 'single', real: 'double', threads: 1, ns: 1310 },
    ],
  };
}

/** Curves as the program draws them, as far as the script looks: frames, rows, lines. */
function plot(of, places, curves, scale = '') {
  const size = { left: 84, top: 34, width: 620, height: 240 };
  const all = curves.flatMap(({ values }) => values).filter(Number.isFinite);
  const axis = { from: places[0], to: places[places.length - 1], low: Math.min(...all), high: Math.max(...all) };
  if (!(axis.high > axis.low)) axis.high = axis.low + 1;
  const f = scale === 'log' ? Math.log : (x) => x;
  const part = (x, low, high) => (f(x) - f(low)) / (f(high) - f(low));
  const x = (value) => (size.left + size.width * part(value, axis.from, axis.to)).toFixed(1);
  const y = (value) => (size.top + size.height * (1 - part(value, axis.low, axis.high))).toFixed(1);
  const drawn = curves.map(({ row, values }, i) => {
    const points = places.flatMap((place, k) => (Number.isFinite(values[k]) ? [`${x(place)},${y(values[k])}`] : []));
    return `<g class="curve" data-row="${row}"><polyline points="${points.join(' ')}" fill="none" stroke="var(--series-${(i % 8) + 1})" stroke-width="1.6"/></g>`;
  });
  const data = Object.entries({ of, ...size, ...axis, ...(scale ? { scale } : {}) }).map(([name, value]) => `data-${name}="${value}"`);
  return `<svg viewBox="0 0 854 320" width="854" height="320" role="img" aria-label="${of}"><g class="plot" ${data.join(' ')}><text x="84" y="22">${of}</text>${drawn.join('')}</g></svg>`;
}

export function drawnMotion(motion) {
  if (!motion?.t?.length) return '';
  const rows = (values) => values.map((row, i) => ({ row: i, values: row }));
  const parts = [
    ['q', motion.q],
    ['v', motion.v],
    ['tau', motion.tau],
    ['energy', motion.energy ? [motion.energy.kinetic, motion.energy.potential, motion.energy.total] : []],
  ];
  return parts.map(([of, values]) => (values?.length ? plot(of, motion.t, rows(values)) : '')).join('');
}

export function drawnGrowth(all) {
  return all.map(({ quantity, joints, series }) => plot(quantity, joints, series.map((one) => ({ row: one.formulation, values: one.operations })), 'log')).join('');
}

function drawnSchedule([schedule]) {
  if (!schedule) return '';
  const boxes = schedule.cells.map((cell) => `M${60 + 18 * cell.start} ${118 + 18 * cell.processor}h17v17h-17z`).join('');
  return `<svg class="schedule" viewBox="0 0 940 260" width="940" height="260" role="img" aria-label="schedule" data-cell="18" data-left="60" data-top="118" data-columns="60" data-panel="106"><path fill="#0072b2" d="${boxes}"/></svg>`;
}

const ids = ['arm', 'motion', 'torques', 'counts', 'growth', 'schedule', 'timing'];

const style = `
:root { color-scheme: light dark; --ink: #1c2127; --paper: #fbfaf7; --muted: #57606a; --rule: #dcdfe2; --accent: #0b5e8e; --series-1: #0067a8; --series-2: #c04f00; --series-3: #00805c;
  --series-4: #a8417f; --series-5: #8a6d00; --series-6: #6a3fc4; --series-7: #7a4a2b; --series-8: #b3202c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ec; --paper: #14171b; --muted: #a3abb4; --rule: #343a41; --accent: #7cc4f2; --series-1: #5cb3f0; --series-2: #f0994f;
  --series-3: #3fc79b; --series-4: #e08cc0; --series-5: #d2b440; --series-6: #b199ff; --series-7: #cf9f7c; --series-8: #ff7d85; } }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 4rem; font: 1rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
figure { margin: 1rem 0 3rem; } figcaption { color: var(--muted); margin-top: 0.75rem; } .static svg { max-width: 100%; height: auto; } a { color: var(--accent); }
`;

/** A page as the program would write it, without its text: the frame that the script expects. */
export function samplePage(report, script) {
  const still = '<svg width="320" height="90" role="img" aria-label="drawn for print"><rect width="320" height="90" fill="#888"/></svg>';
  const drawn = {
    motion: drawnMotion(report?.motion),
    torques: report?.reference ? drawnMotion({ ...report.reference, q: [], v: [], energy: null }) : '',
    growth: drawnGrowth(report?.growth ?? []),
    schedule: drawnSchedule(report?.schedule ?? []),
  };
  const figure = (id) => `<h2>${id}</h2><figure id="figure-${id}"><div class="static">${drawn[id] || still}</div>
<figcaption>The ${id} figure of the sample.</figcaption></figure><details><summary>Numbers</summary><table><tr><th>1</th></tr></table></details>`;
  const equations = `<h2>equations</h2><ol><li id="Z1">Z1 = sin q1</li><li id="Z2">Z2 = cos q1</li>
<li id="Z3">Z3 = <a href="#Z1" class="symbol">Z1</a> <a href="#Z2" class="symbol">Z2</a></li><li id="Z4">Z4 = <a href="#Z3" class="symbol">Z3</a> + <a href="#Z1" class="symbol">Z1</a></li></ol>`;
  const data = report === null ? '' : `<script type="application/json" id="report">${JSON.stringify(report).replace(/</g, '\\u003c')}</script>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Sample</title><style>${style}</style></head>
<body><h1>A sample of the report</h1>${ids.map(figure).join('\n')}${equations}${data}<script>${script}</script></body></html>`;
}
