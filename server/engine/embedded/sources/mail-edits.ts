import { createHash } from 'node:crypto';
import PostalMime from 'postal-mime';
import type { Reply } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import type { StoredItem, WriteInput } from '../types.ts';
import { readContent } from './content.ts';
import { MAX_MIME_BYTES, readMimeContent } from './mail.ts';
import { getAttachment } from './mail-message.ts';

/** Returns the stored content of an item. */
export type ReadStored = (item: Pick<StoredItem, 'parts'>) => WriteInput['content'];

interface Mailbox {
  readonly client: GraphClient;
  readonly user: string;
  /** Null: there is nothing to compare with. */
  readonly read: ReadStored | null;
}
interface FoundMail {
  readonly id: string;
  readonly changeKey: string;
  readonly isDraft?: boolean | null | undefined;
}

/**
 * Whether somebody has changed the text or attachments of a mail, which no list has. They are read
 * only if the mail has changed since the backup in any way. Those of drafts usually have.
 */
export async function hasOtherContent(
  { client, user, read }: Mailbox,
  { id, isDraft, changeKey }: FoundMail,
  item: StoredItem,
): Reply<boolean> {
  if (changeKey === item.changeKey) return { ok: true, value: false };
  if (isDraft === true) return { ok: true, value: true };
  if (read === null) return { ok: true, value: false };
  const before = await readContent(await read(item)('mime'), MAX_MIME_BYTES);
  // Nothing to compare with: writing it will say so.
  if (!before.ok)
    return before.error.kind === 'missing' || before.error.kind === 'damaged'
      ? { ok: true, value: false }
      : before;
  const now = await readMimeContent(client, user, id);
  if (!now.ok)
    return now.error.kind === 'missing'
      ? { ok: true, value: false }
      : { ok: false, error: now.error };
  if (Buffer.compare(before.value, now.value) === 0) return { ok: true, value: false };
  const [stored, present] = [
    await getMailFingerprint(before.value),
    await getMailFingerprint(new Uint8Array(now.value)),
  ];
  return { ok: true, value: stored !== present };
}

/** Whose text and attachments a mail has: those of a version, of one of some others, or of none. */
export async function findContent(
  { client, user, read }: Mailbox,
  id: string,
  item: StoredItem,
  others: readonly StoredItem[],
): Reply<'own' | 'other' | 'none'> {
  if (read === null) return { ok: true, value: 'none' };
  const now = await readMimeContent(client, user, id);
  if (!now.ok)
    return now.error.kind === 'missing'
      ? { ok: true, value: 'none' }
      : { ok: false, error: now.error };
  const present = await getMailFingerprint(new Uint8Array(now.value));
  for (const version of [item, ...others]) {
    const stored = await readContent(await read(version)('mime'), MAX_MIME_BYTES);
    const isUnreadable =
      !stored.ok && (stored.error.kind === 'missing' || stored.error.kind === 'damaged');
    if (!stored.ok && !isUnreadable) return stored;
    if (stored.ok && (await getMailFingerprint(stored.value)) === present)
      return { ok: true, value: version === item ? 'own' : 'other' };
  }
  return { ok: true, value: 'none' };
}

/**
 * What people see of a mail's content: its text and attachments, without what Exchange rewrites in each
 * MIME. Null: it can't be parsed.
 */
async function getMailFingerprint(mime: Uint8Array<ArrayBuffer>): Promise<string | null> {
  try {
    const mail = await PostalMime.parse(mime, { forceRfc822Attachments: true });
    const files: string[] = [];
    for (const file of mail.attachments) {
      const { name, bytes } = await getAttachment(file, 0);
      files.push(`${name} ${createHash('sha256').update(bytes).digest('hex')}`);
    }
    const text = (mail.html ?? mail.text ?? '').replaceAll('\r\n', '\n').trimEnd();
    return JSON.stringify([text, files.sort()]);
  } catch {
    return null;
  }
}
