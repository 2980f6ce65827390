import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { findAskingEffects, withoutComments } from './asking-effects.ts';

// The table of which layer may import which: it is checked against every import. The tsconfig of each
// layer is the second check.

type Layer = 'contract' | 'machines' | 'workers' | 'src' | 'src/service-worker' | 'server';

const LAYERS: readonly Layer[] = [
  'contract',
  'machines',
  'workers',
  'src',
  'src/service-worker',
  'server',
];
/** Each folder of features, and what only the contract has. */
const FEATURES = [
  ...new Set(['server/features', 'src/features'].flatMap((folder) => readdirSync(folder))),
  'problems',
].filter((name) => name !== 'shared' && !name.includes('.'));

/** Features that use another feature of their layer, and why. */
const DEPENDENT_FEATURES: Readonly<Record<string, string>> = {
  'contract: auth > notifications': "a user's profile holds which notices were read",
  'contract: billing > backup': 'the calls of the cloud suite share parts of their inputs',
  'contract: reports > calendar': 'results can be read as the calendar shows them',
  'contract: restore > backup': 'the calls of the cloud suite share parts of their inputs',
  'contract: sla > dashboard': 'the share of successes is the one of the dashboard',
  'contract: users > companies': 'the events of users and companies are one list',
  'src: auth > billing': 'a sign-up shows the prices of service levels',
  'server: auth > notifications': "a user's profile holds which notices were read",
  'server: backup > ingest': 'a backup session is recorded as a posted result is',
  'server: branding > auth': 'the settings of a directory can be tried out',
  'server: computers > daily-checks': 'computers are ignored as jobs are',
  'server: connections > ingest': 'what a connection reads is recorded as posted results are',
  'server: ingest > rules': 'active rules are applied to each result',
  'server: providers > users': 'a new provider gets its first user',
  'server: restore > backup': 'what is restored belongs to an organization that is backed up',
  'server: search > hints': 'who may read a hint may find it',
  'server: search > rules': 'who may read a rule may find it',
  'server: users > auth':
    "an administrator resets a user's password and factors, and invitations are checked as other links are",
  'src: analytics > calendar': "the spreadsheet shows the calendar's figures as a table",
  'src: daily-checks > sla': "a result's panel opens a new alarm for its job",
  'src: dashboard > analytics': 'the short rankings open the long ones',
  'src: dashboard > daily-checks': 'the list behind most lines is loaded ahead of its use',
  'src: evidence > daily-checks': 'past hand-overs are a tab of the evidence',
};

const ALLOWED_IMPORTS: Record<Layer, { layers: readonly Layer[]; packages: RegExp }> = {
  'contract': {
    layers: ['contract'],
    packages: /^(valibot|luxon|@lingui\/core|@lingui\/message-utils\/compileMessage)$/,
  },
  'machines': { layers: ['contract', 'machines'], packages: /^xstate$/ },
  'workers': {
    layers: ['contract', 'machines', 'workers'],
    packages: /^(comlink|dexie\/dist\/modern\/dexie\.mjs|ky|xstate|valibot)$/,
  },
  'src': {
    layers: ['contract', 'machines', 'src'],
    packages:
      /^(react|react-dom|react\/jsx-runtime|react-dom\/client|@tanstack\/react-(form|query|router|virtual)|@headlessui\/react|@tremor\/react|comlink|valibot|luxon|xstate|@xstate\/react|@simplewebauthn\/browser|uqr)$/,
  },
  // The service worker is one file of its own beside the page: it shares nothing with it.
  'src/service-worker': { layers: ['src/service-worker'], packages: /^$/ },
  'server': {
    layers: ['contract', 'server'],
    packages:
      /^(node:.+|@aws-sdk\/client-s3|hono(\/.+)?|@hono\/.+|@kenjiuno\/msgreader|kysely(\/migration)?|pg|@electric-sql\/pglite(\/.+)?|@node-rs\/argon2|@valibot\/to-json-schema|valibot|chardet|croner|luxon|otplib|@simplewebauthn\/server|htmlparser2|imapflow|ldapts|libsodium-wrappers-sumo|lru-cache|nodemailer|openid-client|pdfmake(\/.+)?|@peculiar\/x509|postal-mime|pst-extractor(\/dist\/.+)?|reflect-metadata|sanitize-html|stripe|unpdf|windows-iana)$/,
  },
};

