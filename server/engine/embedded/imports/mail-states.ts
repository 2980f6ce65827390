import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { IndexedObject } from '../index/objects.ts';
import { type ItemWrite, recordset } from '../index/pages.ts';
import type { ItemChange } from '../types.ts';
import type { MailNow } from './archives/read-archive.ts';
import { getFolderKey, getMarks } from './imported-item.ts';

/** What follows the content in the change key of a mail whose state changed after its import. */
const STATE = '.';

/** The version of a mail's content, whatever its state is; of a file, its version. */
export const getContentKey = ({
  kind,
  changeKey,
}: Pick<ItemChange, 'kind' | 'changeKey'>): string =>
  kind === 'mail' ? (changeKey.split(STATE, 1)[0] ?? '') : changeKey;

/** Returns a mail with the marks that it has now: the same version, if it has them already. */
export function withMarks(item: ItemChange, marks: ItemChange['flags']): ItemChange {
  const { read: _read, flagged: _flagged, answered: _answered, ...others } = item.flags;
  const { read = false, flagged = false, answered = false } = marks;
  const before = item.flags;
  if (
    read === (before.read ?? false) &&
    flagged === (before.flagged ?? false) &&
    answered === (before.answered ?? false)
  )
    return item;
  const state = `${read ? 'r' : ''}${flagged ? 'f' : ''}${answered ? 'a' : ''}`;
  return {
    ...item,
    changeKey: `${getContentKey(item)}${STATE}${state}`,
    flags: {
      ...others,
      ...getMarks({ isRead: read, isFlagged: flagged, isAnswered: answered }),
    },
  };
}

interface Candidate extends ItemChange {
  readonly place: number;
  readonly parts: ItemWrite['parts'];
}

/**
 * Returns the mails of a mailbox that are in another state now. A mail is known by its folder, its
 * time and its Message-ID, and by its size if several have these. One that nobody can tell from
 * another stays unchanged.
 */
export async function findStateChanges(
  { sql: db, tenant }: TenantTx,
  { n }: Pick<IndexedObject, 'n'>,
  mails: readonly (MailNow & { readonly path: readonly string[] })[],
): Promise<readonly ItemWrite[]> {
  if (mails.length === 0) return [];
  const input = recordset(
    mails.map(({ path, state, messageId }, place) => ({
      place,
      folder_key: getFolderKey(path),
      at: state.receivedAt,
      message_id: messageId,
    })),
    sql`place int, folder_key text, at bigint, message_id text`,
  );
  const { rows } = await sql<Candidate>`
    select x.place, i.key, i.change_key as "changeKey", i.folder_key as folder, i.kind, i.title, i.people,
      i.at, i.changed_at as "changedAt", i.bytes, i.flags, i.parts
    from ${input} join item as i on i.folder_key = x.folder_key and i.at = x.at
      and i.flags->>'messageId' is not distinct from x.message_id
    where i.tenant_id = ${tenant} and i.object_n = ${n} and i.to_point is null and i.kind = 'mail'
      and i.parts <> '[]'`.execute(db);
  const candidates = Map.groupBy(rows, ({ place }) => place);
  // The same mail may be in a folder twice: the later one counts.
  const changes = new Map<string, ItemWrite>();
  mails.forEach(({ state, bytes }, place) => {
    const all = candidates.get(place) ?? [];
    const some = all.length > 1 ? all.filter((item) => item.bytes === bytes) : all;
    const [found] = some;
    if (found === undefined || some.length > 1) return;
    const { place: _place, parts, ...item } = found;
    const next = withMarks(item, getMarks(state));
    if (next.changeKey === item.changeKey) changes.delete(item.key);
    else changes.set(item.key, { item: next, parts });
  });
  return [...changes.values()];
}
