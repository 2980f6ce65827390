import type { CommandId, Ms, UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { OutboxView } from '#workers/api.ts';
import type { Applied } from '#workers/sync/apply.ts';

export type Notice = OutboxView['notices'][number];

/** Tells who lost a note or a snooze what won (OUT-6): another person's came later than one that this device sent. */
export function makeNotices(uuid: () => string) {
  let all: readonly Notice[] = [];
  const own = new Set<string>();
  return {
    get all(): readonly Notice[] { return all; },
    add(at: Ms, text: string, run: number | null): void { all = [...all, { id: uuid(), at, text, run }].slice(-MOST); },
    dismiss(id: string): boolean {
      const before = all.length;
      all = all.filter((one) => one.id !== id);
      return all.length < before;
    },
    /** What events replaced, in their order. `sent`: the commands of this device. */
    watch(replaced: Applied['replaced'], sent: ReadonlySet<CommandId>, me: UserId, nameOf: (id: UserId) => string): void {
      for (const { by, before } of replaced) {
        const place = `${by.event.type}/${before.n}`;
        if (by.commandId !== null && sent.has(by.commandId)) { own.add(place); continue; }
        const who = by.subject ?? (by.actor.is === 'user' ? by.actor.id : null);
        if (who === null || who === me || !own.delete(place)) continue;
        const text = by.event.type === 'problem.noted@1' ? MESSAGES.noteReplaced(nameOf(who)) : MESSAGES.snoozeReplaced(nameOf(who));
        this.add(by.at, text, before.lastRun);
      }
    },
  };
}

/** More than these are not read anyway: the oldest go. */
const MOST = 50;
