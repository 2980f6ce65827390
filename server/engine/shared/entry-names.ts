import { createHash } from 'node:crypto';

/**
 * Returns safe, unique paths for files in an archive (G66). Each path comes as the names of its
 * folders and its file, which come from content: they are never trusted as paths.
 *
 * A part keeps its letters, except what Windows, macOS or a shell can't have in a name: separators,
 * control and formatting characters, reserved characters and device names, leading and trailing dots
 * and spaces. It is cut to 120 characters, before its extension. Paths that would be the same in a
 * file system that ignores case get numbers.
 */
export function uniqueNames(paths: readonly (readonly string[])[]): string[] {
  return paths.map(makeNamer(paths.map((path) => path.slice(0, -1))));
}

/**
 * Returns the same for paths that come one by one, if their folders are known beforehand. A path takes
 * the memory of a number, however long it is. Two paths of a million may get the same number in one of
 * 500 archives: then one of them is numbered without need.
 */
export function makeNamer(
  folders: readonly (readonly string[])[],
): (path: readonly string[]) => string {
  // A file can't have the name of a folder beside it.
  const taken = new Set<number>();
  for (const folder of folders) {
    const parts = folder.map(safePart);
    for (let depth = 1; depth <= parts.length; depth++)
      taken.add(key(parts.slice(0, depth).join('/')));
  }
  /** The last number that was given to a path, so that thousands of equal names stay fast. */
  const numbers = new Map<number, number>();
  return (path) => {
    const safe = path.map(safePart);
    const folder = safe.slice(0, -1).map((part) => `${part}/`);
    const file = safe.at(-1) ?? UNNAMED;
    const wanted = key(folder.join('') + file);
    let name = folder.join('') + file;
    for (let number = numbers.get(wanted) ?? 1; taken.has(key(name));) {
      number += 1;
      numbers.set(wanted, number);
      const [stem, extension] = split(file);
      name = `${folder.join('')}${stem} (${number})${extension}`;
    }
    taken.add(key(name));
    return name;
  };
}

/** Makes one name of a folder or file safe. */
export function safePart(part: string): string {
  const clean = part
    .normalize('NFC')
    .toWellFormed()
    // Control and formatting characters, among them those that change the direction of text.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/["*/:<>?\\|]/g, '_');
  const [stem, extension] = split(clean);
  const short = trimmed(stem.slice(0, LONGEST - extension.length).toWellFormed() + extension);
  if (short === '') return UNNAMED;
  return DEVICE.test(short) ? `_${short}` : short;
}

const UNNAMED = 'unnamed';
const LONGEST = 120;
/** Names that Windows takes for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;

const KEY_BYTES = 6;
const key = (name: string): number =>
  createHash('sha1').update(name.toUpperCase().toLowerCase()).digest().readUIntBE(0, KEY_BYTES);
const trimmed = (name: string): string => name.replaceAll(/^[.\s]+|[.\s]+$/gu, '');

/** A name without its extension, and the extension with its dot: at most 10 characters. */
function split(name: string): readonly [string, string] {
  const at = name.lastIndexOf('.');
  return at > 0 && name.length - at <= 11 ? [name.slice(0, at), name.slice(at)] : [name, ''];
}
