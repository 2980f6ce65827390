import { defineConfig } from '@playwright/test';

const executablePath = process.env['CHROMIUM'];

export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/e2e/run.config.ts',
  outputDir: '.cache/e2e',
  fullyParallel: false,
  // Each test has a portal of its own, on a copy of data that were made once. One worker more than
  // the cores of a small machine: a test waits for its page about as long as it computes.
  workers: 3,
  // These end a test that hangs. They are no measure of speed: a busy machine may take its time.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  forbidOnly: process.env['CI'] !== undefined,
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ?? '.cache/e2e.json' }],
  ],
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    screenshot: 'only-on-failure',
    // Else each context fetches the whole build to keep it. Files whose walks open the page without
    // a network, or are pushed to, say 'allow'.
    serviceWorkers: 'block',
    // Colours are looked at as they stand, not on their way.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
