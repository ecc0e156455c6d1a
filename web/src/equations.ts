// Symbols of the equations: what one means on hover and focus, where it is used, and the way back.

import { freshId, html } from './dom';

const listed = 16;

function definitionOf(symbol: Element): HTMLElement | null {
  return symbol.closest<HTMLElement>('li[id], tr[id], dt[id], p[id], div[id].definition');
}

function targetId(link: Element): string {
  const href = link.getAttribute('href') ?? '';
  if (!href.startsWith('#')) return '';
  try {
    return decodeURIComponent(href.slice(1));
  } catch {
    return href.slice(1);
  }
}

/** For each defined symbol the ids of the definitions that use it, in the order of the page. */
export function usedIn(page: Document): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  for (const link of page.querySelectorAll('a.symbol')) {
    const target = targetId(link);
    const user = definitionOf(link)?.id;
    if (!target || !user || user === target) continue;
    const known = uses.get(target);
    if (!known) uses.set(target, [user]);
    else if (known[known.length - 1] !== user && !known.includes(user)) known.push(user);
  }
  return uses;
}

/** The symbol as the page prints it: the first cell of a row, or the text of a link to it. */
function nameOf(page: Document, id: string): Node[] {
  const cell = page.getElementById(id)?.querySelector(':scope > td, :scope > th, :scope > dfn');
  const shown = cell ?? [...page.querySelectorAll('a.symbol')].find((candidate) => targetId(candidate) === id);
  if (!shown || shown.textContent?.trim() === '') return [document.createTextNode(id)];
  const copy = shown.cloneNode(true) as Element;
  for (const inner of copy.querySelectorAll('[id]')) inner.removeAttribute('id');
  for (const link of copy.querySelectorAll('a')) link.replaceWith(...link.childNodes);
  return [...copy.childNodes];
}

function copyOf(definition: HTMLElement): HTMLElement {
  const copy = html('div', { class: 'live-definition' });
  const cells = definition.matches('tr') ? [...definition.children] : [definition];
  for (const cell of cells) {
    const part = html('span');
    for (const child of cell.childNodes) part.append(child.cloneNode(true));
    for (const own of part.querySelectorAll('.live-uses')) own.remove();
    for (const inner of part.querySelectorAll('[id]')) inner.removeAttribute('id');
    for (const link of part.querySelectorAll('a')) link.replaceWith(...link.childNodes);
    copy.append(part, ' ');
  }
  return copy;
}

