import * as v from 'valibot';
import type { Bytes } from '#contract/ids.ts';
import { contentUrl } from './clouds.ts';
import { readResponseJson, sendRequest, skipBody } from './request.ts';
import type { GraphPorts, GraphResult, GraphScope } from './request.ts';
import { graphMessages as t } from './messages.en.ts';
import { failed, nothing } from '../../result.ts';

/** Fragments are a multiple of this, as Graph demands. */
const UNIT_BYTES: Bytes = 327_680;
const FRAGMENT_BYTES: Bytes = 16 * UNIT_BYTES;
/** Sessions of Outlook take smaller ones. */
export const SMALL_FRAGMENT_BYTES: Bytes = 9 * UNIT_BYTES;
const MAX_BREAKS = 6;
const MAX_ANSWER_BYTES: Bytes = 1_048_576;

export interface Upload {
  /** `uploadUrl` of a session: it carries its own permission. */
  readonly uploadUrl: string;
  readonly bytes: Bytes;
  readonly content: AsyncIterable<Uint8Array>;
  readonly fragmentBytes?: Bytes;
}

/**
 * Uploads content in fragments and returns the item that Graph made of it, as `schema` reads it. A
 * fragment whose response is lost continues where Graph says. If the response to the last one is
 * lost, the error is `unreachable` and the item may exist.
 */
export async function upload<S extends v.GenericSchema>(
  ports: GraphPorts,
  scope: GraphScope,
  { uploadUrl, bytes, content, fragmentBytes = FRAGMENT_BYTES }: Upload,
  schema: S,
): Promise<GraphResult<v.InferOutput<S>>> {
  const url = contentUrl(ports.cloud, uploadUrl);
  if (url === null) return failed('refused', t.foreignLink);
  let from: Bytes = 0;
  for await (const fragment of getFragments(content, fragmentBytes)) {
    const end = from + fragment.byteLength;
    if (end > bytes) break;
    for (let at = from, breaks = 0; at < end;) {
      const sent = await sendFragment(ports, scope, {
        url,
        range: `bytes ${at}-${end - 1}/${bytes}`,
        body: fragment.subarray(at - from),
        isLast: end === bytes,
        schema,
      });
      if (sent.ok && sent.value.type === 'done') return { ok: true, value: sent.value.item };
      if (sent.ok) {
        at = end;
        continue;
      }
      // A link that is refused says nothing about the sign-in: its session may have ended.
      const isRefused = sent.error.kind === 'refused';
      const isLost = sent.error.kind === 'unreachable' || sent.error.kind === 'internal';
      if (!isLost && !isRefused && sent.code?.toLowerCase() !== 'invalidrange') return sent;
      breaks += 1;
      if (breaks > MAX_BREAKS) return isRefused ? failed('ended', t.sessionEnded) : sent;
      await ports.clock.sleep(ports.governor.backOffMs(breaks, null), scope.signal);
      const next = await getNextOffset(ports, scope, url);
      // A session that is gone after its last fragment was complete, or has expired.
      if (!next.ok && (isRefused || next.error.kind === 'refused'))
        return failed('ended', t.sessionEnded);
      if (!next.ok) return end === bytes ? sent : next;
      if (next.value < from || next.value > end) return failed('ended', t.sessionEnded);
      at = next.value;
    }
    from = end;
  }
  return failed('damaged', t.cutShort);
}

/** Removes what was uploaded so far. */
export async function cancelUpload(
  ports: GraphPorts,
  scope: GraphScope,
  uploadUrl: string,
): Promise<void> {
  const url = contentUrl(ports.cloud, uploadUrl);
  if (url === null) return;
  await sendRequest<null>(ports, scope, {
    method: 'DELETE',
    url,
    signed: false,
    isRepeatable: false,
    read: () => Promise.resolve(nothing),
  });
}

type Sent<T> = { readonly type: 'more' } | { readonly type: 'done'; readonly item: T };

const sendFragment = <S extends v.GenericSchema>(
  ports: GraphPorts,
  scope: GraphScope,
  input: {
    readonly url: URL;
    readonly range: string;
    readonly body: Uint8Array<ArrayBuffer>;
    readonly isLast: boolean;
    readonly schema: S;
  },
): Promise<GraphResult<Sent<v.InferOutput<S>>>> =>
  sendRequest<Sent<v.InferOutput<S>>>(ports, scope, {
    method: 'PUT',
    url: input.url,
    signed: false,
    isRepeatable: false,
    headers: { 'content-range': input.range, 'content-type': 'application/octet-stream' },
    body: input.body,
    async read(response) {
      if (response.status === 202 || !input.isLast) {
        await skipBody(response);
        return { ok: true, value: { type: 'more' } };
      }
      const item = await readResponseJson(response, input.schema, MAX_ANSWER_BYTES);
      return item.ok ? { ok: true, value: { type: 'done', item: item.value } } : item;
    },
  });

/** Returns the first byte that Graph lacks. */
async function getNextOffset(
  ports: GraphPorts,
  scope: GraphScope,
  url: URL,
): Promise<GraphResult<Bytes>> {
  const state = await sendRequest(ports, scope, {
    method: 'GET',
    url,
    signed: false,
    isRepeatable: true,
    read: (response) => readResponseJson(response, SessionState, MAX_ANSWER_BYTES),
  });
  if (!state.ok) return state;
  const first = state.value.nextExpectedRanges.map((range) => Number.parseInt(range, 10));
  const next = Math.min(...first);
  return Number.isSafeInteger(next) ? { ok: true, value: next } : failed('ended', t.sessionEnded);
}

const SessionState = v.object({ nextExpectedRanges: v.array(v.string()) });

/** Cuts content into whole fragments; the last one may be shorter. */
async function* getFragments(
  content: AsyncIterable<Uint8Array>,
  fragmentBytes: Bytes,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let buffer = new Uint8Array(fragmentBytes);
  let filled = 0;
  for await (const piece of content)
    for (let at = 0; at < piece.byteLength;) {
      const part = piece.subarray(at, at + fragmentBytes - filled);
      buffer.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
      if (filled < fragmentBytes) continue;
      yield buffer;
      buffer = new Uint8Array(fragmentBytes);
      filled = 0;
    }
  if (filled > 0) yield buffer.subarray(0, filled);
}
