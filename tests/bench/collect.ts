/**
 * How fast a whole console is taken in: the stand-in of a Veeam Service Provider Console serves the
 * jobs of the demo estate over HTTP, in pages and with a limit of questions a minute, and the
 * collectors read all of it into a database; beside it the same jobs one by one, each asked for by
 * its own address and recorded by itself. By itself: `node tests/bench/collect.ts [--json]
 * [--estate large] [DATABASE_URL]`; an embedded database in memory without the last. `--serve 4480`
 * only serves the console, for a portal to be connected to (key `a-simple-key`); organizations are
 * named as the estate's companies.
 */
import { cpus, loadavg } from 'node:os';
import type { Ms } from '../../contract/ids.ts';
import { makePlan } from '../../server/demo/make-plan.ts';
import type { ProviderPlan, DemoSize } from '../../server/demo/plan.ts';
import { loadLinks, openChannels } from '../../server/features/connections/channels.ts';
import { recordRuns } from '../../server/features/connections/deliver.ts';
import type { CollectTask } from '../../server/features/connections/task.ts';
import { serverJob } from '../../server/features/connections/vspc-jobs.ts';
import type { VspcServerJob } from '../../server/features/connections/vspc-shapes.ts';
import { openStore } from '../../server/platform/db/open.ts';
import { systemClock } from '../../server/platform/clock.ts';
import {
  atMost,
  getList,
  runsBetween,
  serveDemo,
} from '../server/connections/fakes/demo-console.ts';
import { aField, type Field } from '../server/connections/fakes/field.ts';
import { KEY, type StandIn, uid, vspcStandIn } from '../server/connections/fakes/vspc.ts';
import { type Sheet, getTable } from './figures.ts';

const DAY: Ms = 86_400_000;
const HOUR: Ms = 3_600_000;
const MINUTE: Ms = 60_000;
/** A page of the console's usual limit; questions a minute. */
const PAGE = 200;
const PER_MINUTE = 60;
/** Jobs of the peer: so slow that a part must do. */
const ONE_BY_ONE = 300;

/** Throws where what was taken in is not what the estate has. */
export async function benchCollect(
  say: (text: string) => void,
  size: DemoSize = 'large',
  url: string | null = null,
): Promise<Sheet[]> {
  const quiet = {
    info: () => undefined,
    warn: () => undefined,
    error: (what: string, fields?: unknown) => {
      console.error(what, JSON.stringify(fields)?.slice(0, 300));
    },
  };
  const store = await openStore({
    dataDir: '',
    databaseUrl: url,
    memory: url === null,
    clock: systemClock,
    log: quiet,
  });
  const vspc = await vspcStandIn();
  const field = await aField(store);
  const peer = await aField(store);
  try {
    const before = loadavg()[0] ?? 0;
    const at = field.context.clock.now();
    const plan = getPlan(size, at);
    say(
      `  collect: the ${size} estate, ${plan.jobs.length} jobs of ${plan.companies.length} companies …`,
    );
    serveDemo(vspc.console, plan, at);
    vspc.console.maxPage = PAGE;
    const limit = atMost(PER_MINUTE, () => field.context.clock.now());
    vspc.console.fault = limit.fault;
    for (const one of [field, peer])
      for (const { name } of plan.companies) await one.company(name, uid(`company ${name}`));
    await field.connect(vspc.outside.url);
    const first = await taken(field);
    const pages = vspc.outside.asked.length;
    const runs = await compared(field, plan, at);
    field.place.ground.pass(6 * MINUTE);
    const again = await taken(field);
    field.place.ground.at(at + 6 * HOUR);
    serveDemo(vspc.console, plan, at + 6 * HOUR);
    const later = await taken(field);
    const fresh = (await compared(field, plan, at + 6 * HOUR)) - runs;
    vspc.console.fault = () => null;
    const each = await oneByOne(peer, vspc, plan);
    const jobs = plan.jobs.length;
    return [
      {
        title: `A console of ${jobs.toLocaleString('en')} jobs in ${plan.companies.length.toLocaleString('en')} companies taken in, with its sessions of seven days, on ${store.kind}`,
        columns: ['in pages', 'one by one'],
        figures: [
          row('first time, all of it', 's', first.ms / 1000),
          row('results of it', '', runs),
          row('results a second', '/s', (runs / first.ms) * 1000, each.perSecond),
          row('every job once', 's', jobs / ((runs / first.ms) * 1000), jobs / each.perSecond),
          row('the same again', 's', again.ms / 1000),
          row('six hours later', 's', later.ms / 1000),
          row('new results then', '', fresh),
          row('questions asked, first time', '', pages, jobs),
          row('times told to wait', '', limit.refusals),
        ],
        notes: [
          `${cpus().length} cores ${cpus()[0]?.model.trim() ?? ''}; load average ${before.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after. Waiting that the console asks for is not counted.`,
          `One by one: ${ONE_BY_ONE} jobs measured, each asked for by its own address and recorded by itself; the last session only. What was taken in equals the estate job by job.`,
        ],
      },
    ];
  } finally {
    await field.collectors.stop();
    await peer.collectors.stop();
    await vspc.outside.stop();
    await store.close();
  }
}

