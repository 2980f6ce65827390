/**
 * The one rule for text that comes from outside (TEXT-1). PostgreSQL holds neither U+0000 nor half
 * a surrogate pair, so each of them becomes U+FFFD; everything else stays as it is. What names
 * something stands on one line besides (TEXT-2).
 */
export const storable = (text: string): string =>
  text.includes('\0') || !text.isWellFormed()
    ? text.replaceAll('\0', '\u{FFFD}').toWellFormed()
    : text;

/**
 * JSON text whose strings and keys are all storable once it is parsed. The text is changed, not the
 * value: that takes no recursion, however deep the value is nested.
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
/** An escape of JSON. `code` is longer than four signs where it is a whole pair. */
const ESCAPES = /\\(?:u(d[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|0000|d[89a-f][\da-f]{2})|.)/gis;

/** At most `most` UTF-16 units, and never half a pair at the end. */
export const cutText = (text: string, most: number): string =>
  text.length <= most
    ? text
    : text.slice(0, isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most);

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;
const HAS_CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** Storable text on one line: control characters and line breaks in a row become one space. */
export const lineOfText = (text: string): string => {
  const kept = storable(text);
  return HAS_CONTROL.test(kept) ? kept.replace(CONTROL, ' ') : kept;
};

/** What came as JSON, with nothing in it that cannot be stored. Throws where it is no JSON. */
export const parseStorable = (json: string): unknown => JSON.parse(storableJson(json));
