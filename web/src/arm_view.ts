// The 3D figure: canvas, players, joint values, names; draws only when something changed and the figure is in view.

import { ArmScene } from './arm_scene';
import type { Clock } from './clock';
import { freshId, html, watchWidth } from './dom';
import { baseAt, coordinatesAt, origin, poses } from './kinematics';
import { fitView, Orbit } from './orbit';
import { makePlayer, timeKey } from './player';
import { makeReadout } from './readout';
import type { Model, Motion } from './report';
import { survey, upward } from './skeleton';
import { onThemeChange, reducedMotion } from './theme';

export interface Track {
  label: string;
  name: string;
  motion: Motion;
  clock: Clock;
}

export function heightFor(width: number): number {
  return Math.round(Math.min(560, Math.max(280, width * 0.62)));
}

export function makeArmView(live: HTMLElement, figure: HTMLElement, model: Model, tracks: Track[]): boolean {
  if (model.links.length === 0 || model.joints.length === 0) return false;
  const canvas = html('canvas', {
    tabindex: 0,
    role: 'application',
    'aria-roledescription': '3D view',
    'aria-label': `${model.name || 'The robot'}, drawn from its joints: a capsule for each link. Arrow keys turn the view, plus and minus zoom, 0 resets it; space plays, comma and full stop step in time.`,
  });
  const found = survey(model, tracks[0]?.motion ?? null);
  const withInertias = survey(model, tracks[0]?.motion ?? null, true);
  const scene = new ArmScene(canvas, model, found); // throws without WebGL

  let active = 0;
  let visible = true;
  let queued = false;
  const names = model.joints.map((joint) => html('span', { class: 'live-tag' }, joint.name));
  const tags = html('div', { class: 'live-tags', 'aria-hidden': 'true', hidden: true }, ...names);

  const draw = () => {
    queued = false;
    const track = tracks[active];
    const at = track ? poses(model, coordinatesAt(track.motion, track.clock.time), baseAt(track.motion, track.clock.time)) : poses(model, []);
    scene.pose(at, active === 0 && track ? track.clock.time : Infinity);
    scene.look(orbit.eye(), orbit.view.target);
    scene.render();
    if (!tags.hidden) {
      names.forEach((tag, j) => {
        const spot = scene.project(origin(at.moved[j]!));
        tag.style.display = spot.inside ? '' : 'none';
        tag.style.left = `${(100 * spot.x).toFixed(2)}%`;
        tag.style.top = `${(100 * spot.y).toFixed(2)}%`;
      });
    }
  };
  const redraw = () => {
    if (queued || !visible) return;
    queued = true;
    requestAnimationFrame(draw);
  };

  const up = upward(model.gravity);
  const inertiasId = freshId('inertias');
  const showInertias = html('input', { type: 'checkbox', id: inertiasId });
  const home = (aspect: number) => {
    const slope = Math.tan((scene.camera.fov * Math.PI) / 360) * 0.8; // a margin around the robot, whose links are thick
    return fitView((showInertias.checked ? withInertias : found).points, -0.87, 0.3, up, slope * aspect, slope);
  };
  const orbit = new Orbit(home(1.6), up, redraw);
  orbit.attach(canvas);
  canvas.addEventListener('keydown', (event) => {
    const clock = tracks[active]?.clock;
    if (orbit.key(event)) {
      event.preventDefault();
      return;
    }
    if (!clock) return;
    const step = event.key === ',' ? -0.01 : event.key === '.' ? 0.01 : 0;
    if (step !== 0) {
      clock.move(clock.time + step * clock.span);
      event.preventDefault();
      return;
    }
    if (!event.key.startsWith('Arrow') && timeKey(clock, event)) event.preventDefault();
  });
  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault();
    figure.classList.remove('is-live');
    live.hidden = true;
  });
  canvas.addEventListener('webglcontextrestored', () => {
    figure.classList.add('is-live');
    live.hidden = false;
    redraw();
  });

  const stage = html('div', { class: 'live-stage' }, canvas, tags);
  const side = html('div', { class: 'live-side' });
  const bar = html('div', { class: 'live-bar' });
  const panels = tracks.map((track) => ({ player: makePlayer(track.clock, track.name), readout: makeReadout(track.clock, track.motion) }));
  const speakers = panels.map((panel) => panel.readout.speaker);

  const reset = html('button', { type: 'button' }, 'Reset view');
  reset.addEventListener('click', () => orbit.reset());
  const closer = html('button', { type: 'button', 'aria-label': 'Zoom in' }, '+');
  closer.addEventListener('click', () => orbit.zoom(1 / 1.25));
  const farther = html('button', { type: 'button', 'aria-label': 'Zoom out' }, '−');
  farther.addEventListener('click', () => orbit.zoom(1.25));
  const namesId = freshId('names');
  const showNames = html('input', { type: 'checkbox', id: namesId });
  showNames.addEventListener('change', () => {
    tags.hidden = !showNames.checked;
    redraw();
  });
  showInertias.addEventListener('change', () => {
    scene.showInertias(showInertias.checked);
    orbit.setHome(home(scene.camera.aspect));
    redraw();
  });
  bar.append(closer, farther, reset);
  if (model.links.some((link) => link.ellipsoid))
    bar.append(html('span', { class: 'live-check' }, showInertias, html('label', { for: inertiasId }, 'Inertia ellipsoids')));
  bar.append(html('span', { class: 'live-check' }, showNames, html('label', { for: namesId }, 'Joint names')));

  // Which motion the arm goes through: chosen here, or by touching the charts of the other.
  const radios: HTMLInputElement[] = [];
  const show = (index: number) => {
    if (index !== active) tracks[active]?.clock.pause();
    active = index;
    radios.forEach((radio, i) => {
      radio.checked = i === active;
    });
    panels.forEach((panel, i) => {
      panel.player.hidden = i !== active;
      panel.readout.list.hidden = i !== active;
    });
    redraw();
  };
  if (tracks.length > 1) {
    const group = freshId('track');
    const set = html('div', { class: 'live-segments', role: 'radiogroup', 'aria-label': 'Motion shown' });
    tracks.forEach((track, i) => {
      const id = freshId('track');
      const radio = html('input', { type: 'radio', name: group, id });
      radio.addEventListener('change', () => show(i));
      radios.push(radio);
      set.append(radio, html('label', { for: id }, track.label));
    });
    bar.prepend(set);
  }
  tracks.forEach((track, i) =>
    track.clock.onTime(() => {
      if (i !== active) show(i);
      redraw();
    }),
  );

  for (const panel of panels) side.append(panel.readout.list);
  live.append(
    bar,
    html('div', { class: 'live-row' }, stage, side),
    ...panels.map((panel) => panel.player),
    ...speakers,
    html('p', { class: 'live-hint' }, 'Drag to turn; Shift and drag to move; two fingers, or Ctrl and the wheel, to zoom. Keys: arrows, +, −, 0; space plays.'),
  );
  if (tracks.length === 0) side.remove();
  show(0);

  watchWidth(stage, (width) => {
    const height = heightFor(width);
    stage.style.height = `${height}px`;
    scene.resize(width, height);
    orbit.setHome(home(width / height));
    if (visible) draw();
    else redraw();
  });
  onThemeChange(() => {
    scene.recolour();
    redraw();
  });
  if (typeof IntersectionObserver !== 'undefined') {
    new IntersectionObserver((entries) => {
      visible = entries[entries.length - 1]!.isIntersecting;
      redraw();
    }).observe(stage);
  }
  return true;
}

/**
 * Stops a clock when none of its figures is in view and goes on when one is back;
 * starts it once when first seen, unless the reader asked for less motion.
 */
export function pauseOutOfView(clock: Clock, figures: HTMLElement[], autoplay: boolean): void {
  if (typeof IntersectionObserver === 'undefined') return;
  const seen = new Set<Element>();
  let resume = autoplay && !reducedMotion();
  let own = false; // whether the present change of state is ours
  clock.onState(() => {
    if (!own) resume = false;
  });
  const quietly = (change: () => void) => {
    own = true;
    change();
    own = false;
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) seen.add(entry.target);
        else seen.delete(entry.target);
      if (seen.size === 0 && clock.playing) {
        quietly(() => clock.pause());
        resume = true;
      } else if (seen.size > 0 && resume) {
        resume = false;
        quietly(() => clock.play());
      }
    },
    { threshold: 0.15 },
  );
  for (const figure of figures) observer.observe(figure);
}
