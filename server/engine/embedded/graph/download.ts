import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { contentUrl } from './clouds.ts';
import { checkContent, type ContentCheck } from './content-hash.ts';
import { inTime, sendRequest, skipBody } from './request.ts';
import type { GraphPorts, GraphResult, GraphScope } from './request.ts';
import { graphMessages as t } from './messages.en.ts';
import { failed } from '../../result.ts';

/** Time for one piece of a stream. */
const STALL_MS: Ms = 60_000;
/** Connections that may break without a single byte in between. */
const MAX_IDLE_BREAKS = 6;

/** Content behind a link that carries its own permission for some minutes. */
export interface LinkedContent {
  /** Asks Graph for a link: at the start, and when the last one has expired. */
  readonly link: () => Promise<GraphResult<string>>;
  /** As Graph lists it: notebooks, Office files and pictures may be delivered with another length. */
  readonly bytes: Bytes;
  /** As Graph lists it, with its kind: `quickXor:…`. Null: it lists none. */
  readonly hash: string | null;
  /** Whether the file is still the one that was listed. */
  readonly isUnchanged: () => Promise<GraphResult<boolean>>;
}

/**
 * Reads content piece by piece. A broken connection continues at its byte, an expired link is
 * requested again, and content that changes meanwhile ends with `conflict`: never a mix of two
 * versions. Content of another length than listed has to be complete as its server says, and to
 * have the hash that is listed; without one, the file must not have changed meanwhile.
 */
export async function* download(
  ports: GraphPorts,
  scope: GraphScope,
  { link, bytes, hash, isUnchanged }: LinkedContent,
): AsyncGenerator<EngineResult<Uint8Array>, void> {
  let at: Bytes = 0;
  let idleBreaks = 0;
  let url: URL | null = null;
  let version: string | null = null;
  /** The length that the server states. */
  let whole: Bytes | null = null;
  let check: ContentCheck | null = null;
  for (;;) {
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
    if (
      (version !== null && etag !== null && etag !== version) ||
      (whole !== null && total !== null && total !== whole) ||
      (total !== null && total < at)
    ) {
      await response.body?.cancel();
      return yield failed('conflict', t.changedWhileRead);
    }
    version ??= etag;
    whole ??= total;
    if (at === 0 && whole !== bytes) check ??= checkContent(hash);
    let left = skip;
    for await (const piece of pieces(ports, scope, response)) {
      const part = left > 0 ? piece.subarray(Math.min(left, piece.byteLength)) : piece;
      left -= piece.byteLength - part.byteLength;
      if (part.byteLength === 0) continue;
      if (whole !== null && at + part.byteLength > whole)
        return yield failed('conflict', t.changedWhileRead);
      at += part.byteLength;
      idleBreaks = 0;
      check?.update(part);
      yield { ok: true, value: part };
    }
    if (scope.signal.aborted) return yield failed('ended', t.stopped);
    if (at === (whole ?? bytes)) break;
    idleBreaks += 1;
    if (idleBreaks > MAX_IDLE_BREAKS) return yield failed('unreachable', t.cutShort);
    await ports.clock.sleep(ports.governor.backOffMs(idleBreaks, null), scope.signal);
  }
  if (at === bytes) return;
  const confirmed: GraphResult<boolean> =
    check === null ? await isUnchanged() : { ok: true, value: check.isRight() };
  if (!confirmed.ok) yield { ok: false, error: confirmed.error };
  else if (!confirmed.value) yield failed('conflict', t.changedWhileRead);
}

/** Range Not Satisfiable: the content ends before. Says where: `bytes *\/10`. */
const NOTHING_LEFT = 416;
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
    accepts: [NOTHING_LEFT],
    headers: { 'accept-encoding': 'identity', ...(at > 0 ? { range: `bytes=${at}-` } : {}) },
    async read(response) {
      if (response.status === NOTHING_LEFT) {
        await skipBody(response);
        return getTotalBytes(response, at) === null
          ? failed('internal', t.unreadable)
          : { ok: true, value: { response: new Response(null, response), skip: 0 } };
      }
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

/** Returns the length of the whole content; null: the response doesn't say. */
function getTotalBytes(response: Response, from: Bytes): Bytes | null {
  const [, end] = /^bytes \*\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  if (response.status === NOTHING_LEFT) return end === undefined ? null : Number(end);
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
