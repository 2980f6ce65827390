import type { Compiled, MessageToken } from './compiled.ts';
import type { Language } from './messages.ts';

/**
 * A pseudo-language for tests: every text in brackets, with accents on its letters, and 40 %
 * longer. A text without accents isn't in a catalog; a text without its closing bracket is cut off.
 * Its tag is CLDR's for accented English. Its dates, numbers and lists are German, so that one with a
 * fixed format shows.
 */
export const PSEUDO: Language = {
  tag: 'en-XA',
  formats: 'de',
  translate: (_id, english) => {
    const length = getLength(english);
    const padding = PADDING.repeat(Math.ceil((length * 0.4) / PADDING.length)).slice(
      0,
      Math.ceil(length * 0.4),
    );
    return typeof english === 'string'
      ? `[${accented(english)}${padding}]`
      : ['[', ...english.map(accentedToken), `${padding}]`];
  },
};

const PADDING = ' ẋẋẋẋẋ';
const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'àƀçđéƒĝĥíĵķĺɱñóþǫŕšţúṽŵẋýžÀƁÇĐÉƑĜĤÍĴĶĹṀÑÓÞǪŔŠŢÚṼŴẊÝŽ';
const LETTERS = new Map(Array.from(PLAIN, (letter, i) => [letter, ACCENTED.charAt(i)]));

const accented = (text: string): string =>
  Array.from(text, (letter) => LETTERS.get(letter) ?? letter).join('');

function accentedToken(token: MessageToken): MessageToken {
  if (typeof token === 'string') return accented(token);
  const [name, type, cases] = token;
  if (type === undefined || typeof cases !== 'object') return token;
  return [
    name,
    type,
    Object.fromEntries(
      Object.entries(cases).map(([key, text]) => [
        key,
        Array.isArray(text) ? (text as MessageToken[]).map(accentedToken) : text,
      ]),
    ),
  ];
}

/** Returns the number of characters of a text; for a plural, those of its first case. */
function getLength(text: Compiled): number {
  if (typeof text === 'string') return text.length;
  return text.reduce((sum, token) => {
    if (typeof token === 'string') return sum + token.length;
    const [, , cases] = token;
    const [first] = typeof cases === 'object' ? Object.values(cases) : [];
    return sum + (first === undefined ? 4 : getLength(first as Compiled));
  }, 0);
}