/** The files that may ask for the time or for chance: everywhere else they come in as arguments. */
const PROVIDERS = new Set([
  'server/platform/clock.ts',
  'server/platform/random.ts',
  'workers/clock.ts',
  'src/app/clock.ts',
]);

/** The layer of a path: the innermost. */
function getLayer(path: string): string {
  return LAYERS.findLast((layer) => path.startsWith(`${layer}/`)) ?? path.split('/')[0] ?? '';
}

interface File {
  readonly path: string;
  readonly layer: Layer;
  readonly text: string;
}
interface Import {
  readonly from: string;
  readonly spec: string;
  readonly typeOnly: boolean;
  /** Loads its target only when it runs. */
  readonly isDynamic: boolean;
}

const files: File[] = LAYERS.flatMap((layer) =>
  readdirSync(layer, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => getLayer(path) === layer)
    .map((path) => ({ path, layer, text: readFileSync(path, 'utf8') })),
);

function getImports({ path, text }: File): Import[] {
  const found: Import[] = [];
  const statement = /^\s*(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
  for (const match of text.matchAll(statement))
    found.push({
      from: path,
      spec: match[3] ?? '',
      typeOnly: match[2] !== undefined,
      isDynamic: false,
    });
  for (const match of text.matchAll(/import\(\s*'([^']+)'\s*\)/g))
    found.push({ from: path, spec: match[1] ?? '', typeOnly: false, isDynamic: true });
  return found;
}

/** Path of the imported file, or null for a package. */
function getTarget({ from, spec }: Import): string | null {
  const bare = spec.replace(/\?.*$/, '');
  if (bare.startsWith('.')) return normalize(join(dirname(from), bare));
  if (bare.startsWith('/')) return join('src', bare);
  return bare.startsWith('#') ? bare.slice(1) : null;
}

/** The feature that a path belongs to; null for what all of a layer share. */
const getFeature = (path: string): string | null => {
  const [layer, first, second, third] = path.split('/');
  if (layer === 'src' || layer === 'server')
    return first === 'features' && second !== 'shared' ? (second ?? null) : null;
  const isFile = second === undefined && third === undefined;
  return first !== undefined && !isFile && FEATURES.includes(first) ? first : null;
};

const all = files.flatMap((file) =>
  getImports(file).map((one) => ({ ...one, layer: file.layer, target: getTarget(one) })),
);

test('HOUSE-1: a layer imports only the layers and packages of its row', () => {
  const wrong = all.filter(({ layer, target, spec, from, typeOnly }) => {
    if (target === null) return !ALLOWED_IMPORTS[layer].packages.test(spec);
    const to = getLayer(target);
    if (layer === 'src' && to === 'workers') {
      if (target === 'workers/api.ts') return !typeOnly;
      return !(from === 'src/app/worker/start-worker.ts' && spec.endsWith('?worker&url'));
    }
    return !(ALLOWED_IMPORTS[layer].layers as readonly string[]).includes(to);
  });
  expect(wrong.map(({ from, spec }) => `${from} imports ${spec}`)).toEqual([]);
});

test('HOUSE-1: in the contract, only contract/time uses luxon, and only its zones, which are small', () => {
  const users = all.filter(({ layer, spec }) => layer === 'contract' && spec === 'luxon');
  expect(users.map(({ from }) => from)).toEqual(['contract/time/day.ts']);
  const [, names] =
    /import (.+) from 'luxon'/.exec(readFileSync('contract/time/day.ts', 'utf8')) ?? [];
  expect(names).toBe('{ IANAZone }');
});

test('START-6: the start of the server loads no library that only some calls need', () => {
  const loaded = new Set(['server/main.ts']);
  const packages = new Set<string>();
  // A set visits what is added meanwhile.
  for (const path of loaded)
    for (const { spec, target } of all.filter(
      (one) => one.from === path && !one.typeOnly && !one.isDynamic,
    ))
      if (target === null) packages.add(spec);
      else loaded.add(target);
  expect(loaded).toContain('server/features/auth/passkeys.ts');
  expect(packages).toContain('hono');
  const late =
    /^(?:@aws-sdk|@peculiar|@simplewebauthn|imapflow|nodemailer|pdfmake|reflect-metadata|stripe)\b/;
  expect([...packages].filter((name) => late.test(name))).toEqual([]);
});

test('HOUSE-1: one file of the page starts the worker', () => {
  expect(all.filter(({ spec }) => /\?(shared)?worker/.test(spec)).map(({ from }) => from)).toEqual([
    'src/app/worker/start-worker.ts',
  ]);
});

/**
 * The lists in which everything meets, and what ties the areas of the contract
 * together.
 */
const MEETS = new Set([
  'contract/calls.ts',
  'contract/events.ts',
  'contract/fold.ts',
  'server/handlers.ts',
  'server/reporting-handlers.ts',
  'server/main.ts',
  'src/app/router/routes.tsx',
  'src/app/router/menu.ts',
]);

test('HOUSE-2: a feature imports itself and what its layer shares, not another feature', () => {
  const wrong = all.filter((one) => {
    const pair = featurePair(one);
    return pair !== null && !(pair in DEPENDENT_FEATURES);
  });
  expect(
    wrong.map(({ from, spec }) => `${from} imports ${spec}`),
    'Put what both features need into shared code of the layer, or the pair with its reason into DEPENDENT_FEATURES.',
  ).toEqual([]);
});

/** `layer: feature > feature` where a file imports another feature of its layer. */
function featurePair({ layer, from, target, typeOnly }: (typeof all)[number]): string | null {
  const own = getFeature(from);
  const other = target === null ? null : getFeature(target);
  if (own === null || other === null || own === other || MEETS.has(from)) return null;
  // Types of the contract may be named everywhere: they are what both sides agree on.
  if (getLayer(target ?? '') !== layer || (typeOnly && layer === 'contract')) return null;
  return `${layer}: ${own} > ${other}`;
}

test('HOUSE-2: every exception is used', () => {
  const used = new Set(all.map((one) => featurePair(one)));
  expect(Object.keys(DEPENDENT_FEATURES).filter((pair) => !used.has(pair))).toEqual([]);
});

test('HOUSE-2: components know no feature and no app, shared code no feature, and only what names the screens of the app does', () => {
  const wrong = all.filter(({ from, target }) => {
    if (target === null) return false;
    const toFeature = target.startsWith('src/') && getFeature(target) !== null;
    if (from.startsWith('src/ui/')) return target.startsWith('src/app/') || toFeature;
    if (from.startsWith('src/features/shared/')) return toFeature;
    return from.startsWith('src/app/') && toFeature && !NAMES_SCREENS.has(from);
  });
  expect(wrong.map(({ from, spec }) => `${from} imports ${spec}`)).toEqual([]);
});
/** The screens, the sign-in, and the search that the shell opens. */
const NAMES_SCREENS = new Set([
  'src/app/router/screens.ts',
  'src/app/router/routes.tsx',
  'src/app/shell/shell.tsx',
]);

test('HOUSE-2: the platform of the server knows no feature', () => {
  const wrong = all.filter(
    ({ from, target }) =>
      from.startsWith('server/platform/') && /^server\/(features|demo)\//.test(target ?? ''),
  );
  expect(
    wrong
      .filter(({ from }) => !DEMO_STARTS.has(from))
      .map(({ from, spec }) => `${from} imports ${spec}`),
  ).toEqual([]);
});

test("HOUSE-2: the demo data is made like the server's start: only the start and its settings use it", () => {
  const wrong = all.filter(
    ({ from, target }) =>
      target !== null &&
      getLayer(target) === 'server' &&
      (from.startsWith('server/demo/')
        ? !DEMO_USES.test(target)
        : target.startsWith('server/demo/') && !DEMO_STARTS.has(from)),
  );
  expect(wrong.map(({ from, spec }) => `${from} imports ${spec}`)).toEqual([]);
});
const DEMO_USES =
  /^server\/(?:demo\/|platform\/|first-start\.ts|features\/(?:backup|billing\/subscriptions|ingest|users|branding|reports)\/[\w-]+\.ts)/;
const DEMO_STARTS = new Set(['server/main.ts', 'server/platform/config.ts']);

test('HOUSE-13: outside of the engine, the server imports only what its public files export, and they only export', () => {
  const publicFile = /^server\/engine\/public\/[\w-]+\.ts$/;
  const wrong = all.filter(
    ({ from, target }) =>
      !from.startsWith('server/engine/') &&
      target !== null &&
      target.startsWith('server/engine/') &&
      !publicFile.test(target),
  );
  expect(wrong.map(({ from, spec }) => `${from} imports ${spec}`)).toEqual([]);
  const exportsOnly = /^(?:export (?:type )?\{[^}]*\} from '';\s*)+$/;
  const publicFiles = files.filter(({ path }) => path.startsWith('server/engine/public/'));
  expect(publicFiles.length).toBeGreaterThan(0);
  expect(
    publicFiles
      .filter(({ text }) => !exportsOnly.test(withoutComments(text).trim()))
      .map(({ path }) => path),
  ).toEqual([]);
  // The engines themselves don't go through what is for others.
  expect(
    all
      .filter(
        ({ from, target }) =>
          /^server\/(?:engine|platform)\//.test(from) && target !== null && publicFile.test(target),
      )
      .map(({ from, spec }) => `${from} imports ${spec}`),
  ).toEqual([]);
});

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
    .filter(({ layer }) => layer === 'contract' || layer === 'machines')
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
            ['Button', 'IconButton', 'Link', 'SectionLink'].includes(tag),
        ),
    );
  expect(wrong.map(({ path, line, tag }) => `${path}:${line} <${tag}>`)).toEqual([]);
});

