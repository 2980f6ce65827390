import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { defineMessages, inLanguage } from '#contract/i18n/messages.ts';
import { PSEUDO } from '#contract/i18n/pseudo.ts';
import { richText } from '#src/ui/rich-text.tsx';

const trees = defineMessages('trees', {
  planted: '{done} of {total} planted by {name}',
  owners: '{count, plural, one {{name} owns # tree} other {{name} owns # trees}}.',
});

const bold = (text: string) => createElement('b', null, text);
const drawn = (node: ReturnType<typeof richText>): string =>
  renderToStaticMarkup(createElement('p', null, node));

test('I18N-6: elements take the places of their placeholders, in the order of the language', () => {
  expect(drawn(richText(trees.planted, { total: '8', name: bold('Ada'), done: bold('3') }))).toBe(
    '<p><b>3</b> of 8 planted by <b>Ada</b></p>',
  );
  expect(drawn(richText(trees.owners, { count: 2, name: bold('Ada') }))).toBe(
    '<p><b>Ada</b> owns 2 trees.</p>',
  );
});

test('I18N-6: a value is text, whatever it contains, and other languages keep the elements', () => {
  expect(drawn(richText(trees.planted, { done: '1 {total} <b>', total: 2, name: 'x' }))).toBe(
    '<p>1 {total} &lt;b&gt; of 2 planted by x</p>',
  );
  const pseudo = inLanguage(trees, PSEUDO);
  expect(drawn(richText(pseudo.planted, { done: bold('3'), total: '8', name: 'Ada' }))).toContain(
    '[<b>3</b> óƒ 8 þĺàñţéđ ƀý Ada',
  );
});
