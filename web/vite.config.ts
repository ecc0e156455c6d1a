/// <reference types="vitest/config" />
import { defineConfig } from 'vite';

// One plain script without imports: the program puts it inline at the end of the page, which is opened from disk, where modules are not loaded.
export default defineConfig({
  build: {
    target: 'es2020',
    outDir: 'dist',
    emptyOutDir: false,   // the folder may be one of a C++ build
    reportCompressedSize: false,
    lib: {
      entry: 'src/main.ts',
      name: 'ulnaReport',
      formats: ['iife'],
      fileName: () => 'report.js',
    },
  },
  esbuild: { legalComments: 'inline' },   // the licences of three.js and uPlot travel with their code
  test: {
    environment: 'jsdom',
    include: ['test/*.test.ts'],
  },
});
