import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const ENGINES = ['embedded', 'vb365', 'shared'];

test('HOUSE-13: an engine imports itself and what the engines share, not another engine', () => {
  const imports = ENGINES.flatMap((engine) =>
    readdirSync(`server/engine/${engine}`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .flatMap((path) =>
        [...readFileSync(path, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].flatMap(
          ([, spec = '']) => {
            const other = getEngine(spec.startsWith('.') ? join(dirname(path), spec) : spec);
            return other === null || other === engine ? [] : [{ path, spec, other }];
          },
        ),
      ),
  );
  expect(imports.length).toBeGreaterThan(100);
  expect(
    imports
      .filter(({ other }) => other !== 'shared')
      .map(({ path, spec }) => `${path} imports ${spec}`),
  ).toEqual([]);
});

function getEngine(path: string): string | null {
  const name = /^#?server\/engine\/([^/]+)\//.exec(normalize(path))?.[1];
  return name !== undefined && ENGINES.includes(name) ? name : null;
}
