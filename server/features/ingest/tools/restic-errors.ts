import { type JsonObject, sub, whole, word } from './tool-output.ts';

/**
 * Returns the text of an error line. Version 0.14 writes the error as `{Op, Path, Err: 13}`, or as
 * `{}` for a folder; later versions as `{message}`.
 */
export function errorText(line: JsonObject): string {
  const error = sub(line, 'error');
  const said = word(error['message']) ?? word(line['error']);
  if (said !== null) return said;
  const path = word(error['Path']) ?? word(line['item']);
  const reason = getReason(error);
  if (reason === null)
    return path === null ? 'restic gave no reason' : `${path} (restic gave no reason)`;
  return `${[word(error['Op']) ?? word(line['during']), path].filter((part) => part !== null).join(' ')}: ${reason}`;
}

export const hasReason = (line: JsonObject): boolean =>
  word(line['error']) !== null ||
  word(sub(line, 'error')['message']) !== null ||
  getReason(sub(line, 'error')) !== null;

function getReason(error: JsonObject): string | null {
  const number = whole(error['Err']);
  return number === null ? word(error['Err']) : (ERRNO[number] ?? `error number ${number}`);
}

/**
 * Returns how many items could not be read. The scan reports an item with its full path, and the
 * backup reports it again as it was given.
 */
export function countErrors(errors: readonly JsonObject[]): number {
  const items = errors.map(
    (line) => word(line['item']) ?? word(sub(line, 'error')['Path']) ?? errorText(line),
  );
  const absolute = new Set(items.filter((item) => item.startsWith('/')));
  const folders = new Set<string>();
  let searches = 0;
  const isCounted = (item: string): boolean => {
    for (const folder of folders) if (absolute.has(`${folder}/${item}`)) return true;
    // All paths of one run start in the same folder, which the first of them determines.
    if (searches >= SEARCHES) return false;
    searches += 1;
    const full = [...absolute].find((path) => path.endsWith(`/${item}`));
    if (full === undefined) return false;
    folders.add(full.slice(0, -item.length - 1));
    return true;
  };
  const relative = new Set(items.filter((item) => !item.startsWith('/')));
  return absolute.size + [...relative].filter((item) => !isCounted(item)).length;
}

const SEARCHES = 20;

/** The meaning of Linux error numbers. */
const ERRNO: Readonly<Record<number, string>> = {
  1: 'operation not permitted',
  2: 'no such file or directory',
  5: 'input/output error',
  6: 'no such device or address',
  9: 'bad file descriptor',
  11: 'resource temporarily unavailable',
  12: 'cannot allocate memory',
  13: 'permission denied',
  16: 'device or resource busy',
  19: 'no such device',
  20: 'not a directory',
  21: 'is a directory',
  22: 'invalid argument',
  23: 'too many open files in system',
  24: 'too many open files',
  27: 'file too large',
  28: 'no space left on device',
  30: 'read-only file system',
  36: 'file name too long',
  40: 'too many levels of symbolic links',
  61: 'no data available',
  95: 'operation not supported',
  107: 'transport endpoint is not connected',
  110: 'connection timed out',
  112: 'host is down',
  113: 'no route to host',
  116: 'stale file handle',
  121: 'remote input/output error',
  122: 'disk quota exceeded',
};
