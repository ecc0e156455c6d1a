/// <reference types="vitest/config" />
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

// Inside <script> these would end the script, or hide its end.
const inlineable: Plugin = {
  name: 'inlineable',
  generateBundle(_options, bundle) {
    for (const [name, part] of Object.entries(bundle)) {
      const found = part.type === 'chunk' ? /<\/script|<!--|<script/i.exec(part.code) : null;
      if (found) this.error(`${name} holds '${found[0]}' and cannot be put inline`);
    }
  },
};

// three.js wants its licence to travel with its code.
const licence = `/*! three:\n${readFileSync(new URL('node_modules/three/LICENSE', import.meta.url), 'utf8').trim()}\n*/`;

// One plain script without imports: the program puts it inline at the end of the page, which is opened from disk, where modules are not loaded.
export default defineConfig({
  plugins: [inlineable],
  server: { host: '127.0.0.1' }, // by number: a bare root has no /etc/hosts
  build: {
    target: 'es2020',
    outDir: 'dist',
    emptyOutDir: false, // the folder may be one of a C++ build
    reportCompressedSize: false,
    lib: {
      entry: 'src/main.ts',
      name: 'ulnaReport',
      formats: ['iife'],
      fileName: () => 'report.js',
    },
    rollupOptions: { output: { banner: licence } },
  },
  esbuild: { legalComments: 'inline' },
  test: {
    environment: 'jsdom',
    include: ['test/*.test.ts'],
    setupFiles: ['test/browser.ts'],
    pool: 'threads',
    poolOptions: { threads: { singleThread: true } }, // a start of jsdom costs more than the tests
    isolate: false,
    testTimeout: 60000, // a busy machine must not fail them
  },
});
