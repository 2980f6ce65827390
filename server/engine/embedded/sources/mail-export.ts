import * as v from 'valibot';
import type { EngineErrorKind } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import type { GraphClient } from '../graph/client.ts';
import type { ItemChange } from '../types.ts';

/** Graph's limit of items in one export. */
const EXPORT_SIZE = 20;
/** An export is one response: only so much is asked for at once, and larger mails not at all. */
const MAX_EXPORT_BYTES: Bytes = 24 * 1_048_576;
/** What Graph says where the application or the cloud has no export. */
export const UNAVAILABLE: ReadonlySet<EngineErrorKind> = new Set<EngineErrorKind>([
  'forbidden',
  'missing',
  'unsupported',
  'invalid',
]);

/** How long it is remembered that exports and imports aren't available. */
const KEEP_MS: Ms = 3_600_000;

/** The ids of mailboxes for exports and imports, as far as they are available. */
export class MailboxIds {
  readonly #known = new Map<string, { readonly id: string | null; readonly at: Ms }>();

  /** Returns null if exports and imports aren't available for this user, or not now. */
  async find(client: GraphClient, user: string): Promise<string | null> {
    const now = client.ports.clock.now();
    const known = this.#known.get(user);
    if (known && now - known.at < KEEP_MS) return known.id;
    const settings = await client.get(`${user}/settings/exchange`, Settings);
    if (!settings.ok && !UNAVAILABLE.has(settings.error.kind)) return null;
    const id = settings.ok ? (settings.value.primaryMailboxId ?? null) : null;
    this.#known.set(user, { id, at: now });
    return id;
  }

  /** The tenant doesn't permit it. */
  deny(client: GraphClient, user: string): void {
    this.#known.set(user, { id: null, at: client.ports.clock.now() });
  }
}

export const mailboxPath = (mailbox: string): string =>
  `/admin/exchange/mailboxes/${encodeURIComponent(mailbox)}`;

/** Full-fidelity streams of mails, by key. `isAvailable` false: the tenant doesn't permit exports. */
export interface Exported {
  readonly streams: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly isAvailable: boolean;
}

/**
 * Exports mails as opaque streams, from which all their properties can be restored. A mail that can't
 * be exported is left out: its MIME remains.
 */
export async function exportMails(
  client: GraphClient,
  mailbox: string,
  items: readonly ItemChange[],
): Promise<Exported> {
  const streams = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const chunk of getChunks(items)) {
    const answer = await client.post(
      `${mailboxPath(mailbox)}/exportItems`,
      { itemIds: chunk.map(({ key }) => key) },
      Answer,
      { headers: { prefer: 'IdType="ImmutableId"' }, isRepeatable: true },
    );
    if (!answer.ok && UNAVAILABLE.has(answer.error.kind)) return { streams, isAvailable: false };
    if (!answer.ok) continue;
    for (const { itemId, data } of answer.value.value)
      if (data != null) streams.set(itemId, decode(data));
  }
  return { streams, isAvailable: true };
}

/** Without a copy of what is decoded. */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(base64, 'base64'));
  const length = bytes.write(base64, 'base64');
  return new Uint8Array(bytes.buffer, 0, length);
}

function getChunks(items: readonly ItemChange[]): ItemChange[][] {
  const chunks: ItemChange[][] = [];
  let bytes = 0;
  for (const item of items) {
    if (item.bytes > MAX_EXPORT_BYTES) continue;
    const last = chunks.at(-1);
    const fits = last && last.length < EXPORT_SIZE && bytes + item.bytes <= MAX_EXPORT_BYTES;
    if (fits) last.push(item);
    else chunks.push([item]);
    bytes = (fits ? bytes : 0) + item.bytes;
  }
  return chunks;
}

const text = v.fallback(v.nullish(v.string()), undefined);
const Settings = v.object({ primaryMailboxId: text });
const Answer = v.object({ value: v.array(v.object({ itemId: v.string(), data: text })) });
