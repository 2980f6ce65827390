import { say } from './platform/db/command-line.ts';
import type { Difference } from './platform/events/compare.ts';
import type { LogDamage } from './platform/events/check-log.ts';
import {
  type CheckedLog,
  isSound,
  isSoundLog,
  type VerifiedLog,
} from './platform/events/verify.ts';
import { commandMessages as t } from './commands.messages.en.ts';

const SHOWN = 20;

/** Prints the first rows that differ from the log. */
export function reportDifferences(differences: readonly Difference[]): void {
  for (const { table, id, stored, folded } of differences.slice(0, SHOWN)) {
    say(t.difference({ table, id }));
    say(t.stored({ row: stored ?? t.noRow }));
    say(t.fromLog({ row: folded ?? t.noRow }));
  }
}

/** Prints what was verified and what is damaged. Returns the exit code. */
export function reportVerified(all: readonly VerifiedLog[]): number {
  for (const one of all) {
    const { tenant, head, sealed, damages, rebuilt } = one;
    const events = { tenant, events: head, damages: damages.length };
    if (rebuilt === null) say(t.verifiedLog(events));
    else
      say(t.verified({ ...events, rows: rebuilt.rows, differences: rebuilt.differences.length }));
    if (isSoundLog(one) && sealed < head) say(t.sealed({ events: head - sealed }));
    reportDamages(one);
    if (rebuilt !== null) reportDifferences(rebuilt.differences);
  }
  return all.every(isSound) ? 0 : 1;
}

/** Prints the damaged logs only. Returns the exit code. */
export function reportChecked(all: readonly CheckedLog[]): number {
  for (const one of all) {
    if (isSoundLog(one)) continue;
    say(t.damagedLog({ tenant: one.tenant, events: one.head, damages: one.damages.length }));
    reportDamages(one);
  }
  return all.every(isSoundLog) ? 0 : 1;
}

function reportDamages({ damages, unreadable }: CheckedLog): void {
  for (const { table, reason } of unreadable) say(t.unreadableTable({ table, reason }));
  for (const damage of damages.slice(0, SHOWN)) say(getSentence(damage));
}

function getSentence({ kind, first, last, file = '' }: LogDamage): string {
  const events = { events: first === last ? String(first) : `${first}–${last}` };
  switch (kind) {
    case 'changed':
      return t.eventsChanged(events);
    case 'unreadable':
      return t.eventsUnreadable(events);
    case 'missing':
      return t.eventsMissing(events);
    case 'surplus':
      return t.eventsSurplus(events);
    case 'unsealed':
      return t.eventsUnsealed(events);
    case 'no-file':
      return t.fileMissing({ ...events, file });
    case 'bad-file':
      return t.fileDamaged({ ...events, file });
  }
}
