import { syntaxMessages as t } from './command-syntax.messages.en.ts';
import {
  type CommandArguments,
  type CommandSyntax,
  formatUsage,
  type OptionSyntax,
  parseArguments,
} from './platform/command-arguments.ts';

/** Those of `demo/options.ts`, which only the start itself loads. */
const DEMO_SIZES = ['small', 'medium', 'large', 'none'];
const DEMO_SIZE = {
  type: 'string',
  value: 'SIZE',
  summary: t.estate,
  validate: (value) => (DEMO_SIZES.includes(value) ? null : t.estateWrong),
} as const satisfies OptionSyntax;
const COPY_IN = { type: 'string', value: 'FOLDER', summary: t.copyIn } as const;

/** What `npm run bench` can measure, and the stores that it compares. */
export const BENCH_PARTS = [
  'store',
  'ingest',
  'suite',
  'folders',
  'index',
  'collect',
  'fluid',
  'growth',
] as const;
export type BenchPart = (typeof BENCH_PARTS)[number];
const BENCH_STORES = ['ours', 'dexie', 'sqlite'];

/** The commands of package.json. */
const COMMANDS = {
  'start': { summary: t.start, options: { estate: DEMO_SIZE } },
  'dev': { summary: t.dev, options: { estate: DEMO_SIZE } },
  'test': { summary: t.test },
  'check': { summary: t.check },
  'format': { summary: t.format },
  'bench': {
    summary: t.bench,
    positionals: ['PART…'],
    validatePositional: (value) =>
      (BENCH_PARTS as readonly string[]).includes(value)
        ? null
        : t.benchParts({ parts: BENCH_PARTS.join(', ') }),
    options: {
      json: { type: 'boolean', summary: t.benchJson },
      page: { type: 'boolean', summary: t.benchPage },
      runs: {
        type: 'string',
        value: 'NUMBERS',
        summary: t.benchRuns,
        validate: (value) => (/^[1-9]\d*(?:,[1-9]\d*)*$/.test(value) ? null : t.benchRunsWrong),
      },
      only: {
        type: 'string',
        value: 'STORES',
        summary: t.benchOnly,
        validate: (value) =>
          value.split(',').every((name) => BENCH_STORES.includes(name)) ? null : t.benchOnlyWrong,
      },
    },
  },
  'soak': {
    summary: t.soak,
    options: {
      minutes: {
        type: 'string',
        value: 'NUMBER',
        summary: t.soakMinutes,
        validate: (value) => (Number(value) > 0 ? null : t.soakMinutesWrong),
      },
      only: { type: 'string', value: 'NAMES', summary: t.soakOnly },
      resume: { type: 'boolean', summary: t.soakResume },
      seed: {
        type: 'string',
        value: 'NUMBER',
        summary: t.soakSeed,
        validate: (value) => (/^\d+$/.test(value) ? null : t.soakSeedWrong),
      },
    },
  },
  'rebuild': {
    summary: t.rebuild,
    options: { write: { type: 'boolean', summary: t.rebuildWrite } },
  },
  'verify': { summary: t.verify, options: { 'copy-in': COPY_IN } },
  'backup': { summary: t.backup, positionals: ['FILE'], options: { 'copy-in': COPY_IN } },
  'restore': { summary: t.restore, positionals: ['FILE'] },
  'distribute': { summary: t.distribute },
  'attach': {
    summary: t.attach,
    positionals: ['HOST', 'ORGANIZATION', 'REPOSITORY'],
    options: {
      'item-level': { type: 'boolean', summary: t.attachItemLevel },
      'endpoint': { type: 'string', value: 'URL', summary: t.attachEndpoint },
      'region': { type: 'string', value: 'REGION', summary: t.attachRegion },
      'bucket': { type: 'string', value: 'BUCKET', summary: t.attachBucket },
      'prefix': { type: 'string', value: 'FOLDER', summary: t.attachPrefix },
      'certificate': { type: 'string', value: 'FILE', summary: t.attachCertificate },
    },
  },
  'check:tenant': {
    summary: t.checkTenant,
    options: {
      'tenant': { type: 'string', value: 'TENANT', summary: t.tenant, isRequired: true },
      'application': {
        type: 'string',
        value: 'ID',
        summary: t.tenantApplication,
        isRequired: true,
      },
      'certificate': { type: 'string', value: 'FILE', summary: t.tenantCertificate },
      'key': { type: 'string', value: 'FILE', summary: t.tenantKey },
      'secret-file': { type: 'string', value: 'FILE', summary: t.tenantSecretFile },
      'region': { type: 'string', value: 'REGION', summary: t.tenantRegion },
      'services': { type: 'string', value: 'SERVICES', summary: t.tenantServices },
      'restore': { type: 'boolean', summary: t.tenantRestore },
      'json': { type: 'boolean', summary: t.tenantJson },
    },
    refused: { secret: t.secretOnCommandLine, password: t.secretOnCommandLine },
  },
  'proxy': {
    summary: t.proxy,
    options: {
      name: { type: 'string', value: 'NAME', summary: t.proxyName },
      pool: { type: 'string', value: 'POOL', summary: t.proxyPool },
    },
  },
  'unlock': { summary: t.unlock, positionals: ['HOST', 'USERNAME'] },
  'rotate-key': {
    summary: t.rotateKey,
    options: { forget: { type: 'boolean', summary: t.rotateKeyForget } },
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;

export type CommandName = keyof typeof COMMANDS;
export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

const WRONG_USE = 2;

/**
 * Returns the arguments of this call of a command. With `--help`, prints the usage and exits with 0; if
 * something is unknown or missing, prints a sentence and the usage to standard error and exits with 2.
 */
export function readArguments<N extends CommandName>(
  name: N,
  args: readonly string[] = process.argv.slice(2),
): CommandArguments<(typeof COMMANDS)[N]> {
  const parsed = parseArguments<(typeof COMMANDS)[N]>(COMMANDS[name], args);
  switch (parsed.kind) {
    case 'arguments':
      return parsed;
    case 'help':
      process.stdout.write(formatUsage(name, COMMANDS[name]));
      return process.exit(0);
    case 'wrong':
      return exitWithUsage(name, parsed.sentence);
  }
}

/** Prints what is wrong with the call and the usage to standard error, and exits with 2. */
export function exitWithUsage(name: CommandName, sentence: string): never {
  process.stderr.write(`${sentence}\n\n${formatUsage(name, COMMANDS[name])}`);
  process.exit(WRONG_USE);
}
