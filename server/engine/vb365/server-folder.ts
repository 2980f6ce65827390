// Folders of proxies, as their operating systems compare them. A proxy of Windows takes both slashes,
// ignores case, and drops dots and spaces at the end of a name.

interface ServerFolder {
  /** Such as `D:`; null: of Linux, or on the current drive of Windows. */
  readonly drive: string | null;
  readonly names: readonly string[];
}

function readFolder(path: string): ServerFolder {
  const drive = /^\s*([A-Za-z]:)/.exec(path)?.[1];
  if (drive !== undefined)
    return { drive: drive.toUpperCase(), names: listNames(path.trimStart().slice(drive.length)) };
  // A share of another machine, as Windows writes it.
  if (path.startsWith('\\')) return { drive: '\\', names: listNames(path) };
  return { drive: null, names: path.split('/').filter((name) => name !== '' && name !== '.') };
}

const listNames = (path: string): string[] =>
  path
    .split(/[\\/]+/)
    .map((name) => toUpper(name.replace(/:.*$/s, '').replace(/[. ]+$/, '')))
    .filter((name) => name !== '');

/** As NTFS: each character alone. */
const toUpper = (name: string): string =>
  Array.from(name, (char) => {
    const upper = char.toUpperCase();
    return upper.length === char.length ? upper : char;
  }).join('');

/** Returns whether two paths on the same proxy are the same folder. */
export function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [readFolder(one), readFolder(other)];
  return (
    a.drive === b.drive &&
    a.names.length === b.names.length &&
    a.names.every((name, n) => name === b.names[n])
  );
}

/**
 * Returns whether one of two folders on the same proxy can be in the other, or be the same. A path
 * without a drive can be on any drive, and a short name of Windows (`BACKUP~1`) can be any name.
 */
export function canOverlap(one: string, other: string): boolean {
  const [a, b] = [readFolder(one), readFolder(other)];
  if (a.drive !== null && b.drive !== null && a.drive !== b.drive) return false;
  const [names, others] = [toNames(a), toNames(b)];
  const shared = Math.min(names.length, others.length);
  return names
    .slice(0, shared)
    .every((name, n) => name === others[n] || isShortName(name) || isShortName(others[n] ?? ''));
}

/** Nothing says that a path without a drive is of Linux. */
const toNames = ({ drive, names }: ServerFolder): readonly string[] =>
  drive === null ? listNames(names.join('/')) : names;

const isShortName = (name: string): boolean => /^[^.]{1,6}~\d[^.]{0,5}(?:\.[^.]{0,3})?$/.test(name);
