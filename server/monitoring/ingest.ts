import * as v from 'valibot';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ComputerInSchema, type ExecutionIn, ExecutionInSchema, type Ingested, RepositoryInSchema } from '#contract/monitoring/ingest.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { Ask, Handlers } from '../http/handler.ts';
import { quickOf } from '../store/quick.ts';
import type { World } from '../world.ts';
import { recordComputers, recordRepositories } from './inventory.ts';
import { turnsOf } from './body-turns.ts';
import { isBatch, readEvents } from './cloud-events.ts';
import { bad, readText } from './ingest-body.ts';
import { authenticateKey, hashIn, type Holder, type KnownKeys, knownKeys, NO_KEY } from './ingest-key.ts';
import { type Normal, normalOf } from './normal.ts';
import { makeRate, type Rate } from './rate.ts';
import { record } from './record.ts';
import { readBacula } from './sources/bacula.ts';
import { readBorg } from './sources/borg.ts';
import { readDuplicati } from './sources/duplicati.ts';
import { readKopia } from './sources/kopia.ts';
import { readRclone } from './sources/rclone.ts';
import { jsonIn, type Reader } from './sources/reading.ts';
import { readRestic } from './sources/restic.ts';
import { readToolQuery } from './tool-query.ts';

type IngestCall = 'ingestExecutions' | 'ingestEvents' | 'ingestRepositories' | 'ingestComputers'
  | 'ingestRestic' | 'ingestBorg' | 'ingestRclone' | 'ingestBacula' | 'ingestKopia' | 'ingestDuplicati';
type Rejected = Ingested['rejected'];

/** What sources post. Each request is recorded whole in one transaction; of several records the bad ones are named and the rest is kept. */
export function ingestHandlers(world: World): Pick<Handlers, IngestCall> {
  const rate = makeRate(LIMITS.ingestPerMinute);
  const tool = (read: Reader) => posted(world, rate, (holder, text, ask) => {
    const query = readToolQuery(new URL(ask.request.url).searchParams);
    if ('issues' in query) return Promise.resolve(failed({ kind: 'bad-input', message: MESSAGES.badInput, issues: query.issues }));
    const { executions, rejected } = read(text, query, ask.now);
    const checked = executions.map(({ execution, byArrival }, index) => checkedExecution(execution, index, ask.now, byArrival));
    return keep(world, holder, checked, ask.now, executions.length + rejected.length <= 1, rejected);
  });
  return {
    ingestExecutions: posted(world, rate, (holder, text, ask) => eachOf(text, (list, single) =>
      keep(world, holder, list.map((one, index) => checkedExecution(one, index, ask.now)), ask.now, single)), knownKeys()),
    ingestEvents: posted(world, rate, async (holder, text, ask) => {
      const read = readEvents(ask.request, text, ask.now);
      if (!read.ok) return read;
      const { executions, repositories, rejected } = read.value;
      const runs = executions.map(({ index, execution, byArrival }) => checkedExecution(execution, index, ask.now, byArrival));
      const samples = repositories.map(({ index, sample }) => checked(RepositoryInSchema, sample, index));
      const done = await keep(world, holder, runs, ask.now, false, [...rejected, ...samples.flatMap((one) => ('error' in one ? [one] : []))]);
      const sampled = await recordRepositories(world, holder.tenant, holder.key, samples.flatMap((one) => ('error' in one ? [] : [one])), ask.now);
      if (!done.ok) return done;
      return answered({ ...done.value, accepted: done.value.accepted + sampled.accepted, duplicates: done.value.duplicates + sampled.duplicates }, !isBatch(ask.request));
    }),
    ingestRepositories: posted(world, rate, (holder, text, ask) => eachOf(text, async (list, single) => {
      const samples = list.map((one, index) => checked(RepositoryInSchema, one, index));
      const kept = await recordRepositories(world, holder.tenant, holder.key, samples.flatMap((one) => ('error' in one ? [] : [one])), ask.now);
      return answered({ ...kept, rejected: samples.flatMap((one) => ('error' in one ? [one] : [])) }, single);
    })),
    ingestComputers: posted(world, rate, (holder, text, ask) => eachOf(text, async (list, single) => {
      const computers = list.map((one, index) => checked(ComputerInSchema, one, index));
      const kept = await recordComputers(world, holder.tenant, holder.key, computers.flatMap((one) => ('error' in one ? [] : [one])), ask.now);
      return answered({ ...kept, rejected: computers.flatMap((one) => ('error' in one ? [one] : [])) }, single);
    })),
    ingestRestic: tool(readRestic), ingestBorg: tool(readBorg), ingestRclone: tool(readRclone), ingestBacula: tool(readBacula),
    ingestKopia: tool(readKopia), ingestDuplicati: tool(readDuplicati),
  };
}

