import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Screens without a server: `node node_modules/vite/bin/vite.js --config
 * tests/playground/vite.config.ts`.
 */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: `${import.meta.dirname}/../../src/public`,
  cacheDir: `${import.meta.dirname}/../../node_modules/.vite-playground`,
  plugins: [react({ compiler: true }), tailwindcss()],
  server: { host: '127.0.0.1', fs: { allow: [`${import.meta.dirname}/../..`] } },
});
