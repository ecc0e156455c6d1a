// What jsdom has not got: media queries, and canvases to draw on.
if (typeof window !== 'undefined') {
  window.matchMedia ??= ((media: string) => ({
    media,
    matches: false,
    onchange: null,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
  })) as typeof window.matchMedia;
  // A plane canvas that draws nothing; no WebGL.
  const nothing = () => ({ width: 0 });
  const plane = new Proxy({} as Record<string | symbol, unknown>, {
    get: (kept, name) => kept[name] ?? nothing,
    set: (kept, name, value) => {
      kept[name] = value;
      return true;
    },
  });
  HTMLCanvasElement.prototype.getContext = ((kind: string) => (kind === '2d' ? plane : null)) as typeof HTMLCanvasElement.prototype.getContext;
  globalThis.Path2D ??= class {
    moveTo() {}
    lineTo() {}
    rect() {}
    arc() {}
    closePath() {}
    addPath() {}
  } as unknown as typeof Path2D;
}