/**
 * Forms that hold what was typed in `useState`. The sign-in is the first load, which has no room for
 * a form library.
 */
const OWN_FORM_STATE = [
  'src/features/auth/sign-in/code-form.tsx',
  'src/features/auth/sign-in/phone-form.tsx',
  'src/features/auth/sign-in/sign-in.tsx',
];

test('HOUSE-12: no package needs a script of its own to be installed, and installing runs none', () => {
  expect(readFileSync('scripts/install.mjs', 'utf8')).toContain("['--ignore-scripts',");
  for (const folder of ['.', 'tests/bench/peers']) {
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const needing = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(needing.map(([name]) => name)).toEqual([]);
  }
});

test('HOUSE-11: a form holds its values in useDraftForm, except the forms of the sign-in', () => {
  const found = files
    .filter(({ path }) => /^src\/(?:app|features)\/.+\.tsx$/.test(path))
    .filter(({ text }) => findFormStates(text).length > 0);
  expect(found.map(({ path }) => path).toSorted()).toEqual(OWN_FORM_STATE);
});

const form = (field: string, state = "const [typed, setTyped] = useState('');"): string =>
  `${state}\n<form onSubmit={send}>\n${field}\n</form>`;

test('HOUSE-11: every way in which a form holds its values is seen', () => {
  const seen = [
    form('<TextField\n  label={t.name}\n  value={typed}\n/>'),
    form('<input value={typed} onChange={(event) => setTyped(event.target.value)} />'),
    form('<TextArea value={typed.reason} />', 'const [typed, setTyped] = useState<Typed>(EMPTY);'),
    form('<TextField value={typed[n] ?? ""} />', 'const [typed, setTyped] = useState(\n  [],\n);'),
    form('<Switch label={t.on} on={typed} />'),
    form('<Choice checked={typed === "one"} />'),
    form('<Fields draft={typed} />'),
    form(
      '<TextField {...field} />',
      'const [typed] = useState("");\nconst field = { value: typed };',
    ),
    "const [typed, setTyped] = useState('');\n<FormDialog title={t.title}><input value={typed} /></FormDialog>",
    "const [typed, setTyped] = useState('');\n<Dialog><TextArea value={typed} /></Dialog>",
  ];
  expect(seen.map((text) => findFormStates(text))).toEqual(seen.map(() => ['typed']));
  const other = [
    form('<SearchField label={t.search} value={typed} onChange={setTyped} />'),
    form('<TextField value={form.name} />'),
    form("<TextField type={typed ? 'text' : 'password'} value={form.name} />"),
    'const [typed, setTyped] = useState(\'\');\n<input type="search" value={typed} />',
  ];
  expect(other.flatMap((text) => findFormStates(text))).toEqual([]);
});

