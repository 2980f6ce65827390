import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { contentUrl } from './clouds.ts';
import { inTime, sendRequest } from './request.ts';
import type { GraphPorts, GraphResult, GraphScope } from './request.ts';
import { graphMessages as t } from './messages.en.ts';
import { failed } from '../../result.ts';

/** Time for one piece of a stream. */
const STALL_MS: Ms = 60_000;
/** Connections that may break without a single byte in between. */
const MAX_IDLE_BREAKS = 6;

/** Content behind a link that carries its own permission for some minutes. */
export interface Download {
  /** Asks Graph for a link: at the start, and when the last one has expired. */
  readonly link: () => Promise<GraphResult<string>>;
  readonly bytes: Bytes;
}

/**
 * Reads content piece by piece. A broken connection goes on at its byte, an expired link is asked
 * for again, and content that changes meanwhile ends with `conflict`: never a mix of two versions.
 */
export async function* download(
  ports: GraphPorts,
  scope: GraphScope,
  { link, bytes }: Download,
): AsyncGenerator<EngineResult<Uint8Array>, void> {
  let at: Bytes = 0;
  let idleBreaks = 0;
  let url: URL | null = null;
  let version: string | null = null;
  while (at < bytes) {
    if (url === null) {
      const found = await link();
      if (!found.ok) return yield { ok: false, error: found.error };
      url = contentUrl(ports.cloud, found.value);
      if (url === null) return yield failed('refused', t.foreignLink);
    }
    const opened = await open(ports, scope, url, at);
    if (!opened.ok) {
      if (!EXPIRED.has(opened.error.kind) || idleBreaks === MAX_IDLE_BREAKS)
        return yield { ok: false, error: opened.error };
      idleBreaks += 1;
      url = null;
      continue;
    }
    const { response, skip } = opened.value;
    const etag = response.headers.get('etag');
    const total = getTotalBytes(response, at - skip);
    if ((version !== null && etag !== null && etag !== version) || (total ?? bytes) !== bytes) {
      await response.body?.cancel();
      return yield failed('conflict', t.changedWhileRead);
    }
    version ??= etag;
    let left = skip;
    for await (const piece of pieces(ports, scope, response)) {
      const part = left > 0 ? piece.subarray(Math.min(left, piece.byteLength)) : piece;
      left -= piece.byteLength - part.byteLength;
      if (part.byteLength === 0) continue;
      if (at + part.byteLength > bytes) return yield failed('conflict', t.changedWhileRead);
      at += part.byteLength;
      idleBreaks = 0;
      yield { ok: true, value: part };
    }
    if (scope.signal.aborted) return yield failed('ended', t.stopped);
    if (at === bytes) return;
    idleBreaks += 1;
    if (idleBreaks > MAX_IDLE_BREAKS) return yield failed('unreachable', t.cutShort);
    await ports.clock.sleep(ports.governor.backOffMs(idleBreaks, null), scope.signal);
  }
}

/** What an expired link answers with: SharePoint is not of one mind. */
const EXPIRED = new Set(['refused', 'forbidden', 'missing', 'ended']);

interface Opened {
  readonly response: Response;
  /** Bytes at the start that are known already: the server ignored the range. */
  readonly skip: Bytes;
}

async function open(
  ports: GraphPorts,
  scope: GraphScope,
  url: URL,
  at: Bytes,
): Promise<GraphResult<Opened>> {
  const opened = await sendRequest<Opened>(ports, scope, {
    method: 'GET',
    url,
    signed: false,
    isRepeatable: true,
    headers: { 'accept-encoding': 'identity', ...(at > 0 ? { range: `bytes=${at}-` } : {}) },
    async read(response) {
      const isPart = response.status === 206;
      if (isPart && getRange(response)?.from !== at) return failed('internal', t.unreadable);
      return { ok: true, value: { response, skip: isPart ? 0 : at } };
    },
  });
  return opened;
}

/** Yields the pieces until the body ends, breaks, stalls or the call is stopped. */
async function* pieces(
  { clock }: GraphPorts,
  { signal }: GraphScope,
  response: Response,
): AsyncGenerator<Uint8Array, void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const next = await inTime(clock, signal, STALL_MS, () => reader.read());
      if (next === 'lost' || next === 'timeout' || next.done) return;
      yield next.value;
    }
  } finally {
    // A body that is not read to its end holds a connection.
    reader.cancel().catch(() => undefined);
  }
}

function getTotalBytes(response: Response, from: Bytes): Bytes | null {
  const range = getRange(response);
  if (range) return range.total;
  const length = response.headers.get('content-length');
  const isPlain =
    length !== null && response.status === 200 && !response.headers.has('content-encoding');
  return isPlain ? from + Number(length) : null;
}

function getRange(response: Response): { from: Bytes; total: Bytes } | null {
  const range = response.headers.get('content-range') ?? '';
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range) ?? [];
  return from === undefined || total === undefined
    ? null
    : { from: Number(from), total: Number(total) };
}
