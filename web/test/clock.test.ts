import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Clock } from '../src/clock';
import { makePlayer, timeKey, timeText } from '../src/player';
import { makeReadout, spokenText } from '../src/readout';
import { asReport } from '../src/report';
import { sampleReport } from './sample_report.mjs';

let frames: ((now: number) => void)[] = [];
const frame = (now: number) => {
  const due = frames;
  frames = [];
  due.forEach((callback) => callback(now));
};

beforeEach(() => {
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (callback: (now: number) => void) => frames.push(callback));
  vi.stubGlobal('cancelAnimationFrame', () => {
    frames = [];
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  document.body.replaceChildren();
});

it('time passes while it plays, at its rate, and stops at the end', () => {
  const clock = new Clock([0, 0.5, 1]);
  clock.setRate(2);
  clock.play();
  frame(1000);
  frame(1050);
  expect(clock.time).toBeCloseTo(0.1, 12);
  frame(9000); // the tab slept: a tenth of a second, not eight
  expect(clock.time).toBeCloseTo(0.3, 12);
  for (let now = 9100; now < 9600; now += 100) frame(now);
  expect(clock.time).toBe(1);
  expect(clock.playing).toBe(false);
  clock.play(); // from the start again
  expect(clock.time).toBe(0);
});

it('a motion of one moment does not play', () => {
  const clock = new Clock([3]);
  clock.play();
  expect([clock.playing, clock.time]).toEqual([false, 3]);
  expect(new Clock([]).span).toBe(0);
});

it('keys step, go to the ends and play', () => {
  const clock = new Clock([0, 2]);
  const press = (key: string, more: KeyboardEventInit = {}) => timeKey(clock, new KeyboardEvent('keydown', { key, ...more }));
  press('ArrowRight');
  expect(clock.time).toBeCloseTo(0.02, 12);
  press('ArrowRight', { shiftKey: true });
  expect(clock.time).toBeCloseTo(0.22, 12);
  press('End');
  expect(clock.time).toBe(2);
  press('Home');
  expect(clock.time).toBe(0);
  press(' ');
  expect(clock.playing).toBe(true);
  expect(press('ArrowLeft')).toBe(true);
  expect(clock.playing).toBe(false);
  expect(press('a')).toBe(false);
  expect(press('ArrowLeft', { altKey: true })).toBe(false); // the browser's own way back
});

it('the player shows and moves the clock, and every control has a name', () => {
  const clock = new Clock([0, 4]);
  const player = makePlayer(clock, 'the motion');
  document.body.append(player);
  const slider = player.querySelector('input')!;
  expect(document.querySelector(`label[for="${slider.id}"]`)?.textContent).toBe('Time of the motion');
  slider.value = '1.5';
  slider.dispatchEvent(new Event('input'));
  expect(clock.time).toBe(1.5);
  clock.set(3);
  expect(slider.value).toBe('3');
  expect(slider.getAttribute('aria-valuetext')).toBe(timeText(clock));
  const button = player.querySelector('button')!;
  expect(button.getAttribute('aria-label')).toBe('Play the motion');
  button.click();
  expect(button.getAttribute('aria-label')).toBe('Pause the motion');
  const select = player.querySelector('select')!;
  expect(document.querySelector(`label[for="${select.id}"]`)).not.toBeNull();
});

it('the voice waits until the motion rests', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const motion = asReport(sampleReport()).motion!;
  const clock = new Clock(motion.t);
  const { list, speaker } = makeReadout(clock, motion);
  for (let k = 1; k <= 50; ++k) {
    clock.move(k * 0.02);
    vi.advanceTimersByTime(20);
  }
  expect(speaker.textContent).toBe('');
  vi.advanceTimersByTime(1000);
  expect(speaker.textContent).toBe(spokenText(clock, motion));
  expect(speaker.textContent).toContain('1.00 s of 4.00 s');
  expect(list.querySelectorAll('li').length).toBe(4);
  clock.play();
  clock.set(2);
  vi.advanceTimersByTime(5000);
  expect(speaker.textContent).toContain('1.00 s of'); // silent while it plays
});
