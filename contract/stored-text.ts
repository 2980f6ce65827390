/**
 * Makes text from outside storable (TEXT-1). PostgreSQL can't store U+0000 or unpaired surrogates,
 * so each of them becomes U+FFFD; everything else is unchanged. Names are also reduced to one line
 * (TEXT-2).
 */
export const storable = (text: string): string =>
  text.includes('\0') || !text.isWellFormed()
    ? text.replaceAll('\0', '\u{FFFD}').toWellFormed()
    : text;

/**
 * Returns the JSON text with all strings and keys made storable. It changes the text and not the
 * parsed value, so it needs no recursion, however deeply the value is nested.
 */
export const storableJson = (json: string): string =>
  storable(
    UNSTORABLE.test(json)
      ? json.replace(ESCAPES, (escape, code: string | undefined) =>
          code?.length === 4 ? String.raw`\ufffd` : escape,
        )
      : json,
  );

const UNSTORABLE = /\\u(?:0000|d[89a-f][\da-f]{2})/i;
/** A JSON escape. `code` is longer than four characters if it is a complete surrogate pair. */
const ESCAPES = /\\(?:u(d[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|0000|d[89a-f][\da-f]{2})|.)/gis;

/** Returns at most `most` UTF-16 units and never splits a surrogate pair at the end. */
export const cutText = (text: string, max: number): string =>
  text.length <= max
    ? text
    : text.slice(0, isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max);

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;
const HAS_CONTROL = /[\p{Cc}\u2028\u2029]/u;
/**
 * Returns storable text on one line: a sequence of control characters and line breaks becomes one
 * space.
 */
export const lineOfText = (text: string): string => {
  const stored = storable(text);
  return HAS_CONTROL.test(stored) ? stored.replace(CONTROL, ' ') : stored;
};

/**
 * Parses JSON and makes every string in it storable.
 *
 * @throws SyntaxError if the text isn't JSON.
 */
export const parseStorable = (json: string): unknown => JSON.parse(storableJson(json));