export class Equations {
  private uses_: Map<string, string[]> | null = null;
  private readonly names_ = new Map<string, Node[]>();
  private readonly popover_ = html('div', { class: 'live-popover', role: 'tooltip', id: freshId('popover'), hidden: true });
  private shownFor_: Element | null = null;
  private cameFrom_: HTMLElement | null = null;
  private timer_: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly page_: Document) {
    page_.body.append(this.popover_);
    page_.addEventListener('pointerover', (event) => {
      if (event.pointerType === 'touch') return;
      const link = this.symbol(event.target);
      const inside = event.target instanceof Node && this.popover_.contains(event.target);
      clearTimeout(this.timer_);
      if (link && link !== this.shownFor_) this.timer_ = setTimeout(() => this.show(link), 120);
      else if (!link && !inside && this.shownFor_) this.timer_ = setTimeout(() => this.hide(), 200); // time enough to reach the popover itself
    });
    page_.addEventListener('focusin', (event) => {
      const link = this.symbol(event.target);
      if (link) this.show(link);
      else this.hide();
    });
    page_.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.hide();
    });
    page_.addEventListener('click', (event) => {
      const link = this.symbol(event.target);
      if (link) this.cameFrom_ = link;
    });
    page_.addEventListener('scroll', () => this.place(), { passive: true, capture: true });
    addEventListener('hashchange', () => this.arrive());
    this.arrive();
  }

  private symbol(target: EventTarget | null): HTMLElement | null {
    return target instanceof Element ? target.closest<HTMLElement>('a.symbol') : null;
  }

  private users(id: string): string[] {
    this.uses_ ??= usedIn(this.page_);
    return this.uses_.get(id) ?? [];
  }

  private name(id: string): Node[] {
    let name = this.names_.get(id);
    if (name === undefined) this.names_.set(id, (name = nameOf(this.page_, id)));
    return name.map((node) => node.cloneNode(true));
  }

  show(link: HTMLElement): void {
    const id = targetId(link);
    const definition = id ? this.page_.getElementById(id) : null;
    if (!definition) {
      this.hide();
      return;
    }
    this.hide();
    const users = this.users(id);
    const copy = copyOf(definition);
    copy.style.fontFamily = getComputedStyle(definition).fontFamily;
    this.popover_.replaceChildren(copy);
    if (users.length > 0) {
      const note = html('p', { class: 'live-users' }, 'Used in ');
      users.slice(0, listed).forEach((user, i) => note.append(...(i > 0 ? [', '] : []), ...this.name(user)));
      if (users.length > listed) note.append(` and ${users.length - listed} more`);
      this.popover_.append(note);
    }
    this.popover_.hidden = false;
    this.shownFor_ = link;
    link.setAttribute('aria-describedby', this.popover_.id);
    this.place();
  }

  /** Below its symbol, or above where there is no room; gone when the symbol is. */
  private place(): void {
    const link = this.shownFor_;
    if (!link) return;
    const at = link.getBoundingClientRect();
    const view = this.page_.documentElement;
    if (at.bottom < 0 || at.top > view.clientHeight) {
      if (view.clientHeight > 0) this.hide();
      return;
    }
    const width = this.popover_.offsetWidth,
      height = this.popover_.offsetHeight;
    const below = at.bottom + 8 + height <= view.clientHeight || at.top < height + 8;
    this.popover_.style.left = `${Math.max(8, Math.min(view.clientWidth - width - 8, at.left))}px`;
    this.popover_.style.top = `${below ? at.bottom + 6 : at.top - height - 6}px`;
  }

  hide(): void {
    clearTimeout(this.timer_);
    this.popover_.hidden = true;
    this.shownFor_?.removeAttribute('aria-describedby');
    this.shownFor_ = null;
  }

  /** The definition that the address names gets its back-references, and a link back to where the reader was. */
  arrive(): void {
    for (const old of this.page_.querySelectorAll('.live-uses')) old.remove();
    for (const old of this.page_.querySelectorAll('.is-target')) old.classList.remove('is-target');
    let id = '';
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {
      return;
    }
    const definition = id ? this.page_.getElementById(id) : null;
    const from = this.cameFrom_;
    this.cameFrom_ = null;
    if (!definition) return;
    this.hide();
    const folded = definition.closest<HTMLDetailsElement>('details:not([open])');
    if (folded) {
      folded.open = true;
      definition.scrollIntoView?.({ block: 'center' });
    }
    if (definition !== definitionOf(definition)) return;
    const users = this.users(id);
    const cameHere = from && targetId(from) === id ? from : null;
    if (users.length === 0 && !cameHere) return;
    definition.classList.add('is-target');
    const note = html('span', { class: 'live-uses' });
    if (cameHere) {
      cameHere.id ||= freshId('from');
      const origin = definitionOf(cameHere);
      note.append(html('a', { class: 'live-back', href: `#${cameHere.id}` }, ...(origin ? ['↩ Back to ', ...this.name(origin.id)] : ['↩ Back'])));
    }
    if (users.length > 0) {
      note.append(html('span', { class: 'live-users' }, 'Used in '));
      users.forEach((user, i) => note.append(...(i > 0 ? [', '] : []), html('a', { href: `#${encodeURIComponent(user)}` }, ...this.name(user))));
    }
    (definition.matches('tr') ? (definition.lastElementChild ?? definition) : definition).append(note);
  }
}

export function makeEquations(page: Document): boolean {
  if (!page.querySelector('a.symbol')) return false;
  new Equations(page);
  return true;
}
