import { sql as raw } from 'kysely';
import type { Actor, Logged } from '#contract/events.ts';
import type { CommandId, UserId } from '#contract/ids.ts';
import type { TenantTx } from '../../db/store.ts';
import type { LogDamage } from '../check-log.ts';
import { getHashedText, type HashedEvent } from '../log-hash.ts';
import { loadEntries } from '../read-log.ts';
import { toLogged } from '../transaction.ts';
import { DamagedEventArchive, readArchiveFile } from './archive-file.ts';
import { IS_PINNED, isPinned, listCuts } from './log-cuts.ts';

/**
 * Reads the archived part of a log, from event 1, page by page. `archive`: the folder.
 * @throws DamagedEventArchive
 */
export async function* readEventArchive(
  tx: TenantTx,
  archive: string,
  pageSize: number,
): AsyncGenerator<readonly Logged[], void> {
  let page: Logged[] = [];
  for (const { range, sum } of await listCuts(tx)) {
    for await (const { events } of readArchiveFile(archive, range, sum)) {
      page.push(...events.map(toLoggedEvent));
      if (page.length < pageSize) continue;
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

const toLoggedEvent = ({ actor, subject, commandId, data, ...event }: HashedEvent): Logged =>
  toLogged({
    ...event,
    actor: JSON.parse(actor) as Actor,
    subject: subject as UserId | null,
    command_id: commandId as CommandId | null,
    data: JSON.parse(data) as unknown,
  });

/**
 * Checks each file of the archive, that they follow each other up to the cut, and that the archived
 * events that the database still needs are the same there.
 */
export async function checkArchive(
  tx: TenantTx,
  archive: string,
  cut: number,
): Promise<readonly LogDamage[]> {
  const damages: LogDamage[] = [];
  const pinned = await loadPinned(tx, cut);
  let end = 0;
  for (const { range, sum, newestAt } of await listCuts(tx)) {
    const { first, last } = range;
    let newest = 0;
    if (first > end + 1) damages.push({ kind: 'missing', first: end + 1, last: first - 1 });
    end = last;
    try {
      for await (const { events } of readArchiveFile(archive, range, sum))
        for (const event of events) {
          newest = Math.max(newest, event.at);
          if (!isPinned(event.type)) continue;
          const { seq } = event;
          const text = pinned.get(seq);
          if (text === undefined) damages.push({ kind: 'missing', first: seq, last: seq });
          else if (text !== getHashedText(event))
            damages.push({ kind: 'changed', first: seq, last: seq });
          pinned.delete(seq);
        }
      if (newest !== newestAt) damages.push({ kind: 'changed', first, last });
    } catch (error) {
      if (!(error instanceof DamagedEventArchive)) throw error;
      damages.push({ kind: error.kind, first, last, file: error.file });
      for (const seq of pinned.keys()) if (seq >= first && seq <= last) pinned.delete(seq);
    }
  }
  if (end !== cut) damages.push({ kind: 'missing', first: end + 1, last: cut });
  for (const seq of pinned.keys()) damages.push({ kind: 'changed', first: seq, last: seq });
  return damages;
}

/** Returns the texts of the archived events that the database still has for its readers. */
async function loadPinned(tx: TenantTx, cut: number): Promise<Map<number, string | null>> {
  const entries = await loadEntries(tx, raw`seq <= ${cut} and ${IS_PINNED}`, null);
  return new Map(entries.map(({ seq, event }) => [seq, event && getHashedText(event)]));
}
