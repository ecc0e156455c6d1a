// Taking over a figure of the page. A figure that cannot be stays as it was drawn, and so does what is printed.

import { html } from './dom';

/** Builds the living part of a figure; `replace`: in place of what is drawn there. When that throws, or gives nothing, the figure stays as it was. */
export function enliven(id: string, replace: boolean, build: (live: HTMLElement, figure: HTMLElement) => boolean | void): boolean {
  const figure = document.getElementById(id);
  if (!figure) return false;
  const live = html('div', { class: 'live' });
  const still = figure.querySelector(':scope > .static');
  figure.insertBefore(live, still ?? figure.firstChild);
  const marks = replace ? ['is-live', 'is-replaced'] : ['is-live'];
  figure.classList.add(...marks);
  try {
    if (build(live, figure) !== false) return true;
  } catch (error) {
    console.warn(`${id} stays as it was drawn:`, error);
  }
  figure.classList.remove(...marks);
  live.remove();
  return false;
}
