import type { Me, Session as Granted } from '#contract/account/me.ts';
import type { Branding } from '#contract/brand/branding.ts';
import type { CallName, GivesOf, TakesOf } from '#contract/calls.ts';
import { callOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { backOffMs } from '#machines/back-off.ts';
import type { Who } from './api.ts';
import { databaseOf } from './disk/database.ts';
import type { Owner } from './disk/database.ts';
import type { Held, Register } from './disk/register.ts';
import { DiskFault } from './seams.ts';
import type { Disk } from './seams.ts';
import { makeSignIn } from './sign-in.ts';
import { Loop } from './sync/loop.ts';
import type { Begun } from './sync/pull.ts';
import { makeTokens } from './sync/tokens.ts';
import { makeWire } from './sync/wire.ts';
import type { Channel, WorkerWorld } from './world.ts';

type OutReason = Extract<Who, { is: 'out' }>['reason'];
type TabMessage = { readonly is: 'in' } | { readonly is: 'out'; readonly name: string; readonly reason: OutReason };

/** Who is signed in on this browser, and the loop that works for that user while somebody is. */
export class Session {
  who: Who = { is: 'starting' };
  loop: Loop | null = null;
  readonly #world: WorkerWorld;
  readonly #changed: () => void;
  readonly #tabs: Channel;
  readonly #tokens;
  readonly #wire;
  readonly #signIn;
  #register: Register | null = null;
  #held: Held | null = null;
  #disk: Disk | null = null;
  #branding: Branding | null = null;
  #offLimit: () => void = () => {};
  /** Counts starts and ends: what an older one still waits for is nobody's any more. */
  #life = 0;

  constructor(world: WorkerWorld, changed: () => void) {
    this.#world = world;
    this.#changed = changed;
    this.#tokens = makeTokens({ fetch: world.fetch, origin: world.origin, clock: world.clock, renewed: (granted) => this.#renewed(granted) });
    this.#wire = makeWire({ fetch: world.fetch, origin: world.origin, clock: world.clock, tokens: this.#tokens });
    this.#signIn = makeSignIn(world.clock, (credentials) => this.#wire.ask('loginDb', credentials));
    this.#tabs = world.channel('daybook/1');
    this.#tabs.listen((raw) => {
      const message = raw as TabMessage;
      if (message.is === 'in') { if (!this.loop) void this.start(); return; }
      if (this.#held && databaseOf(this.#held) === message.name) this.#lock(message.reason);
    });
  }

  async start(): Promise<void> {
    const life = ++this.#life;
    this.#register ??= await this.#world.openRegister().catch(unlessDisk);
    const present = (await this.#register?.current(this.#world.clock.now()).catch(unlessDisk)) ?? { is: 'none' as const };
    if (life !== this.#life) return;
    if (present.is === 'in') return this.#begin(present.held, null);
    this.#out(present.is === 'expired' ? 'expired' : 'none');
    if (present.is === 'expired') void this.#unlock(present.owner, 1);
  }

  /** One call to the server. What carries tokens, or is the loop's own, is nobody else's. */
  async ask<N extends CallName>(name: N, input: TakesOf<N>): Promise<Result<GivesOf<N>>> {
    if (OWN.has(name)) return failed({ kind: 'no-such-call', message: MESSAGES.noSuchCall });
    if (!this.loop && callOf(name).gate !== 'public') return failed({ kind: 'signed-out', message: MESSAGES.signedOut });
    const answer = await (this.loop?.wire ?? this.#wire).ask(name, input);
    const unreachable = !answer.ok && answer.failure.kind === 'no-answer' && this.loop?.status().is === 'offline';
    return unreachable ? failed({ kind: 'needs-network', message: MESSAGES.needsNetwork }) : answer;
  }

  async signIn(username: string, password: string): Promise<Result<Me>> {
    const answer = await this.#signIn({ username, password });
    if (!answer.ok) return answer;
    const granted = answer.value;
    this.#stop();
    this.#life += 1;
    this.#tokens.set(granted);
    const branding = this.#branding ?? await this.#askBranding();
    const owner = ownerOf(granted.user);
    const held = (await this.#register?.enter(owner, granted.offlineUntil).catch(unlessDisk)) ?? null;
    await this.#begin(held ?? owner, branding && { me: granted.user, branding }, granted.offlineUntil);
    this.#tabs.post({ is: 'in' } satisfies TabMessage);
    return ok(granted.user);
  }

  /** OUT-7, C9: stop, the key, the data, the other tabs, the server. Needs no network. */
  async signOut(unsent: 'ask' | 'send' | 'keep' | 'discard'): Promise<Result<{ readonly out: boolean; readonly unsent: number }>> {
    const { loop } = this;
    const disk = this.#disk, held = this.#held;
    if (!loop || !disk) { this.#out('none'); return ok({ out: true, unsent: 0 }); }
    if (unsent === 'send') await this.#drain(loop);
    const left = loop.outbox.unsent;
    if (left > 0 && (unsent === 'ask' || unsent === 'send')) return ok({ out: false, unsent: left });
    const token = this.#tokens.last;
    this.#stop(false);
    try {
      await disk.destroy(unsent === 'keep');
    } catch (fault) {
      unlessDisk(fault); // without its key what is left is noise
    }
    disk.close();
    if (held) this.#tabs.post({ is: 'out', name: databaseOf(held), reason: 'ended' } satisfies TabMessage);
    this.#out('none');
    void this.#endSession(token);
    return ok({ out: true, unsent: left });
  }

  #begin = async (owner: Held | Owner, known: Begun | null, offlineUntil?: number): Promise<void> => {
    const { openDisk, memoryDisk, chance } = this.#world;
    const life = this.#life, held = 'key' in owner ? owner : null;
    const opened = held && this.#register ? await openDisk(held, this.#register).catch(unlessDisk) : null;
    const persisted = opened ? await this.#world.persist().catch(() => false) : false;
    if (life !== this.#life) { opened?.close(); return; }
    const disk = opened ?? memoryDisk(held?.device ?? chance.uuid());
    this.#disk = disk;
    this.#held = held;
    const until = offlineUntil ?? held?.offlineUntil ?? this.#world.clock.now();
    const enter = ({ me, branding }: Begun): void => {
      this.#branding = branding;
      this.who = { is: 'in', me, branding, offlineUntil: this.who.is === 'in' ? this.who.offlineUntil : until };
      this.#changed();
    };
    if (known) enter(known);
    this.loop = new Loop({
      world: this.#world, name: databaseOf(owner), disk, storage: opened === null ? 'memory' : persisted ? 'persisted' : 'best-effort',
      me: owner.user, tokens: this.#tokens, begun: enter, changed: this.#changed, over: () => this.#over(),
    });
    this.#limit(until);
    await this.loop.settled();
  };

  #renewed({ user, offlineUntil }: Granted): void {
    if (this.who.is === 'in') this.who = { ...this.who, me: user, offlineUntil };
    if (this.#held) void this.#register?.extend(this.#held, offlineUntil).catch(unlessDisk);
    this.#limit(offlineUntil);
    this.#changed();
  }

  /** The server has ended the session: the screen locks, what is unsent stays for this user (A11). */
  #over(): void {
    if (this.#held) this.#tabs.post({ is: 'out', name: databaseOf(this.#held), reason: 'expired' } satisfies TabMessage);
    this.#lock('expired');
  }

  #lock(reason: OutReason): void {
    this.#stop();
    this.#out(reason);
  }

  /** So long a device may open without having spoken to the server; then the screen is locked until it has. */
  #limit(until: number): void {
    this.#offLimit();
    this.#offLimit = this.#world.clock.after(Math.min(Math.max(0, until - this.#world.clock.now()), LONGEST_TIMER), () => {
      const held = this.#held;
      if (this.#world.clock.now() < until) { this.#limit(until); return; }
      this.#lock('expired');
      if (held) void this.#register?.current(this.#world.clock.now()).catch(unlessDisk).then(() => this.#unlock(held, 1));
    });
  }

  /** Asks until the server is there: it knows whether the session still stands. */
  async #unlock(owner: Owner, attempt: number): Promise<void> {
    const { clock, chance } = this.#world;
    const life = this.#life;
    const token = await this.#tokens.get(null);
    if (life !== this.#life || this.loop) return;
    if (token.ok) {
      const held = await this.#register?.enter(owner, clock.now() + 1).catch(unlessDisk);
      if (held && life === this.#life) await this.#begin(held, null, this.#tokens.offlineUntil);
      return;
    }
    if (token.failure.kind === 'signed-out' || token.failure.kind === 'expired') return;
    clock.after(backOffMs(attempt + UNLOCK_SLOWLY, 0, chance.fraction()), () => { if (life === this.#life) void this.#unlock(owner, attempt + 1); });
  }

  #out(reason: OutReason): void {
    this.who = { is: 'out', reason, branding: this.#branding, offline: false };
    this.#changed();
    void this.#tellBranding(1);
  }

  /** Asks until the server answers: whoever wants to sign in is told whether it can be reached. */
  async #tellBranding(attempt: number): Promise<void> {
    const { clock, chance } = this.#world;
    const life = this.#life;
    const answer = await this.#wire.ask('getBranding', {});
    if (life !== this.#life || this.who.is !== 'out') return;
    if (answer.ok) this.#branding = answer.value;
    this.who = { ...this.who, branding: this.#branding, offline: !answer.ok && answer.failure.kind === 'no-answer' };
    this.#changed();
    if (answer.ok) return;
    clock.after(backOffMs(Math.min(attempt, REACH_AT_MOST) + UNLOCK_SLOWLY, 0, chance.fraction()), () => { if (life === this.#life) void this.#tellBranding(attempt + 1); });
  }

  async #askBranding(): Promise<Branding | null> {
    const answer = await this.#wire.ask('getBranding', {});
    if (answer.ok) this.#branding = answer.value;
    return answer.ok ? answer.value : null;
  }

  #stop(close = true): void {
    this.#life += 1;
    this.#offLimit();
    this.loop?.stop();
    if (close) this.#disk?.close();
    this.loop = null;
    this.#disk = null;
    this.#held = null;
    this.#tokens.forget();
  }

  async #drain(loop: Loop): Promise<void> {
    const until = this.#world.clock.now() + DRAIN_MS;
    loop.wake();
    while (loop.outbox.waiting > 0 && this.#world.clock.now() < until) {
      await new Promise<void>((resolve) => { this.#world.clock.after(DRAIN_STEP_MS, resolve); });
    }
  }

  /** The session ends on the server too, as soon as it can be reached. */
  async #endSession(token: string | null): Promise<void> {
    if (token === null) return;
    const wire = makeWire({ ...this.#world, tokens: { get: (refused) => Promise.resolve(refused === null ? ok(token) : SIGNED_OUT) } });
    const life = this.#life;
    for (let attempt = 1; attempt <= MOST_GOODBYES && life === this.#life; attempt++) {
      const answer = await wire.ask('logout', {});
      if (answer.ok || answer.failure.kind === 'signed-out' || answer.failure.kind === 'expired') return;
      await new Promise<void>((resolve) => { this.#world.clock.after(backOffMs(attempt + UNLOCK_SLOWLY, 0, 0.5), resolve); });
    }
  }
}

/** Whoever is signed in as another has data and an outbox of their own: nothing of one is ever sent as the other (A10). */
const ownerOf = (me: Me): Owner => ({ tenant: me.serviceProviderId, user: me.id, actor: me.acting?.id ?? me.id });
const OWN: ReadonlySet<CallName> = new Set(['loginDb', 'refresh', 'logout', 'loginAs', 'exitLoginAs', 'loginToken', 'bootstrap', 'events', 'stream', 'runsOfDay']);
const SIGNED_OUT = failed({ kind: 'signed-out', message: MESSAGES.signedOut });
const LONGEST_TIMER = 2 ** 31 - 1, UNLOCK_SLOWLY = 5, REACH_AT_MOST = 3, MOST_GOODBYES = 8, DRAIN_MS = 10_000, DRAIN_STEP_MS = 50;

/** Where the disk fails, the memory goes on; a bug is thrown on. */
function unlessDisk(fault: unknown): null {
  if (fault instanceof DiskFault) return null;
  throw fault;
}
