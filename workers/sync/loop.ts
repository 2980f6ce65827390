import { createActor, fromCallback, fromPromise } from 'xstate';
import type { ActorRefFrom } from 'xstate';
import { can } from '#contract/abilities.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed } from '#contract/result.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { syncMachine } from '#machines/sync.ts';
import type { SyncOutcome, SyncEvent } from '#machines/sync-events.ts';
import type { SyncStatus } from '#workers/api.ts';
import { getPreloaded, DEFAULT_VIEW } from '#workers/startup/cold-start.ts';
import { getMachineClock } from '#workers/machine-clock.ts';
import { Outbox } from '#workers/outbox/outbox.ts';
import { DiskError, unlessDisk } from '#workers/disk/disk-errors.ts';
import { SERVER_ERROR, SIGNED_OUT, STORAGE_FAILED } from '#workers/failures.ts';
import type { Disk } from '#workers/types.ts';
import type { WorkerContext } from '#workers/context.ts';
import { sendWithinGrace } from './grace.ts';
import type { CallKind, ContactState } from './grace.ts';
import { joinTeam } from './leader.ts';
import type { Team, TeamMessage } from './leader.ts';
import { loadSnapshot, learnNames, loadDay, pull } from './pipeline.ts';
import type { Begun, Fetching } from './pipeline.ts';
import { PushedPages } from './pushed-pages.ts';
import { Replica } from './replica.ts';
import { isAway, isInState, getSyncStatus } from './status.ts';
import { readPokes } from './stream.ts';
import type { OwnTokens } from './tokens.ts';
import { makeWire } from './wire.ts';
import type { Wire } from './wire.ts';

/**
 * `disk`: as stored on this device. `overtaken`: from the server, while the user changed their own
 * account.
 */
export type BegunFrom = 'disk' | 'server' | 'overtaken';

export interface LoopNeeds {
  readonly context: WorkerContext;
  /** One team of tabs per database. */
  readonly name: string;
  readonly disk: Disk;
  readonly storage: 'persisted' | 'best-effort' | 'memory';
  readonly me: UserId;
  readonly tokens: OwnTokens;
  readonly begun: (begun: Begun, from: BegunFrom) => void;
  /** How often the user changed their own account. */
  readonly meChanges: () => number;
  /** Something that is shown may have changed. */
  readonly changed: () => void;
  /** The server says that the session has ended. */
  readonly over: () => void;
}

/** The work on one user's data in this tab, as leader or follower: opening, syncing, stopping. */
export class Loop {
  readonly replica: Replica;
  readonly outbox: Outbox;
  readonly wire: Wire;
  readonly #needs: LoopNeeds;
  readonly #team: Team;
  readonly #fetching: Fetching;
  #actor: ActorRefFrom<typeof syncMachine> | null = null;
  /** Opening and messages from other tabs, in sequence. */
  #line: Promise<unknown> = Promise.resolve();
  #stopped = false;
  #kind: SyncStatus['kind'] = 'catching-up';
  #leader: SyncStatus | null = null;
  /** Whether the leader tab has been live. */
  #wasLive = false;
  readonly #listeners = new Set<() => void>();
  readonly #pushed = new PushedPages();
  #offlineSince: Ms | null = null;
  #error: string | null = null;
  #reload = false;
  #renewed = false;
  readonly #strangers = new Set<UserId>();
  #newStranger = false;
  readonly #quit: (() => void)[] = [];

