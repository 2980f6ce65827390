/** A compiled text: the text itself, or its parts if it has placeholders. */
export type Compiled = string | readonly MessageToken[];
export type MessageToken = string | Placeholder;
/**
 * A placeholder: its name. Plurals, choices, numbers and dates also have a type and their cases or
 * format.
 */
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
/** Sets the formatter. Loading `icu.ts` calls this. */
export function setFormatter(to: Formatter): void {
  current = to;
}
/** @throws Error if a catalog has plurals but `icu.ts` is not loaded. */
export function formatter(): Formatter {
  if (!current) throw new Error('contract/i18n/icu.ts is not loaded');
  return current;
}
