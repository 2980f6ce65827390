import type { CommandId } from '#contract/ids.ts';
import type { Sealed } from './cipher.ts';
import type { Manifest } from './manifest.ts';

/**
 * One database per user, provider and origin (A10): `daybook:<tenant>:<user>:<actor>`.
 *
 *   meta      by name    manifest (plain) · who (sealed: me, branding, people) · front (sealed:
 *                        copies for the first rows) · order (plain: last number of a command) ·
 *                        answers (plain: the index, newest first, with sizes)
 *   books     by [table, chunk]   rows of the small tables, a range of numbers per chunk (sealed)
 *   segments  by id      runs as columns (sealed); the manifest says what is in which
 *   patches   by id      changes since, in order (sealed)
 *   outbox    by id      commands not yet in the log (sealed under the outbox's own key)
 *   notices   by id      outcomes of own changes, until dismissed (sealed under the outbox's own key)
 *   answers   by digest of the query    the server's last answer to it (sealed)
 *   drafts    by digest of the name     what was typed into a form and not saved yet (sealed)
 *
 * Readable without a key: ids, the manifest (epoch, cursor, time of the last sync, days with their
 * tags, and of each segment its rows, first and last second), the rows of a patch, order and state
 * of a command, and the times of notices and drafts. Everything else is sealed.
 */
export interface DiskRecords {
  readonly [store: string]: object;
  readonly meta: MetaRecord;
  readonly books: BookRecord;
  readonly segments: SegmentRecord;
  readonly patches: PatchRecord;
  readonly outbox: CommandRecord;
  readonly notices: NoticeRecord;
  readonly answers: AnswerRecord;
  readonly drafts: DraftRecord;
}
export type MetaRecord =
  | { readonly name: 'manifest'; readonly manifest: Manifest }
  | { readonly name: 'who'; readonly sealed: Sealed }
  | { readonly name: 'front'; readonly sealed: Sealed }
  | { readonly name: 'order'; readonly last: number }
  | { readonly name: 'answers'; readonly kept: readonly AnswerInfo[] };
export interface BookRecord {
  readonly table: string;
  readonly chunk: number;
  readonly sealed: Sealed;
}
export interface SegmentRecord {
  readonly id: number;
  readonly sealed: Sealed;
}
/**
 * `left`: what compaction could not fold of older patches. The patch of that number can't be read
 * any more.
 */
export interface PatchRecord {
  readonly id: number;
  readonly runs: number;
  readonly left: boolean;
  readonly sealed: Sealed;
}
export interface CommandRecord {
  readonly id: CommandId;
  readonly order: number;
  readonly state: 'waiting' | 'refused';
  readonly sealed: Sealed;
  readonly failure: Sealed | null;
}

interface NoticeRecord {
  readonly id: string;
  readonly at: number;
  readonly sealed: Sealed;
}
interface AnswerRecord {
  readonly id: string;
  readonly sealed: Sealed;
}
interface DraftRecord {
  readonly id: string;
  readonly at: number;
  readonly sealed: Sealed;
}
export interface AnswerInfo {
  readonly id: string;
  readonly bytes: number;
}
