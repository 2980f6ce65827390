import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { S3StorageSchema } from '#contract/backup/repository-calls.ts';
import type { RetentionType } from '#contract/backup/retention.ts';
import type { AttachmentProblem, S3Storage } from '#contract/engine/repositories.ts';
import { exitWithUsage, readArguments } from './command-syntax.ts';
import { commandMessages as t } from './commands.messages.en.ts';
import { beginAttaching, loadAttachment } from './features/backup/attach-command.ts';
import { allJobs } from './jobs.ts';
import { makeAppContext } from './make-app-context.ts';
import { systemClock } from './platform/clock.ts';
import { readConfig } from './platform/config.ts';
import { say, stop, withStore } from './platform/db/command-line.ts';
import type { OpenStore } from './platform/db/open.ts';
import { makeLog } from './platform/log.ts';
import { systemChance } from './platform/random.ts';
import { tenantOfHost } from './platform/db/tenants.ts';
import type { BackupRepositoryId } from '#contract/ids.ts';

/**
 * `attach <host> <organization> <repository>`: attaches a repository, whose folder is among the
 * others or in a bucket, and rebuilds its index (ENG-4). Reads the password from the standard input,
 * and the access key of the bucket from the environment. The embedded database requires the server
 * to be stopped.
 */
const PAUSE_MS = 5_000;

const request = readRequest();
const settings = readConfig(process.env, '.');
if (typeof settings === 'string') stop(settings);
else await withStore((store) => attach(store, settings.config, request));

interface Request {
  readonly host: string;
  readonly organization: string;
  readonly repository: BackupRepositoryId;
  readonly storage: S3Storage | null;
  readonly retentionType: RetentionType;
}

/** Returns what the command line asks for. */
function readRequest(): Request {
  const { values, positionals } = readArguments('attach');
  const [host, organization, repository] = positionals;
  const storage = readStorage(values);
  if (typeof storage === 'string') return exitWithUsage('attach', storage);
  return {
    host,
    organization,
    repository: repository.toLowerCase() as BackupRepositoryId,
    storage,
    retentionType: values['item-level'] === true ? 'ItemLevel' : 'SnapshotBased',
  };
}

/** Returns the bucket, null for a folder of the server, or what is wrong. */
function readStorage({
  endpoint,
  bucket,
  region = 'us-east-1',
  prefix = '',
  certificate,
}: ReturnType<typeof readArguments<'attach'>>['values']): S3Storage | string | null {
  if (endpoint === undefined && bucket === undefined) return null;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  let pem: string | null = null;
  try {
    if (certificate !== undefined) pem = readFileSync(certificate, 'utf8');
  } catch {
    return t.attachNoCertificate({ file: certificate ?? '' });
  }
  const read = v.safeParse(S3StorageSchema, {
    endpoint,
    bucket,
    region,
    prefix,
    certificate: pem,
    accessKeyId,
    secretAccessKey,
  });
  if (read.success) return read.output;
  const fields = read.issues.map((issue) => v.getDotPath(issue) ?? '');
  return t.attachStorageWrong({ fields: [...new Set(fields)].join(', ') });
}

async function attach(
  store: OpenStore,
  config: Parameters<typeof makeAppContext>[0]['config'],
  { host: of, organization: wanted, repository: id, storage, retentionType }: Request,
): Promise<number> {
  const tenant = await tenantOfHost(store, of.replace(/:\d+$/, ''));
  if (tenant === null) {
    stop(t.noProvider({ host: of }));
    return 1;
  }
  if (process.stdin.isTTY) say(t.attachPassword);
  const password = (await text(process.stdin)).replace(/\r?\n[^]*$/, '');
  const log = makeLog(
    systemClock,
    (level, line) => level !== 'info' && process.stderr.write(`${line}\n`),
  );
  const context = makeAppContext({ store, clock: systemClock, chance: systemChance, log, config });
  const begun = await beginAttaching(context, tenant, {
    repository: id,
    organization: wanted,
    password,
    storage,
    retentionType,
  });
  if (begun.kind !== 'begun') {
    stop(begun.kind === 'refused' ? begun.message : t.noOrganization({ name: wanted }));
    return 1;
  }
  const work = allJobs(context)['repository-attachment'];
  const lease = context.chance.uuid();
  const { signal } = new AbortController();
  for (;;) {
    const now = systemClock.now();
    const next = await work({ tenant, payload: { repository: id }, now, lease, signal });
    if (next === null) break;
    // A server that is running has the repository, or somebody else.
    await setTimeout(PAUSE_MS);
  }
  const attached = await loadAttachment(context, tenant, begun.organization.id, id);
  if (!attached.ok || attached.value?.isDone !== true) {
    stop(attached.ok ? t.notAttached : attached.error.message);
    return 1;
  }
  const { points, problems, problemCount } = attached.value;
  say(t.attached({ points: points.done, problems: problemCount }));
  for (const problem of problems) say(describe(problem));
  return 0;
}

const TEXTS = {
  'excluded': t.attachedExcluded,
  'on-hold': t.attachedOnHold,
  'excluded-on-hold': t.attachedExcludedOnHold,
} as const;

function describe({ kind, snapshot: id, object }: AttachmentProblem): string {
  const snapshot = id.slice(0, 8);
  if (kind === 'foreign') return t.attachedForeign({ snapshot });
  if (kind === 'damaged') return t.attachedDamaged({ snapshot });
  if (kind === 'incomplete') return t.attachedIncomplete({ snapshot, object: object ?? '' });
  return TEXTS[kind]({ object: object ?? '' });
}
