import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { APP_VERSION } from '#contract/app-version.ts';
import { hasRepositoriesFolder } from './engine/public/engines.ts';
import { joinProvider } from './features/backup/join-proxy.ts';
import { exitWithUsage, readArguments } from './command-syntax.ts';
import { allJobs } from './jobs.ts';
import { makeAppContext } from './make-app-context.ts';
import { systemClock } from './platform/clock.ts';
import { readConfig } from './platform/config.ts';
import { checkMasterKey } from './platform/crypto/check-master-key.ts';
import { openStore } from './platform/db/open.ts';
import { DEMO_SETTING, readSetting } from './platform/db/server-settings.ts';
import { ROUTED_JOB_NAMES } from './platform/jobs/job-types.ts';
import {
  claimProxyName,
  listProvidersWithout,
  storeProxyState,
} from './platform/jobs/proxy-processes.ts';
import { makeJobRunner } from './platform/jobs/runner.ts';
import { makeLog } from './platform/log.ts';
import { systemChance } from './platform/random.ts';
import { readProxyOptions } from './proxy-options.ts';
import { proxyCommandMessages as t } from './proxy.messages.en.ts';

/**
 * `proxy --name N [--pool P]`: works for repositories on the database of the servers, on this machine or
 * another. It has no address of its own.
 */

/** How long running work may take to reach a place where another process can continue it. */
const DRAIN_MS = 20_000;
const STOP_MS = 25_000;

const log = makeLog(systemClock);
const options = readProxyOptions(readArguments('proxy').values, process.env);
if (typeof options === 'string') exitWithUsage('proxy', options);
const settings = readConfig(process.env, join(import.meta.dirname, '..'));
if (typeof settings === 'string') giveUp(settings);
const { config } = settings;
const { name, pool } = options;
if (config.databaseUrl === null) giveUp(t.needsPostgres);
// Without this, a new key would be made.
if (config.secretKey === null && !existsSync(join(config.dataDir, 'secret.key')))
  giveUp(t.needsKey({ folder: config.dataDir }));

const store = await openStore({
  dataDir: config.dataDir,
  databaseUrl: config.databaseUrl,
  log,
  clock: systemClock,
  mustBeCurrent: true,
}).catch((error: unknown) => giveUp(t.notOpened({ error: getText(error) })));
const context = makeAppContext({ store, clock: systemClock, chance: systemChance, log, config });
await checkMasterKey(context).catch((error: unknown) => closeAndGiveUp(getText(error)));
if (config.graph === null && (await store.system((db) => readSetting(db, DEMO_SETTING))) !== null)
  await closeAndGiveUp(t.simulated);

const owner = context.chance.uuid();
const hostName = hostname().slice(0, 200) || 'localhost';
const hasFolder = await hasRepositoriesFolder(context);
const presence = store.announce(owner);
await presence.announced;
const isClaimed = await store.system((db) =>
  claimProxyName(
    db,
    { name, owner, host_name: hostName, version: APP_VERSION, has_folder: hasFolder },
    systemClock.now(),
  ),
);
if (!isClaimed) {
  await presence.end();
  await closeAndGiveUp(t.nameTaken({ name }));
}
const hints = store.shareHints();
const joining = { name, pool, hostName };
for (const tenant of await store.tenants()) await joinProvider(context, tenant, joining);

const handlers = allJobs(context);
const jobs = makeJobRunner(
  context,
  Object.fromEntries(ROUTED_JOB_NAMES.map((type) => [type, handlers[type]])),
  {
    name,
    hasFolder,
    identity: { owner, presence },
    stopMs: DRAIN_MS,
    async watch(now) {
      if (!(await store.system((db) => storeProxyState(db, { name, owner }, 'online', now)))) {
        log.error(t.nameLost({ name }));
        void stop('name lost', 1);
        return;
      }
      for (const tenant of await store.system((db) => listProvidersWithout(db, name)))
        await joinProvider(context, tenant, joining);
    },
  },
);
jobs.start();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void stop(signal, 0));
print([t.running({ name }), ...(hasFolder ? [] : [t.noFolder])].join('\n'));

let isStopping = false;
/** Takes no more work and hands back what runs, so that others continue it. */
async function stop(reason: string, code: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  log.info('stopping', { reason });
  print(t.draining({ name }));
  systemClock.after(STOP_MS, () => process.exit(1));
  const storeState = (state: 'draining' | 'left') =>
    store.system((db) => storeProxyState(db, { name, owner }, state, systemClock.now()));
  try {
    await storeState('draining');
    await jobs.stop();
    await storeState('left');
    await hints.end();
    await store.close();
    process.exit(code);
  } catch (error) {
    log.error('could not stop cleanly', { error });
    process.exit(1);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function giveUp(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

async function closeAndGiveUp(sentence: string): Promise<never> {
  await store.close();
  return giveUp(sentence);
}

function getText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
