const MAX_DEPTH = 32;
const MAX_NAME_CHARS = 200;

/**
 * Returns the folders that a path in an archive names. It never leads out of them, and it is never a
 * path of the server (G66).
 */
export function toFolderPath(names: readonly string[]): readonly string[] {
  const path = names.map(cleanName).filter((name) => name !== '' && !/^\.+$/.test(name));
  return path.length <= MAX_DEPTH
    ? path
    : [
        ...path.slice(0, MAX_DEPTH - 1),
        path
          .slice(MAX_DEPTH - 1)
          .join(' ')
          .slice(0, MAX_NAME_CHARS),
      ];
}

/** Splits a path at the separators of all systems. */
export const splitPath = (path: string): readonly string[] => path.split(/[/\\]/);

/** Returns a name without control characters and characters that change the direction of text. */
export const cleanName = (name: string): string =>
  name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed();
