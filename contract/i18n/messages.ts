import { compile } from './compiler.ts';
import { formatter } from './compiled.ts';
import type { Compiled } from './compiled.ts';

/**
 * The message catalogs: every text that a person reads, one file per feature and language
 * (`messages.en.ts`). A text without placeholders is a string, one with placeholders is a function
 * of their values, both checked by type:
 *
 *     export const rules = defineMessages('rules', {
 *       none: 'No rules yet',
 *       limit: "You've reached the limit of {max, plural, one {# rule} other {# rules}}.",
 *     });
 *     rules.none; rules.limit({ max: 20 });
 *
 * Texts are ICU messages. The page's build compiles them, so no parser reaches the browser; plurals
 * and formats are Lingui's (`icu.ts`), which is loaded only with a catalog that uses them.
 */
export function defineMessages<const T extends Texts>(feature: string, english: T): Messages<T> {
  const compiled = mapValues(english, compile);
  const view = makeView(feature, compiled, () => active) as Messages<T>;
  SOURCES.set(view, { feature, compiled });
  return view;
}

/** The texts of a feature in a language, by the keys of its English catalog. */
export type Texts = Readonly<Record<string, string>>;

export type Messages<T extends Texts> = { readonly [K in keyof T]: Message<T[K]> };
type Message<S extends string> = keyof Values<S> extends never
  ? string
  : (values: Values<S>) => string;

/**
 * Returns the same texts in a given language, for example for an email whose reader isn't the user
 * who caused it.
 */
export function inLanguage<M extends object>(messages: M, language: Language): M {
  const source = SOURCES.get(messages);
  return source ? (makeView(source.feature, source.compiled, () => language) as M) : messages;
}

/**
 * A language of the portal. `translate` returns the compiled text of an id such as `rules.none`, or
 * the English one if there is no translation.
 */
export interface Language {
  /** BCP 47, such as `en` or `de-AT`. */
  readonly tag: string;
  /** The tag of its dates, numbers and lists, if they are those of another language. */
  readonly formats?: string;
  readonly translate: (id: string, english: Compiled) => Compiled;
}
export const ENGLISH: Language = { tag: 'en', translate: (_id, english) => english };

let active = ENGLISH;
/** Sets the language of this page or worker. Texts are read at render time, so call this first. */
export function setLanguage(language: Language): void {
  active = language;
}
/**
 * Returns what `write` returns, with every catalog in another language meanwhile, for example a
 * mail whose reader isn't the user who caused it. `write` is synchronous, so that nothing else runs
 * in that language.
 */
export function withLanguage<T>(
  language: Language,
  write: () => T extends PromiseLike<unknown> ? never : T,
): T {
  const before = active;
  active = language;
  try {
    return write();
  } finally {
    active = before;
  }
}

/** Returns the language of this page or worker, for the `lang` of a document. */
export const languageTag = (): string => active.tag;
/** Returns the tag of a language's dates, numbers and lists, for `Intl`. */
export const formatTag = (language = active): string => language.formats ?? language.tag;

const SOURCES = new WeakMap<
  object,
  { readonly feature: string; readonly compiled: Readonly<Record<string, Compiled>> }
>();

function makeView(
  feature: string,
  compiled: Readonly<Record<string, Compiled>>,
  language: () => Language,
): object {
  const view = {};
  for (const [key, english] of Object.entries(compiled)) {
    const id = `${feature}.${key}`;
    const current = (): Compiled => language().translate(id, english);
    Object.defineProperty(view, key, {
      enumerable: true,
      ...(typeof english === 'string'
        ? { get: current }
        : {
            value: (values: Readonly<Record<string, unknown>>) =>
              fill(formatTag(language()), id, current(), values),
          }),
    });
  }
  return view;
}

function fill(
  tag: string,
  id: string,
  message: Compiled,
  values: Readonly<Record<string, unknown>>,
): string {
  if (typeof message === 'string') return message;
  if (message.some((token) => typeof token !== 'string' && token.length > 1))
    return formatter()(tag, id, message, values);
  return message
    .map((token) => (typeof token === 'string' ? token : String(values[token[0]])))
    .join('');
}

const mapValues = (
  texts: Texts,
  change: (text: string) => Compiled,
): Readonly<Record<string, Compiled>> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, change(text)]));

// The placeholders of a text, derived by the type checker.

type Values<S extends string> = { readonly [P in Placeholders<S> as P[0]]: P[1] };

/**
 * `{name}` is a string or a number, `{n, plural, …}` a number, `{at, date}` a moment. A case of a
 * plural or choice may contain placeholders of its own. A choice's case that consists of one
 * lower-case word would count as a placeholder, so write two words.
 */
type Placeholders<S extends string> = S extends `${infer Before}{${infer After}`
  ? Before extends `${string}${PluralCase} `
    ? Placeholders<After>
    : PlaceholderAt<After>
  : never;
type PlaceholderAt<S extends string> = S extends `${infer Head}}${infer Rest}`
  ? Head extends `${infer Name}, ${infer Type}, ${string}`
    ? Type extends FormatType
      ?
          | [Name, ValueOf<Type>]
          | (S extends `${string}, ${string}, ${infer Cases}` ? Placeholders<Cases> : never)
      : Placeholders<S>
    : Head extends `${infer Name}, ${infer Type}`
      ? Type extends FormatType
        ? [Name, ValueOf<Type>] | Placeholders<Rest>
        : Placeholders<S>
      : Head extends `${string} ${string}`
        ? Placeholders<S>
        : Head extends Uncapitalize<Head>
          ? [Head, string | number] | Placeholders<Rest>
          : Placeholders<S>
  : never;
type PluralCase = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other' | `=${number}`;
type FormatType = 'plural' | 'selectordinal' | 'number' | 'select' | 'date' | 'time';
type ValueOf<Type extends FormatType> = Type extends 'plural' | 'selectordinal' | 'number'
  ? number
  : Type extends 'date' | 'time'
    ? Date | number
    : string;
