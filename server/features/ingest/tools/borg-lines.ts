/**
 * A file that borg could not read, or that changed while it was read. Lines with `next: retry` are
 * followed by another.
 */
const UNREAD =
  /^(?:[A-Z]+: )?(.{1,4096}?): (?:(?:[\w ]{1,40}: )?\[Errno (\d+)\]|file changed while we backed it up)/;

/** Returns the lines that report a source file missing from the archive. */
export const unreadLines = (lines: readonly string[]): string[] =>
  lines.filter((line) => getPath(line) !== null);

/** Returns whether a line reports a file that was saved, but changed while it was read. */
export const isChanged = (line: string): boolean =>
  line.slice(0, 5_000).includes(': file changed while we backed it up');

/** Returns how many different files the lines name. */
export const countUnread = (lines: readonly string[]): number => new Set(lines.map(getPath)).size;

function getPath(line: string): string | null {
  const cut = line.slice(0, 5_000);
  const path = cut.includes('next: retry') ? undefined : UNREAD.exec(cut)?.[1];
  return path === undefined || EXCEPTION.test(path) ? null : path;
}

/** `OSError: [Errno 28] No space left on device` is the end of a traceback, not a file. */
const EXCEPTION = /^(?:\w+\.)*[A-Z]\w*Error$/;

/** Returns whether the log of a successful run contains a warning. */
export const hasWarning = (lines: readonly string[]): boolean =>
  lines.some(
    (line) =>
      getPath(line) !== null ||
      /^(?:WARNING|ERROR|CRITICAL): |terminating with warning status/.test(line),
  );
