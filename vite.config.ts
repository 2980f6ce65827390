import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { build, defineConfig } from 'vite';
import type { Plugin } from 'vite';
import { chooseLanguage } from './contract/i18n/languages.ts';
import { LANGUAGE_TAGS } from './contract/i18n/language-tags.ts';
import { inLanguage } from './contract/i18n/messages.ts';
import { unreadablePushMessages } from './contract/notifications/unreadable-push.messages.en.ts';
import { CSP } from './server/platform/http/security-headers.ts';
import type { Build, BuiltFile } from './src/service-worker/build.ts';
import { messageCatalogs } from './scripts/vite-messages.ts';
import { WORKER_CHUNKS } from './workers/chunks.ts';

const api = `http://127.0.0.1:${process.env['API_PORT'] ?? '4301'}`;

export default defineConfig({
  root: 'src',
  // React has this hook itself; the package brings a copy for older versions to the first page.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim$/, replacement: 'react' }] },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2023',
    // What the page begins with need not be named again for each screen.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, deps, { hostType }) =>
        hostType === 'html'
          ? deps
          : deps.filter((file) => !/\/(vendor|base|rolldown-runtime)-/.test(file)),
    },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // These declare no side effects of their own, so a page pays only for what it uses.
      treeshake: {
        moduleSideEffects: [
          {
            test: /node_modules\/(@tremor|recharts|victory-vendor|lodash|d3-|date-fns|react-day-picker|@headlessui|@floating-ui|@react-aria|@react-stately|@internationalized)/,
            sideEffects: false,
          },
        ],
      },
      // What hardly ever changes is one file: it compresses better whole and stays cached from
      // build to build.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'vendor',
              test: /node_modules\/(react|react-dom|scheduler|comlink|use-sync-external-store|@tanstack\/(react-router(?!\/dist\/esm\/use(?:Blocker|Location)\.)|router-core|history|store|react-store))\//,
            },
            {
              name: 'base',
              test: isPart(
                /vite\/preload-helper/,
                ['contract', 'page-paths.ts', 'text-limits.ts'],
                [
                  'contract/i18n',
                  'compiled.ts',
                  'compiler.ts',
                  'language-tags.ts',
                  'load-language.ts',
                  'messages.ts',
                ],
                ['contract/messages', 'base.messages.en.ts'],
                ['src/app', 'clock.ts', 'follow-language.ts', 'language.ts', 'theme.ts'],
                ['src/app/router', 'redirect-target.ts', 'route-guards.ts', 'session-routing.ts'],
                [
                  'src/app/session',
                  'app-version.ts',
                  'browser-storage.ts',
                  'session.ts',
                  'sign-in-context.ts',
                  'storage-keys.ts',
                ],
                [
                  'src/app/shell',
                  'announce.tsx',
                  'notice-page.tsx',
                  'page-loading.tsx',
                  'start.messages.en.ts',
                ],
                ['src/app/shell/branding', 'apply-branding.ts', 'brand-mark.tsx'],
                ['src/app/worker', 'live-query.ts', 'start-worker.ts', 'worker-client.ts'],
                ['src/features/auth', 'account-page.tsx'],
                [
                  'src/features/auth/sign-in',
                  'error-callout.tsx',
                  'passkey.ts',
                  'sign-in-brand.tsx',
                  'sign-in-error.ts',
                  'sign-in-methods.tsx',
                  'sign-in-ways.messages.en.ts',
                  'sign-in.messages.en.ts',
                  'sign-in.tsx',
                  'step-path.ts',
                ],
                [
                  'src/ui',
                  'button.tsx',
                  'callout.tsx',
                  'chunk-load.ts',
                  'icon-paths.ts',
                  'icon.tsx',
                  'kbd.tsx',
                  'lazy-part.ts',
                  'switch.tsx',
                  'text-field.tsx',
                ],
              ),
            },
            // Where every screen is, and for whom: asked for together, once somebody is in.
            {
              name: 'screens',
              test: isPart(
                ['contract', 'abilities.ts', 'pages.ts'],
                ['src/app/router', 'load-screen.ts', 'page-route-guard.ts', 'screens.ts'],
                ['src/app/shell', 'offline-screen.tsx'],
                ['src/ui', 'retry-style.ts'],
              ),
            },
            // What every screen behind the sign-in has: many small files would each be named in the
            // first one.
            {
              name: 'parts',
              test: isPart(
                ['contract', 'limits.ts', 'messages.ts'],
                ['contract/i18n', 'list.ts', 'per-language.ts'],
                [
                  'contract/messages',
                  'account.messages.en.ts',
                  'calls.messages.en.ts',
                  'monitoring.messages.en.ts',
                  'people.messages.en.ts',
                ],
                ['contract/problems', 'cause.ts'],
                ['contract/runs', 'query.ts', 'vocabulary.ts'],
                ['contract/time', 'day.ts'],
                ['src/app/shell', 'drawer-state.ts', 'page.tsx'],
                ['src/features/shared/date-range', 'date-range-choice.tsx', 'dates.ts'],
                ['src/features/shared/grid', 'use-touch.ts', 'virtual-window.ts'],
                [
                  'src/features/shared/runs',
                  'labels.ts',
                  'messages.en.ts',
                  'run-marks.tsx',
                  'spark-bars.ts',
                  'sync-notices.tsx',
                ],
                [
                  'src/ui',
                  'chip-select.tsx',
                  'chip.tsx',
                  'choice.tsx',
                  'delayed-fallback.tsx',
                  'format.ts',
                  'is-typing.ts',
                  'lazy-dialog.ts',
                  'messages.en.ts',
                  'search-field.tsx',
                  'state-mark.tsx',
                  'states.ts',
                  'toasts.ts',
                  'use-is-tablet.ts',
                ],
              ),
            },
          ],
        },
      },
      onLog(level, log, handler) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE' && log.code !== 'PLUGIN_TIMINGS')
          handler(level, log);
      },
    },
  },
  worker: {
    format: 'es',
    plugins: () => [messageCatalogs()],
    rolldownOptions: { output: WORKER_CHUNKS },
  },
  plugins: [messageCatalogs(), react({ compiler: true }), tailwindcss(), serviceWorker()],
  server: {
    // The server compares the host of a request with its origin, so the host stays the page's.
    proxy: Object.fromEntries(
      ['/api', '/ping', '/brand', '/chat', '/preview', '/download', '/upload'].map((path) => [
        path,
        { target: api },
      ]),
    ),
  },
});

