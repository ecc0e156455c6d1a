// npm run test:page -- PAGE.html [...]: opens pages of studies and of equations from disk in the system's Chromium and checks them.
// Without a page, it checks samples made from dist/report.js.
// Exit status: 0 all well, 1 a fault, 2 a wrong call, 77 no Chromium.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { samplePage, sampleReport } from '../sample_report.mjs';
import { findChromium, launchArguments, makeLooker } from './browser.mjs';
import * as checks from './checks.mjs';

const executablePath = findChromium();
if (executablePath === null) {
  console.log('skipped: no Chromium found (on PATH as chromium, chromium-browser or google-chrome, or named by CHROMIUM)');
  process.exit(77);
}

function sample(name, report, script) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, samplePage(report, script));
  return file;
}

/** A robot of many joints, for the ends of palettes and lists. */
function manyJoints(count) {
  const report = sampleReport();
  const [first] = report.model.joints;
  const link = report.model.links[1];
  report.model.links = Array.from({ length: count + 1 }, (_, i) => ({ ...link, name: `link ${i}` }));
  report.model.joints = Array.from({ length: count }, (_, i) => ({
    ...first,
    name: `joint ${i + 1} with a rather long name`,
    parent: i,
    child: i + 1,
    coordinate: i,
    axis: [0, i % 2, (i + 1) % 2],
    before: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.1],
  }));
  const thin = (row) => row.filter((_, k) => k % 4 === 0);
  const rows = (row) => Array.from({ length: count }, (_, i) => thin(row).map((x) => (x * (i + 1)) / count));
  const { motion } = report;
  report.motion = {
    ...motion,
    t: thin(motion.t),
    joints: report.model.joints.map((joint) => joint.name),
    units: rows([]).map(() => 'rad'),
    q: rows(motion.q[0]),
    v: rows(motion.v[0]),
    tau: rows(motion.tau[0]),
    energy: null,
  };
  return report;
}

let folder = null;
let pages = process.argv.slice(2).map((page) => resolve(page));
if (pages.length === 0) {
  const script = new URL('../../dist/report.js', import.meta.url);
  if (!existsSync(script)) {
    console.error("no page given, and dist/report.js is not there for the samples: run 'npm run build' first");
    process.exit(2);
  }
  folder = mkdtempSync(join(tmpdir(), 'report-'));
  const code = readFileSync(script, 'utf8');
  const empty = { counts: [], growth: [], schedule: [], timing: [], warnings: [] };
  pages = [
    sample('sample', sampleReport(), code),
    sample('many-joints', manyJoints(38), code),
    sample('no-motion', { ...sampleReport(), motion: null, reference: null }, code),
    sample('empty', { ...sampleReport(), ...empty, motion: { ...sampleReport().motion, t: [], q: [] } }, code),
    sample('no-report', null, code),
  ];
}
const missing = pages.find((page) => !existsSync(page));
if (missing) {
  console.error(`${missing} is not there`);
  process.exit(2);
}

const browser = await chromium.launch({ executablePath, args: launchArguments });
const look = await makeLooker(browser);
let faults = 0;

const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100)))));

