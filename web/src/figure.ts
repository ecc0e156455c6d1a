// Taking over a figure of the page: the living part before the static one, which stays for print and for whatever fails.

import { html } from './dom';

/** Builds the living part of a figure. When that throws, or gives nothing, the figure stays as it was. */
export function enliven(id: string, build: (live: HTMLElement, figure: HTMLElement) => boolean | void): boolean {
  const figure = document.getElementById(id);
  if (!figure) return false;
  const live = html('div', { class: 'live' });
  const still = figure.querySelector(':scope > .static');
  figure.insertBefore(live, still ?? figure.firstChild);
  figure.classList.add('is-live');
  try {
    if (build(live, figure) !== false) return true;
  } catch (error) {
    console.warn(`${id} stays as it was drawn:`, error);
  }
  figure.classList.remove('is-live');
  live.remove();
  return false;
}
