/** A compiled text: the text itself, or its parts where it has placeholders. */
export type Compiled = string | readonly Token[];
export type Token = string | Placeholder;
/** A name; for plurals, choices, numbers and dates then its type and its cases or format. */
export type Placeholder = readonly [
  name: string,
  type?: string,
  format?: string | Readonly<Record<string, unknown>>,
];

/** Formats plurals, choices, numbers and dates. */
export type Formatter = (
  tag: string,
  id: string,
  message: Compiled,
  values: Readonly<Record<string, unknown>>,
) => string;

let current: Formatter | undefined;
/** `icu.ts` sets it when it is loaded. */
export function setFormatter(to: Formatter): void {
  current = to;
}
/** @throws Error where a catalog has plurals and was loaded without `icu.ts`. */
export function formatter(): Formatter {
  if (!current) throw new Error('contract/i18n/icu.ts is not loaded');
  return current;
}
