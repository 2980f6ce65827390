import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The migrated database from which those of the suites are made. */
export const TEMPLATE = 'daybook_template';

/** The folder of PostgreSQL's programs, newest version first; null where there is none. */
export function binaries(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, 'bin'))
    : [];
  const path = (process.env['PATH'] ?? '').split(delimiter);
  return (
    [...versions, ...path].find((dir) =>
      ['initdb', 'postgres', 'createdb'].every((program) => existsSync(join(dir, program))),
    ) ?? null
  );
}

/** Over the unix socket in the folder. */
export const urlIn = (folder: string, database: string): string =>
  `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(folder)}&port=5432`;

/** PostgreSQL refuses to run as root. */
export function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  for (const user of ['postgres', 'nobody']) {
    try {
      const of = (what: string): number =>
        Number(execFileSync('id', [what, user], { stdio: 'pipe' }).toString());
      return { uid: of('-u'), gid: of('-g') };
    } catch {
      // no such user here
    }
  }
  return null;
}
