// Brings the page to life: each figure is taken over on its own, so one that cannot be leaves the others alone.

import uplotStyle from 'uplot/dist/uPlot.min.css?inline';
import { makeArmView, pauseOutOfView, type Track } from './arm_view';
import { motionCharts, torqueChart } from './chart_series';
import { makeCharts } from './chart_view';
import { Clock } from './clock';
import { makeCounts } from './counts';
import { html } from './dom';
import { makeEquations } from './equations';
import { enliven } from './figure';
import { makeGrowth } from './growth';
import { makePlayer } from './player';
import { readReport, type Motion } from './report';
import { makeSchedule } from './schedule';
import style from './style.css?inline';
import { makeTiming } from './timing';

function start(): void {
  if (document.documentElement.dataset['live'] !== undefined) return; // once for a page
  document.documentElement.dataset['live'] = '';
  document.head.append(html('style', {}, uplotStyle + style));
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
  const tracks = [response, reference].filter((one): one is Track => one !== null);

  enliven('figure-arm', (live, figure) => makeArmView(live, figure, report.model, tracks));
  enliven('figure-motion', (live) => {
    if (!response) return false;
    live.append(makePlayer(response.clock, 'simulated motion, beside the charts'));
    return makeCharts(live, motionCharts(response.motion), response.motion.t, response.clock, 'the simulated motion');
  });
  enliven('figure-torques', (live) => {
    if (!reference) return false;
    live.append(makePlayer(reference.clock, 'reference motion, beside the chart'));
    return makeCharts(
      live,
      [torqueChart(reference.motion)].filter((chart) => chart.curves.length > 0),
      reference.motion.t,
      reference.clock,
      'the reference motion',
    );
  });
  enliven('figure-counts', (live) => makeCounts(live, report.counts));
  enliven('figure-growth', (live) => makeGrowth(live, report.growth));
  enliven('figure-schedule', (live) => makeSchedule(live, report.schedule));
  enliven('figure-timing', (live) => makeTiming(live, report.timing));

  const figures = (...ids: string[]) => ids.map((id) => document.getElementById(id)).filter((figure): figure is HTMLElement => figure !== null);
  if (response) pauseOutOfView(response.clock, figures('figure-arm', 'figure-motion'), true);
  if (reference) pauseOutOfView(reference.clock, figures('figure-arm', 'figure-torques'), false);
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
