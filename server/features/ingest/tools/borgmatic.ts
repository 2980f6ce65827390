import { unreadLines } from './borg-lines.ts';

/** An action of borgmatic that failed. */
export interface BorgmaticFailure {
  /** The repository: its label, or its location as borg writes it. Null: not only one of them. */
  readonly place: string | null;
  readonly lines: readonly string[];
  /** An archive was saved, but borg warned. */
  readonly isWarning: boolean;
}

/**
 * Returns what failed in the output of borgmatic 1.7 to 2: one element for each repository, or one
 * without a place if it failed outside of them. Empty if borgmatic reports no failure. Its exit
 * code is 1 for any of them, which says nothing about borg's.
 */
export function getBorgmaticFailures(lines: readonly string[]): readonly BorgmaticFailure[] {
  if (!lines.some((line) => FAILED.test(line))) return [];
  // After this line everything is repeated.
  const summary = lines.findIndex((line) => SUMMARY.test(line));
  const said = summary === -1 ? lines : lines.slice(0, summary);
  const found = new Map<string, string[]>();
  let before: string[] = [];
  let latest: string[] | null = null;
  for (const line of said) {
    const place = PLACE.exec(line.slice(0, LINE))?.[1];
    if (place !== undefined) {
      latest = [...(found.get(place) ?? []), ...before, line];
      found.set(place, latest);
      before = [];
    } else if (latest !== null && COMMAND.test(line.slice(0, LINE))) latest.push(line);
    else before.push(line);
  }
  if (found.size === 0) return [{ place: null, lines, isWarning: isOnlyWarned(lines) }];
  return [...found].map(([place, own]) => {
    const isWarning = isOnlyWarned(own);
    return { place: canonical(place), lines: isWarning ? own : withoutUnread(own), isWarning };
  });
}

/** A repository that succeeded just before may have left these, unless they are all there is. */
function withoutUnread(lines: readonly string[]): readonly string[] {
  const unread = new Set(unreadLines(lines));
  const rest = lines.filter((line) => !unread.has(line));
  return rest.some((line) => !isCommand(line) && !PLACE.test(line.slice(0, LINE))) ? rest : lines;
}

const LINE = 5_000;
const FAILED =
  /(?:^|: )(?:Error (?:running|parsing|getting local Borg version|pinging monitor|unmounting)|An error occurred$|No valid configuration files found)|^(?:[A-Z]+: )?Need some help\? https?:\S*borgmatic|\breturned non-zero exit status [2-9]/;
const PLACE = /^(?:[A-Z]+: )?(.{1,4096}?): Error running actions for repository$/;
const SUMMARY = /^(?:[A-Z]+: )?summary:$/;
const COMMAND =
  /^(?:[A-Z]+: )?(?:.{1,4096}?: )?Command '.* returned non-zero exit status (\d+)\.?$/;
const isCommand = (line: string): boolean => COMMAND.test(line.slice(0, LINE));

/** The program of a command that creates an archive, as borgmatic writes commands. */
const CREATES = /Command '(?:\('([^']*)', (?:'-[^']*', )*'create'|(\S+) (?:-\S+ )*create )/;

/** With `--json`, borgmatic stops at an exit code of borg that is a warning. */
function isOnlyWarned(lines: readonly string[]): boolean {
  const commands = lines.filter(isCommand);
  return (
    commands.length > 0 &&
    commands.every((line) => {
      const code = Number(COMMAND.exec(line.slice(0, LINE))?.[1]);
      const program = CREATES.exec(line.slice(0, LINE));
      const isBorg = program?.[1]?.includes('borg') ?? program?.[2]?.endsWith('borg') ?? false;
      return isBorg && (code === 1 || (code >= 100 && code <= 127));
    })
  );
}

/** Returns a repository of a configuration as borg writes it: `pc:br` is `ssh://pc/./br`. */
function canonical(place: string): string {
  if (place.startsWith('file://')) return place.slice('file://'.length);
  const remote = /^((?:[^@:/\s]+@)?(?:\[[\da-fA-F:]+\]|[^@:/\s]+)):(?!\/\/)(\S.*)$/.exec(place);
  if (remote === null) return place;
  const [, host = '', path = ''] = remote;
  return `ssh://${host}${path.startsWith('/') ? '' : path.startsWith('~') ? '/' : '/./'}${path}`;
}
