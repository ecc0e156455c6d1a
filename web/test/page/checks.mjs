// What is checked of a page. Each check gets { page, report, ok, look }: ok(condition, text) notes a fault.

const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));
const scrubber = '#figure-arm .live-player:not([hidden]) input[type=range]';

export async function setTime(page, part) {
  await page.locator(scrubber).evaluate((slider, p) => {
    slider.value = String(Number(slider.min) + p * (Number(slider.max) - Number(slider.min)));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, part);
  await frame(page);
}

/** Waits until a question about the page is answered with yes; false after ten seconds. A busy machine is slow, not wrong. */
export async function becomes(page, question, ms = 10000) {
  for (const end = Date.now() + ms; ; ) {
    if (await question()) return true;
    if (Date.now() > end) return false;
    await page.waitForTimeout(50);
  }
}

export const timeOf = (page) => page.locator(scrubber).evaluate((slider) => Number(slider.value));

function expectedFigures(report) {
  const expected = new Set();
  if (report?.model?.joints?.length) expected.add('figure-arm');
  if (report?.motion?.t?.length) expected.add('figure-motion');
  if (report?.reference?.tau?.length) expected.add('figure-torques');
  if (report?.growth?.some((growth) => growth.joints.length > 1 && growth.series.length)) expected.add('figure-growth');
  if (report?.schedule?.some((schedule) => schedule.cells.length)) expected.add('figure-schedule');
  return expected;
}

export async function checkFigures({ page, report, ok }) {
  const expected = expectedFigures(report);
  const found = await page.evaluate(() =>
    [...document.querySelectorAll('figure[id^="figure-"]')].map((figure) => ({
      id: figure.id,
      live: figure.classList.contains('is-live'),
      replaced: figure.classList.contains('is-replaced'),
      still: [...figure.querySelectorAll(':scope > .static')].some((element) => element.getBoundingClientRect().height > 0),
    })),
  );
  for (const { id, live, replaced, still } of found) {
    ok(live === expected.has(id), `${id} is ${live ? '' : 'not '}alive, but its data is ${expected.has(id) ? '' : 'not '}there`);
    ok(replaced === (live && id === 'figure-arm'), `${id}: its drawing is ${replaced ? '' : 'not '}replaced`);
    ok(!replaced || !still, `${id}: the static drawing shows beside the living one`);
    ok(replaced || still || !(await page.locator(`#${id} > .static`).count()), `${id}: shows neither drawing`);
  }
  for (const id of expected)
    ok(
      found.some((figure) => figure.id === id),
      `the page has no ${id}`,
    );
}

export async function checkArm({ page, report, ok, look }) {
  if (!report?.motion) return;
  const canvas = page.locator('#figure-arm canvas');
  await canvas.scrollIntoViewIfNeeded();
  await setTime(page, 0);
  const first = await canvas.screenshot();
  const colours = await look.colours(first);
  ok(colours > 60, `the 3D view has ${colours} colours: it looks blank`);
  await setTime(page, 0.43);
  const second = await canvas.screenshot();
  const moved = await look.changed(first, second);
  ok(moved > 0.003, `between two times ${(100 * moved).toFixed(2)} % of the picture changes: the arm does not move`);
  await setTime(page, 0);
  const again = await look.changed(first, await canvas.screenshot());
  ok(again < 0.001, `back at the same time ${(100 * again).toFixed(2)} % of the picture differs`);

  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await frame(page);
  ok((await look.changed(first, await canvas.screenshot())) > 0.003, 'arrow keys do not turn the view');
  await page.keyboard.press('0');
  await canvas.blur();
  await frame(page);
  ok((await look.changed(first, await canvas.screenshot())) < 0.001, '0 does not bring the view back');

  if (report.model.links.some((link) => link.ellipsoid)) {
    const inertias = page.getByRole('checkbox', { name: 'Inertia ellipsoids' });
    await inertias.check();
    await frame(page);
    ok((await look.changed(first, await canvas.screenshot())) > 0.01, 'the switch shows no ellipsoids');
    await inertias.uncheck();
    await frame(page);
    ok((await look.changed(first, await canvas.screenshot())) < 0.001, 'without ellipsoids the view is another');
  }

  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 90, box.y + box.height / 2 + 20, { steps: 4 });
  await page.mouse.up();
  await frame(page);
  ok((await look.changed(first, await canvas.screenshot())) > 0.003, 'dragging does not turn the view');
  await page.getByRole('button', { name: 'Reset view' }).click();
}

