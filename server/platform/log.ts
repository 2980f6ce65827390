import type { Clock, Log } from './app-context.ts';

type Level = 'info' | 'warn' | 'error';

/**
 * Writes one line of JSON per entry, warnings and errors to stderr. Masks anything that looks like
 * a secret in every string.
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

/** Masks ingest keys (`dbk_…`, `/ping/<key>`), API keys, webhook secrets and bearer tokens. */
export const masked = (text: string): string =>
  text
    .replaceAll(/(dbk_|dbu_|whsec_)[\w+/=-]+/g, '$1***')
    .replaceAll(/(\/ping\/)[^/\s"'?#\\]+/g, '$1***')
    .replaceAll(/(bearer\s+)[\w.~+/=-]+/gi, '$1***');

/** `JSON.stringify` writes an error as an empty object. */
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
