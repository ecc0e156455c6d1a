// Elements without innerHTML: names of a robot's file may hold anything, so they only ever become text.

type Attributes = Record<string, string | number | boolean>;

function fill<E extends Element>(element: E, attributes: Attributes, children: (Node | string)[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

export function html<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

let ids = 0;

export function freshId(stem: string): string {
  return `live-${stem}-${++ids}`;
}

/** Calls back with the width of an element, now and whenever it changes. */
export function watchWidth(element: HTMLElement, onWidth: (width: number) => void): void {
  let last = -1;
  const tell = (width: number) => {
    const rounded = Math.floor(width);
    if (rounded === last || rounded <= 0) return;
    last = rounded;
    onWidth(rounded);
  };
  if (typeof ResizeObserver === 'undefined') {
    tell(element.clientWidth || 640);
    return;
  }
  // The element's own change of height by the callback must not call it again within one frame.
  new ResizeObserver((entries) => {
    const width = entries[entries.length - 1]?.contentRect.width ?? 0;
    requestAnimationFrame(() => tell(width));
  }).observe(element);
}
