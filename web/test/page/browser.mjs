// The system's Chromium, and looking at pictures of it without a library: a blank page of the same browser decodes them.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const candidates = [process.env.CHROMIUM ?? '', ...(process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)))];
  for (const candidate of candidates) {
    if (candidate === '') continue;
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      /* not this one */
    }
  }
  return null;
}

// Without a graphics card the 3D view is drawn by SwiftShader; without user namespaces (containers) no sandbox is available.
export const launchArguments = [
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--disable-dev-shm-usage',
];

export async function makeLooker(browser) {
  const page = await browser.newPage();
  const call = (what, ...pictures) =>
    page.evaluate(
      async ([task, urls]) => {
        const images = await Promise.all(
          urls.map(async (url) => {
            const image = new Image();
            image.src = url;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height);
          }),
        );
        if (task === 'colours') return new Set(new Uint32Array(images[0].data.buffer)).size;
        const [a, b] = images.map((image) => image.data);
        if (a.length !== b.length) return 1;
        let changed = 0;
        for (let i = 0; i < a.length; i += 4) if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24) ++changed;
        return changed / (a.length / 4);
      },
      [what, pictures.map((picture) => `data:image/png;base64,${picture.toString('base64')}`)],
    );
  return { colours: (picture) => call('colours', picture), changed: (a, b) => call('changed', a, b) }; // changed: part of the pixels
}
