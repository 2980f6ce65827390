import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';
import { CALLS } from '#contract/calls.ts';

/** Words that say nothing to a reader who doesn't know the project, and what to say instead. */
const RETIRED: Readonly<Record<string, string>> = {
  asked: 'query, request or input',
  told: 'details, output, labels or text',
  kept: 'stored, saved or cached',
  standing: 'status or state',
  stands: 'isActive',
  fault: 'error or failure',
  faults: 'errors',
  deed: 'action or entry',
  deeds: 'actions or entries',
  heed: 'unignore',
  heeded: 'unignored',
  teach: 'calibrate',
  taught: 'calibrated',
  tied: 'linked',
  woken: 'unsnoozed',
  shelf: 'store',
  shelves: 'stores',
  estate: 'demo',
  dice: 'random',
  door: 'worker client or API',
  world: 'context',
  ground: 'context, or fixture in tests',
  hurried: 'rate limit',
  happenings: 'runs or events',
};
/** Whole names that were copied as constants of their own. */
const RETIRED_NAMES: Readonly<Record<string, string>> = {
  NOTHING: 'EMPTY',
  AT_ONCE: 'BATCH_SIZE',
  SIDE_BY_SIDE: 'CONCURRENCY',
  most: 'max',
  least: 'min',
  By: 'EventMeta',
  Room: 'Layer',
  ROOMS: 'LAYERS',
  deskCalls: 'dailyCheckCalls',
  tell: 'report, print, notify or publish',
  touched: 'affected or changed',
  bring: 'load',
  pace: 'step, limit or rate',
  spared: 'skipped or remaining',
};
/** Types of what is asked for. */
const RETIRED_TYPES = /^[A-Z][A-Za-z]*Ask$/;
/** Parts of names of limits. */
const RETIRED_LIMITS =
  /^(?:MOST|LEAST)(?:_|$)|_(?:MOST|LEAST)(?:_|$)|^(?:most|least)(?:Ms|Bytes|Chars|Rows|N)$/;

/** Words that also say nothing as the name of a property that a component takes. */
const RETIRED_PROPS: Readonly<Record<string, string>> = {
  ...RETIRED,
  says: 'description or message',
  said: 'message or summary',
  word: 'label',
};

const FOLDERS = [
  'contract',
  'machines',
  'workers',
  'server',
  'src',
  'cli-wrapper',
  'scripts',
  'tests',
];

/** Every file is parsed once. */
const FILES = FOLDERS.flatMap(listCode).map((path) => {
  const tree = parse(path, readFileSync(path, 'utf8'));
  return {
    path,
    declared: listDeclared(tree),
    fields: listFields(tree),
    props: path.startsWith('src/') ? listProps(tree) : [],
  };
});

