import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const api = `http://127.0.0.1:${process.env['API_PORT'] ?? '4301'}`;

export default defineConfig({
  root: 'src',
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // These declare no side effects of their own, so a page pays only for what it uses.
      treeshake: {
        moduleSideEffects: [{ test: /node_modules\/(@headlessui|@floating-ui|@react-aria|@react-stately|@internationalized)/, sideEffects: false }],
      },
      // What hardly ever changes is one file: it compresses better whole and stays cached from build to build.
      output: { codeSplitting: { groups: [
        { name: 'vendor', test: /node_modules\/(react|react-dom|scheduler|comlink|use-sync-external-store|@tanstack\/(react-router|router-core|history|store|react-store))\// },
        { name: 'base', test: /\/(contract\/(messages|limits|abilities)|src\/(clock|door|line|session|kept|ui\/(icon|icon-paths|button|kbd|callout|text-field|format)|frame\/(brand-mark|branded))\.tsx?$)/ },
      ] } },
      onLog(level, log, handler) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE' && log.code !== 'PLUGIN_TIMINGS') handler(level, log);
      },
    },
  },
  worker: { format: 'es' },
  plugins: [react({ compiler: true }), tailwindcss()],
  server: { proxy: { '/api': api, '/ping': api } },
});
