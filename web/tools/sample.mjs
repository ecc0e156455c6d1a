// Writes dist/sample.html from the sample report and the built script.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { samplePage, sampleReport } from '../test/sample_report.mjs';

const here = new URL('../dist/', import.meta.url);
if (!existsSync(new URL('report.js', here))) {
  console.error("dist/report.js is not there: run 'npm run build' first");
  process.exit(2);
}
writeFileSync(new URL('sample.html', here), samplePage(sampleReport(), readFileSync(new URL('report.js', here), 'utf8')));
console.log('web/dist/sample.html');
