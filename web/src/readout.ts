// The joint values beside the 3D view: for the eye all the time, for a screen reader only when things have come to rest.

import type { Clock } from './clock';
import { html } from './dom';
import { steady } from './format';
import { valueAt } from './kinematics';
import { timeText } from './player';
import type { Motion } from './report';
import { extent } from './scale';
import { seriesVar } from './theme';

const restMs = 700;
const spoken = 12;

export function spokenText(clock: Clock, motion: Motion): string {
  const values = motion.q.slice(0, spoken).map((row, i) => `${motion.joints[i]} ${steady(valueAt(motion.t, row, clock.time), 1, 3)} ${motion.units[i]}`);
  const more = motion.q.length > spoken ? `, and ${motion.q.length - spoken} more` : '';
  return `${timeText(clock)}: ${values.join(', ')}${more}`;
}

export function makeReadout(clock: Clock, motion: Motion): { list: HTMLElement; speaker: HTMLElement; update: () => void } {
  const ranges = motion.q.map((row): [number, number] => extent(row) ?? [0, 1]);
  const cells = motion.q.map((_, i) => ({
    value: html('span', { class: 'live-value' }),
    bar: html('span', { class: 'live-where' }),
    name: html('span', { class: 'live-name', title: motion.joints[i]! }, motion.joints[i]!),
  }));
  const list = html('ul', { class: 'live-readout', 'aria-label': 'Joint values at the shown time', tabindex: motion.q.length > 9 ? 0 : false });
  cells.forEach((cell, i) =>
    list.append(
      html(
        'li',
        { style: `--series: ${seriesVar(i)}` },
        html('span', { class: 'live-swatch', 'aria-hidden': 'true' }),
        cell.name,
        cell.value,
        html('span', { class: 'live-unit' }, motion.units[i]!),
        html('span', { class: 'live-track', 'aria-hidden': 'true' }, cell.bar),
      ),
    ),
  );

  const speaker = html('p', { class: 'live-hidden', 'aria-live': 'polite' });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const speakLater = () => {
    clearTimeout(timer);
    if (!clock.playing)
      timer = setTimeout(() => {
        speaker.textContent = spokenText(clock, motion);
      }, restMs);
  };
  const update = () => {
    cells.forEach((cell, i) => {
      const value = valueAt(motion.t, motion.q[i]!, clock.time);
      const [low, high] = ranges[i]!;
      cell.value.textContent = steady(value, Math.max(Math.abs(low), Math.abs(high), 1), 4);
      cell.bar.style.left = `${(100 * (high > low ? (value - low) / (high - low) : 0.5)).toFixed(1)}%`;
    });
  };
  clock.onTime(() => {
    update();
    speakLater();
  });
  clock.onState(speakLater);
  update();
  return { list, speaker, update };
}
