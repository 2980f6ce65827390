import type { Clock, Log } from './app-context.ts';

type Level = 'info' | 'warn' | 'error';

/**
 * One line of JSON an entry, warnings and errors to stderr. What looks like a secret is masked in
 * every string of it.
 */
export function makeLog(
  clock: Clock,
  write: (level: Level, line: string) => void = toConsole,
): Log {
  const entry =
    (level: Level) =>
    (what: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const at = new Date(clock.now()).toISOString();
      write(level, masked(JSON.stringify({ at, level, what, ...fields }, plain)));
    };
  return { info: entry('info'), warn: entry('warn'), error: entry('error') };
}

/** Ingest keys (`dbk_…`, `/ping/<key>`), API keys, secrets of webhooks and bearer tokens. */
export const masked = (text: string): string =>
  text
    .replaceAll(/(dbk_|dbu_|whsec_)[\w+/=-]+/g, '$1***')
    .replaceAll(/(\/ping\/)[^/\s"'?#\\]+/g, '$1***')
    .replaceAll(/(bearer\s+)[\w.~+/=-]+/gi, '$1***');

/** Errors say nothing to JSON by themselves. */
const plain = (_key: string, value: unknown): unknown =>
  value instanceof Error
    ? { name: value.name, message: value.message, stack: value.stack }
    : typeof value === 'bigint'
      ? String(value)
      : value;

function toConsole(level: Level, line: string): void {
  if (level === 'info') console.log(line);
  else console.error(line);
}
