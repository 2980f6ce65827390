import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  getAccent,
  BLUE_SIDE,
  getContrast,
  lightenedAccent,
  getSide,
} from '#src/app/shell/branding/brand-colours.ts';
import { imageUrl, getVariables } from '#src/app/shell/branding/apply-branding.ts';
import { getBranding, getScene } from '#tests/playground/scene.ts';

const runs = { numRuns: 300 * Number(process.env['PROOF'] ?? 1) };
const colour = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((n) => `#${n.toString(16).padStart(6, '0')}`);
const SHEETS = { light: ['#fffdf9', '#f8f5ef'], dark: ['#1c1a16', '#151310'] } as const;
const SIDE_INKS = { light: ['#e3eaf5', '#b3c3db'], dark: ['#dde5f1', '#9dacc4'] } as const;

test('BRAND-1: the ratio of two colors is that of WCAG', () => {
  expect(getContrast('#000000', '#ffffff')).toBe(21);
  expect(getContrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(getContrast('#23509e', '#fffdf9')).toBeCloseTo(7.6, 1);
  expect(getContrast('#8db1ef', '#1c1a16')).toBeCloseTo(8.0, 1);
  expect(getContrast('blue', '#ffffff')).toBe(1);
});

test('BRAND-1: an accent is used only if it is legible on every background that it is shown on', () => {
  let taken = 0;
  fc.assert(
    fc.property(colour, fc.constantFrom('light' as const, 'dark' as const), (hex, fixture) => {
      const accent = getAccent(hex, fixture);
      const inks = Math.max(getContrast(hex, '#ffffff'), getContrast(hex, '#10203a'));
      // Refused is only what is hard to read somewhere, or comes close to it on its wash.
      if (!accent)
        return Math.min(inks, ...SHEETS[fixture].map((sheet) => getContrast(hex, sheet))) < 6;
      taken += 1;
      return [...SHEETS[fixture], accent.wash, accent.onAccent].every(
        (other) => getContrast(accent.accent, other) >= 4.5,
      );
    }),
    runs,
  );
  expect(taken).toBeGreaterThan(0);
});

test('BRAND-1: the default colors are accepted, and the derived ones are close to the design', () => {
  expect(getAccent('#23509e', 'light')).toEqual({
    accent: '#23509e',
    onAccent: '#ffffff',
    wash: '#e9ecf0',
    line: '#a9bad6',
  });
  expect(getAccent('#8db1ef', 'dark')?.onAccent).toBe('#10203a');
  expect(getSide('#1b3256', 'light')?.side).toBe('#1b3256');
});

/** The sidebar where branding names none, in a part of the style sheet. */
const ownSide = (css: string): string | undefined =>
  /--brand-sidebar(?:-dark)?, (#[\da-f]{6})/.exec(css)?.[1];

test('BRAND-11: a sidebar color named blue is the portal’s own from the style sheet, in both themes', () => {
  const [light = '', dark = ''] = readFileSync('src/styles/tokens.css', 'utf8').split(
    "[data-theme='dark']",
  );
  expect([ownSide(light), ownSide(dark)]).toEqual([BLUE_SIDE.light, BLUE_SIDE.dark]);
  for (const word of ['blue', 'Blue', ' blue '])
    expect([getSide(word, 'light')?.side, getSide(word, 'dark')?.side]).toEqual([
      '#1b3256',
      '#101825',
    ]);
  expect(
    getVariables({ ...getBranding(getScene('{}')), sidebar: 'blue', sidebarDark: 'blue' }),
  ).toMatchObject({ '--brand-sidebar': '#1b3256', '--brand-sidebar-dark': '#101825' });
  expect(getAccent('blue', 'light')).toBeNull();
});

test('BRAND-1: pale accents, light sidebars and invalid colors are refused', () => {
  for (const hex of ['#ffd54a', '#ffffff', '#8a8375', 'red', '#fff', 'url(x)', '#23509e;}', ''])
    expect(getAccent(hex, 'light')).toBeNull();
  for (const hex of ['#f4e9c8', '#808080', 'navy']) expect(getSide(hex, 'light')).toBeNull();
});

test('BRAND-1: a dark page gets a lightened accent that is legible there', () => {
  fc.assert(
    fc.property(colour, (hex) => {
      const accent = lightenedAccent(hex);
      return accent === null || getContrast(accent.accent, '#1c1a16') >= 4.5;
    }),
    runs,
  );
  expect(lightenedAccent('#1b6b3a')).not.toBeNull();
});

test("BRAND-1: the sidebar's text colors are legible on it and on its current entry", () => {
  let taken = 0;
  fc.assert(
    fc.property(colour, fc.constantFrom('light' as const, 'dark' as const), (hex, fixture) => {
      const side = getSide(hex, fixture);
      taken += side === null ? 0 : 1;
      return (
        side === null ||
        SIDE_INKS[fixture].every((ink) =>
          [side.side, side.on].every((under) => getContrast(ink, under) >= 4.5),
        )
      );
    }),
    runs,
  );
  expect(taken).toBeGreaterThan(0);
});

test('BRAND-2: a brand sets its variables and nothing else; a refused color falls back to the default', () => {
  const green = getVariables(getBranding(getScene('{"brand":"green"}')));
  expect(Object.keys(green).every((name) => name.startsWith('--brand-'))).toBe(true);
  expect(green['--brand-accent']).toBe('#1b6b3a');
  expect(green['--brand-accent-dark']).not.toBeNull();
  // Too pale for paper, and just right in the dark.
  expect(getVariables(getBranding(getScene('{"brand":"pale"}')))).toMatchObject({
    '--brand-accent': null,
    '--brand-accent-dark': '#ffd54a',
    '--brand-sidebar': null,
  });
  expect(new Set(Object.values(getVariables(null)))).toEqual(new Set([null]));
});

test('BRAND-2: a logo comes from http(s) or from this site, and from nowhere else', () => {
  for (const url of ['https://a.example/l.svg', 'http://a.example/l.svg', '/logo.svg'])
    expect(imageUrl(url)).toBe(url);
  for (const url of [
    'javascript:alert(1)',
    'data:image/svg+xml,x',
    '//a.example/l.svg',
    String.raw`/\a.example`,
    'logo.svg',
    '',
    null,
  ])
    expect(imageUrl(url)).toBeNull();
});
