import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { AttachmentProblem } from '#contract/engine/repositories.ts';
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

/**
 * `attach <host> <organization> <repository> [--item-level]`: attaches a repository, whose folder is
 * among the others, and rebuilds its index (ENG-4). Reads the password from the standard input. The
 * embedded database requires the server to be stopped.
 */
const PAUSE_MS = 5_000;

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const [host, organization, repository] = words;
const settings = readConfig(process.env, '.');
if (typeof settings === 'string') stop(settings);
else if (host === undefined || organization === undefined || repository === undefined)
  stop(t.attachUsage);
else
  await withStore((store) =>
    attach(store, settings.config, { host, organization, repository: repository.toLowerCase() }),
  );

async function attach(
  store: OpenStore,
  config: Parameters<typeof makeAppContext>[0]['config'],
  {
    host: of,
    organization: wanted,
    repository: id,
  }: Readonly<Record<'host' | 'organization' | 'repository', string>>,
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
    retentionType: process.argv.includes('--item-level') ? 'ItemLevel' : 'SnapshotBased',
  });
  if (begun.kind !== 'begun') {
    stop(begun.kind === 'refused' ? begun.message : t.noOrganization({ name: wanted }));
    return 1;
  }
  const work = allJobs(context)['repository-attachment'];
  const { signal } = new AbortController();
  for (;;) {
    const now = systemClock.now();
    const next = await work({ tenant, payload: { repository: id }, now, signal });
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

function describe({ kind, snapshot: id, object }: AttachmentProblem): string {
  const snapshot = id.slice(0, 8);
  if (kind === 'foreign') return t.attachedForeign({ snapshot });
  if (kind === 'damaged') return t.attachedDamaged({ snapshot });
  return t.attachedIncomplete({ snapshot, object: object ?? '' });
}
