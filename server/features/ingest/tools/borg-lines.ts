/**
 * A file of which borg says that it could not be read, or changed while it was read. `next: retry`
 * lines are followed by another.
 */
const UNREAD =
  /^(?:[A-Z]+: )?(.{1,4096}?): (?:(?:[\w ]{1,40}: )?\[Errno (\d+)\]|file changed while we backed it up)/;

/** Lines that say that something of the sources is not in the archive. */
export const unreadLines = (lines: readonly string[]): string[] =>
  lines.filter((line) => pathOf(line) !== null);

/** How many different files they name. */
export const countUnread = (lines: readonly string[]): number => new Set(lines.map(pathOf)).size;

function pathOf(line: string): string | null {
  const cut = line.slice(0, 5_000);
  return cut.includes('next: retry') ? null : (UNREAD.exec(cut)?.[1] ?? null);
}

/** Whether the log of a run that ended well says that not all went well. */
export const hasWarning = (lines: readonly string[]): boolean =>
  lines.some(
    (line) =>
      pathOf(line) !== null ||
      /^(?:WARNING|ERROR|CRITICAL): |terminating with warning status/.test(line),
  );
