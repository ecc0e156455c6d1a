import { beforeEach, expect, it } from 'vitest';
import { Equations, makeEquations, usedIn } from '../src/equations';

function definition(id: string, ...parts: (string | [string])[]): HTMLElement {
  const item = document.createElement('li');
  item.id = id;
  item.append(`${id} = `);
  for (const part of parts) {
    if (typeof part === 'string') {
      item.append(part);
      continue;
    }
    const link = document.createElement('a');
    link.className = 'symbol';
    link.setAttribute('href', `#${encodeURIComponent(part[0])}`);
    link.textContent = part[0];
    item.append(link);
  }
  return item;
}

let equations: Equations;
const link = (user: string, target: string) =>
  [...document.getElementById(user)!.querySelectorAll<HTMLElement>('a.symbol')].find((a) => a.textContent === target)!;

beforeEach(() => {
  location.hash = '';
  const list = document.createElement('ol');
  list.append(
    definition('Z1', 'sin q1'),
    definition('Z2', ['Z1'], ' ', ['Z1'], ' where ', ['Z2']),
    definition('τ3', ['Z1'], ' + ', ['Z2'], ' < 1'),
    definition('Z4', ['τ3'], ['nowhere']),
  );
  document.body.replaceChildren(list);
  link('Z2', 'Z1').id = 'inner';
  document.getElementById('Z2')!.append(Object.assign(document.createElement('sub'), { id: 'stays' }));   // not a link, which is dissolved anyway
  equations = new Equations(document);
});

it('uses are found once for each definition, in order', () => {
  expect(Object.fromEntries(usedIn(document))).toEqual({ Z1: ['Z2', 'τ3'], Z2: ['τ3'], τ3: ['Z4'], nowhere: ['Z4'] });
});

it('focus shows the definition and where else it is used; Escape takes it away', () => {
  const popover = document.querySelector<HTMLElement>('.live-popover')!;
  const symbol = link('τ3', 'Z2');
  symbol.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
  expect(popover.hidden).toBe(false);
  expect(popover.textContent).toContain('Z2 = Z1 Z1 where Z2');
  expect(popover.textContent).toContain('Used in τ3');
  expect(symbol.getAttribute('aria-describedby')).toBe(popover.id);
  expect(popover.querySelector('[id]')).toBeNull(); // no second element of one id
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
  expect(popover.hidden).toBe(true);
  expect(symbol.hasAttribute('aria-describedby')).toBe(false);
});

it('a symbol without a definition shows nothing', () => {
  equations.show(link('Z4', 'nowhere'));
  expect(document.querySelector<HTMLElement>('.live-popover')!.hidden).toBe(true);
});

it('a definition that was jumped to tells its uses and the way back, and the last one forgets them', () => {
  const symbol = link('Z4', 'τ3');
  symbol.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  location.hash = '#%CF%843';
  equations.arrive();
  const target = document.getElementById('τ3')!;
  expect(target.classList.contains('is-target')).toBe(true);
  const back = target.querySelector<HTMLAnchorElement>('.live-back')!;
  expect(back.textContent).toBe('↩ Back to Z4');
  expect(document.querySelector(back.getAttribute('href')!)).toBe(symbol);
  expect([...target.querySelectorAll('.live-uses a:not(.live-back)')].map((a) => a.textContent)).toEqual(['Z4']);
  location.hash = '#Z1';
  equations.arrive();
  expect(target.querySelector('.live-uses')).toBeNull();
  expect([...document.querySelectorAll('#Z1 .live-uses a')].map((a) => a.getAttribute('href'))).toEqual(['#Z2', '#%CF%843']);
  expect(document.querySelector('#Z1 .live-back')).toBeNull(); // nobody clicked
});

it('a page without symbols is left alone', () => {
  document.body.replaceChildren();
  expect(makeEquations(document)).toBe(false);
  expect(document.querySelector('.live-popover')).toBeNull();
});
