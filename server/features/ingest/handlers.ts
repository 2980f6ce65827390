import { createHash } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Ingested } from '#contract/ingest/calls.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { recordComputers, recordRepositories } from './inventory.ts';
import { isBatch, readCloudEvents } from './cloud-events.ts';
import { toInputFailure } from '../../platform/http/body.ts';
import type { AuthenticatedSource } from '../../platform/auth/ingest-key-auth.ts';
import { checkedComputer, checkedExecution, checkedRepository } from './check-records.ts';
import { lock } from './load-decision-state.ts';
import type { Normal } from './normalize.ts';
import { receive, recordResults } from './pipeline.ts';
import { updateSourceHealth } from './source-health.ts';
import { readBacula } from './tools/bacula.ts';
import { readBorg } from './tools/borg.ts';
import { readDuplicati } from './tools/duplicati.ts';
import { readKopia } from './tools/kopia.ts';
import { readRclone } from './tools/rclone.ts';
import { jsonIn, notARun, type Reader, type ToolReading } from './tools/tool-output.ts';
import { readRestic } from './tools/restic.ts';
import { readToolQuery } from './tool-query.ts';
import { ingestAnswers as t } from './answers.messages.en.ts';

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
export function ingestHandlers(context: AppContext): Pick<Handlers, IngestCall> {
  const rate = context.sharedLimits.perMinute('ingest', LIMITS.ingestPerMinute);
  const tool = (read: Reader) =>
    receive(context, rate, (text, { holder, request, now }) => {
      const { pathname, searchParams } = new URL(request.url);
      const query = readToolQuery(searchParams);
      if ('issues' in query)
        return Promise.resolve(
          failed({ kind: 'bad-input', message: MESSAGES.badInput, issues: query.issues }),
        );
      const hash = createHash('sha256')
        .update(`${pathname}\n${JSON.stringify(query)}\n${text}`)
        .digest('hex')
        .slice(0, 32);
      return recordReading(
        context,
        holder,
        EMPTY_LIST.test(text) ? notARun(t.emptyList) : read(text, query, now),
        now,
        hash,
      );
    });
  return {
    ingestExecutions: receive(context, rate, (text, { holder, now }) =>
      ingestRecords(text, (list, single) =>
        keep(
          context,
          holder,
          list.map((one, index) => checkedExecution(one, index, now)),
          now,
          single,
        ),
      ),
    ),
    ingestEvents: receive(context, rate, async (text, { holder, request, now }) => {
      const read = readCloudEvents(request, text, now);
      if (!read.ok) return read;
      const { executions, repositories, rejected } = read.value;
      const runs = executions.map(({ index, execution, byArrival }) =>
        checkedExecution(execution, index, now, byArrival),
      );
      const samples = repositories.map(({ index, sample }) => checkedRepository(sample, index));
      const done = await keep(context, holder, runs, now, false, [
        ...rejected,
        ...samples.flatMap((one) => ('error' in one ? [one] : [])),
      ]);
      const sampled = await recordRepositories(
        context,
        holder.tenant,
        holder.key,
        samples.flatMap((one) => ('error' in one ? [] : [one])),
        now,
      );
      if (!done.ok) return done;
      if (!sampled.ok) return sampled;
      return answered(
        {
          ...done.value,
          accepted: done.value.accepted + sampled.value.accepted,
          duplicates: done.value.duplicates + sampled.value.duplicates,
        },
        !isBatch(request),
      );
    }),
    ingestRepositories: receive(context, rate, (text, { holder, now }) =>
      ingestRecords(text, async (list, single) => {
        const samples = list.map((one, index) => checkedRepository(one, index));
        const stored = await recordRepositories(
          context,
          holder.tenant,
          holder.key,
          samples.flatMap((one) => ('error' in one ? [] : [one])),
          now,
        );
        return stored.ok
          ? answered(
              {
                ...stored.value,
                rejected: samples.flatMap((one) => ('error' in one ? [one] : [])),
              },
              single,
            )
          : stored;
      }),
    ),
    ingestComputers: receive(context, rate, (text, { holder, now }) =>
      ingestRecords(text, async (list, single) => {
        const computers = list.map((one, index) => checkedComputer(one, index));
        const stored = await recordComputers(
          context,
          holder.tenant,
          holder.key,
          computers.flatMap((one) => ('error' in one ? [] : [one])),
          now,
        );
        return stored.ok
          ? answered(
              {
                ...stored.value,
                rejected: computers.flatMap((one) => ('error' in one ? [one] : [])),
              },
              single,
            )
          : stored;
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
  context: AppContext,
  holder: AuthenticatedSource,
  reading: ToolReading,
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
  const done = await keep(context, holder, runs, now, runs.length + rejected.length <= 1, rejected);
  if (!done.ok) return done;
  // A repeated result contains an outdated repository size.
  const current =
    executions.length === 0 || done.value.accepted > 0 || executions.some(({ listed }) => listed);
  const sampled = current
    ? await recordRepositories(context, holder.tenant, holder.key, samples, now)
    : ok({ accepted: 0, duplicates: 0 });
  if (!sampled.ok) return sampled;
  if (note !== undefined) await noteAlive(context, holder, now);
  const counts = executions.length === 0 ? sampled.value : {};
  return ok({ ...done.value, ...counts, ...(note === undefined ? {} : { note }) });
}

/** The output of a catalog query on a day without jobs. */
const EMPTY_LIST = /^\s{0,100}\[\s{0,100}\]\s{0,100}$/;

const noteAlive = (
  context: AppContext,
  { tenant, key }: AuthenticatedSource,
  now: Ms,
): Promise<void> =>
  context.store.tenant(tenant, async (tx) => {
    await lock(tx);
    await updateSourceHealth(tx, key.id, now, 1, []);
  });

async function keep(
  context: AppContext,
  { tenant, key }: AuthenticatedSource,
  checked: readonly (Normal | Rejected[number])[],
  now: Ms,
  single: boolean,
  before: Rejected = [],
): Promise<Result<Ingested>> {
  const refused = [...before, ...checked.flatMap((one) => ('error' in one ? [one] : []))];
  const good = checked.flatMap((one) => ('error' in one ? [] : [one]));
  const recorded = await recordResults(context, tenant, key, good, now, refused);
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
  return failed(toInputFailure(split?.[1] ?? '', split?.[2] ?? first.error));
}

async function ingestRecords(
  text: string,
  work: (list: readonly unknown[], single: boolean) => Promise<Result<Ingested>>,
): Promise<Result<Ingested>> {
  const value = jsonIn(text);
  if (value === undefined) return failed(toInputFailure('', t.notJson));
  if (!Array.isArray(value)) return work([value], true);
  return value.length > LIMITS.ingestRecords
    ? failed(toInputFailure('', t.tooManyRecords({ max: LIMITS.ingestRecords })))
    : work(value, false);
}
