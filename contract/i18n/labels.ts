/** The keys of a catalog's texts that have no placeholders. */
export type TextKey<M> = {
  [K in keyof M]: M[K] extends string ? K : never;
}[keyof M];

/**
 * Returns labels by their names. Each text is read from its catalog when it is used, so that it
 * follows the language.
 */
export function readLabels<M extends object, N extends string>(
  messages: M,
  keys: Readonly<Record<N, TextKey<M>>>,
): Readonly<Record<N, string>> {
  return Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries<TextKey<M>>(keys).map(([name, key]) => [
        name,
        { enumerable: true, get: () => messages[key] },
      ]),
    ),
  ) as Record<N, string>;
}
