import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DARK, LIGHT } from '#contract/branding/palette.ts';

// The colors of the product have one source.

const HEX = /(?<!&)#(?:[\da-f]{8}|[\da-f]{6}|[\da-f]{3,4})\b(?![-\w(])/gi;

/** Where colors are written: the tokens, and files with colors that are none of the product's. */
const WITH_COLORS = new Map([
  ['src/styles/tokens.css', 'the tokens'],
  ['contract/branding/first-colors.ts', 'the tokens that the first page needs, compared below'],
  ['contract/branding/palette.ts', 'the tokens for PDFs and mails, compared below'],
  ['contract/branding/edit-calls.ts', 'an example for the API'],
  ['src/features/branding/editor/messages.en.ts', 'an example for people'],
  ['src/features/branding/editor/colour-field.tsx', 'what a browser shows for no color'],
  ['src/app/shell/branding/sidebar-colour.ts', 'sidebars to choose from'],
  ['src/features/auth/qr-code.tsx', 'black on white, for cameras'],
  ['src/features/calendar/print.css', 'white paper'],
  ['server/demo/make-plan.ts', 'the branding of a simulated provider'],
  ['server/features/restore/preview/mail-page.ts', "the page of a mail, in the sender's colors"],
  ['server/platform/mail/outbox-page.ts', 'a page for developers'],
]);

const colorsIn = (code: string): readonly string[] =>
  Array.from(code.matchAll(HEX), ([color]) => color).filter((color) =>
    /\d|^#[a-f]{3}$/i.test(color),
  );

test('BRAND-14: no color is written outside the tokens', () => {
  const found = ['src', 'server', 'contract', 'machines', 'workers'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:tsx?|css)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => colorsIn(readFileSync(file, 'utf8')).length > 0),
  );
  expect(found.filter((file) => !WITH_COLORS.has(file))).toEqual([]);
  expect([...WITH_COLORS.keys()].filter((file) => !found.includes(file))).toEqual([]);
  expect(colorsIn("a('#1b3256'); this.#add(1); fill-[#f4877d] #fff;")).toEqual([
    '#1b3256',
    '#f4877d',
    '#fff',
  ]);
});

test('BRAND-14: the colors of PDFs, mails and previews are those of the style sheet', () => {
  const [light = '', dark = ''] = readFileSync('src/styles/tokens.css', 'utf8').split(
    '@media screen',
  );
  expect(LIGHT).toEqual(read(light));
  expect(DARK).toEqual(read(dark));
});

/** Returns the opaque colors of a style sheet by the names that code uses. */
const read = (css: string): object =>
  Object.fromEntries(
    Array.from(
      css.matchAll(/--([\w-]+): (?:var\([^#;]*, )?(#[\da-f]{6})\)*;/g),
      ([, name = '', color]) => [
        name.replaceAll(/-(\w)/g, (_, c: string) => c.toUpperCase()),
        color,
      ],
    ),
  );
