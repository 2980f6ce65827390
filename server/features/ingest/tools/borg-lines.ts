/**
 * A file that borg could not read, or that changed while it was read. Lines with `next: retry` are
 * followed by another.
 */
const UNREAD =
  /^(?:[A-Z]+: )?(.{1,4096}?): (?:(?:[\w ]{1,40}: )?\[Errno (\d+)\]|file changed while we backed it up)/;

/** Returns the lines that report a source file missing from the archive. */
export const unreadLines = (lines: readonly string[]): string[] =>
  lines.filter((line) => getPath(line) !== null);

/** Returns how many different files the lines name. */
export const countUnread = (lines: readonly string[]): number => new Set(lines.map(getPath)).size;

function getPath(line: string): string | null {
  const cut = line.slice(0, 5_000);
  return cut.includes('next: retry') ? null : (UNREAD.exec(cut)?.[1] ?? null);
}

/** Returns whether the log of a successful run contains a warning. */
export const hasWarning = (lines: readonly string[]): boolean =>
  lines.some(
    (line) =>
      getPath(line) !== null ||
      /^(?:WARNING|ERROR|CRITICAL): |terminating with warning status/.test(line),
  );