export async function checkTime({ page, report, ok }) {
  if (!report?.motion || report.motion.t.length < 2) return;
  const slider = page.locator(scrubber);
  await slider.scrollIntoViewIfNeeded();
  await slider.focus();
  await page.keyboard.press('Home');
  const start = await timeOf(page);
  ok(start === report.motion.t[0], `Home goes to ${start}`);
  await page.keyboard.press('ArrowRight');
  const step = await timeOf(page);
  ok(step > start, 'the right arrow does not move the time');
  await page.keyboard.press('End');
  const end = await timeOf(page);
  ok(Math.abs(end - report.motion.t[report.motion.t.length - 1]) < 1e-9, `End goes to ${end}`);
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  ok(await becomes(page, async () => (await timeOf(page)) > start), 'space does not play');
  await page.keyboard.press(' ');
  const stopped = await timeOf(page);
  await page.waitForTimeout(250);
  ok((await timeOf(page)) === stopped, 'space does not pause');
  const spoken = () => page.locator('#figure-arm [aria-live=polite]').first().textContent();
  ok(await becomes(page, async () => (await spoken()).includes(report.motion.joints[0])), `at rest the live text is '${await spoken()}'`);
}

export async function checkCharts({ page, report, ok, look }) {
  if (!report?.motion) return;
  const { motion } = report;
  const charts = await page.evaluate(() =>
    [...document.querySelectorAll('#figure-motion .plot')].map((plot) => ({
      curves: plot.querySelectorAll('.curve').length,
      dots: plot.querySelectorAll('.live-dot').length,
      cursors: plot.querySelectorAll('.live-cursor').length,
    })),
  );
  const rows = [motion.q, motion.v, motion.tau].reduce((sum, part) => sum + part.length, motion.energy ? (motion.energy.work ? 4 : 3) : 0);
  ok(charts.reduce((sum, chart) => sum + chart.curves, 0) === rows, `the drawing has not one curve for each of ${rows} rows`);
  for (const [i, chart] of charts.entries())
    ok(chart.dots === chart.curves && chart.cursors === 1, `plot ${i + 1} has ${chart.curves} curves, ${chart.dots} dots and ${chart.cursors} cursors`);
  const buttons = await page.locator('#figure-motion .live-legend button').count();
  ok(buttons === rows, `${buttons} legend entries, not ${rows}`);
  if (report.reference?.tau?.length) {
    const curves = await page.locator('#figure-torques .live-dot').count();
    ok(curves === report.reference.tau.length, `${curves} torque curves, not ${report.reference.tau.length}`);
  }

  const plot = page.locator('#figure-motion svg').first();
  const cursor = () => page.evaluate(() => [...document.querySelectorAll('#figure-motion .live-cursor')].map((line) => Number(line.getAttribute('x1')) - 84));
  await setTime(page, 0.25);
  const quarter = await cursor();
  await setTime(page, 0.75);
  const three = await cursor();
  ok(quarter.length === charts.length && three.every((x, i) => x > 1.5 * quarter[i]), `cursors at ${quarter} and ${three}: they do not follow the scrubber`);
  await plot.scrollIntoViewIfNeeded();
  const over = await page.locator('#figure-motion .live-over').first().boundingBox();
  await page.mouse.move(over.x + over.width * 0.5, over.y + over.height * 0.5);
  await frame(page);
  const span = motion.t[motion.t.length - 1] - motion.t[0];
  const half = ((await timeOf(page)) - motion.t[0]) / span;
  ok(Math.abs(half - 0.5) < 0.02, `pointing at the middle of a chart puts the scrubber at ${half.toFixed(3)} of the way`);
  await page.locator('#figure-motion .live-over').first().focus();
  await page.keyboard.press('End');
  ok(Math.abs((await timeOf(page)) - motion.t[motion.t.length - 1]) < 1e-9, 'End in a chart does not move the scrubber');
  await page.mouse.move(2, 2);

  const before = await plot.screenshot();
  ok((await look.colours(before)) > 20, 'the first chart looks blank');
  const button = await page.locator('#figure-motion .live-legend button[aria-pressed=true]').first().elementHandle();
  await button.click();
  await page.mouse.move(2, 2);
  await page.locator('#figure-motion .live-over').first().focus();
  await frame(page);
  ok((await button.getAttribute('aria-pressed')) === 'false', 'a legend entry does not switch off');
  ok((await look.changed(before, await plot.screenshot())) > 0.0005, 'switching a curve off changes nothing');
  await button.click();
}

