// The data behind the page, as the program writes it, and a reader that holds what is missing for empty: a page of an older or newer program must not throw.

export type Vec3 = [number, number, number];

export interface Report {
  format: number;
  ulna: string;
  model: Model;
  warnings: { level: string; where: string; text: string; cure: string }[];
  motion: Motion | null; // the simulated response
  reference: Motion | null; // the motion that was asked for, with the torques it takes
  runs: Motion[]; // of a campaign: its worst runs
  growth: Growth[];
  schedule: Schedule[];
}

export interface Model {
  name: string;
  source: string;
  gravity: Vec3;
  links: Link[]; // links[0] is the base
  joints: Joint[]; // a joint's parent link stands before its child
}

export interface Link {
  name: string;
  mass: number;
  com: Vec3;
  ellipsoid: { axes: Vec3; rotation: number[] } | null; // semi-axes in m; rotation 3x3 by rows, link from principal axes
}

export interface Joint {
  name: string;
  kind: string; // 'revolute', 'prismatic', 'fixed'
  parent: number;
  child: number;
  coordinate: number | null; // index into q; null: the joint stands at its offset
  before: number[]; // X_PF, 3x4 by rows
  after: number[]; // X_MB, 3x4 by rows
  axis: Vec3;
  ratio: number;
  offset: number;
  lower: number | null;
  upper: number | null;
  unit: string;
}

export interface Motion {
  title: string;
  t: number[];
  joints: string[];
  units: string[];
  base: number[][]; // of a base that moves, [number][sample]: position and quaternion x, y, z, w; or x, y and yaw. Empty for a fixed base
  q: number[][]; // [joint][sample]
  v: number[][];
  tau: number[][];
  energy: { kinetic: number[]; potential: number[]; total: number[]; work?: number[] } | null; // work: of the drives since the start
  poses_check: { sample: number; link: number; pose: number[] }[];
}

export interface Growth {
  quantity: string;
  joints: number[];
  series: { formulation: string; title: string; operations: number[] }[];
}

export interface Schedule {
  quantity: string;
  processors: number;
  length: number;
  work: number;
  speedup: number;
  cells: { processor: number; start: number; length: number; name: string }[];
}

type Loose = Record<string, unknown>;

const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

function loose(value: unknown): Loose {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Loose) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown, otherwise = 0): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

function maybe(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

// NaN stays in a series as a gap of the curve; JSON has null for it.
function series(value: unknown): number[] {
  return list(value).map((x) => number(x, NaN));
}

function numbers(value: unknown, like: number[]): number[] {
  const read = series(value);
  return read.length === like.length && read.every(Number.isFinite) ? read : [...like];
}

function vector(value: unknown, otherwise: Vec3): Vec3 {
  return numbers(value, otherwise) as Vec3;
}

function readModel(value: unknown): Model {
  const model = loose(value);
  const links = list(model['links']).map((item): Link => {
    const link = loose(item);
    const ellipsoid = loose(link['ellipsoid']);
    const axes = series(ellipsoid['axes']);
    const drawn = axes.length === 3 && axes.every((a) => Number.isFinite(a) && a >= 0) && axes.some((a) => a > 0);
    return {
      name: text(link['name']),
      mass: number(link['mass']),
      com: vector(link['com'], [0, 0, 0]),
      ellipsoid: drawn ? { axes: axes as Vec3, rotation: numbers(ellipsoid['rotation'], [1, 0, 0, 0, 1, 0, 0, 0, 1]) } : null,
    };
  });
  const joints = list(model['joints']).map((item): Joint => {
    const joint = loose(item);
    return {
      name: text(joint['name']),
      kind: text(joint['kind']),
      parent: number(joint['parent'], -1),
      child: number(joint['child'], -1),
      coordinate: maybe(joint['coordinate']),
      before: numbers(joint['before'], identity),
      after: numbers(joint['after'], identity),
      axis: vector(joint['axis'], [0, 0, 1]),
      ratio: number(joint['ratio'], 1),
      offset: number(joint['offset']),
      lower: maybe(joint['lower']),
      upper: maybe(joint['upper']),
      unit: text(joint['unit']) || 'rad',
    };
  });
  const inside = (link: number) => Number.isInteger(link) && link >= 0 && link < links.length;
  return {
    name: text(model['name']),
    source: text(model['source']),
    gravity: vector(model['gravity'], [0, 0, -9.81]),
    links,
    joints: joints.filter((joint) => inside(joint.parent) && inside(joint.child)),
  };
}

function readMotion(value: unknown): Motion | null {
  const motion = loose(value);
  const t = series(motion['t']);
  if (t.length === 0 || !t.every(Number.isFinite)) return null;
  const rows = (name: string) =>
    list(motion[name])
      .map(series)
      .map((row) => (row.length === t.length ? row : t.map(() => NaN)));
  const q = rows('q');
  const base = rows('base');
  const names = list(motion['joints']).map(text);
  const units = list(motion['units']).map(text);
  const energy = loose(motion['energy']);
  const work = series(energy['work']);
  const parts = ['kinetic', 'potential', 'total'].map((part) => series(energy[part]));
  return {
    title: text(motion['title']),
    t,
    joints: q.map((_, i) => names[i] ?? `q${i + 1}`),
    units: q.map((_, i) => units[i] ?? 'rad'),
    base: base.length === 7 || base.length === 3 ? base : [],
    q,
    v: rows('v'),
    tau: rows('tau'),
    energy: parts.every((part) => part.length === t.length)
      ? { kinetic: parts[0]!, potential: parts[1]!, total: parts[2]!, ...(work.length === t.length ? { work } : {}) }
      : null,
    poses_check: list(motion['poses_check']).map((item) => {
      const check = loose(item);
      return { sample: number(check['sample'], -1), link: number(check['link'], -1), pose: series(check['pose']) };
    }),
  };
}

/** Anything at all as a report; what is missing or of the wrong kind is empty. */
export function asReport(value: unknown): Report {
  const report = loose(value);
  return {
    format: number(report['format']),
    ulna: text(report['ulna']),
    model: readModel(report['model']),
    warnings: list(report['warnings']).map((item) => {
      const warning = loose(item);
      return { level: text(warning['level']), where: text(warning['where']), text: text(warning['text']), cure: text(warning['cure']) };
    }),
    motion: readMotion(report['motion']),
    reference: readMotion(report['reference']),
    runs: list(report['runs'])
      .map(readMotion)
      .filter((run): run is Motion => run !== null),
    growth: list(report['growth']).map((item) => {
      const growth = loose(item);
      return {
        quantity: text(growth['quantity']),
        joints: series(growth['joints']),
        series: list(growth['series']).map((entry) => {
          const row = loose(entry);
          return { formulation: text(row['formulation']), title: text(row['title']) || text(row['formulation']), operations: series(row['operations']) };
        }),
      };
    }),
    schedule: list(report['schedule']).map((item) => {
      const schedule = loose(item);
      return {
        quantity: text(schedule['quantity']),
        processors: number(schedule['processors']),
        length: number(schedule['length']),
        work: number(schedule['work']),
        speedup: number(schedule['speedup']),
        cells: list(schedule['cells']).map((entry) => {
          const cell = loose(entry);
          return { processor: number(cell['processor']), start: number(cell['start']), length: number(cell['length']), name: text(cell['name']) };
        }),
      };
    }),
  };
}

/** The report inside a page, or null when there is none that can be read. */
export function readReport(page: Document): Report | null {
  const source = page.getElementById('report')?.textContent;
  if (!source) return null;
  try {
    return asReport(JSON.parse(source));
  } catch {
    return null;
  }
}