/** The service worker shares no code with the page, so its texts are inserted in every language. */
const PUSH_TEXTS = Object.fromEntries(
  LANGUAGE_TAGS.map((tag) => {
    const { title, body } = inLanguage(unreadablePushMessages, chooseLanguage([tag]));
    return [tag, { title, body }];
  }),
);

/**
 * Builds `/sw.js` once everything else is written, with the list of all that was. What the page's
 * head names without a hash in its name gets one in its address, so that no page ever runs another
 * build's. The content policy counts as a part of the build: kept files carry it.
 */
function serviceWorker(): Plugin {
  let publicDir = '';
  let fixed = new Map<string, string>();
  return {
    name: 'daybook-service-worker',
    apply: 'build',
    configResolved(config) {
      ({ publicDir } = config);
    },
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        fixed = new Map();
        return html.replace(/(?<=<script src=")\/[^"?]+/g, (path) => {
          const file = join(publicDir, path);
          if (!existsSync(file)) return path;
          const address = `${path}?v=${getHash(readFileSync(file)).slice(0, 8).replace(/\W/g, '-')}`;
          fixed.set(path, address);
          return address;
        });
      },
    },
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir }) {
        const outDir = resolve(dir ?? 'dist');
        const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !/^\.|^sw\.js$|\.(map|br|gz)$/.test(entry.name))
          .map((entry) => join(entry.parentPath, entry.name))
          .toSorted()
          .map((file): BuiltFile => {
            const path = `/${relative(outDir, file).split(sep).join('/')}`;
            return [fixed.get(path) ?? path, getHash(readFileSync(file))];
          });
        const made: Build = {
          version: createHash('sha256')
            .update(JSON.stringify([CSP, files]))
            .digest('hex')
            .slice(0, 16),
          files,
        };
        await build({
          configFile: false,
          root: resolve('src/service-worker'),
          publicDir: false,
          logLevel: 'warn',
          define: { BUILD: JSON.stringify(made), PUSH_TEXTS: JSON.stringify(PUSH_TEXTS) },
          build: {
            outDir,
            emptyOutDir: false,
            target: 'es2023',
            copyPublicDir: false,
            rolldownOptions: {
              input: resolve('src/service-worker/service-worker.ts'),
              output: { format: 'iife', entryFileNames: 'sw.js' },
            },
          },
        });
      },
    },
  };
}

/**
 * Matches the modules of a chunk: the files of these folders, and modules of the bundler itself.
 * @throws Error where a file does not exist, so that a move can't empty a chunk unnoticed.
 */
function isPart(
  ...parts: readonly (RegExp | readonly [folder: string, ...names: string[]])[]
): (id: string) => boolean {
  const files = new Set<string>();
  const virtual: RegExp[] = [];
  for (const part of parts) {
    if (part instanceof RegExp) {
      virtual.push(part);
      continue;
    }
    const [folder, ...names] = part;
    for (const name of names) {
      const file = resolve(folder, name);
      if (!existsSync(file)) throw new Error(`vite.config.ts names ${folder}/${name}`);
      files.add(file.split(sep).join('/'));
    }
  }
  return (id) => files.has(id.replace(/\?.*$/, '')) || virtual.some((one) => one.test(id));
}

function getHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
