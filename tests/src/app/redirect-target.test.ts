import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  localPath,
  pauseRedirectTarget,
  storeRedirectTarget,
  takeRedirectTarget,
} from '#src/app/router/redirect-target.ts';
import { isStepPage } from '#src/app/router/route-guards.ts';

const runs = { numRuns: 500 * Number(process.env['PROOF'] ?? 1) };
const site = 'https://portal.example';

const ELSEWHERE = [
  '',
  'x',
  'https://evil.example',
  'http:evil.example',
  '//evil.example',
  '///evil.example',
  String.raw`/\evil.example`,
  String.raw`\\evil.example`,
  '/\t/evil.example',
  '\t//evil.example',
  '/\n/evil.example',
  '/\r/evil.example',
  ' /monitoring',
  '/%09/../\t/evil',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'blob:x',
  '/..//evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '/%2e%2e//evil.example',
  '?x',
  '#x',
  '.',
  '..',
  './x',
  'monitoring',
  '/a\u0000b',
  '/a\u0085b',
  `/${'a'.repeat(3_000)}`,
  '/login',
  '/login?x=1',
  '/./login',
  '/x/../login',
  '//',
  '//@evil.example',
  '/\u00a0'.slice(0, 1) + '\u009f',
];

test('PAGE-4 3.7.2: only a path of this site is remembered for after the sign-in', () => {
  expect(ELSEWHERE.filter((input) => localPath(input) !== null)).toEqual([]);
  for (const input of [
    '/',
    '/monitoring/daily-checks',
    '/monitoring/daily-checks?state=Failed,Error&q=a%20b',
    '/monitoring/sources#x',
    '/a%2F%2Fb',
    '/@evil.example',
    '/:80',
    '/a//b',
  ]) {
    expect(localPath(input)).toBe(input);
  }
});

test("PAGE-4: a second redirect leads to the same page; another target, a forced password's page and logging out are distinguished", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  expect(takeRedirectTarget()).toBeNull();
  storeRedirectTarget('/monitoring/daily-checks?q=mail');
  storeRedirectTarget('/monitoring/reset-password');
  expect([takeRedirectTarget(), takeRedirectTarget(), stored.size]).toEqual([
    '/monitoring/daily-checks?q=mail',
    '/monitoring/daily-checks?q=mail',
    0,
  ]);
  storeRedirectTarget('/monitoring/profile');
  expect([takeRedirectTarget(), takeRedirectTarget()]).toEqual([
    '/monitoring/profile',
    '/monitoring/profile',
  ]);
  pauseRedirectTarget(true);
  storeRedirectTarget('/monitoring/users');
  expect(takeRedirectTarget()).toBeNull();
  pauseRedirectTarget(false);
  stored.set('urlToRedirectAfterLogin', '//evil.example');
  expect(takeRedirectTarget()).toBeNull();
});

test('PAGE-4: the page of a required step never replaces the requested page', () => {
  expect(
    [
      '/monitoring/reset-password',
      '/monitoring/security-questions',
      '/monitoring/security-questions?from=mail',
      '/monitoring/security',
      '/monitoring/daily-checks',
      '/',
    ].filter(isStepPage),
  ).toEqual([
    '/monitoring/reset-password',
    '/monitoring/security-questions',
    '/monitoring/security-questions?from=mail',
  ]);
});

test('PAGE-4: every accepted target leads to this site', () => {
  let through = 0;
  const piece = fc.constantFrom(
    '/',
    '//',
    '\\',
    '.',
    '..',
    '%2e',
    '%2f',
    'evil.example',
    '@',
    ':',
    'javascript:',
    '\t',
    '\n',
    ' ',
    '?',
    '#',
    'login',
    'x',
    '\u0000',
    '\u2028',
    '／',
    '。',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('')),
        fc
          .array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 12 })
          .map((codes) => `/${String.fromCharCode(...codes)}`),
      ),
      (input) => {
        const path = localPath(input);
        if (path === null) return true;
        through += 1;
        const url = new URL(path, site);
        return url.origin === site && url.pathname !== '/login' && localPath(path) === path;
      },
    ),
    runs,
  );
  expect(through).toBeGreaterThan(0);
});