export async function checkGrowth({ page, report, ok }) {
  if (!report?.growth?.some((growth) => growth.joints.length > 1 && growth.series.length)) return;
  const over = page.locator('#figure-growth .live-over').first();
  await over.focus();
  await page.keyboard.press('Home');
  const first = await over.getAttribute('aria-valuetext');
  ok(first === `${report.growth[0].joints[0]} joints`, `Home puts the cursor of growth at ${first}`);
  await page.keyboard.press('ArrowRight');
  const { joints, series } = report.growth[0];
  ok((await over.getAttribute('aria-valuetext')) === `${joints[1]} joints`, 'the right arrow does not go to the next number of joints');
  const shown = await page.evaluate(() => [...document.querySelectorAll('#figure-growth .live-legend:not([hidden]) button')].map((button) => button.textContent.replace(/\s/g, '')));
  ok(shown.length > 0 && series.some(({ formulation, operations }) => shown.includes(`${formulation}${operations[1]}`)), `the legend of growth shows ${shown.slice(0, 3)}`);
}

export async function checkSchedule({ page, report, ok }) {
  const schedule = report?.schedule?.find(({ cells }) => cells.length > 0);
  if (!schedule) return;
  const drawing = page.locator('#figure-schedule svg.schedule').first();
  const tip = page.locator('#figure-schedule .live-tip').first();
  await drawing.focus();
  await page.keyboard.press('ArrowRight');
  const first = schedule.cells.reduce((best, cell) => (cell.processor < best.processor || (cell.processor === best.processor && cell.start < best.start) ? cell : best));
  ok((await tip.textContent()).startsWith(`${first.name}: unit 1`), `the first box is called '${await tip.textContent()}', not ${first.name}`);
  const frame = await page.locator('#figure-schedule .live-cellframe').first().boundingBox();
  await page.keyboard.press('Escape');
  ok(!(await tip.isVisible()), 'Escape does not take the name away');
  await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height / 2);
  ok((await tip.textContent()).startsWith(`${first.name}: unit 1`) && (await tip.isVisible()), 'pointing at the first box does not name it');
  await page.mouse.move(2, 2);
}

export async function checkNames({ page, ok }) {
  const nameless = await page.evaluate(() => {
    const name = (element) => {
      const ids = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter((id) => id !== '');
      const labels = [...(element.labels ?? [])].map((label) => label.textContent).join(' ');
      return [
        element.getAttribute('aria-label'),
        ...ids.map((id) => document.getElementById(id)?.textContent),
        labels,
        element.matches('input, select') ? '' : element.textContent,
        element.getAttribute('title'),
      ].find((text) => text && text.trim() !== '');
    };
    return [...document.querySelectorAll('button, input, select, a[href], summary, canvas, [tabindex="0"], [role=slider], [role=application], figure svg')]
      .filter(
        (element) =>
          !element.closest('[hidden], [aria-hidden=true]') &&
          !(element instanceof SVGElement && element.querySelector('title')),
      )
      .filter((element) => !(element instanceof SVGElement && element.closest('[aria-label], [role=img]') !== null))
      .filter((element) => !name(element))
      .map((element) => element.outerHTML.slice(0, 120));
  });
  ok(nameless.length === 0, `without an accessible name: ${nameless.slice(0, 5).join(' | ')}`);
  const twice = await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    return ids.filter((id, i) => ids.indexOf(id) !== i);
  });
  ok(twice.length === 0, `ids that stand twice: ${twice.slice(0, 5)}`);
}

