import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

// The table of who may import whom: the wall that reads every import. The other wall is each room's
// tsconfig.

type Room = 'contract' | 'machines' | 'workers' | 'src' | 'src/sw' | 'server';

const ROOMS: readonly Room[] = ['contract', 'machines', 'workers', 'src', 'src/sw', 'server'];
const AREAS = [
  'account',
  'people',
  'monitoring',
  'desk',
  'reports',
  'billing',
  'backup',
  'restore',
  'brand',
  'admin',
];

const MAY: Record<Room, { rooms: readonly Room[]; packages: RegExp }> = {
  'contract': {
    rooms: ['contract'],
    packages: /^(valibot|@lingui\/core|@lingui\/message-utils\/compileMessage)$/,
  },
  'machines': { rooms: ['contract', 'machines'], packages: /^xstate$/ },
  'workers': {
    rooms: ['contract', 'machines', 'workers'],
    packages: /^(comlink|ky|xstate|valibot)$/,
  },
  'src': {
    rooms: ['contract', 'machines', 'src'],
    packages:
      /^(react|react-dom|react\/jsx-runtime|react-dom\/client|@tanstack\/react-(router|virtual)|@headlessui\/react|@tremor\/react|comlink|valibot|luxon|xstate|@xstate\/react|@simplewebauthn\/browser|uqr)$/,
  },
  // The service worker is one file of its own beside the page: it shares nothing with it.
  'src/sw': { rooms: ['src/sw'], packages: /^$/ },
  'server': {
    rooms: ['contract', 'server'],
    packages:
      /^(node:.+|hono(\/.+)?|@hono\/.+|kysely|pg|@electric-sql\/pglite(\/.+)?|@node-rs\/argon2|@valibot\/to-json-schema|valibot|croner|luxon|otplib|@simplewebauthn\/server|ldapts|nodemailer|openid-client|pdfmake(\/.+)?|sanitize-html)$/,
  },
};

/** The files that may ask for the time or for chance: everywhere else they come in as arguments. */
const PROVIDERS = new Set([
  'server/clock.ts',
  'server/chance.ts',
  'workers/clock.ts',
  'src/clock.ts',
]);

/** The room in which a path lies: the innermost. */
function roomOf(path: string): string {
  return ROOMS.findLast((room) => path.startsWith(`${room}/`)) ?? path.split('/')[0] ?? '';
}

interface File {
  readonly path: string;
  readonly room: Room;
  readonly text: string;
}
interface Import {
  readonly from: string;
  readonly spec: string;
  readonly typeOnly: boolean;
}

const files: File[] = ROOMS.flatMap((room) =>
  readdirSync(room, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => roomOf(path) === room)
    .map((path) => ({ path, room, text: readFileSync(path, 'utf8') })),
);

