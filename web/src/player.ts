// Play, pause, speed and a scrubber for one clock, with the same keys wherever they stand.

import type { Clock } from './clock';
import { freshId, html } from './dom';
import { steady } from './format';

const rates = [0.1, 0.25, 0.5, 1, 2, 4];

export function timeText(clock: Clock): string {
  return `${steady(clock.time, clock.end, 3)} s of ${steady(clock.end, clock.end, 3)} s`;
}

/** Space plays, arrows step by a hundredth (with Shift a tenth) of the motion, Home and End go to its ends. True when the key was one of these. */
export function timeKey(clock: Clock, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const step = clock.span * (event.shiftKey ? 0.1 : 0.01);
  switch (event.key) {
    case ' ':
      clock.toggle();
      return true;
    case 'ArrowLeft':
    case 'ArrowDown':
      clock.move(clock.time - step);
      return true;
    case 'ArrowRight':
    case 'ArrowUp':
      clock.move(clock.time + step);
      return true;
    case 'PageDown':
      clock.move(clock.time - clock.span * 0.1);
      return true;
    case 'PageUp':
      clock.move(clock.time + clock.span * 0.1);
      return true;
    case 'Home':
      clock.move(clock.start);
      return true;
    case 'End':
      clock.move(clock.end);
      return true;
    default:
      return false;
  }
}

export function makePlayer(clock: Clock, of: string): HTMLElement {
  const play = html('button', { type: 'button', class: 'live-play' });
  const slider = html('input', { type: 'range', id: freshId('time'), class: 'live-time', min: clock.start, max: clock.end, step: 'any' });
  const label = html('label', { for: slider.id, class: 'live-hidden' }, `Time of ${of}`);
  const shown = html('span', { class: 'live-clock', 'aria-hidden': 'true' });
  const speedId = freshId('speed');
  const speed = html('select', { id: speedId });
  for (const rate of rates) speed.append(html('option', { value: rate, selected: rate === clock.rate }, `${rate}×`));

  const showTime = () => {
    slider.value = String(clock.time);
    slider.setAttribute('aria-valuetext', timeText(clock));
    const part = clock.span > 0 ? (clock.time - clock.start) / clock.span : 0;
    slider.style.setProperty('--part', `${(100 * part).toFixed(2)}%`);
    shown.textContent = `${steady(clock.time, clock.end, 3)} s`;
  };
  const showState = () => {
    play.textContent = clock.playing ? 'Pause' : 'Play';
    play.classList.toggle('is-playing', clock.playing);
    speed.value = String(clock.rate);
  };
  play.setAttribute('aria-label', '');
  const name = () => play.setAttribute('aria-label', `${clock.playing ? 'Pause' : 'Play'} ${of}`);
  showTime();
  showState();
  name();
  clock.onTime(showTime);
  clock.onState(() => {
    showState();
    name();
  });

  play.addEventListener('click', () => clock.toggle());
  slider.addEventListener('input', () => clock.move(Number(slider.value)));
  slider.addEventListener('keydown', (event) => {
    if (timeKey(clock, event)) event.preventDefault();
  });
  speed.addEventListener('change', () => clock.setRate(Number(speed.value)));
  if (!(clock.span > 0)) for (const control of [play, slider, speed]) control.disabled = true;

  return html(
    'div',
    { class: 'live-player', role: 'group', 'aria-label': `Playing ${of}` },
    play,
    label,
    slider,
    shown,
    html('span', { class: 'live-choice' }, html('label', { for: speedId, class: 'live-hidden' }, `Speed of ${of}`), speed),
  );
}