export async function checkPhone({ page, ok }) {
  await frame(page);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  const wide =
    width <= 360
      ? ''
      : await page.evaluate(() =>
          [...document.querySelectorAll('body *')]
            .filter((element) => element.getBoundingClientRect().right > 361)
            .slice(0, 4)
            .map((element) => `${element.tagName} ${element.className} ${element.id}`)
            .join(' | '),
        );
  ok(width <= 360, `at 360 px the page is ${width} px wide: ${wide}`);
  const small = await page.evaluate(() =>
    [...document.querySelectorAll('.live button, .live select, .live input[type=range], .live-segments label')]
      .map((element) => ({ box: element.getBoundingClientRect(), text: element.outerHTML.slice(0, 80) }))
      .filter(({ box }) => box.height > 0 && (box.height < 39.5 || box.width < 39.5))
      .map(({ text }) => text),
  );
  ok(small.length === 0, `too small to touch: ${small.slice(0, 3).join(' | ')}`);
}

export async function checkSchemes({ page, report, ok, look }) {
  const target = report?.motion ? page.locator('#figure-motion').first() : page.locator('body');
  const view = page.locator('#figure-arm canvas');
  const shots = {};
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await frame(page);
    shots[colorScheme] = [await target.screenshot(), ...(report?.motion ? [await view.screenshot()] : [])];
  }
  for (const [i, picture] of shots.light.entries()) ok((await look.changed(picture, shots.dark[i])) > 0.3, `picture ${i + 1} does not follow a change to dark`);
  await page.emulateMedia({ colorScheme: 'light' });
}

export async function checkPrint({ page, ok }) {
  await page.emulateMedia({ media: 'print' });
  const wrong = await page.evaluate(() => {
    const shown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden';
    return [...document.querySelectorAll('.live')]
      .filter(shown)
      .map((element) => `${element.parentElement.id} shows its living part`)
      .concat(
        [...document.querySelectorAll('figure > .static')]
          .filter((element) => !shown(element))
          .map((element) => `${element.parentElement.id} hides its drawing`),
      );
  });
  ok(wrong.length === 0, `in print: ${wrong.join(', ')}`);
  await page.emulateMedia({ media: 'screen' });
}

export async function checkEquations({ page, ok }) {
  const symbols = page.locator('li[id] a.symbol:visible, tr[id] a.symbol:visible');
  if ((await symbols.count()) === 0) {
    if ((await page.locator('a.symbol').count()) > 0)
      await page.evaluate(() =>
        document.querySelectorAll('details').forEach((details) => {
          details.open = true;
        }),
      );
    if ((await symbols.count()) === 0) return;
  }
  const symbol = symbols.last();
  await symbol.scrollIntoViewIfNeeded();
  await symbol.focus();
  const popover = page.locator('.live-popover');
  ok(await becomes(page, () => popover.isVisible()), 'focus on a symbol shows no definition');
  const id = await symbol.evaluate((link) => decodeURIComponent(link.getAttribute('href').slice(1)));
  await page.keyboard.press('Escape');
  ok(!(await popover.isVisible()), 'Escape does not take the definition away');
  await symbol.hover();
  ok(await becomes(page, () => popover.isVisible()), 'hovering over a symbol shows no definition');
  await symbol.click();
  const arrived = () =>
    page.evaluate((to) => {
      const element = document.getElementById(to);
      return element && { lit: element.classList.contains('is-target'), back: element.querySelector('.live-back')?.getAttribute('href') ?? null };
    }, id);
  await becomes(page, async () => (await arrived())?.lit);
  const target = await arrived();
  ok(target?.lit && target.back !== null, `the definition of ${id} has no highlight or no way back`);
  if (!target?.back) return;
  await page.locator('.live-back').click();
  ok((await page.evaluate(() => location.hash)) === target.back, 'the way back does not lead back');
}
