import { say } from './platform/db/command-line.ts';
import type { Difference } from './platform/events/compare.ts';
import type { LogDamage } from './platform/events/log-hash.ts';
import { isSound, type Verified } from './platform/events/verify.ts';
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
export function reportVerified(all: readonly Verified[]): number {
  for (const { tenant, head, sealed, damages, rebuilt } of all) {
    const events = { tenant, events: head, damages: damages.length };
    if (rebuilt === null) say(t.verifiedLog(events));
    else
      say(t.verified({ ...events, rows: rebuilt.rows, differences: rebuilt.differences.length }));
    if (damages.length === 0 && sealed < head) say(t.sealed({ events: head - sealed }));
    for (const damage of damages.slice(0, SHOWN)) say(getSentence(damage));
    if (rebuilt !== null) reportDifferences(rebuilt.differences);
  }
  return all.every(isSound) ? 0 : 1;
}

function getSentence({ kind, first, last }: LogDamage): string {
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
  }
}