/**
 * Returns the state variables whose values fields show: every field of a file with a form, and the
 * text fields of others, such as of a dialog. A search field is no form.
 */
function findFormStates(text: string): string[] {
  const hasForm = /<form\b|<FormDialog\b|\bonSubmit=/.test(text);
  const names = [...text.matchAll(/\bconst \[(\w+)(?:, \w+)?\] = useState\b/g)].map(
    ([, name = '']) => name,
  );
  return names.filter((name) =>
    [...text.matchAll(new RegExp(`\\b(?:value|checked|on|draft)(?:=\\{|: )${name}\\b`, 'g'))].some(
      ({ index }) => {
        const tag = tagAt(text, index);
        return hasForm ? tag !== 'SearchField' : TEXT_FIELDS.has(tag);
      },
    ),
  );
}
const TEXT_FIELDS: ReadonlySet<string> = new Set(['TextField', 'TextArea', 'textarea']);

/** Effects that ask the server themselves, and why. */
const OWN_REQUESTS: Readonly<Record<string, string>> = {
  'src/app/shell/chat/chat-panel.tsx': 'a message of the frame is answered, with a token for it',
  'src/app/shell/notifications/notifications.tsx': 'an invitation is made, once',
  'src/app/shell/reauth/reauth-question.tsx': 'each question for a passkey is used once',
  'src/features/auth/registration/sign-up/sign-up.tsx': 'a link is opened, which changes its state',
  'src/features/billing/quickbooks/screen.tsx': 'the code of a connection is sent, and works once',
  'src/features/restore/items/use-items.ts': 'any part of a list is read, from where its cursor is',
  'src/features/restore/tree/use-tree.ts': 'branches are loaded as the path opens them',
};

test('HOUSE-15: no effect of the page asks the server', () => {
  const found = findAskingEffects(files.filter(({ layer }) => layer === 'src'));
  expect(found).toEqual(Object.keys(OWN_REQUESTS));
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

test('G55: packages have exact versions and hashes, and none runs a script when it is installed', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >;
  const named = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((field) =>
    Object.entries(manifest[field] ?? {}),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version))).toEqual([]);
  for (const file of ['package-lock.json', 'tests/bench/peers/package-lock.json']) {
    const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
      packages: Record<string, { integrity?: string; hasInstallScript?: boolean }>;
    };
    const locked = Object.entries(packages).filter(([path]) => path !== '');
    expect(locked.length).toBeGreaterThan(0);
    expect(
      locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? '')),
    ).toEqual([]);
  }
  // Whatever a package brings along: nothing of it runs.
  const install = readFileSync('scripts/install.mjs', 'utf8');
  expect(install).toMatch(/'ci', \.\.\.options/);
  expect(install).toContain("const options = ['--ignore-scripts'");
});
