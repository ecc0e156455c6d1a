// npm run picture -- PAGE.html OUT.png: the picture of the report for the README,
// from the top of the page down to the end of the 3D view, in the middle of the motion.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium, launchArguments } from '../test/page/browser.mjs';
import { setTime } from '../test/page/checks.mjs';

const [file, out] = process.argv.slice(2);
const executablePath = findChromium();
if (!file || !out || executablePath === null) {
  console.error(executablePath === null ? 'no Chromium found' : 'call it as: npm run picture -- PAGE.html OUT.png');
  process.exit(2);
}
const browser = await chromium.launch({ executablePath, args: launchArguments });
const page = await browser.newPage({ viewport: { width: 1120, height: 1000 }, deviceScaleFactor: 1.25, colorScheme: 'light', reducedMotion: 'reduce' });
await page.goto(pathToFileURL(resolve(file)).href);
await page.waitForTimeout(500);
await setTime(page, 0.4);
await page.waitForTimeout(500);
const end = await page.locator('#figure-arm .live').evaluate((live) => live.getBoundingClientRect().bottom + scrollY);
await page.setViewportSize({ width: 1120, height: Math.ceil(end + 16) });
await page.waitForTimeout(800);
await page.screenshot({ path: out });
await browser.close();
