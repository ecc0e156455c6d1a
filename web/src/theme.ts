// Colours come from the custom properties of the page alone, so that light, dark and print stay one decision of its style sheet.

const fallback: Record<string, string> = {
  '--ink': '#1a1a1a',
  '--paper': '#ffffff',
  '--muted': '#666666',
  '--rule': '#d8d8d8',
  '--accent': '#0b63a5',
  '--series-1': '#0b63a5',
  '--series-2': '#c4541c',
  '--series-3': '#2f855a',
  '--series-4': '#8e4ec6',
  '--series-5': '#b7791f',
  '--series-6': '#c53030',
  '--series-7': '#2c7a7b',
  '--series-8': '#6b7280',
};

export const seriesCount = 8;

/** The custom property's value, for canvas and WebGL, which know no var(). */
export function colour(name: string): string {
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return value || fallback[name] || '#888888';
}

export function seriesName(index: number): string {
  return `--series-${(index % seriesCount) + 1}`;
}

/** The same for style attributes: follows a change of scheme by itself. */
export function seriesVar(index: number): string {
  return `var(${seriesName(index)})`;
}

/** Calls back when the scheme of colours changes: by the system, or by a class, style or data attribute on the root. */
export function onThemeChange(callback: () => void): void {
  if (typeof matchMedia === 'function') {
    for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', 'print']) {
      matchMedia(query).addEventListener?.('change', callback);
    }
  }
  new MutationObserver(callback).observe(document.documentElement, { attributes: true, attributeFilter: ['class', 'style', 'data-theme'] });
}

export function reducedMotion(): boolean {
  return typeof matchMedia === 'function' && matchMedia('(prefers-reduced-motion: reduce)').matches;
}