function importsOf({ path, text }: File): Import[] {
  const found: Import[] = [];
  const statement = /^\s*(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
  for (const match of text.matchAll(statement))
    found.push({ from: path, spec: match[3] ?? '', typeOnly: match[2] !== undefined });
  for (const match of text.matchAll(/import\(\s*'([^']+)'\s*\)/g))
    found.push({ from: path, spec: match[1] ?? '', typeOnly: false });
  return found;
}

/** Path in the house of what is imported, or null for a package. */
function targetOf({ from, spec }: Import): string | null {
  const bare = spec.replace(/\?.*$/, '');
  if (bare.startsWith('.')) return normalize(join(dirname(from), bare));
  if (bare.startsWith('/')) return join('src', bare);
  return bare.startsWith('#') ? bare.slice(1) : null;
}

const areaOf = (path: string): string | null => {
  const parts = path.split('/');
  const area = parts[0] === 'src' && parts[1] === 'areas' ? parts[2] : parts[1];
  return area !== undefined && parts.length > 2 && AREAS.includes(area) ? area : null;
};

const all = files.flatMap((file) =>
  importsOf(file).map((one) => ({ ...one, room: file.room, target: targetOf(one) })),
);

test('HOUSE-1: a room imports only the rooms and packages of its row', () => {
  const wrong = all.filter(({ room, target, spec, from, typeOnly }) => {
    if (target === null) return !MAY[room].packages.test(spec);
    const to = roomOf(target);
    if (room === 'src' && to === 'workers') {
      if (target === 'workers/api.ts') return !typeOnly;
      return !(from === 'src/worker.ts' && spec.endsWith('?worker&url'));
    }
    return !(MAY[room].rooms as readonly string[]).includes(to);
  });
  expect(wrong.map(({ from, spec }) => `${from} imports ${spec}`)).toEqual([]);
});

test('HOUSE-1: one file of the page starts the worker', () => {
  expect(all.filter(({ spec }) => /\?(shared)?worker/.test(spec)).map(({ from }) => from)).toEqual([
    'src/worker.ts',
  ]);
});

/**
 * The lists in which everything meets (house law 10), and what ties the areas of the contract
 * together.
 */
const MEETS = new Set([
  'contract/calls.ts',
  'contract/events.ts',
  'contract/fold.ts',
  'server/handlers.ts',
  'server/main.ts',
  'src/routes.tsx',
  'src/menu.ts',
]);

test('HOUSE-2: an area imports its own area and its room, not another area', () => {
  const wrong = all.filter(({ room, from, target, typeOnly }) => {
    const own = areaOf(from);
    const other = target === null ? null : areaOf(target);
    if (own === null || other === null || own === other || MEETS.has(from)) return false;
    // Shapes of the contract may be named everywhere: they are what both sides agree on.
    return roomOf(target ?? '') === room && !(typeOnly && room === 'contract');
  });
  expect(wrong.map(({ from, spec }) => `${from} imports ${spec}`)).toEqual([]);
});

test("HOUSE-2: the demo estate is wiring like the server's start: it uses what makes and records, and nothing leans on it", () => {
  const inside = /^server\/estate\//;
  const wrong = all.filter(
    ({ from, target }) =>
      target !== null &&
      roomOf(target) === 'server' &&
      (inside.test(from)
        ? !/^server\/(?:(?:estate|store|monitoring|people|brand|reports)\/[\w-]+|[\w-]+)\.ts$/.test(
            target,
          )
        : inside.test(target) && !ESTATE_STARTS.has(from)),
  );
  expect(wrong.map(({ from, spec }) => `${from} imports ${spec}`)).toEqual([]);
});
const ESTATE_STARTS = new Set(['server/main.ts', 'server/config.ts']);

test('HOUSE-3: a file has 500 lines at most, no barrel, no default export and no name that says nothing', () => {
  const wrong = files.flatMap(({ path, text }) => [
    ...(text.split('\n').length > 501 ? [`${path}: ${text.split('\n').length - 1} lines`] : []),
    ...(/(^|\/)index\.tsx?$/.test(path) ? [`${path}: a barrel`] : []),
    ...(/(^|\/)(utils?|helpers?|common|misc|manager)\b[^/]*\.tsx?$/.test(path)
      ? [`${path}: says nothing`]
      : []),
    ...(/^export default/m.test(text) ? [`${path}: default export`] : []),
  ]);
  expect(wrong).toEqual([]);
});

test('HOUSE-4: time and chance come in as arguments', () => {
  const wrong = files
    .filter(({ path }) => !PROVIDERS.has(path))
    .filter(({ text }) =>
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/.test(withoutComments(text)),
    );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('HOUSE-5: what decides is free of the outside: the contract names no clock, storage, network or page', () => {
  const outside =
    /\b(fetch|setTimeout|setInterval|localStorage|indexedDB|document|window|process|performance)\s*[.(]/;
  const wrong = files
    .filter(({ room }) => room === 'contract' || room === 'machines')
    .filter(({ text }) => outside.test(withoutComments(text)));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('HOUSE-6: no element but a frame has a title attribute, written or spread', () => {
  const wrong = files
    .filter(({ path }) => path.endsWith('.tsx'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\stitle(?==[{"])|&& \{ (?:'[\w-]+': [^,}]+, )?'?title'?:/g)]
        .map(({ index, 0: found }) => ({
          path,
          line: text.slice(0, index).split('\n').length,
          tag: found.includes('{') ? 'spread' : tagAt(text, index),
        }))
        .filter(
          ({ tag }) =>
            tag === 'spread' ||
            (/^[a-z]/.test(tag) && tag !== 'iframe') ||
            ['Button', 'IconButton', 'Link', 'Go'].includes(tag),
        ),
    );
  expect(wrong.map(({ path, line, tag }) => `${path}:${line} <${tag}>`)).toEqual([]);
});

/** The element in whose opening tag a place lies: the nearest `<` before it outside of braces. */
function tagAt(text: string, index: number): string {
  for (let at = index, depth = 0; at >= 0; at -= 1) {
    if (text[at] === '}') depth += 1;
    else if (text[at] === '{') depth -= 1;
    else if (depth === 0 && text[at] === '<') return /^[\w.]+/.exec(text.slice(at + 1))?.[0] ?? '';
  }
  return '';
}

const withoutComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|`[^`]*`/g, "''");