test('HOUSE-10: declared names are the terms of the field: no retired word, no function named …Of', () => {
  expect(FILES.length).toBeGreaterThan(1_500);
  const wrong = FILES.flatMap(({ path, declared }) =>
    declared.flatMap((name) => {
      const better = findBetter(name);
      return better === null ? [] : [`${path}: ${name} → ${better}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('HOUSE-10: plain JavaScript is read, too: the wrapper, the scripts and what runs before the page', () => {
  const paths = new Set(FILES.map(({ path }) => path));
  for (const path of ['cli-wrapper/daybook-run.mjs', 'scripts/run.mjs', 'src/public/theme.js'])
    expect(paths).toContain(path);
});

test('HOUSE-10: every way to declare a name is seen', () => {
  const code = `
    import { a as told1, b } from 'x';
    const kept1 = 1, { c: told2, d: [told3 = 2, ...told4] } = {};
    function jobOf({ e: fault1 }: { told: 1 }, ...told5: []) { try {} catch (fault2) {} }
    class Kept2 { private readonly told = (asked1: 1) => 1; }
    interface Asked2 { told(asked3: 1): void }
    type Told6<Told7> = (told8: 1) => Told7;
    for (const told9 of []) for (let told10 = 0; ; ) {}
    const call = { told: 1 }; call.told;
  `;
  const declared = listDeclared(parse('x.ts', code));
  expect(declared.filter((name) => /told|kept|asked|fault|Of$/i.test(name)).sort()).toEqual(
    'Asked2 Kept2 Told6 Told7 asked1 asked3 fault1 fault2 jobOf kept1 told1 told10 told2 told3 told4 told5 told8 told9'.split(
      ' ',
    ),
  );
  expect(findBetter('isToldOnce')).not.toBeNull();
  expect(findBetter('bareFoot')).toBeNull();
});

/** Names that several modules of a layer export because each of them offers the same thing. */
const SAME_EVERYWHERE = [
  /** The two constructors of results: of calls and of engines. */
  'ok',
  'failed',
  /** What every template of a report exports. */
  'columns',
  'getRows',
  /** The first page loads the code of no dialog. */
  'knowsPasskeys',
];

test('HOUSE-14: a name has one meaning in its layer, and one of the contract or of the API of the worker everywhere', () => {
  const files = new Map<string, string[]>();
  for (const path of FOLDERS.filter((folder) => folder !== 'tests')
    .flatMap(listCode)
    .filter((file) => !describesOther(file)))
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(EXPORT))
      files.set(name, [...(files.get(name) ?? []), path]);
  expect(files.size).toBeGreaterThan(7_000);
  const twice = [...files].flatMap(([name, all]) => {
    const paths = [...new Set(all)];
    if (paths.length === 1 || SAME_EVERYWHERE.includes(name)) return [];
    if (paths.some(isShared)) return [`${name}: ${paths.join(', ')}`];
    const layers = Object.values(Object.groupBy(paths.filter(isNamedAlone(name)), getLayer));
    return layers.flatMap((group = []) =>
      group.length > 1 ? [`${name}: ${group.join(', ')}`] : [],
    );
  });
  expect(twice).toEqual([]);
});
/** Whether the file only declares the types of a module beside it. */
const describesOther = (path: string): boolean =>
  path.endsWith('.d.ts') && existsSync(path.replace(/\.d\.ts$/, '.ts'));
/** A fake speaks the words of its system, and each engine those of the operations that it offers. */
const getLayer = (path: string): string =>
  /^server\/(?:demo|engine\/vb365)\//.exec(path)?.[0] ?? path.slice(0, path.indexOf('/'));
/** Components and their props are named within their feature, and so are its texts. */
const isNamedAlone =
  (name: string) =>
  (path: string): boolean =>
    !/Props$|Messages$/.test(name) &&
    !(path.startsWith('src/') && /^[A-Z][A-Za-z]*[a-z]/.test(name) && /\.tsx$|\/lazy-/.test(path));
const EXPORT = /^export (?:async )?(?:function\*?|const|class|interface|type) +([A-Za-z0-9_$]+)/gm;
const isShared = (path: string): boolean => /^contract\/|^workers\/(?:api|types)\.ts$/.test(path);

test('HOUSE-10: the constants of time are those of contract/time/durations.ts', () => {
  const own = /^(?:export )?const (?:SECOND|MINUTE|HOUR|DAY)(?:_MS)?(?:: Ms)? = [\d_]{4,}/m;
  expect(own.test('const DAY: Ms = 86_400_000;')).toBe(true);
  expect(
    FOLDERS.filter((folder) => folder !== 'tests')
      .flatMap(listCode)
      .filter((path) => path !== 'contract/time/durations.ts')
      .filter((path) => own.test(readFileSync(path, 'utf8'))),
  ).toEqual([]);
});

/** Fields whose names would say nothing, wherever an object or a type has them. */
const RETIRED_FIELDS: Readonly<Record<string, string>> = {
  is: 'kind or type',
  acting: 'impersonator',
  says: 'summary, message or description',
  least: 'min',
  most: 'max',
  tied: 'linkedTicket',
  taught: 'calibrated',
  deed: 'action or entry',
  dice: 'random',
  door: 'client or api',
  spared: 'skipped',
  tell: 'report, notify or publish',
  pace: 'rateLimit',
  shelves: 'stores',
  faults: 'errors',
};
/**
 * Fields that would say nothing, outside of the server: rows there have the columns of the database
 * as their fields, and columns keep their names.
 */
const RETIRED_BESIDE_ROWS: Readonly<Record<string, string>> = {
  fault: 'error',
  lastFault: 'lastError',
  kept: 'isMet, storedUntil or stored',
};
const isBesideRows = (path: string): boolean => !/^(?:tests\/)?server\//.test(path);
/** Files that read or write former or stored names, or talk to others who have such a field. */
const READS_FORMER_NAMES = [
  'contract/auth/api-key-calls.ts',
  'contract/auth/current-user.ts',
  'contract/auth/profile-calls.ts',
  'contract/last-error.ts',
  'contract/providers/admin-calls.ts',
  'contract/hints/calls.ts',
  'contract/reports/calls.ts',
  'contract/runs/calls.ts',
  'contract/sla/calls.ts',
  'contract/sync/calls.ts',
  'contract/users/log-calls.ts',
  'src/features/reports/labels.ts',
  'src/features/support/sent-requests.tsx',
  'workers/disk/cached-answers.ts',
  'workers/disk/records.ts',
  'server/features/auth/api-keys.ts',
  'server/features/auth/own-sessions.ts',
  'server/features/auth/profile-read.ts',
  'server/platform/sync/handlers.ts',
  'server/features/hints/handlers.ts',
  'server/features/notifications/open-facts.ts',
  'server/features/providers/event-log.ts',
  'server/features/users/logs.ts',
  'tests/names.test.ts',
  'tests/playground/fake-client.ts',
  'tests/server/events/former-log.test.ts',
  'tests/server/events/former-log.ts',
  'tests/server/auth/impersonation.test.ts',
  'tests/server/hints/hints.test.ts',
  'tests/server/support/support.test.ts',
  'tests/server/sync/commands.test.ts',
  'tests/server/users/logs.test.ts',
  'tests/workers/disk/disk.test.ts',
  'tests/workers/disk/earlier-build.test.ts',
  'tests/workers/former-names.test.ts',
];

test('HOUSE-10: fields of objects and types are the terms of the field', () => {
  const wrong = FILES.filter(({ path }) => !READS_FORMER_NAMES.includes(path)).flatMap(
    ({ path, fields }) =>
      fields.flatMap((name) =>
        [RETIRED_FIELDS, ...(isBesideRows(path) ? [RETIRED_BESIDE_ROWS] : [])].flatMap((retired) =>
          Object.hasOwn(retired, name) ? [`${path}: ${name} → ${retired[name]}`] : [],
        ),
      ),
  );
  expect(wrong).toEqual([]);
  const code = `
    type A = { readonly is: 1 } | { tied(): void };
    const { least, most: max } = { is: 1, 'deed': 2, ...{ taught: 3 } };
  `;
  expect(listFields(parse('x.ts', code))).toEqual('is tied least most is deed taught'.split(' '));
});

test('HOUSE-10: calls create and test: they make, try and keep nothing', () => {
  const names = Object.keys(CALLS);
  expect(names.length).toBeGreaterThan(300);
  expect(
    names.filter((name) => /^(?:make|try|keep|forgive)[A-Z]|[a-z]Of(?:[A-Z]|$)/.test(name)),
  ).toEqual([]);
});

test('HOUSE-10: props are the terms of the field', () => {
  const files = FILES.filter(({ path }) => path.startsWith('src/') && path.endsWith('.tsx'));
  expect(files.length).toBeGreaterThan(300);
  const wrong = files.flatMap(({ path, props }) =>
    props.flatMap((name) => {
      const better = findBetter(name, RETIRED_PROPS);
      return better === null ? [] : [`${path}: ${name} → ${better}`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('HOUSE-10: every way to declare a prop is seen', () => {
  const code = `
    interface RowProps<T> extends Omit<AProps, 'told'> { readonly fault: string; onKept?(): void }
    type CellProps = AProps & { readonly says: string; readonly 'asked': { readonly word: string } };
    interface Stored { readonly told: string }
    const Head = ({ label: told, ...rest }: Readonly<{ readonly labelOf: () => string }>) => null;
    export default function Foot(props: FootProps & { readonly word: string }) {
      const { told } = load({ told: 1 } as { readonly told: number });
    }
  `;
  const props = listProps(parse('x.tsx', code));
  expect(props.sort()).toEqual('asked fault labelOf onKept says word word'.split(' '));
  expect(props.filter((name) => findBetter(name, RETIRED_PROPS) === null)).toEqual([]);
});

function findBetter(name: string, retired = RETIRED): string | null {
  if (/^[a-z].*[a-z0-9]Of$/.test(name)) return 'getX, loadX or isX';
  if (Object.hasOwn(RETIRED_NAMES, name)) return RETIRED_NAMES[name] ?? null;
  if (RETIRED_TYPES.test(name)) return '…Query or …Request';
  if (RETIRED_LIMITS.test(name)) return 'max… or min…';
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|_|\d+/).map((word) => word.toLowerCase());
  const found = words.find((word) => Object.hasOwn(retired, word));
  return found === undefined ? null : (retired[found] ?? null);
}

function listCode(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|m?js)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !path.includes('node_modules') && !path.includes('bench/peers'));
}

type Tree = Readonly<Record<string, unknown>> & { readonly type?: string };
function parse(path: string, code: string): Tree {
  return parseAst(code, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Tree;
}

/** Returns the names that the code declares: imports under another name, variables, parameters, functions, classes and types. */
function listDeclared(root: Tree): string[] {
  const names: string[] = [];
  const addPattern = (pattern: Tree | null | undefined): void => {
    switch (pattern?.type) {
      case 'Identifier':
      case 'TSTypeParameterName':
        names.push(String(pattern['name']));
        return;
      case 'ObjectPattern':
        for (const property of pattern['properties'] as Tree[])
          addPattern((property['value'] ?? property['argument']) as Tree);
        return;
      case 'ArrayPattern':
        for (const element of pattern['elements'] as (Tree | null)[]) addPattern(element);
        return;
      case 'AssignmentPattern':
        addPattern(pattern['left'] as Tree);
        return;
      case 'RestElement':
        addPattern(pattern['argument'] as Tree);
        return;
      case 'TSParameterProperty':
        addPattern(pattern['parameter'] as Tree);
        return;
      case undefined:
      default:
    }
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const tree = node as Tree;
    const { type = '' } = tree;
    if (Array.isArray(tree['params']) && type !== 'TSTypeParameterInstantiation')
      for (const parameter of tree['params'] as Tree[])
        if (parameter.type === 'TSTypeParameter') addPattern(parameter['name'] as Tree);
        else addPattern(parameter);
    if (
      /^(?:Function|Class|TSInterface|TSTypeAlias|TSEnum)\w*Declaration$|^(?:VariableDeclarator|FunctionExpression|ClassExpression)$/.test(
        type,
      )
    )
      addPattern(tree['id'] as Tree | null);
    if (type === 'CatchClause') addPattern(tree['param'] as Tree | null);
    if (type === 'ImportSpecifier') addPattern(tree['local'] as Tree);
    for (const value of Object.values(tree)) visit(value);
  };
  visit(root);
  return names;
}

/** Returns the fields of all objects, patterns and types. */
function listFields(root: Tree): string[] {
  const names: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const part of node) visit(part);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const tree = node as Tree;
    const { type = '' } = tree;
    if (/^(?:Property|TSPropertySignature|TSMethodSignature)$/.test(type) && !tree['computed']) {
      const key = tree['key'] as Tree;
      names.push(String(key['name'] ?? key['value']));
    }
    for (const value of Object.values(tree)) visit(value);
  };
  visit(root);
  return names;
}

/** Returns the properties of types named …Props and of the parameters of functions. */
function listProps(root: Tree): string[] {
  const names: string[] = [];
  const addProperties = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const part of node) addProperties(part);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const tree = node as Tree;
    if (tree.type === 'TSPropertySignature' || tree.type === 'TSMethodSignature') {
      const key = tree['key'] as Tree;
      names.push(String(key['name'] ?? key['value']));
    }
    for (const value of Object.values(tree)) addProperties(value);
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const part of node) visit(part);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const tree = node as Tree;
    const { type = '' } = tree;
    if (/^TS(?:Interface|TypeAlias)Declaration$/.test(type)) {
      if (String((tree['id'] as Tree)['name']).endsWith('Props'))
        addProperties(tree['body'] ?? tree['typeAnnotation']);
      return;
    }
    if (/^(?:FunctionDeclaration|ArrowFunctionExpression|FunctionExpression)$/.test(type))
      for (const parameter of tree['params'] as Tree[]) addProperties(parameter['typeAnnotation']);
    for (const value of Object.values(tree)) visit(value);
  };
  visit(root);
  return names;
}
