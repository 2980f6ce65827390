import * as v from 'valibot';
import type { Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphResult } from '../graph/request.ts';
import type { FoundObject, StoredItem } from '../types.ts';
import { findContent, hasOtherContent, type ReadStored } from './mail-edits.ts';
import { nothing } from '../../result.ts';

// Finds mails of a backup in a mailbox.

export const IMMUTABLE_IDS = { prefer: 'IdType="ImmutableId"' };

interface Mailbox {
  readonly user: string;
  readonly client: GraphClient;
  /** Null: a text that was changed is not found. */
  readonly read: ReadStored | null;
}
type Located = Pick<Mailbox, 'user'>;

export const mailPath = ({ user }: Located, key: string): string =>
  `${user}/messages/${encodeURIComponent(key)}`;
export const folderPath = ({ user }: Located, key: string): string =>
  `${user}/mailFolders/${encodeURIComponent(key)}`;
/** A text in a filter: quotes are doubled. */
export const quoted = (text: string): string =>
  `'${encodeURIComponent(text.replaceAll("'", "''"))}'`;

const FIELDS =
  '$select=id,changeKey,parentFolderId,subject,receivedDateTime,isDraft,importance,categories,flag,internetMessageId';

/** Finds a mail in a folder: by its key, else by its Message-ID. */
export async function findMessage(
  mailbox: Mailbox,
  folder: string,
  item: StoredItem,
): Reply<FoundObject | null> {
  const { client } = mailbox;
  const byKey = await client.get(`${mailPath(mailbox, item.key)}?${FIELDS}`, Message, {
    headers: IMMUTABLE_IDS,
  });
  const isHere = byKey.ok && byKey.value.parentFolderId === folder;
  const asFound = isHere ? toFoundMail(byKey.value, item) : null;
  const isEdited =
    isHere && asFound?.isSame === true
      ? await hasOtherContent(mailbox, byKey.value, item)
      : { ok: true as const, value: false };
  if (!isEdited.ok) return isEdited;
  const edited = isHere && isEdited.value ? byKey.value : null;
  const own = asFound !== null && edited !== null ? { ...asFound, isSame: false } : asFound;
  if (own?.isSame === true) return { ok: true, value: own };
  const isElsewhere = byKey.ok || byKey.error.kind === 'missing' || byKey.error.kind === 'invalid';
  if (!isElsewhere) return { ok: false, error: byKey.error };
  const copies = await listCopies(mailbox, folder, item);
  if (!copies.ok) return copies;
  const beside = copies.value.filter(({ id }) => id !== edited?.id);
  // A restore that replaces a changed mail and was interrupted has written it beside that one.
  const same = await findSame(mailbox, beside, item);
  if (!same.ok || same.value !== null) return same;
  if (own !== null) return { ok: true, value: own };
  const { otherVersions = [] } = item;
  const other = beside.find((message) =>
    otherVersions.every((version) => !toFoundMail(message, version).isSame),
  );
  return { ok: true, value: other === undefined ? null : toFoundMail(other, item) };
}

/**
 * The first of some messages that is like the mail. The mail itself has to have its text, too; what a
 * restore has written may have another form, but not the text of another version.
 */
export async function findSame(
  mailbox: Mailbox,
  messages: readonly Message[],
  item: StoredItem,
): Reply<FoundObject | null> {
  for (const message of messages) {
    const found = toFoundMail(message, item);
    if (!found.isSame) continue;
    const { otherVersions = [] } = item;
    const others = otherVersions.filter((one) => toFoundMail(message, one).isSame);
    const isItself = otherVersions.length > 0 && message.id === item.key;
    const content =
      message.changeKey === item.changeKey || (others.length === 0 && !isItself)
        ? ({ ok: true, value: 'own' } as const)
        : await findContent(mailbox, message.id, item, others);
    if (!content.ok) return content;
    const isSame = content.value === 'own' || (content.value === 'none' && !isItself);
    if (isSame) return { ok: true, value: found };
  }
  return nothing;
}

/** Messages of the folder with the mail's Message-ID. */
export async function listCopies(
  mailbox: Mailbox,
  folder: string,
  { flags: { messageId } }: StoredItem,
): Reply<readonly Message[]> {
  if (messageId === undefined) return { ok: true, value: [] };
  const path = `${folderPath(mailbox, folder)}/messages?$filter=internetMessageId eq ${quoted(messageId)}&${FIELDS}`;
  const page: GraphResult<GraphPage<Message>> = await mailbox.client.page(path, Message, {
    headers: IMMUTABLE_IDS,
  });
  return page.ok ? { ok: true, value: page.value.rows } : { ok: false, error: page.error };
}

/** Whether somebody has read a mail is not compared: nobody restores a mail for that. */
function toFoundMail(message: Message, item: StoredItem): FoundObject {
  const { flags } = item;
  const isSame =
    message.changeKey === item.changeKey ||
    (message.internetMessageId === flags.messageId &&
      (message.subject ?? '') === item.title &&
      getSecond(Date.parse(message.receivedDateTime ?? '')) === getSecond(item.at) &&
      (message.isDraft === true) === (flags.draft === true) &&
      (message.importance ?? 'normal') === (flags.importance ?? 'normal') &&
      (message.flag?.flagStatus === 'flagged') === (flags.flagged === true) &&
      sameTexts(message.categories ?? [], flags.categories ?? []));
  return { key: message.id, changeKey: message.changeKey, isSame };
}

const getSecond = (at: Ms): number => Math.floor(at / 1_000);
const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text) => b.includes(text));

const text = v.fallback(v.nullish(v.string()), undefined);
const Message = v.object({
  id: v.string(),
  changeKey: v.string(),
  parentFolderId: text,
  subject: text,
  receivedDateTime: text,
  isDraft: v.fallback(v.nullish(v.boolean()), undefined),
  importance: text,
  categories: v.fallback(v.nullish(v.array(v.string())), undefined),
  flag: v.fallback(v.nullish(v.object({ flagStatus: text })), undefined),
  internetMessageId: text,
});
type Message = v.InferOutput<typeof Message>;
