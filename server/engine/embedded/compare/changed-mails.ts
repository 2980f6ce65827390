import type { EngineResult } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { ok } from '../../result.ts';
import type { GraphPorts } from '../graph/request.ts';
import { readStored, type RestoreContent } from '../restore/running-task.ts';
import { hasOtherContent } from '../sources/mail-edits.ts';
import { mailboxClient, userPath } from '../sources/mailbox-client.ts';
import { inParallel } from '../sources/parallel.ts';
import type { ItemChange, SourceCall, SourceObject, StoredItem } from '../types.ts';

/** A mail of the backup and what Microsoft 365 has of it, whose properties are the same. */
export interface MailPair {
  readonly backup: StoredItem;
  readonly production: ItemChange;
}

const CONCURRENCY = 4;
/** Texts that aren't read by then stay unknown: the comparison itself has an answer. */
const MAX_MS: Ms = 12_000;

/**
 * Compares the texts and attachments of mails by the rule of restores. Returns, by the numbers of the
 * items, whether they were changed; those that can't be read are not in it.
 */
export async function findChangedMails(
  ports: GraphPorts,
  object: SourceObject,
  pairs: readonly MailPair[],
  content: RestoreContent,
  call: SourceCall,
): Promise<EngineResult<ReadonlyMap<number, boolean>>> {
  const mailbox = {
    client: mailboxClient(ports, object, call),
    user: userPath(object),
    read: readStored({ content }),
  };
  const until = ports.clock.now() + MAX_MS;
  const found = new Map<number, boolean>();
  const compare = async ({ backup, production }: MailPair) => {
    if (ports.clock.now() > until) return null;
    const { key: id, changeKey, flags } = production;
    const mail = { id, changeKey, isDraft: flags.draft === true };
    return { n: backup.n, result: await hasOtherContent(mailbox, mail, backup) };
  };
  for await (const compared of inParallel(pairs, CONCURRENCY, compare)) {
    if (compared === null) continue;
    const { n, result } = compared;
    if (result.ok) found.set(n, result.value);
    else if (result.error.kind === 'busy') return result;
  }
  return ok(found);
}
