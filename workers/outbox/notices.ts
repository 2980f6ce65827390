import type { UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { MAX_NOTICES } from '#workers/disk/notices.ts';
import { DiskError } from '#workers/disk/disk-errors.ts';
import type { Disk, StoredNotice } from '#workers/types.ts';
import type { Applied } from '#workers/sync/apply.ts';

/**
 * Notices to the user about their own changes, until dismissed in any tab (OUT-5, OUT-6). Shown at
 * once and stored beside the commands. If the disk refuses one, it lasts as long as this tab.
 */
export class OutboxNotices {
  readonly #disk: Pick<Disk, 'keepNotice' | 'notices' | 'dropNotice'>;
  readonly #all = new Map<string, StoredNotice>();
  readonly #gone = new Set<string>();
  /** Not on disk, or not yet. */
  readonly #unsaved = new Set<string>();

  constructor(disk: Pick<Disk, 'keepNotice' | 'notices' | 'dropNotice'>) {
    this.#disk = disk;
  }

  /** Oldest first. */
  get all(): readonly StoredNotice[] {
    return [...this.#all.values()].sort((a, b) => a.at - b.at);
  }
  find(id: string): StoredNotice | undefined {
    return this.#all.get(id);
  }

  /** Replaces a notice with the same id. */
  add(notice: StoredNotice): void {
    this.#all.set(notice.id, notice);
    for (const { id } of this.all.slice(0, -MAX_NOTICES)) this.#all.delete(id);
    this.#unsaved.add(notice.id);
    this.#keep(notice).catch(onlyDisk);
  }

  dismiss(id: string): boolean {
    if (!this.#all.delete(id)) return false;
    this.#gone.add(id);
    this.#disk.dropNotice(id).catch(onlyDisk);
    return true;
  }

  forget(): void {
    for (const id of this.#all.keys()) this.dismiss(id);
  }

  /** Loads what is on disk. */
  async load(): Promise<void> {
    // what is stored during the read is not part of its result
    const before = [...this.#all.keys()];
    const here = new Map((await this.#disk.notices()).map((one) => [one.id, one]));
    for (const id of before) if (!here.has(id) && !this.#unsaved.has(id)) this.#all.delete(id);
    for (const notice of here.values())
      if (!this.#gone.has(notice.id)) this.#all.set(notice.id, notice);
  }

  async #keep(notice: StoredNotice): Promise<void> {
    await this.#disk.keepNotice(notice);
    this.#unsaved.delete(notice.id);
  }

  /**
   * Creates notices for what events replaced, in order: if another user's change replaced our note
   * or snooze, the notice says what won.
   */
  replaced(all: Applied['replaced'], me: UserId, getName: (id: UserId) => string): void {
    const lost: StoredNotice[] = [];
    for (const { by, before } of all) {
      const who = by.subject ?? (by.actor.kind === 'user' ? by.actor.id : null);
      const isNote = by.event.type === 'problem.noted@1';
      const mine = isNote
        ? before.note?.by === me
        : before.snooze?.by === me && before.snooze.until > by.at;
      if (who === null || who === me || !mine) continue;
      const text = isNote
        ? MESSAGES.noteReplaced({ user: getName(who) })
        : MESSAGES.snoozeReplaced({ user: getName(who) });
      lost.push({
        id: `replaced/${by.seq}/${before.n}`,
        at: by.at,
        text,
        run: before.lastRun,
        refused: null,
      });
    }
    for (const notice of lost.slice(-MAX_NOTICES)) this.add(notice);
  }
}

function onlyDisk(error: unknown): void {
  if (!(error instanceof DiskError)) throw error;
}
