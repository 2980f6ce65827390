import { join } from 'node:path';
import { readConfig } from './platform/config.ts';
import { allHandlers } from './handlers.ts';
import { allJobs } from './jobs.ts';
import { makeAppContext } from './make-app-context.ts';
import { readAssets } from './platform/http/assets.ts';
import { makeApp } from './platform/http/app.ts';
import { listen, probePort } from './platform/http/listen.ts';
import type { Listening } from './platform/http/listen.ts';
import { systemChance } from './platform/random.ts';
import { systemClock } from './platform/clock.ts';
import { OtherDemo } from './demo/demo.ts';
import { recaptchaRoutes } from './features/billing/sign-up/recaptcha-page.ts';
import { startDemo, whoIsWho } from './demo/start-demo.ts';
import { tenantPageRoutes } from './demo/tenant-page/routes.ts';
import { firstStart } from './first-start.ts';
import { checkMasterKey } from './platform/crypto/check-master-key.ts';
import { makeJobRunner, SERVER } from './platform/jobs/runner.ts';
import { markRepositoriesFolder, noteStranded } from './engine/public/engines.ts';
import { makeLog } from './platform/log.ts';
import { ticketRoutes } from './features/tickets/callback.ts';
import { assetRoutes } from './features/branding/assets.ts';
import { chatRoutes } from './features/branding/chat.ts';
import { pingRoutes } from './features/ingest/ping.ts';
import { wrapRoutes } from './features/ingest/cli-wrapper.ts';
import { uploadRoutes } from './features/backup/import-upload.ts';
import { downloadRoutes } from './features/restore/downloads/routes.ts';
import { previewRoutes } from './features/restore/preview/routes.ts';
import { outboxRoutes } from './platform/mail/outbox.ts';
import { offerCopies } from './platform/db/copy-server.ts';
import { sealLogs } from './platform/events/verify.ts';
import { openStore } from './platform/db/open.ts';
import { readArguments } from './command-syntax.ts';
import { commandMessages as t } from './commands.messages.en.ts';

/** Time for open streams and calls to finish, and for the whole shutdown. */
const GRACE_MS = 1_000;
const STOP_MS = 5_000;

const log = makeLog(systemClock);
const { values } = readArguments('start');
const settings = readConfig(process.env, join(import.meta.dirname, '..'), values.estate);
if (typeof settings === 'string') giveUp(settings);
const { config, hostname, connections, demoPassword, demo: demoOption } = settings;

// Checked first because it is cheap, while opening the data takes seconds.
await probePort(config.port, hostname).catch((error: unknown) =>
  giveUp(describePortError(error, config.port)),
);
const store = await openStore({
  dataDir: config.dataDir,
  databaseUrl: config.databaseUrl,
  flushes: config.flushes !== false,
  acceptedLoss: config.acceptedLoss ?? null,
  log,
  clock: systemClock,
}).catch((error: unknown) =>
  giveUp(t.dataNotOpened({ folder: config.dataDir, error: said(error) })),
);
const context = makeAppContext({ store, clock: systemClock, chance: systemChance, log, config });

await checkMasterKey(context).catch(async (error: unknown) => {
  await store.close();
  return giveUp(said(error));
});
// If several servers start together on an empty database, one creates the initial data and the
// others wait.
const { estate: demoData, administrator } = await store.exclusively(async () => {
  const demo = await startDemo(context, demoOption, demoPassword, print).catch(
    async (error: unknown) => {
      await store.close();
      return giveUp(
        error instanceof OtherDemo
          ? t.dataUnchanged({ folder: config.dataDir, error: error.message })
          : t.demoFailed({ error: said(error) }),
      );
    },
  );
  return {
    estate: demo,
    administrator:
      demo !== null
        ? null
        : await firstStart(context, demoPassword).catch(async (error: unknown) => {
            await store.close();
            return giveUp(t.firstStartFailed({ error: said(error) }));
          }),
  };
});
const assets = config.pageDir === null ? null : readAssets(config.pageDir);
const app = makeApp(context, allHandlers(context), {
  routes(on) {
    pingRoutes(context)(on);
    outboxRoutes(context)(on);
    assetRoutes(context)(on);
    chatRoutes(context)(on);
    recaptchaRoutes(context)(on);
    previewRoutes(context)(on);
    downloadRoutes(context)(on);
    uploadRoutes(context)(on);
    wrapRoutes(on);
    ticketRoutes(context)(on);
    if (demoData) tenantPageRoutes(context, demoData.tenants)(on);
    demoData?.stripe.routes(on);
  },
  assets,
});
const server: Listening = await listen(app, config.port, hostname, {
  ...connections,
  trustedProxies: config.trustedProxies,
}).catch(async (error: unknown) => {
  await store.close();
  return giveUp(describePortError(error, config.port));
});
const offer =
  store.copies === null
    ? null
    : await offerCopies(
        { dataDir: config.dataDir, copies: store.copies, before: () => sealLogs(store, log) },
        context,
      ).catch((error: unknown) => {
        // On a full disk, it starts all the same.
        log.warn('backups need the server to be stopped: no copies can be offered', { error });
        return null;
      });
if (store.kind === 'postgres') await markRepositoriesFolder(context);
const hints = store.shareHints();
context.sharedLimits.start(() => hints.isAlone());
const jobs = makeJobRunner(context, allJobs(context), {
  ...SERVER,
  identity: { owner: context.serverId, presence: store.announce(context.serverId) },
  watch: noteStranded(context),
});
jobs.start();
const life = await demoData?.live();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void stop(signal));
print(
  [
    t.running({
      address: getAddress(hostname === '0.0.0.0' || hostname === '::' ? 'localhost' : hostname),
    }),
    ...(config.databaseUrl === null ? [config.flushes === false ? t.notFlushed : t.flushed] : []),
    ...(demoData ? [whoIsWho(demoData, (host) => getAddress(host ?? 'localhost'))] : []),
    ...(administrator ? [t.username(administrator), t.password(administrator)] : []),
    t.outbox({ address: `http://localhost:${server.port}/outbox` }),
    ...(demoData ? [t.demoTenant({ address: `http://localhost:${server.port}/demo/tenant` })] : []),
    ...(assets === null ? [t.notBuilt] : []),
  ].join('\n'),
);

let stopping = false;
/** Stops accepting requests, closes streams, closes the database and releases its lock. */
async function stop(signal: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info('stopping', { signal });
  systemClock.after(STOP_MS, () => process.exit(1));
  try {
    await jobs.stop();
    await life?.stop();
    await server.stop(GRACE_MS);
    context.sharedLimits.stop();
    await hints.end();
    demoData?.tenants.close();
    await offer?.stop();
    await store.close();
    process.exit(0);
  } catch (error) {
    log.error('could not stop cleanly', { error });
    process.exit(1);
  }
}

function getAddress(host: string): string {
  return `http://${host}:${server.port}/`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function giveUp(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describePortError(error: unknown, port: number): string {
  const code = (error as { readonly code?: string }).code;
  if (code === 'EADDRINUSE') return t.portInUse({ port: String(port) });
  if (code === 'EACCES') return t.portForbidden({ port: String(port) });
  return t.portFailed({ port: String(port), error: said(error) });
}