type Work = (holder: Holder, text: string, ask: Ask) => Promise<Result<Ingested>>;

/**
 * Key, rate, body, in this order: a stranger's body is not read. With `known` a key that was read before is believed so far; the transaction that records
 * asks whether it still stands, and nothing else is answered to it before it was looked up.
 */
const posted = (world: World, rate: Rate, work: Work, known?: KnownKeys) => async (_input: unknown, ask: Ask): Promise<Result<Ingested>> => {
  const hash = known === undefined ? null : hashIn(ask.request);
  const believed = hash === null ? undefined : known?.get(hash);
  const holder = believed ? ok(believed) : await authenticateKey(world, ask.request);
  if (!holder.ok) return holder;
  if (hash !== null) known?.put(hash, holder.value);
  const tooMany = rate.ask(holder.value.key.id, ask.now);
  const read = tooMany ? failed(tooMany) : await turnsOf(world).read(holder.value, ask.request, () => readText(ask.request)), text = read.ok ? read.value : read;
  const done = text.ok ? await work(holder.value, text.value, ask) : text;
  if (done.ok) return done;
  if (hash !== null) known?.forget(hash);
  const now = believed ? await authenticateKey(world, ask.request) : holder;
  return now.ok ? done : now;
};

async function keep(world: World, { tenant, key }: Holder, checked: readonly (Normal | Rejected[number])[], now: Ms, single: boolean, before: Rejected = []): Promise<Result<Ingested>> {
  const refused = [...before, ...checked.flatMap((one) => ('error' in one ? [one] : []))];
  const good = checked.flatMap((one) => ('error' in one ? [] : [one]));
  const recorded = await record(world, tenant, key, good, now, refused);
  return recorded === null ? failed(NO_KEY) : answered(recorded, single);
}

/** A single record that was refused is a refused request: the command that sent it must see that it failed. */
function answered(ingested: Ingested, single: boolean): Result<Ingested> {
  const [first] = ingested.rejected;
  if (!single || first === undefined || ingested.accepted + ingested.duplicates > 0) return ok(ingested);
  const split = /^([A-Za-z][\w.]*): (.*)$/s.exec(first.error);
  return failed(bad(split?.[1] ?? '', split?.[2] ?? first.error));
}

async function eachOf(text: string, work: (list: readonly unknown[], single: boolean) => Promise<Result<Ingested>>): Promise<Result<Ingested>> {
  const value = jsonIn(text);
  if (value === undefined) return failed(NOT_JSON);
  if (!Array.isArray(value)) return work([value], true);
  return value.length > LIMITS.ingestRecords ? failed(bad('', `At most ${LIMITS.ingestRecords} records at once.`)) : work(value, false);
}

const NOT_JSON: Failure = bad('', 'The body is not JSON.');

const quick = quickOf(ExecutionInSchema);

/** One record, whoever brings it: as it will be kept, or why it will not. */
export function checkedExecution(input: unknown, index: number, now: Ms, byArrival = false): Normal | Rejected[number] {
  const one = quick(input) ? { index, value: input as ExecutionIn } : checked(ExecutionInSchema, input, index);
  return 'error' in one ? one : normalOf(one.value, index, now, byArrival);
}

function checked<S extends v.GenericSchema>(schema: S, input: unknown, index: number): { readonly index: number; readonly value: v.InferOutput<S> } | Rejected[number] {
  const result = v.safeParse(schema, input, { abortPipeEarly: true });
  if (result.success) return { index, value: result.output };
  const [issue] = result.issues;
  const path = v.getDotPath(issue) ?? '';
  return { index, error: `${path === '' ? '' : `${path}: `}${saidOf(issue)}` };
}

/** Valibot's sentence without what was received: that may be a secret. */
const saidOf = (issue: v.BaseIssue<unknown>): string =>
  issue.expected === 'never' ? 'is not a field of the record' : issue.received === 'undefined' ? 'is missing' : issue.expected === null ? 'is not valid' : `must be ${issue.expected.slice(0, 200)}`;