/** Opens the page once and makes checks on it, [name, function] each; what the console says and what is asked of a network counts with the last. */
async function check(file, options, ...acts) {
  const { before, ...contextOptions } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce', ...contextOptions });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  const url = pathToFileURL(file).href;
  const said = [],
    asked = [];
  page.on('console', (message) => {
    if (message.type() === 'error') said.push(message.text());
  });
  page.on('pageerror', (error) => said.push(error.message));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && request.url().split('#')[0] !== url) asked.push(request.url());
  });
  const scripted = options.javaScriptEnabled !== false;
  if (before) await page.addInitScript(before);
  let report = null;
  for (const [i, [name, act]] of acts.entries()) {
    const began = Date.now();
    const notes = [];
    const ok = (condition, text) => {
      if (!condition) notes.push(text);
    };
    try {
      if (i === 0) {
        await page.goto(url);
        if (scripted) {
          await settled(page);
          report = await page.evaluate(() => JSON.parse(document.getElementById('report')?.textContent ?? 'null'));
          if (!(report?.motion?.t?.length > 0) && report) report.motion = null;
        }
      }
      await act({ page, report, ok, look });
    } catch (error) {
      notes.push(
        String(error.message ?? error)
          .split('\n')
          .slice(0, 4)
          .join(' '),
      );
    }
    if (i === acts.length - 1) {
      ok(before || said.length === 0, `the console says: ${said.slice(0, 3).join(' | ')}`); // without WebGL three.js says so itself
      ok(asked.length === 0, `the page asks for: ${asked.slice(0, 3).join(' | ')}`);
    }
    faults += notes.length;
    console.log(`${notes.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    for (const note of notes) console.log(`     ${note}`);
  }
  await context.close();
}

function withoutWebgl() {
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    return /webgl/.test(kind) ? null : original.call(this, kind, ...more);
  };
}

async function playsAlone({ page, report, ok }) {
  if (!report?.motion || report.motion.t.length < 2) return;
  // On a slow computer the motion, which takes seconds, may be over before the page is out of view: then once more.
  for (let attempt = 1; attempt <= 5; ++attempt) {
    await page.locator('#figure-arm').scrollIntoViewIfNeeded();
    ok(await checks.becomes(page, async () => (await checks.timeOf(page)) > report.motion.t[0]), 'it does not begin by itself');
    await page.evaluate(() => {
      const far = document.createElement('div');
      far.style.height = '3000px';
      document.body.append(far);
      scrollTo({ top: 1e6, behavior: 'instant' });
    });
    let last = -1;
    const still = async () => {
      const now = await checks.timeOf(page);
      const same = now === last;
      last = now;
      await page.waitForTimeout(250);
      return same;
    };
    ok(await checks.becomes(page, still), 'it plays on out of view');
    if (last < report.motion.t[report.motion.t.length - 1]) return;
    await page.reload();
  }
  ok(false, 'it came to the end before it was out of view, five times');
}

async function staysDrawn({ page, report, ok }) {
  if (await page.locator('#figure-arm > .static').count())
    ok(await page.locator('#figure-arm > .static').isVisible(), 'there is neither a 3D view nor a drawing');
  if (report?.motion) ok((await page.locator('#figure-motion .live-dot').count()) > 0, 'the charts went with it');
}

async function isWhole({ page, ok }) {
  const drawings = page.locator('figure > .static');
  for (let i = 0; i < (await drawings.count()); ++i) ok(await drawings.nth(i).isVisible(), `drawing ${i + 1} is hidden`);
  ok((await drawings.count()) > 0, 'there are no drawings');
}

for (const file of pages) {
  console.log(file);
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  // Pages of `ulna equations --html` have neither figures nor a script.
  if (!readFileSync(file, 'utf8').includes('<script')) {
    await check(file, phone, ['phone', checks.checkPhone]);
    continue;
  }
  const size = statSync(file).size;
  if (size > 1.5e6) {
    ++faults;
    console.log(`FAIL the page has ${size} bytes, more than 1.5 MB`);
  }
  await check(
    file,
    {},
    [
      'figures and names of controls',
      async (given) => {
        await checks.checkFigures(given);
        await checks.checkNames(given);
      },
    ],
    ['the arm moves and turns', checks.checkArm],
    ['scrubber and keys', checks.checkTime],
    ['charts', checks.checkCharts],
    ['growth', checks.checkGrowth],
    ['schedule', checks.checkSchedule],
    ['equations', checks.checkEquations],
    ['dark', checks.checkSchemes],
    ['print', checks.checkPrint],
  );
  await check(file, phone, ['phone', checks.checkPhone]);
  await check(file, { reducedMotion: 'no-preference' }, ['plays by itself where motion is welcome, and only in view', playsAlone]);
  await check(file, { before: withoutWebgl }, ['without WebGL the drawing stays', staysDrawn]);
  await check(file, { javaScriptEnabled: false }, ['without script everything is there', isWhole]);
}
await browser.close();
if (folder !== null) rmSync(folder, { recursive: true });
console.log(faults === 0 ? 'all well' : `${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
