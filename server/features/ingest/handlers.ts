import { createHash } from 'node:crypto';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Ingested } from '#contract/ingest/calls.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { claimBody } from '../../platform/http/body-budget.ts';
import type { RequestContext, Handlers } from '../../platform/http/handler.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { recordComputers, recordRepositories } from './inventory.ts';
import { getBodyLimiter } from './ingest-body-limiter.ts';
import { isBatch, readEvents } from './cloud-events.ts';
import { bad, readText } from './read-body.ts';
import {
  authenticateKey,
  hashIn,
  type Holder,
  type KnownKeys,
  knownKeys,
} from './authenticate-key.ts';
import { checkedComputer, checkedExecution, checkedRepository } from './check-records.ts';
import { lock } from './load-decision-state.ts';
import type { Normal } from './normalize.ts';
import { makePerMinuteLimit, type PerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import { updateSourceHealth, recordResults } from './ingest-transaction.ts';
import { readBacula } from './tools/bacula.ts';
import { readBorg } from './tools/borg.ts';
import { readDuplicati } from './tools/duplicati.ts';
import { readKopia } from './tools/kopia.ts';
import { readRclone } from './tools/rclone.ts';
import { jsonIn, notARun, type Reader, type Reading } from './tools/tool-output.ts';
import { readRestic } from './tools/restic.ts';
import { readToolQuery } from './tool-query.ts';

type IngestCall =
  | 'ingestExecutions'
  | 'ingestEvents'
  | 'ingestRepositories'
  | 'ingestComputers'
  | 'ingestRestic'
  | 'ingestBorg'
  | 'ingestRclone'
  | 'ingestBacula'
  | 'ingestKopia'
  | 'ingestDuplicati';
type Rejected = Ingested['rejected'];

/**
 * The calls that sources post to. Each request is recorded in one transaction; of several records,
 * the invalid ones are rejected and the others stored.
 */
export function ingestHandlers(world: AppContext): Pick<Handlers, IngestCall> {
  const rate = makePerMinuteLimit(LIMITS.ingestPerMinute);
  const tool = (read: Reader) =>
    posted(world, rate, (holder, text, ctx) => {
      const query = readToolQuery(new URL(ctx.request.url).searchParams);
      if ('issues' in query)
        return Promise.resolve(
          failed({ kind: 'bad-input', message: MESSAGES.badInput, issues: query.issues }),
        );
      const hash = createHash('sha256')
        .update(`${new URL(ctx.request.url).pathname}\n${JSON.stringify(query)}\n${text}`)
        .digest('hex')
        .slice(0, 32);
      return recordReading(
        world,
        holder,
        EMPTY_LIST.test(text)
          ? notARun('The list is empty: there is nothing to record.')
          : read(text, query, ctx.now),
        ctx.now,
        hash,
      );
    });
  return {
    ingestExecutions: posted(
      world,
      rate,
      (holder, text, ctx) =>
        eachOf(text, (list, single) =>
          keep(
            world,
            holder,
            list.map((one, index) => checkedExecution(one, index, ctx.now)),
            ctx.now,
            single,
          ),
        ),
      knownKeys(),
    ),
    ingestEvents: posted(world, rate, async (holder, text, ctx) => {
      const read = readEvents(ctx.request, text, ctx.now);
      if (!read.ok) return read;
      const { executions, repositories, rejected } = read.value;
      const runs = executions.map(({ index, execution, byArrival }) =>
        checkedExecution(execution, index, ctx.now, byArrival),
      );
      const samples = repositories.map(({ index, sample }) => checkedRepository(sample, index));
      const done = await keep(world, holder, runs, ctx.now, false, [
        ...rejected,
        ...samples.flatMap((one) => ('error' in one ? [one] : [])),
      ]);
      const sampled = await recordRepositories(
        world,
        holder.tenant,
        holder.key,
        samples.flatMap((one) => ('error' in one ? [] : [one])),
        ctx.now,
      );
      if (!done.ok) return done;
      if (!sampled.ok) return sampled;
      return answered(
        {
          ...done.value,
          accepted: done.value.accepted + sampled.value.accepted,
          duplicates: done.value.duplicates + sampled.value.duplicates,
        },
        !isBatch(ctx.request),
      );
    }),
    ingestRepositories: posted(world, rate, (holder, text, ctx) =>
      eachOf(text, async (list, single) => {
        const samples = list.map((one, index) => checkedRepository(one, index));
        const kept = await recordRepositories(
          world,
          holder.tenant,
          holder.key,
          samples.flatMap((one) => ('error' in one ? [] : [one])),
          ctx.now,
        );
        return kept.ok
          ? answered(
              { ...kept.value, rejected: samples.flatMap((one) => ('error' in one ? [one] : [])) },
              single,
            )
          : kept;
      }),
    ),
    ingestComputers: posted(world, rate, (holder, text, ctx) =>
      eachOf(text, async (list, single) => {
        const computers = list.map((one, index) => checkedComputer(one, index));
        const kept = await recordComputers(
          world,
          holder.tenant,
          holder.key,
          computers.flatMap((one) => ('error' in one ? [] : [one])),
          ctx.now,
        );
        return kept.ok
          ? answered(
              {
                ...kept.value,
                rejected: computers.flatMap((one) => ('error' in one ? [one] : [])),
              },
              single,
            )
          : kept;
      }),
    ),
    ingestRestic: tool(readRestic),
    ingestBorg: tool(readBorg),
    ingestRclone: tool(readRclone),
    ingestBacula: tool(readBacula),
    ingestKopia: tool(readKopia),
    ingestDuplicati: tool(readDuplicati),
  };
}

/**
 * Records what a reader found in a tool's output. `accepted` counts runs, or samples if there are
 * only samples. Output that is not the result of a backup is answered with the reason, and counts
 * as a sign of life.
 */
async function recordReading(
  world: AppContext,
  holder: Holder,
  reading: Reading,
  now: Ms,
  bodyHash: string,
): Promise<Result<Ingested>> {
  const { executions, rejected, repositories = [], note } = reading;
  const runs = executions.map(({ execution, byArrival, listed, shortId }, index) => {
    const run = checkedExecution(execution, index, now, byArrival, `${bodyHash}.${index}`);
    return 'error' in run ? run : { ...run, listed, shortId };
  });
  const samples = repositories
    .map((sample, index) => checkedRepository(sample, index))
    .flatMap((one) => ('error' in one ? [] : [one]));
  const done = await keep(world, holder, runs, now, runs.length + rejected.length <= 1, rejected);
  if (!done.ok) return done;
  // A repeated result contains an outdated repository size.
  const current =
    executions.length === 0 || done.value.accepted > 0 || executions.some(({ listed }) => listed);
  const sampled = current
    ? await recordRepositories(world, holder.tenant, holder.key, samples, now)
    : ok({ accepted: 0, duplicates: 0 });
  if (!sampled.ok) return sampled;
  if (note !== undefined) await noteAlive(world, holder, now);
  const counts = executions.length === 0 ? sampled.value : {};
  return ok({ ...done.value, ...counts, ...(note === undefined ? {} : { note }) });
}

/** The output of a catalog query on a day without jobs. */
const EMPTY_LIST = /^\s{0,100}\[\s{0,100}\]\s{0,100}$/;

const noteAlive = (world: AppContext, { tenant, key }: Holder, now: Ms): Promise<void> =>
  world.store.tenant(tenant, async (tx) => {
    await lock(tx);
    await updateSourceHealth(tx, key.id, now, 1, []);
  });

type Work = (holder: Holder, text: string, ctx: RequestContext) => Promise<Result<Ingested>>;

/**
 * Checks the key, then the rate, then reads the body, so that an unauthenticated body is never
 * read. With `known` a cached key is accepted at first: the transaction that records checks that it
 * is still valid, and any other response is sent only after a lookup.
 */
const posted =
  (world: AppContext, rate: PerMinuteLimit, work: Work, known?: KnownKeys) =>
  async (_input: unknown, ctx: RequestContext): Promise<Result<Ingested>> => {
    const hash = known === undefined ? null : hashIn(ctx.request);
    const believed = hash === null ? undefined : known?.get(hash);
    const holder = believed ? ok(believed) : await authenticateKey(world, ctx.request);
    if (!holder.ok) return holder;
    if (hash !== null) known?.put(hash, holder.value);
    claimBody(ctx.request, holder.value.tenant, `key ${holder.value.key.id}`);
    const retryAfterMs = rate.ask(holder.value.key.id, ctx.now);
    const read =
      retryAfterMs !== null
        ? failed({ kind: 'too-many' as const, message: MESSAGES.tooMany, retryAfterMs })
        : await getBodyLimiter(world).read(holder.value, ctx.request, () => readText(ctx.request));
    const text = read.ok ? read.value : read;
    // The cost of reading a compressed body depends on its uncompressed size.
    if (text.ok)
      rate.add(
        holder.value.key.id,
        Math.max(0, Math.ceil(text.value.length / LIMITS.ingestBodyBytes) - 1),
      );
    const done = text.ok ? await work(holder.value, text.value, ctx) : text;
    if (done.ok) return done;
    if (hash !== null) known?.forget(hash);
    const now = believed ? await authenticateKey(world, ctx.request) : holder;
    return now.ok ? done : now;
  };

async function keep(
  world: AppContext,
  { tenant, key }: Holder,
  checked: readonly (Normal | Rejected[number])[],
  now: Ms,
  single: boolean,
  before: Rejected = [],
): Promise<Result<Ingested>> {
  const refused = [...before, ...checked.flatMap((one) => ('error' in one ? [one] : []))];
  const good = checked.flatMap((one) => ('error' in one ? [] : [one]));
  const recorded = await recordResults(world, tenant, key, good, now, refused);
  return recorded.ok ? answered(recorded.value, single) : recorded;
}

/**
 * Returns a failure if the only record was rejected, so that the command that sent it sees the
 * failure.
 */
function answered(ingested: Ingested, single: boolean): Result<Ingested> {
  const [first] = ingested.rejected;
  if (!single || first === undefined || ingested.accepted + ingested.duplicates > 0)
    return ok(ingested);
  const split = /^([A-Za-z][\w.]*): (.*)$/s.exec(first.error);
  return failed(bad(split?.[1] ?? '', split?.[2] ?? first.error));
}

async function eachOf(
  text: string,
  work: (list: readonly unknown[], single: boolean) => Promise<Result<Ingested>>,
): Promise<Result<Ingested>> {
  const value = jsonIn(text);
  if (value === undefined) return failed(NOT_JSON);
  if (!Array.isArray(value)) return work([value], true);
  return value.length > LIMITS.ingestRecords
    ? failed(bad('', `At most ${LIMITS.ingestRecords} records at once.`))
    : work(value, false);
}

const NOT_JSON: Failure = bad('', 'The body is not JSON.');
