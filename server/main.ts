import { join } from 'node:path';
import { startDirectoryLook } from './account/directory-over.ts';
import { readConfig } from './config.ts';
import { allHandlers } from './handlers.ts';
import { readAssets } from './http/assets.ts';
import { makeApp } from './http/app.ts';
import { listen, probePort } from './http/listen.ts';
import type { Listening } from './http/listen.ts';
import { systemChance } from './chance.ts';
import { systemClock } from './clock.ts';
import { OtherEstate } from './estate/estate.ts';
import { startEstate, whoIsWho } from './estate/start.ts';
import { firstStart } from './first-start.ts';
import { checkMasterKey } from './key-check.ts';
import { makeLog } from './log.ts';
import { ticketRoutes } from './desk/callback.ts';
import { startTickets } from './desk/tickets-timer.ts';
import { assetRoutes } from './brand/assets.ts';
import { chatRoutes } from './brand/chat.ts';
import { startClock } from './monitoring/clock.ts';
import { startLicences } from './billing/keep-months.ts';
import { startInvoices } from './billing/read-invoices.ts';
import { startNotify } from './monitoring/notify/timer.ts';
import { startSla } from './monitoring/sla/timer.ts';
import { startSums } from './reading/sum-days.ts';
import { startCollectors } from './monitoring/collectors/timer.ts';
import { pingRoutes } from './monitoring/ping.ts';
import { wrapRoutes } from './monitoring/wrap.ts';
import { outboxRoutes } from './outbound/outbox.ts';
import { startPost } from './outbound/sender.ts';
import { startReports } from './reports/clock.ts';
import { openStore } from './store/open.ts';
import type { AppContext } from './world.ts';

/** Time for streams and calls that run to come to their end, and for all of the stopping. */
const GRACE_MS = 1_000;
const STOP_MS = 5_000;

const log = makeLog(systemClock);
const settings = readConfig(process.env, join(import.meta.dirname, '..'), process.argv.slice(2));
if (typeof settings === 'string') giveUp(settings);
const { config, hostname, connections, demoPassword, estate: asked } = settings;

// Asked first: it costs nothing, and opening the data takes seconds.
await probePort(config.port, hostname).catch((error: unknown) =>
  giveUp(portFault(error, config.port)),
);
const store = await openStore({
  dataDir: config.dataDir,
  databaseUrl: config.databaseUrl,
  log,
  clock: systemClock,
}).catch((error: unknown) =>
  giveUp(`The data in ${config.dataDir} cannot be opened. ${said(error)}`),
);
const world: AppContext = { store, clock: systemClock, chance: systemChance, log, config };

await checkMasterKey(world).catch(async (error: unknown) => {
  await store.close();
  return giveUp(said(error));
});
// When several servers start together on an empty database, one creates the first data and the
// others wait for it.
const { estate, administrator } = await store.exclusively(async () => {
  const demo = await startEstate(world, asked, demoPassword, tell).catch(async (error: unknown) => {
    await store.close();
    return giveUp(
      error instanceof OtherEstate
        ? `The data in ${config.dataDir} stay as they are. ${error.message}`
        : `The demo estate could not be made. ${said(error)}`,
    );
  });
  return {
    estate: demo,
    administrator:
      demo !== null
        ? null
        : await firstStart(world, demoPassword).catch(async (error: unknown) => {
            await store.close();
            return giveUp(`The first start could not be finished. ${said(error)}`);
          }),
  };
});
const assets = config.pageDir === null ? null : readAssets(config.pageDir);
const app = makeApp(world, allHandlers(world), {
  routes(on) {
    pingRoutes(world)(on);
    outboxRoutes(world)(on);
    assetRoutes(world)(on);
    chatRoutes(world)(on);
    wrapRoutes(on);
    ticketRoutes(world)(on);
  },
  assets,
});
const server: Listening = await listen(app, config.port, hostname, {
  ...connections,
  trustedProxies: config.trustedProxies,
}).catch(async (error: unknown) => {
  await store.close();
  return giveUp(portFault(error, config.port));
});
const timers = [
  startClock,
  startSums,
  startSla,
  startNotify,
  startLicences,
  startDirectoryLook,
  startInvoices,
  startCollectors,
  startReports,
  startTickets,
  startPost,
].map((start) => start(world));
const life = await estate?.live();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void stop(signal));
tell(
  [
    `Daybook is at ${addressOf(hostname === '0.0.0.0' || hostname === '::' ? 'localhost' : hostname)}`,
    ...(estate ? [whoIsWho(estate, (host) => addressOf(host ?? 'localhost'))] : []),
    ...(administrator
      ? [`user name: ${administrator.username}`, `password: ${administrator.password}`]
      : []),
    `mail and SMS without a gateway: http://localhost:${server.port}/outbox (from this machine only)`,
    ...(assets === null ? ['The page is not built: only the API is served.'] : []),
  ].join('\n'),
);

let stopping = false;
/** Nothing new is taken, streams are closed, the database is closed, its lock is given back. */
async function stop(signal: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  log.info('stopping', { signal });
  systemClock.after(STOP_MS, () => process.exit(1));
  try {
    for (const timer of timers) await Promise.resolve(timer.stop());
    await life?.stop();
    await server.stop(GRACE_MS);
    await store.close();
    process.exit(0);
  } catch (error) {
    log.error('could not stop cleanly', { error });
    process.exit(1);
  }
}

function addressOf(host: string): string {
  return `http://${host}:${server.port}/`;
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

function giveUp(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function portFault(error: unknown, port: number): string {
  const code = (error as { readonly code?: string }).code;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program. Set PORT to a free one.`;
  if (code === 'EACCES')
    return `Port ${port} may not be used by this user. Set PORT to one above 1023.`;
  return `The server cannot listen on port ${port}. ${said(error)}`;
}