const row = (
  what: string,
  unit: string,
  ours: number,
  theirs: number | null = null,
): Sheet['figures'][number] => ({ what, unit, values: { 'in pages': ours, 'one by one': theirs } });

function getPlan(size: DemoSize, at: Ms): ProviderPlan {
  const [plan] = makePlan(20_260_301, size, at - DAY).providers;
  if (!plan) throw new Error('an estate without a provider');
  return plan;
}

/**
 * Rounds until nothing waits any more, with the minutes between them passed by; the time that they
 * worked.
 */
async function taken(field: Field): Promise<{ readonly ms: number }> {
  let ms = 0;
  for (let rounds = 0; rounds < 60; rounds += 1) {
    const began = performance.now();
    await field.round();
    ms += performance.now() - began;
    const details = await field.listConnections();
    const collections = details.ok ? (details.value[0]?.collections ?? []) : [];
    if (collections.length > 0 && collections.every(({ status }) => status === 'succeeded'))
      return { ms };
    field.place.ground.pass(MINUTE);
  }
  throw new Error('The console was not read to its end.');
}

/** How many results there are, all of them and no other than the estate's. */
async function compared(field: Field, plan: ProviderPlan, at: Ms): Promise<number> {
  const names = new Map((await field.place.all('job')).map(({ n, uid: id }) => [n, id]));
  const ours = new Set(
    (await field.runs()).flatMap(({ job, startedAt, status }) =>
      status === 'Missed' ? [] : [`${names.get(job) ?? ''} ${startedAt}`],
    ),
  );
  const missing = plan.jobs
    .flatMap((job) =>
      runsBetween(plan, job, at - 6 * DAY, at)
        .filter(({ endedAt }) => endedAt <= at)
        .map(({ startedAt }) => `${job.uid} ${startedAt}`),
    )
    .filter((name) => !ours.has(name));
  if (names.size !== plan.jobs.length || missing.length > 0)
    throw new Error(
      `${names.size} of ${plan.jobs.length} jobs, ${missing.length} results are missing, such as ${missing[0] ?? 'none'}.`,
    );
  return ours.size;
}

/** As a script would: a question and a transaction for each job. */
async function oneByOne(
  field: Field,
  vspc: StandIn,
  plan: ProviderPlan,
): Promise<{ readonly perSecond: number }> {
  const { context, tenant } = field;
  const id = await field.connect(vspc.outside.url, { enabled: false });
  const connection = await context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('connection')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  );
  const link = await context.store.tenant(tenant, (tx) => loadLinks(tx, connection));
  const task: Pick<CollectTask, 'context' | 'tenant' | 'connection'> = {
    context,
    tenant,
    connection,
  };
  const jobs = plan.jobs.filter((job) => getList(job) === 'jobs').slice(0, ONE_BY_ONE);
  const channels = await openChannels(
    context,
    tenant,
    connection,
    new Set(
      jobs.map(({ company }) => link(uid(`company ${plan.companies[company]?.name ?? ''}`)) ?? 0),
    ),
  );
  const began = performance.now();
  for (const job of jobs) {
    const answer = await fetch(
      `${vspc.outside.url}/api/v3/infrastructure/backupServers/jobs/${job.uid}`,
      { headers: { authorization: `Bearer ${KEY}` } },
    );
    const { data } = (await answer.json()) as { readonly data: VspcServerJob };
    const { facts, run } = serverJob(data, '');
    const company = link(data.mappedOrganizationUid ?? data.organizationUid);
    if (run !== null && company !== null)
      await recordRuns(task, [{ execution: { ...facts, ...run } }], channels.get(company));
  }
  return { perSecond: (jobs.length / (performance.now() - began)) * 1000 };
}

/**
 * A console for a portal to be connected to; ends with the process. It stands where the clock
 * stands, and goes on each minute.
 */
async function serve(port: number, size: DemoSize): Promise<void> {
  const vspc = await vspcStandIn(port);
  const plan = getPlan(size, systemClock.now());
  const report = (): void => {
    serveDemo(vspc.console, plan, systemClock.now());
    systemClock.after(MINUTE, report);
  };
  report();
  console.log(
    `A console with the ${plan.jobs.length} jobs of the ${size} estate is at ${vspc.outside.url}, key ${KEY}. Its organizations:`,
  );
  for (const { name } of plan.companies) console.log(`  ${uid(`company ${name}`)}  ${name}`);
}

function input(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

if (import.meta.main) {
  const json = process.argv.includes('--json');
  const size =
    (['small', 'medium', 'large'] as const).find((one) => one === input('--estate')) ?? 'large';
  const port = input('--serve');
  if (port !== undefined) await serve(Number(port), size);
  else {
    const sheets = await benchCollect(
      (text) => {
        if (!json) console.log(text);
      },
      size,
      process.argv.find((one) => one.startsWith('postgres')) ?? null,
    );
    console.log(json ? JSON.stringify(sheets, null, 2) : sheets.map(getTable).join('\n'));
  }
}
