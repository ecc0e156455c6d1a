// Brings the page to life: each figure is taken over on its own, so one that cannot be leaves the others alone.

import { makeArmView, pauseOutOfView, type Track } from './arm_view';
import { enlivenGrowth, enlivenMotion } from './charts';
import { Clock } from './clock';
import { html } from './dom';
import { makeEquations } from './equations';
import { enliven } from './figure';
import { makePlayer } from './player';
import { readReport, type Motion } from './report';
import { enlivenSchedule } from './schedule';
import style from './style.css?inline';

function start(): void {
  if (document.documentElement.dataset['live'] !== undefined) return; // once for a page
  document.documentElement.dataset['live'] = '';
  document.head.append(html('style', {}, style));
  try {
    makeEquations(document);
  } catch (error) {
    console.warn('the equations stay plain:', error);
  }
  const report = readReport(document);
  if (!report) return;

  const track = (motion: Motion | null, label: string): Track | null =>
    motion ? { label, name: `${label.toLowerCase()} motion`, motion, clock: new Clock(motion.t) } : null;
  const response = track(report.motion, 'Simulated');
  const reference = track(report.reference, 'Reference');
  const runs = report.runs.map((run): Track => ({ label: run.title, name: run.title, motion: run, clock: new Clock(run.t) }));
  const tracks = [response, reference, ...runs].filter((one): one is Track => one !== null);

  enliven('figure-arm', true, (live, figure) => makeArmView(live, figure, report.model, tracks));
  enliven('figure-motion', false, (live, figure) => {
    if (!response || !enlivenMotion(figure, response.motion, response.clock, 'the simulated motion')) return false;
    live.append(makePlayer(response.clock, 'simulated motion, beside the charts'));
    return true;
  });
  enliven('figure-torques', false, (live, figure) => {
    if (!reference || !enlivenMotion(figure, reference.motion, reference.clock, 'the reference motion')) return false;
    live.append(makePlayer(reference.clock, 'reference motion, beside the chart'));
    return true;
  });
  enliven('figure-growth', false, (_, figure) => enlivenGrowth(figure, report.growth));
  enliven('figure-schedule', false, (_, figure) => enlivenSchedule(figure, report.schedule));

  const figures = (...ids: string[]) => ids.map((id) => document.getElementById(id)).filter((figure): figure is HTMLElement => figure !== null);
  if (response) pauseOutOfView(response.clock, figures('figure-arm', 'figure-motion'), true);
  if (reference) pauseOutOfView(reference.clock, figures('figure-arm', 'figure-torques'), false);
  for (const run of runs) pauseOutOfView(run.clock, figures('figure-arm'), false);
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
