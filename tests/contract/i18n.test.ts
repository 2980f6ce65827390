import { expect, test } from 'vitest';
import { defineMessages, inLanguage, setLanguage, ENGLISH } from '#contract/i18n/messages.ts';
import { PSEUDO } from '#contract/i18n/pseudo.ts';
import { messageCatalogs } from '../../scripts/vite-messages.ts';

const trees = defineMessages('trees', {
  none: 'No trees yet',
  own: "You've planted {name}’s tree.",
  count:
    "{count, plural, =0 {No trees} one {# tree of {owner}} other {# trees of {owner}}}, that's all.",
  kind: '{kind, select, oak {An oak} other {A tree}} in {garden}',
  share: '{share, number, percent} of {total}',
});

test('I18N-1: a text without placeholders is a string, one with them a function of their values', () => {
  expect(trees.none).toBe('No trees yet');
  expect(trees.own({ name: 'Ada' })).toBe("You've planted Ada’s tree.");
  expect(trees.kind({ kind: 'oak', garden: 'Kew' })).toBe('An oak in Kew');
  expect(trees.kind({ kind: 'constructor', garden: 'Kew' })).toBe('A tree in Kew');
});

test('I18N-1: numbers in plurals are grouped, and each case may hold other placeholders', () => {
  expect([0, 1, 2, 12_345].map((count) => trees.count({ count, owner: 'Ada' }))).toEqual([
    "No trees, that's all.",
    "1 tree of Ada, that's all.",
    "2 trees of Ada, that's all.",
    "12,345 trees of Ada, that's all.",
  ]);
  expect(trees.share({ share: 0.25, total: '8' })).toBe('25% of 8');
});

test('I18N-1: the type checker knows the values of each text', () => {
  // @ts-expect-error -- a value is missing
  expect(trees.own({})).toBe("You've planted undefined’s tree.");
  // @ts-expect-error -- a plural takes a number
  void (() => trees.count({ count: '2', owner: 'Ada' }));
  // @ts-expect-error -- no such text
  expect(trees.nothing).toBeUndefined();
  const owner: Parameters<typeof trees.count>[0] = { count: 1, owner: 'Ada' };
  expect(Object.keys(owner)).toEqual(['count', 'owner']);
});

test('I18N-2: in the pseudo-language each text has accents and is 40 % longer, its values stay', () => {
  const pseudo = inLanguage(trees, PSEUDO);
  expect(pseudo.none).toMatch(/^\[Ñó ţŕééš ýéţ[ ẋ]{5}\]$/);
  expect(pseudo.own({ name: 'Ada' })).toContain('Ada’š ţŕéé.');
  expect(pseudo.count({ count: 2, owner: 'Ada' })).toMatch(/^\[2 ţŕééš óƒ Ada, ţĥàţ'š àĺĺ\./);
  expect(trees.none).toBe('No trees yet');
});

test('I18N-2: a language that is set holds for every catalog from then on', () => {
  setLanguage(PSEUDO);
  try {
    expect(trees.none).toMatch(/^\[Ñó/);
    expect(inLanguage(trees, ENGLISH).none).toBe('No trees yet');
  } finally {
    setLanguage(ENGLISH);
  }
});

/** What the page's build makes of a catalog. */
function built(code: string): string | undefined {
  const { transform } = messageCatalogs();
  if (typeof transform !== 'object') throw new Error('no transform');
  const result = (transform.handler as unknown as (code: string, id: string) => { code: string })(
    code,
    '/src/features/trees/messages.en.ts',
  );
  return result.code;
}

test('I18N-3: the build compiles texts, and loads the formatter only for catalogs that need it', () => {
  expect(built("export const t = defineMessages('t', { a: 'A {b}', c: \"It's\" });")).toBe(
    'export const t = defineMessages(\'t\', { a: ["A ",["b"]], c: "It\'s" });',
  );
  expect(
    built("export const t = defineMessages('t', { n: '{n, plural, one {# a} other {# b}}' });"),
  ).toBe(`import '#contract/i18n/icu.ts';
export const t = defineMessages('t', { n: [["n","plural",{"one":["#"," a"],"other":["#"," b"]}]] });`);
  expect(() => built("export const t = defineMessages('t', { a: 'A' + 'B' });")).toThrow(
    'a message is a string literal',
  );
});
