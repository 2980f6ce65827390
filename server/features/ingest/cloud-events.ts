import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Ingested } from '#contract/ingest/calls.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { toInputFailure } from '../../platform/http/body.ts';
import { isObject, type JsonObject, jsonIn, sub, word } from './tools/tool-output.ts';
import { boundedId } from './bounded-id.ts';
import { storable } from '#contract/stored-text.ts';
import { ingestAnswers as t } from './answers.messages.en.ts';

/** CloudEvents 1.0 converted to executions and samples, not validated yet. */
export interface EventsRead {
  readonly executions: readonly {
    readonly index: number;
    readonly execution: JsonObject;
    readonly byArrival: boolean;
  }[];
  readonly repositories: readonly { readonly index: number; readonly sample: JsonObject }[];
  readonly rejected: Ingested['rejected'];
}

export const isBatch = (request: Request): boolean =>
  contentType(request) === 'application/cloudevents-batch+json';

/**
 * Reads the three modes of the HTTP binding: structured, batch, and binary (`ce-…` headers, the
 * body is the data). The same source and id is the same event: they identify an execution without
 * its own id and start; any other is identified by its own (RUN-2).
 */
export function readCloudEvents(request: Request, body: string, at: Ms): Result<EventsRead> {
  const type = contentType(request);
  if (isBatch(request)) {
    const events = jsonIn(body);
    if (!Array.isArray(events)) return failed(toInputFailure('', t.notArray));
    return events.length > LIMITS.ingestRecords
      ? failed(toInputFailure('', t.tooManyEvents({ max: LIMITS.ingestRecords })))
      : ok(sorted(events, at));
  }
  if (type === 'application/cloudevents+json') {
    const event = jsonIn(body);
    return isObject(event) ? ok(sorted([event], at)) : failed(toInputFailure('', t.notEventObject));
  }
  if (request.headers.get('ce-specversion') === null)
    return failed(toInputFailure('content-type', t.notCloudEvents));
  const data = body.trim() === '' ? {} : jsonIn(body);
  if (data === undefined) return failed(toInputFailure('', t.dataNotJson));
  return ok(sorted([{ ...attributes(request.headers), data }], at));
}

const contentType = (request: Request): string =>
  (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

function attributes(headers: Headers): JsonObject {
  const found: Record<string, string> = {};
  for (const [name, value] of headers)
    if (name.startsWith('ce-')) found[name.slice(3)] = decoded(value);
  return found;
}

/** Attributes in headers are percent-encoded. */
function decoded(value: string): string {
  try {
    return storable(decodeURIComponent(value));
  } catch {
    return storable(value);
  }
}

function sorted(events: readonly unknown[], at: Ms): EventsRead {
  const read: {
    executions: EventsRead['executions'][number][];
    repositories: EventsRead['repositories'][number][];
    rejected: Ingested['rejected'];
  } = { executions: [], repositories: [], rejected: [] };
  events.forEach((event, index) => {
    const missing = isObject(event)
      ? ['id', 'source', 'type'].find((name) => word(event[name]) === null)
      : 'id';
    if (!isObject(event) || missing !== undefined)
      return void read.rejected.push({ index, error: `${missing ?? 'id'}: is missing` });
    if (event['specversion'] !== '1.0')
      return void read.rejected.push({ index, error: 'specversion: must be 1.0' });
    const kind = TYPE.exec(word(event['type']) ?? '')?.[1];
    if (kind === 'repository.sampled')
      return void read.repositories.push({ index, sample: getSample(event) });
    if (kind !== 'execution.started' && kind !== 'execution.finished')
      return void read.rejected.push({ index, error: 'type: is not one that is understood' });
    const data = sub(event, 'data');
    const time = word(data['startTime']) ?? word(event['time']);
    const named =
      word(data['externalId']) !== null ||
      word(data['startTime']) !== null ||
      kind === 'execution.started';
    const execution = {
      ...data,
      job: data['job'] ?? word(event['subject']) ?? undefined,
      ...(data['computer'] === undefined ? hostIn(word(event['source']) ?? '') : {}),
      ...(named
        ? {}
        : { externalId: boundedId(`${word(event['source']) ?? ''} ${word(event['id']) ?? ''}`) }),
      status: kind === 'execution.started' ? 'Running' : data['status'],
      startTime: time ?? new Date(at).toISOString(),
    };
    read.executions.push({ index, execution, byArrival: time === null });
  });
  return read;
}

const TYPE =
  /^io\.[a-z0-9-]{1,63}\.backup\.(execution\.started|execution\.finished|repository\.sampled)\.v1$/;

/** The source is `/<host>/<tool>`. */
const hostIn = (source: string): { computer?: string } => {
  const host = /^\/([^/]{1,200})\//.exec(source)?.[1];
  return host === undefined ? {} : { computer: host };
};

const getSample = (event: JsonObject): JsonObject => ({
  name: word(event['subject']) ?? undefined,
  ...(word(event['time']) === null ? {} : { at: word(event['time']) }),
  ...sub(event, 'data'),
});