  constructor(needs: LoopNeeds) {
    const { context, disk, tokens } = needs;
    this.#needs = needs;
    this.replica = new Replica(context.makeEngine(), disk);
    this.outbox = new Outbox({
      replica: this.replica,
      clock: context.clock,
      chance: context.chance,
      me: needs.me,
      changed: needs.changed,
      queued: () => this.#actor?.send({ type: 'COMMAND' }),
    });
    this.wire = makeWire({
      fetch: context.fetch,
      origin: context.origin,
      clock: context.clock,
      tokens: { get: (refused) => this.#team.token(refused) },
    });
    this.#fetching = {
      wire: this.wire,
      replica: this.replica,
      pushed: this.#pushed,
      clock: context.clock,
      me: () => needs.me,
      poisoned: (what) => this.#poisoned(what),
      unreadable: (what) => {
        this.#error = what;
      },
      applied: (applied, { id, patch }, more) => {
        const { commands, replaced, committedAt, people } = applied;
        this.outbox.replaced(replaced);
        this.outbox.folded(applied, more);
        for (const one of people) this.#meet(one);
        this.#team.publish({
          kind: 'patch',
          id,
          patch: id === null ? patch : null,
          commands,
          committedAt,
          syncedAt: this.replica.syncedAt,
          more,
        });
      },
      meChanges: needs.meChanges,
      begun: (begun, isCurrent) => {
        this.outbox.refresh();
        this.#begun(begun, isCurrent ? 'server' : 'overtaken');
        this.#team.publish({ kind: 'reload' });
      },
      dayAdded: () => {
        this.outbox.refresh();
        this.#team.publish({ kind: 'days' });
      },
    };
    this.#team = joinTeam(context, needs.name, {
      lead: () => this.#queue(() => this.#lead()),
      hear: (message) => this.#queue(() => this.#hear(message)),
      tokenFor: (refused) => tokens.get(refused),
    });
    disk.onLost((why) => {
      if (this.#stopped) return;
      this.#reload = true;
      if (why === 'closed') this.#error = MESSAGES.storage;
      this.#actor?.stop();
      this.#actor = null;
      needs.changed();
    });
    // Without a network, the attempt fails at once, and the status tells.
    this.#quit.push(context.onNetworkChange(() => this.wake()));
    this.#queue(() => this.#open());
    this.#queue(async () => this.#followOutbox());
    this.#team.publish({ kind: 'hello' });
  }

  status(): SyncStatus {
    const { storage } = this.#needs;
    const { waiting, refused, partly } = this.outbox;
    const own = { waiting, refused, partly, reload: this.#reload };
    if (!this.#team.leading && this.#leader) return { ...this.#leader, ...own, follower: true };
    const pushFailure = this.#actor?.getSnapshot().context.pushFailure ?? null;
    return getSyncStatus({
      kind: this.#kind,
      offlineSince: this.#offlineSince,
      replica: this.replica,
      follower: !this.#team.leading,
      storage,
      error: this.#error,
      pushFailure,
      ...own,
    });
  }

  /**
   * Sends a user's call with `send`, and waits for a server that is away for a short time (OFF-9). Fails
   * if the user has signed out meanwhile.
   */
  call<T>(kind: CallKind, send: () => Promise<Result<T>>): Promise<Result<T>> {
    const { clock, chance } = this.#needs.context;
    return sendWithinGrace(
      {
        clock,
        chance,
        contact: () => this.#contact(),
        wake: () => this.wake(),
        onChange: (listener) => {
          this.#listeners.add(listener);
          return () => this.#listeners.delete(listener);
        },
      },
      kind,
      async () => (this.#stopped ? failed(SIGNED_OUT) : send()),
    );
  }

  #contact(): ContactState {
    if (this.#stopped || isAway(this.status().kind)) return 'lost';
    if (this.#actor) {
      const { failure, contact } = this.#actor.getSnapshot().context;
      // A server that refuses something else is there: calls needn't wait for it.
      const isMissing = failure?.kind === 'no-answer' || failure?.kind === 'busy';
      return isMissing && contact.missingSince !== null ? 'missing' : 'up';
    }
    return this.#wasLive && this.#leader?.kind === 'catching-up' ? 'missing' : 'up';
  }

  /** Retries now: the user asked for it, or the device has a network again. */
  wake(): void {
    this.#pushed.clear();
    if (this.#actor) this.#actor.send({ type: 'WAKE' });
    else this.#team.publish({ kind: 'wake' });
  }

  /**
   * Something outside the log has changed: reloads everything except unchanged days. The leader tab
   * does it.
   */
  reload(): void {
    this.#actor?.send({ type: 'SCOPE' });
  }

  /**
   * Stores the current account, so that a reload doesn't begin with the previous one and, without a
   * network, end there. If it can't be stored now, the next load brings it.
   */
  saveUser({ me, branding }: Begun): void {
    this.#queue(async () => {
      if (!this.#stopped) await this.replica.saveUser(me, branding).catch(unlessDisk);
    });
  }

  /** Resolves when pending work is done: opening, and messages from other tabs. */
  async settled(): Promise<void> {
    await this.#line;
  }

  stop(): void {
    this.#stopped = true;
    this.replica.close();
    this.#actor?.stop();
    this.#actor = null;
    this.#team.stop();
    for (const quit of this.#quit) quit();
  }

  /**
   * Shows first rows as soon as the segments of the default view are here; the rest follows between
   * other work (COL-6).
   */
  async #open(): Promise<void> {
    for (let tries = 3; tries > 0 && !this.#stopped; tries--) {
      try {
        const now = this.#needs.context.clock.now();
        const opened = await this.replica.disk.open(getPreloaded(DEFAULT_VIEW, now));
        if (this.replica.epoch !== '') this.replica.reset();
        const rest = opened ? await this.replica.open(opened, now) : [];
        await this.outbox.load();
        if (!opened) return;
        this.#begun(opened, 'disk');
        await this.replica.openRest(opened, rest, () => this.#pause());
        this.outbox.refresh();
        return;
      } catch (error) {
        // Rewritten by another tab meanwhile: open the current data. Unreadable: reload the rest
        // from the server.
        if (!(error instanceof DiskError)) throw error;
        this.#error = error.message;
        this.replica.reset();
        if (error.kind !== 'gone') return this.outbox.load();
      }
    }
  }

  /** Loads what any tab stores or settles in the outbox, and sends it if this tab leads. */
  #followOutbox(): void {
    if (this.#stopped) return;
    let isQueued = false;
    const load = async (): Promise<void> => {
      isQueued = false;
      if (this.#stopped) return;
      await this.outbox.load();
      this.#actor?.send({ type: 'COMMAND' });
    };
    const onChange = (): void => {
      if (!isQueued) this.#queue(load);
      isQueued = true;
    };
    this.#quit.push(this.replica.disk.onOutbox(onChange));
  }

  /**
   * Notices name colleagues and their work: if the user may no longer read that, the notices are
   * deleted with the rows (SYNC-6).
   */
  #begun(begun: Begun, from: BegunFrom): void {
    if (!can(begun.me.roles, 'monitoring.daily-checks')) this.outbox.forgetNotices();
    this.#needs.begun(begun, from);
  }

  /** Lets other work run first. */
  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#needs.context.clock.after(0, resolve);
    });
    this.#needs.changed();
  }

  /** Loads what is on disk but not in memory. */
  async #catchUp(): Promise<void> {
    const opened = await this.replica.disk.open();
    if (!opened || this.#stopped) return;
    if (await this.replica.catchUp(opened)) this.outbox.refresh();
    else await this.#open();
  }

  async #lead(): Promise<void> {
    await this.#catchUp();
    await this.outbox.load();
    if (this.#stopped) return;
    const { clock, chance } = this.#needs.context;
    const fetching = this.#fetching;
    this.#actor = createActor(
      syncMachine.provide({
        actors: {
          bootstrap: fromPromise(() => this.#guarded(() => loadSnapshot(fetching))),
          pull: fromPromise(() =>
            this.#guarded(async () => {
              const outcome = await pull(fetching);
              if (outcome.kind === 'done' && this.#newStranger) await this.#learn();
              return outcome;
            }),
          ),
          loadDay: fromPromise(() => this.#guarded(() => loadDay(fetching))),
          push: fromPromise(() => this.outbox.push(this.wire)),
          stream: fromCallback(({ sendBack }) => {
            const end = new AbortController();
            void readPokes(
              this.wire,
              clock,
              () => this.replica.epoch,
              end.signal,
              this.#pushed,
              (event: SyncEvent) => sendBack(event),
            );
            return () => end.abort();
          }),
        },
      }),
      {
        input: {
          loaded: this.replica.epoch !== '',
          left: this.replica.daysLeft,
          fraction: () => chance.fraction(),
          now: () => clock.now(),
          isOnline: this.#needs.context.isOnline,
        },
        clock: getMachineClock(clock),
      },
    );
    this.#actor.subscribe((snapshot) => {
      this.#kind = isInState(snapshot);
      const { missingSince } = snapshot.context.contact;
      this.#offlineSince = isAway(this.#kind) ? this.replica.noteMissing(missingSince) : null;
      if (this.#kind === 'live') this.replica.missingSince = null;
      this.#team.publish({ kind: 'status', status: this.status() });
      this.#needs.changed();
      this.#tellListeners();
      if (this.#kind === 'signed-out') this.#needs.over();
    });
    this.#actor.start();
    this.#tidy(FIRST_TIDY_MS);
  }

  async #hear(message: TeamMessage): Promise<void> {
    if (this.#stopped) return;
    switch (message.kind) {
      case 'hello':
        if (this.#actor) this.#team.publish({ kind: 'status', status: this.status() });
        return;
      case 'wake':
        this.#actor?.send({ type: 'WAKE' });
        return;
      case 'status':
        this.#leader = message.status;
        this.#wasLive ||= message.status.kind === 'live';
        this.#needs.changed();
        this.#tellListeners();
        return;
      case 'people':
        this.replica.named(message.people);
        this.#needs.changed();
        return;
      case 'reload':
        return this.#open();
      case 'days':
        return this.#catchUp();
      case 'patch': {
        const patch = message.patch ?? (await this.#patchOf(message.id ?? 0));
        if (!patch) return this.#open();
        this.replica.follow(patch, message.committedAt, message.syncedAt);
        this.outbox.folded(message, message.more);
        return;
      }
      case 'token':
      case 'token-is':
        return;
    }
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  async #patchOf(id: number): Promise<Awaited<ReturnType<Disk['patch']>> | null> {
    return this.replica.disk.patch(id).catch((error: unknown) => {
      // idle work has already folded it into the tables
      if (error instanceof DiskError) return null;
      throw error;
    });
  }

  /**
   * Failures of the disk are failures of the loop: it waits and retries. So are bugs, but those are
   * reported.
   */
  async #guarded(work: () => Promise<SyncOutcome>): Promise<SyncOutcome> {
    try {
      return await work();
    } catch (error) {
      this.#error = error instanceof Error ? error.message : String(error);
      return {
        kind: 'failed',
        failure: error instanceof DiskError ? STORAGE_FAILED : SERVER_ERROR,
      };
    }
  }

  /**
   * Reloading may bring what the event would have: once. After that, unreadable events are skipped
   * and reported (G11).
   */
  #poisoned(what: string): boolean {
    this.#error = what;
    if (this.#renewed) return false;
    this.#renewed = true;
    return true;
  }

  #meet(id: UserId): void {
    if (this.replica.knows(id) || this.#strangers.has(id)) return;
    this.#strangers.add(id);
    this.#newStranger = true;
  }

  async #learn(): Promise<void> {
    this.#newStranger = false;
    await learnNames(this.#fetching);
    this.#team.publish({ kind: 'people', people: this.replica.people });
    this.#needs.changed();
  }

  /** Idle work on the disk, only by the leader tab. */
  #tidy(ms: number): void {
    this.#quit.push(
      this.#needs.context.clock.after(ms, () => {
        if (this.#stopped) return;
        const { clock } = this.#needs.context;
        // Drops what has left the window (SYNC-10), then folds changes into tables and segments.
        const oldest = Math.floor(clock.now() / DAY_MS - LIMITS.windowDays) * (DAY_MS / 1000);
        this.replica.disk
          .forget(oldest)
          .then(() => this.replica.disk.compact())
          .then(
            (more) => this.#tidy(more ? TIDY_STEP_MS : TIDY_MS),
            () => this.#tidy(TIDY_MS),
          );
      }),
    );
  }

  #queue(work: () => Promise<void>): void {
    this.#line = this.#line.then(work).catch((error: unknown) => {
      this.#error = error instanceof Error ? error.message : String(error);
      this.#needs.changed();
    });
  }
}

const FIRST_TIDY_MS = 30_000;
const TIDY_STEP_MS = 200;
const TIDY_MS = 60_000;
