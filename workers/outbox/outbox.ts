import * as v from 'valibot';
import type { OfflineCall, InputOf } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { CommandId, UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { RefusedSchema } from '#contract/runs/calls.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { PushOutcome } from '#machines/sync-events.ts';
import type { OutboxView, RefusedView, SentReport } from '#workers/api.ts';
import type { QueuedCommand, DamagedCommand, Refusals } from '#workers/types.ts';
import { DiskError } from '#workers/disk/disk-errors.ts';
import type { Applied } from '#workers/sync/apply.ts';
import { NO_ANSWER } from '#workers/failures.ts';
import type { Replica } from '#workers/sync/replica.ts';
import type { Wire } from '#workers/sync/wire.ts';
import type { WorkerChance, WorkerClock } from '#workers/context.ts';
import { parseCommand, getCommandRuns, describeCommand } from './outbox-command.ts';
import { getEffects } from './effects.ts';
import type { OwnRows } from './effects.ts';
import { FOLDED_TABLES } from '#workers/tables.ts';
import { emptyTables } from '#contract/fold.ts';
import { OutboxNotices } from './notices.ts';
import { byReason, refusedView, runsIn } from './refusals.ts';
import { verdictOn } from './verdict.ts';
import type { Changed } from './verdict.ts';
import { outboxMessages as t } from './messages.en.ts';

export interface OutboxNeeds {
  readonly replica: Replica;
  readonly clock: WorkerClock;
  readonly chance: WorkerChance;
  readonly me: UserId;
  /** Entries, notices or effects changed. */
  readonly changed: () => void;
  /** A new command waits to be sent. */
  readonly queued: () => void;
}

/**
 * A command in the outbox. `seq`: the log position that includes it, from the answer. `folded`: its
 * events are here and replace its effect.
 */
interface Entry {
  command: QueuedCommand;
  sending: boolean;
  seq: number | null;
  folded: boolean;
  errorCount: number;
}

/**
 * Actions on this device that are not in the log yet (OUT-1 to OUT-6):
 *
 *   stored ─▶ waiting ─▶ sending ─▶ answered (seq) ─▶ its events folded ─▶ dropped
 *                           │ ▲ unknown: the same key again
 *                           ╰─▶ refused: effect reverted, kept with its reason until the user decides
 */
export class Outbox {
  readonly #needs: OutboxNeeds;
  readonly #entries = new Map<string, Entry>();
  readonly #gone = new Set<CommandId>();
  #damaged: readonly DamagedCommand[] = [];
  readonly #notices;
  #own: OwnRows = NO_ROWS;
  /** The command whose last known event may not be its last, because the page was cut after it. */
  #cut: CommandId | null = null;

  constructor(needs: OutboxNeeds) {
    this.#needs = needs;
    this.#notices = new OutboxNotices(needs.replica.disk);
  }

  /** Loads what is on disk: at the start, and when a tab stored or settled something. */
  async load(): Promise<void> {
    // what is stored during the read is not part of its result
    const before = [...this.#entries.keys()];
    const [stored] = await Promise.all([this.#needs.replica.disk.commands(), this.#notices.load()]);
    const here = new Set<string>(stored.map(({ id }) => id));
    for (const id of before) if (!here.has(id)) this.#entries.delete(id);
    const left = stored.filter(({ id }) => !this.#gone.has(id));
    for (const command of left) if (command.state !== 'damaged') this.#hold(command);
    // One that was read before it was damaged is still sent.
    this.#damaged = left
      .filter((one) => one.state === 'damaged')
      .filter(({ id }) => !this.#entries.has(id));
    this.refresh();
  }

  /** Stores it, then shows it, then returns (OUT-1). */
  async keep<N extends OfflineCall>(call: N, input: InputOf<N>): Promise<Result<SentReport>> {
    const { clock, chance } = this.#needs;
    const id = chance.uuid() as CommandId;
    const valid = v.safeParse(getCall(call).input, input);
    if (!valid.success)
      return failed({ kind: 'bad-input', message: MESSAGES.badInput, issues: [] });
    const stored = await this.#kept({
      id,
      call,
      input,
      madeAt: clock.now(),
      state: 'waiting',
      failure: null,
    });
    if (!stored.ok) return stored;
    this.#hold(stored.value);
    this.#needs.queued();
    this.refresh();
    return ok({ id, sent: false });
  }

  /**
   * Sends the oldest waiting command. A refusal settles it; with an unknown outcome it stays and is
   * sent again with the same key (OUT-3).
   */
  async push(wire: Wire): Promise<PushOutcome> {
    const entry = this.#waiting()[0];
    if (!entry) return { kind: 'done', seq: null, left: 0 };
    entry.sending = true;
    this.#needs.changed();
    const answer = await this.#sent(wire, entry.command);
    entry.sending = false;
    const verdict = verdictOn(answer, entry.errorCount);
    switch (verdict.kind) {
      case 'unknown':
        if (verdict.failure.kind === 'server-error') entry.errorCount += 1;
        this.#needs.changed();
        return { kind: 'failed', failure: verdict.failure };
      case 'refused':
        await this.#refuse(entry, verdict.failure);
        return { kind: 'done', seq: null, left: this.#waiting().length };
      case 'accepted': {
        const { seq, refused, accepted } = verdict.changed;
        if (accepted === 0 && refused[0]) {
          await this.#refuse(
            entry,
            { kind: 'conflict', message: getReason(byReason(refused)) },
            byReason(refused),
          );
        } else {
          this.#partlyRefused(entry.command, refused, accepted + refused.length);
          entry.seq = seq;
          this.#settle();
        }
        return { kind: 'done', seq, left: this.#waiting().length };
      }
    }
  }

  /**
   * Call when events were put into the engine: they replace the effects of their commands at the
   * same time (OUT-4). `more`: the page was cut.
   */
  folded(applied: Pick<Applied, 'commands'>, more: boolean): void {
    const done = this.#cut === null ? [...applied.commands] : [this.#cut, ...applied.commands];
    this.#cut = more ? (done.pop() ?? null) : null;
    if (this.#cut !== null && done.includes(this.#cut)) done.splice(done.indexOf(this.#cut), 1);
    for (const id of done) {
      const entry = this.#entries.get(id);
      if (entry) entry.folded = true;
    }
    this.#settle();
  }

  /** Only the leader tab calls this: the others read it from the disk. */
  replaced(all: Applied['replaced']): void {
    this.#notices.replaced(all, this.#needs.me, this.#nameOf);
  }

  /** Deletes all notices, in memory and on disk. Unsent commands stay. */
  forgetNotices(): void {
    this.#notices.forget();
  }

  /** Recalculates the effects over the current rows. */
  refresh(): void {
    const { problem, own } = this.#effects();
    this.#needs.replica.engine.overlay(problem);
    this.#own = own;
    this.#needs.changed();
  }

  /** Commands that the server has not answered, or has refused, or that are damaged. */
  get unsent(): number {
    const unanswered = [...this.#entries.values()].filter(({ seq }) => seq === null);
    return unanswered.length + this.#damaged.length;
  }
  /** Own rows as unsent commands make them. They override those of the engine. */
  get own(): OwnRows {
    return this.#own;
  }
  get waiting(): number {
    return this.#waiting().length;
  }
  /** With the damaged ones. */
  get refused(): number {
    const refused = [...this.#entries.values()].filter(
      ({ command }) => command.state === 'refused',
    );
    return refused.length + this.#damaged.length;
  }
  get partly(): number {
    return this.#notices.all.filter(({ refused }) => refused !== null).length;
  }

  /**
   * Whether the command's effect is still laid over the rows, because its events are not here yet.
   */
  shows(id: CommandId): boolean {
    const entry = this.#entries.get(id);
    return entry !== undefined && entry.command.state === 'waiting' && !entry.folded;
  }

  view(): OutboxView {
    const entries = [...this.#entries.values()]
      .sort((a, b) => a.command.order - b.command.order)
      .map(({ command, sending }) => {
        const request = parseCommand(command);
        const { id, madeAt, failure } = command;
        const state =
          command.state === 'refused'
            ? ('refused' as const)
            : sending
              ? ('sending' as const)
              : ('waiting' as const);
        return {
          id,
          call: command.call as OfflineCall,
          runs: getCommandRuns(request),
          what: describeCommand(request),
          madeAt,
          state,
          failure,
        };
      });
    const notices = this.#notices.all.map(({ id, at, text, run, refused }) => ({
      id,
      at,
      text,
      run,
      refused: runsIn(refused?.by ?? []).length,
    }));
    const damaged = this.#damaged.map(({ id, order }) => ({
      id,
      what: t.damagedChange({ number: order }),
      why: t.damaged,
    }));
    return { entries, damaged, notices };
  }

  /** Returns the refused runs of a command or a notice. */
  refusedOf(id: string, max: number): RefusedView {
    const entry = this.#entries.get(id);
    const by = entry ? refusedBy(entry.command) : (this.#notices.find(id)?.refused?.by ?? []);
    return refusedView(this.#needs.replica.engine, by, max);
  }

  /**
   * Retries a refused command as a new one (its old key already has its answer), or discards it;
   * the same for the refused part of one; or dismisses a notice or a damaged command (OUT-5).
   */
  async mend(id: string, how: 'retry' | 'discard'): Promise<Result<null>> {
    const damaged = this.#damaged.find((one) => one.id === id);
    if (damaged) return this.#mendDamaged(damaged, how);
    const entry = this.#entries.get(id);
    if (!entry) return this.#mendNotice(id, how);
    if (entry.command.state !== 'refused')
      return failed({ kind: 'conflict', message: MESSAGES.busy });
    if (how === 'retry') {
      const again = await this.#again(entry.command);
      if (!again.ok) return again;
    }
    this.#drop(entry.command.id);
    this.refresh();
    return ok(null);
  }

  #mendDamaged({ id }: DamagedCommand, how: 'retry' | 'discard'): Result<null> {
    if (how === 'retry') return failed({ kind: 'conflict', message: t.damaged });
    this.#damaged = this.#damaged.filter((one) => one.id !== id);
    this.#drop(id);
    this.refresh();
    return ok(null);
  }

  async #mendNotice(id: string, how: 'retry' | 'discard'): Promise<Result<null>> {
    const notice = this.#notices.find(id);
    if (!notice) return failed({ kind: 'not-found', message: MESSAGES.notFound });
    if (how === 'retry' && notice.refused) {
      const { change, by } = notice.refused;
      const again = await this.#again({
        call: 'changeExecutions',
        input: { ids: runsIn(by), change },
      });
      if (!again.ok) return again;
    }
    this.#notices.dismiss(id);
    this.refresh();
    return ok(null);
  }

  async #again({ call, input }: Pick<QueuedCommand, 'call' | 'input'>): Promise<Result<null>> {
    const again = await this.#kept({
      id: this.#needs.chance.uuid() as CommandId,
      call,
      input,
      madeAt: this.#needs.clock.now(),
      state: 'waiting',
      failure: null,
    });
    if (!again.ok) return again;
    this.#hold(again.value);
    this.#needs.queued();
    return ok(null);
  }

  #hold(command: QueuedCommand): void {
    const entry = this.#entries.get(command.id);
    // a refusal is final: the disk may not have it yet
    if (entry?.command.state === 'refused') return;
    if (entry) entry.command = command;
    else
      this.#entries.set(command.id, {
        command,
        sending: false,
        seq: null,
        folded: false,
        errorCount: 0,
      });
  }

  #waiting(): Entry[] {
    return [...this.#entries.values()]
      .filter(({ command, seq }) => command.state === 'waiting' && seq === null)
      .sort((a, b) => a.command.order - b.command.order);
  }

  #effects(): ReturnType<typeof getEffects> {
    const shown = [...this.#entries.values()].filter(({ command }) => this.shows(command.id));
    const { replica, me } = this.#needs;
    return getEffects(
      replica.engine,
      shown.map(({ command }) => command).sort((a, b) => a.order - b.order),
      me,
      this.#nameOf,
    );
  }

  readonly #nameOf = (id: UserId): string =>
    this.#needs.replica.people.find((one) => one.id === id)?.name ?? '';

  async #sent(wire: Wire, { id, call, input, order }: QueuedCommand): Promise<Result<Changed>> {
    const { device } = this.#needs.replica.disk;
    let answer = await wire.raw(call as OfflineCall, input, { key: id, device, order });
    // Numbers before this one never reached the server's count (refused early, or discarded): the
    // server says which number it expects.
    if (!answer.ok && answer.failure.kind === 'out-of-order' && answer.failure.expected !== order) {
      answer = await wire.raw(call as OfflineCall, input, {
        key: id,
        device,
        order: answer.failure.expected,
      });
    }
    if (!answer.ok) return answer;
    const changed = v.safeParse(SentSchema, answer.value);
    return changed.success && Number.isSafeInteger(changed.output.seq) && changed.output.seq > 0
      ? ok(changed.output)
      : failed(NO_ANSWER);
  }

  /** Lists the refused part of a bulk change until it is retried or dismissed. */
  #partlyRefused(command: QueuedCommand, refused: Changed['refused'], of: number): void {
    const request = parseCommand(command);
    const by = byReason(refused);
    if (request?.kind !== 'change' || !refused[0]) return;
    const text = MESSAGES.partlyRefused({
      count: refused.length,
      total: of,
      reason: getReason(by),
    });
    this.#notices.add({
      id: `refused/${command.id}`,
      at: this.#needs.clock.now(),
      text,
      run: refused[0].run,
      refused: { change: request.change, by },
    });
  }

  async #refuse(entry: Entry, failure: Failure, refused?: readonly Refusals[]): Promise<void> {
    if (entry.command.call === 'prefer') {
      this.#drop(entry.command.id);
      this.refresh();
      return;
    } // a preference of the page is not worth a notice
    entry.command = { ...entry.command, state: 'refused', failure, ...(refused && { refused }) };
    this.refresh();
    await this.#needs.replica.disk
      .markCommand(entry.command.id, 'refused', failure, refused)
      .catch(onlyDisk);
  }

  /** Drops what is answered and folded, and updates the effects. */
  #settle(): void {
    const { cursor } = this.#needs.replica;
    for (const entry of this.#entries.values()) {
      if (entry.seq !== null && cursor >= entry.seq) entry.folded = true;
      if (entry.seq !== null && entry.folded) this.#drop(entry.command.id);
    }
    this.refresh();
  }

  #drop(id: CommandId): void {
    this.#entries.delete(id);
    this.#gone.add(id);
    // A command that stays on disk is sent again with its key, and the server returns its stored
    // answer: nothing is done twice.
    void this.#needs.replica.disk.dropCommand(id).catch(onlyDisk);
  }

  async #kept(command: Omit<QueuedCommand, 'order'>): Promise<Result<QueuedCommand>> {
    try {
      return ok(await this.#needs.replica.disk.keepCommand(command));
    } catch (error) {
      onlyDisk(error);
      return failed({ kind: 'storage', message: MESSAGES.storage });
    }
  }
}

/** A command that was refused as a whole was refused for each of its runs. */
const refusedBy = (command: QueuedCommand): readonly Refusals[] =>
  command.refused ??
  (command.failure
    ? [{ why: command.failure.message, runs: getCommandRuns(parseCommand(command)) }]
    : []);

const getReason = ([first, ...others]: readonly Refusals[]): string =>
  others.length === 0 ? (first?.why ?? '') : t.differentReasons({ count: others.length + 1 });

const NO_ROWS: OwnRows = emptyTables(FOLDED_TABLES);

/**
 * The answer that confirms that a command is in the log: for a change of results also how many
 * changed, and which did not.
 */
const SentSchema = v.object({
  seq: v.number(),
  accepted: v.optional(v.number(), 1),
  refused: v.optional(v.array(RefusedSchema), []),
});

function onlyDisk(error: unknown): void {
  if (!(error instanceof DiskError)) throw error;
}
