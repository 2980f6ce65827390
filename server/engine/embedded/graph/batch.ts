import * as v from 'valibot';
import type { Ms } from '#contract/ids.ts';
import { parseRetryAfter } from '#server/platform/outbound/retry.ts';
import type { GraphClient } from './client.ts';
import { GRAPH_VERSION, graphUrl } from './clouds.ts';
import { type GraphFailure, readFailure } from './errors.ts';
import type { GraphResult } from './request.ts';
import { graphMessages as t } from './messages.en.ts';
import { failed } from '../../result.ts';

/** Graph's limit. */
const BATCH_SIZE = 20;
/** Rounds for parts that Graph throttles or that fail on their way. */
const MAX_ROUNDS = 8;

/** A reading part of a batch. The body of a response that isn't JSON is in base64. */
export interface BatchPart {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Reads up to any number of paths, twenty in a request. Returns a result for each, in their order:
 * each fails alone. Those that Graph throttles are requested again, and those whose token has expired
 * once, with a new one.
 */
export async function readBatch(
  client: GraphClient,
  parts: readonly BatchPart[],
): Promise<GraphResult<unknown>[]> {
  const results: GraphResult<unknown>[] = parts.map(() => failed('busy', t.busy));
  for (let from = 0; from < parts.length; from += BATCH_SIZE) {
    const open = parts.slice(from, from + BATCH_SIZE).map((part, n) => ({ part, at: from + n }));
    await readChunk(client, open, results);
  }
  return results;
}

interface OpenPart {
  readonly part: BatchPart;
  readonly at: number;
}

async function readChunk(
  client: GraphClient,
  chunk: readonly OpenPart[],
  results: GraphResult<unknown>[],
): Promise<void> {
  const { ports, scope } = client;
  let open = chunk.filter(({ part, at }) => {
    const isOwn = graphUrl(ports.cloud, part.path) !== null;
    if (!isOwn) results[at] = failed('refused', t.foreignLink);
    return isOwn;
  });
  let isRenewed = false;
  for (let round = 1; open.length > 0; round += 1) {
    const token = await ports.tokens.get(scope.signal);
    const sent = await client.post('/$batch', { requests: open.map(getRequest) }, BatchAnswer, {
      isRepeatable: true,
    });
    if (!sent.ok) {
      for (const { at } of open) results[at] = sent;
      return;
    }
    const again: OpenPart[] = [];
    const refused: OpenPart[] = [];
    let waitMs: Ms | null = null;
    for (const entry of open) {
      const answer = sent.value.responses.find(({ id }) => id === String(entry.at));
      const { result, reaction } = getResult(answer);
      results[entry.at] = result;
      if (reaction === 'renew') refused.push(entry);
      if (reaction !== 'throttle' && reaction !== 'retry') continue;
      again.push(entry);
      const requestedMs = parseRetryAfter(
        getHeader(answer?.headers, 'retry-after'),
        ports.clock.now(),
      );
      if (requestedMs !== null) waitMs = Math.max(waitMs ?? 0, requestedMs);
    }
    const renews = !isRenewed && refused.length > 0;
    open = renews ? [...again, ...refused] : again;
    if (open.length === 0 || round === MAX_ROUNDS || scope.signal.aborted) return;
    if (renews) {
      isRenewed = true;
      if (token.ok) ports.tokens.forget(token.value);
      if (again.length === 0) continue;
    }
    const pauseMs = ports.governor.backOffMs(round, waitMs);
    const entry = await ports.governor.enter(scope.lane, scope, ports.clock.now() + pauseMs);
    if (entry.type !== 'entered') return;
    ports.governor.leave(scope.lane, {
      throttled: true,
      throttledMs: null,
      everywhere: false,
      headers: null,
    });
  }
}

const getRequest = ({ part, at }: OpenPart) => ({
  id: String(at),
  method: 'GET',
  url: part.path.startsWith('/') ? part.path : getPath(part.path),
  ...(part.headers ? { headers: part.headers } : {}),
});

/** The path of a link within the version. */
function getPath(link: string): string {
  const { pathname, search } = new URL(link);
  return `${pathname.slice(GRAPH_VERSION.length)}${search}`;
}

function getResult(answer: v.InferOutput<typeof PartAnswer> | undefined): {
  readonly result: GraphResult<unknown>;
  readonly reaction: GraphFailure['reaction'] | null;
} {
  if (answer === undefined) return { result: failed('internal', t.unreadable), reaction: 'retry' };
  if (answer.status >= 200 && answer.status < 300)
    return { result: { ok: true, value: answer.body }, reaction: null };
  if (answer.status === 302) {
    const link = getHeader(answer.headers, 'location');
    if (link !== null) return { result: { ok: true, value: link }, reaction: null };
  }
  const { error, code, reaction } = readFailure(answer.status, answer.body);
  return { result: { ok: false, error, code }, reaction };
}

function getHeader(headers: Readonly<Record<string, string>> | undefined, name: string) {
  const found = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return found?.[1] ?? null;
}

const PartAnswer = v.object({
  id: v.string(),
  status: v.number(),
  headers: v.optional(v.record(v.string(), v.string())),
  body: v.optional(v.unknown()),
});
const BatchAnswer = v.object({ responses: v.array(PartAnswer) });
