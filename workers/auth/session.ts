import { createActor, fromPromise } from 'xstate';
import type { ActorRefFrom } from 'xstate';
import { deviceUser } from '#contract/auth/current-user.ts';
import type { Me, UserSession as Granted } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { CallName, OutputOf, InputOf } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { DeviceId, Ms } from '#contract/ids.ts';
import { backOffMs } from '#machines/back-off.ts';
import { sessionExpiryMachine } from '#machines/session-expiry.ts';
import type { ExpiryAnswer } from '#machines/session-expiry.ts';
import type { PageSignInRequest } from '#machines/sign-in-requests.ts';
import type {
  ImpersonationAnswer,
  FileCall,
  ServedFile,
  SignInReply,
  Signing,
  ClientSessionState,
} from '../api.ts';
import { getDatabase } from '../disk/database.ts';
import type { DataOwner } from '../disk/database.ts';
import type { StoredProfile, Profiles } from '../disk/profiles.ts';
import { unlessDisk } from '../disk/disk-errors.ts';
import { NEEDS_NETWORK, SIGNED_OUT } from '../failures.ts';
import type { Disk } from '../types.ts';
import { drain, endSession } from './sign-out.ts';
import { askToSignIn, CHANGES_BRANDING, CHANGES_ME, SIGN_IN_CALLS } from './sign-in-calls.ts';
import { makeSignIn } from './sign-in.ts';
import { makeCheckedFetch } from '../sync/checked-fetch.ts';
import { makeCallKinds } from '../sync/grace.ts';
import type { CallKind } from '../sync/grace.ts';
import { TABS } from '../sync/leader.ts';
import { Loop } from '../sync/loop.ts';
import type { BegunFrom } from '../sync/loop.ts';
import type { Begun } from '../sync/pipeline.ts';
import { getMachineClock } from '../machine-clock.ts';
import { makeTokens } from '../sync/tokens.ts';
import { makeWire } from '../sync/wire.ts';
import type { Channel, WorkerContext } from '../context.ts';

type OutReason = Extract<ClientSessionState, { kind: 'out' }>['reason'];
type TabMessage =
  | { readonly kind: 'in' }
  | { readonly kind: 'out'; readonly name: string; readonly reason: OutReason };

/** The user signed in on this browser, and the sync loop that runs for that user. */
export class ClientSession {
  who: ClientSessionState = { kind: 'starting' };
  loop: Loop | null = null;
  readonly contextd: WorkerContext;
  readonly #changed: () => void;
  readonly #tabs: Channel;
  readonly #tokens;
  readonly #wire;
  readonly #signIn;
  readonly #getCallKind;
  #register: Profiles | null = null;
  #profile: StoredProfile | null = null;
  #disk: Disk | null = null;
  #owner: DataOwner | null = null;
  #branding: Branding | null = null;
  #expiry: ActorRefFrom<typeof sessionExpiryMachine> | null = null;
  #meChanges = 0; // that the user made to their own account
  /** Incremented on every start and end, so that results for an older session are dropped. */
  #life = 0;

  constructor(context: WorkerContext, changed: () => void) {
    this.contextd = { ...context, fetch: makeCheckedFetch(context) };
    this.#changed = changed;
    this.#tokens = makeTokens({
      fetch: this.contextd.fetch,
      origin: context.origin,
      clock: context.clock,
      renewed: (granted) => this.#renewed(granted),
    });
    this.#wire = makeWire({
      fetch: this.contextd.fetch,
      origin: context.origin,
      clock: context.clock,
      tokens: this.#tokens,
    });
    this.#getCallKind = makeCallKinds(context.clock);
    this.#signIn = makeSignIn(
      context.clock,
      (what, auth) => askToSignIn(this.#wire, () => this.#byCookie(), what, auth),
      async () => (this.#branding ?? (await this.#askBranding()))?.authType ?? null,
      changed,
    );
    this.#tabs = context.channel(TABS);
    this.#tabs.listen((raw) => {
      const message = raw as TabMessage;
      if (message.kind === 'in') {
        if (!this.loop) void this.start();
        return;
      }
      if (this.#profile && getDatabase(this.#profile) === message.name) this.#lock(message.reason);
    });
  }

  async start(): Promise<void> {
    const life = ++this.#life;
    this.#register ??= await this.contextd.openRegister().catch(unlessDisk);
    const present = (await this.#register
      ?.current(this.contextd.clock.now())
      .catch(unlessDisk)) ?? {
      kind: 'none' as const,
    };
    if (life !== this.#life) return;
    if (present.kind === 'in') return this.#begin(present.profile, null);
    this.#out(present.kind === 'expired' ? 'expired' : 'none');
    if (present.kind === 'expired') this.#watchExpiry(null, present.owner);
  }

  /** Makes one call to the server. Calls that carry tokens or belong to the loop are refused. */
  ask<N extends CallName>(name: N, input: InputOf<N>): Promise<Result<OutputOf<N>>> {
    return this.#call(name, input, (wire) => wire.ask(name, input));
  }
  file<N extends FileCall>(name: N, input: InputOf<N>): Promise<Result<ServedFile>> {
    return this.#call(name, input, (wire) => wire.file(name, input));
  }

  async #call<T>(
    name: CallName,
    input: unknown,
    by: (wire: ReturnType<typeof makeWire>) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    if (OWN.has(name)) return failed({ kind: 'no-such-call', message: MESSAGES.noSuchCall });
    if (!this.loop && getCall(name).gate !== 'public') return failed(SIGNED_OUT);
    const { loop } = this;
    const answer = await (loop
      ? loop.call(this.#getCallKind(name, input), () => by(loop.wire))
      : by(this.#wire));
    if (answer.ok && CHANGES_ME.has(name)) {
      this.#meChanges += 1;
      await this.#tokens.renew();
      this.loop?.wake(); // with a password to choose first, the server held the data back
    }
    if (answer.ok && CHANGES_BRANDING.has(name)) void this.#renewBranding();
    return !answer.ok &&
      answer.failure.kind === 'no-answer' &&
      this.loop?.status().kind === 'offline'
      ? failed(NEEDS_NETWORK)
      : answer;
  }

  signing(): Signing {
    return this.#signIn.now();
  }
  signInBack(): void {
    this.#signIn.back();
  }
  async signIn(ask: PageSignInRequest): Promise<Result<SignInReply>> {
    const answer = await this.#signIn.go(ask);
    if (!answer.ok) return answer;
    if ('step' in answer.value) return ok({ kind: 'step', step: answer.value });
    await this.#enter(answer.value);
    return ok({
      kind: 'in',
      me: deviceUser(answer.value.user),
      recoveryCodes: answer.value.recoveryCodes ?? null,
    });
  }

  async impersonate(who: InputOf<'loginAs'>): Promise<Result<ImpersonationAnswer>> {
    const { loop } = this;
    const answer = await (loop?.call(ONCE, () => loop.wire.ask('loginAs', who)) ??
      failed(SIGNED_OUT));
    if (!answer.ok) return answer;
    if ('url' in answer.value) return ok({ kind: 'elsewhere', url: answer.value.url });
    this.#tellOut('ended');
    await this.#enter(answer.value);
    return ok({ kind: 'in', me: deviceUser(answer.value.user) });
  }

  async stopImpersonation(unsent: 'ask' | 'discard'): Promise<Result<ImpersonationAnswer>> {
    const { loop } = this;
    const disk = this.#disk;
    if (!loop || !disk) return failed(SIGNED_OUT);
    if (loop.status().kind === 'offline') return failed(NEEDS_NETWORK);
    if (loop.outbox.unsent > 0) await drain(loop, this.contextd.clock);
    const left = loop.outbox.unsent;
    if (left > 0 && unsent === 'ask') return ok({ kind: 'unsent', unsent: left });
    const answer = await loop.call(ONCE, () => loop.wire.ask('exitLoginAs', {}));
    if (!answer.ok) return answer;
    this.#tellOut('ended');
    await this.#destroy(disk, false);
    if ('url' in answer.value) {
      this.#out('none');
      return ok({ kind: 'elsewhere', url: answer.value.url });
    }
    await this.#enter(answer.value);
    return ok({ kind: 'in', me: deviceUser(answer.value.user) });
  }

  async #byCookie(): Promise<Result<Granted>> {
    const token = await this.#tokens.get(null);
    if (!token.ok) return token;
    return this.#tokens.session ? ok(this.#tokens.session) : failed(SIGNED_OUT);
  }

  /** Starts the work for the user that the server has signed in. */
  async #enter(granted: Granted): Promise<void> {
    this.#stop();
    this.#tokens.set(granted);
    const branding = this.#branding ?? (await this.#askBranding());
    const owner = getOwner(granted.user);
    const profile =
      (await this.#register?.enter(owner, granted.offlineUntil).catch(unlessDisk)) ?? null;
    await this.#begin(
      profile ?? owner,
      branding && { me: deviceUser(granted.user), branding },
      granted.offlineUntil,
    );
    this.#tabs.post({ kind: 'in' } satisfies TabMessage);
  }

  /**
   * OUT-7, C9: stops the loop, then removes the key, the data, the other tabs' sessions and the
   * server session. Works offline.
   */
  async signOut(
    unsent: 'ask' | 'send' | 'keep' | 'discard',
  ): Promise<Result<{ readonly out: boolean; readonly unsent: number }>> {
    const { loop } = this;
    const disk = this.#disk;
    if (!loop || !disk) {
      this.#out('none');
      return ok({ out: true, unsent: 0 });
    }
    if (unsent === 'send') await drain(loop, this.contextd.clock);
    const left = loop.outbox.unsent;
    if (left > 0 && (unsent === 'ask' || unsent === 'send'))
      return ok({ out: false, unsent: left });
    const token = this.#tokens.last;
    const owner = this.#owner;
    const name = this.#profile && getDatabase(this.#profile);
    await this.#destroy(disk, unsent === 'keep');
    if (name !== null) this.#tabs.post({ kind: 'out', name, reason: 'ended' } satisfies TabMessage);
    this.#out('none');
    const life = this.#life;
    void endSession(this.contextd, token, owner, () => life === this.#life);
    return ok({ out: true, unsent: left });
  }

  async #destroy(disk: Disk, keepOutbox: boolean): Promise<void> {
    this.#stop(false);
    await disk.destroy(keepOutbox).catch(unlessDisk); // without its key, the rest can't be read
    disk.close();
  }

  #tellOut(reason: OutReason): void {
    if (this.#profile)
      this.#tabs.post({
        kind: 'out',
        name: getDatabase(this.#profile),
        reason,
      } satisfies TabMessage);
  }

  #begin = async (
    owner: StoredProfile | DataOwner,
    known: Begun | null,
    offlineUntil?: number,
  ): Promise<void> => {
    const { openDisk, memoryDisk, chance } = this.contextd;
    const life = this.#life;
    const profile = 'key' in owner ? owner : null;
    const [opened, promised] = await Promise.all([
      profile && this.#register ? openDisk(profile, this.#register).catch(unlessDisk) : null,
      profile ? this.contextd.persist().catch(() => false) : false,
    ]);
    const persisted = opened !== null && promised;
    if (life !== this.#life) {
      opened?.close();
      return;
    }
    const disk = (this.#disk =
      opened ?? memoryDisk(profile?.device ?? (chance.uuid() as DeviceId)));
    this.#profile = profile;
    this.#owner = owner;
    const until = offlineUntil ?? profile?.offlineUntil ?? this.contextd.clock.now();
    const enter = ({ me, branding }: Begun, from: BegunFrom): void => {
      this.#branding = branding;
      this.who = {
        kind: 'in',
        me,
        branding,
        offlineUntil: this.who.kind === 'in' ? this.who.offlineUntil : until,
        ...(from === 'disk' && { isUnconfirmed: true }),
      };
      this.#changed();
    };
    if (known) enter(known, 'server');
    this.loop = new Loop({
      context: this.contextd,
      name: getDatabase(owner),
      disk,
      storage: opened === null ? 'memory' : persisted ? 'persisted' : 'best-effort',
      me: owner.user,
      tokens: this.#tokens,
      meChanges: () => this.#meChanges,
      changed: this.#changed,
      over: () => this.#expiry?.send({ type: 'ENDED' }),
      begun: (begun, from) => {
        const current =
          from === 'disk' && known
            ? known
            : from === 'overtaken' && this.who.kind === 'in'
              ? { ...begun, me: this.who.me }
              : begun;
        enter(current, current === known ? 'server' : from);
        if (!isSameUser(current.me, begun.me)) this.loop?.saveUser(current);
      },
    });
    this.#limit(until);
    await this.loop.settled();
  };

  #renewed(granted: Granted): void {
    const { user, offlineUntil } = granted;
    // The cookie belongs to another user by now (who signed in or impersonates in another tab):
    // never send changes of one user as another (A10).
    if (this.#owner && getDatabase(this.#owner) !== getDatabase(getOwner(user))) {
      void this.#enter(granted);
      return;
    }
    if (this.who.kind === 'in') {
      const me = deviceUser(user);
      const isChanged = !isSameUser(me, this.who.me);
      this.who = { ...this.who, me, offlineUntil };
      if (isChanged) this.loop?.saveUser(this.who);
    }
    if (this.#profile) void this.#register?.extend(this.#profile, offlineUntil).catch(unlessDisk);
    this.#limit(offlineUntil);
    this.#changed();
    void this.#renewBranding();
  }

  /**
   * Applies branding changes of the provider on signed-in devices with their next token (BRAND-9).
   * This includes the time zone, so everything is reloaded.
   */
  async #renewBranding(): Promise<void> {
    const life = this.#life;
    const answer = await this.#wire.ask('getBranding', {});
    if (life !== this.#life || !answer.ok || this.who.kind !== 'in') return;
    const { isUnconfirmed, ...who } = this.who;
    const isChanged = JSON.stringify(answer.value) !== JSON.stringify(who.branding);
    if (!isChanged && isUnconfirmed === undefined) return;
    this.#branding = answer.value;
    this.who = { ...who, branding: answer.value };
    this.#changed();
    if (!isChanged) return;
    this.loop?.reload();
  }

  #lock(reason: OutReason): void {
    this.#stop();
    this.#out(reason);
  }

  /** Limits how long the device may stay open without contact to the server. */
  #limit(until: Ms): void {
    if (this.#expiry?.getSnapshot().matches('open')) this.#expiry.send({ type: 'RENEWED', until });
    else this.#watchExpiry(until, this.#profile);
  }

  /** `until`: null if the device is locked already. */
  #watchExpiry(until: Ms | null, owner: DataOwner | null): void {
    const { clock, chance } = this.contextd;
    // The machine outlives the work that it stops.
    const lock = (): void => {
      const expiry = this.#expiry;
      this.#expiry = null;
      this.#lock('expired');
      this.#expiry = expiry;
    };
    this.#expiry?.stop();
    this.#expiry = createActor(
      sessionExpiryMachine.provide({
        actors: {
          destroyKey: fromPromise<unknown>(
            async () => await this.#register?.current(clock.now()).catch(unlessDisk),
          ),
          askServer: fromPromise(() => this.#askToReopen(owner)),
        },
        actions: {
          lock,
          // A11: unsent changes stay for this user.
          end: () => {
            this.#tellOut('expired');
            lock();
          },
        },
      }),
      {
        input: { until, now: () => clock.now(), fraction: () => chance.fraction() },
        clock: getMachineClock(clock),
      },
    );
    this.#expiry.start();
  }

  /**
   * Finds out from the server whether the session of a locked device is still active, and reopens it
   * if so.
   */
  async #askToReopen(owner: DataOwner | null): Promise<ExpiryAnswer> {
    const life = this.#life;
    const token = await this.#tokens.get(null);
    if (owner === null || life !== this.#life || this.loop) return 'over';
    if (!token.ok) return ENDED.has(token.failure.kind) ? 'over' : 'later';
    const profile = await this.#register
      ?.enter(owner, this.contextd.clock.now() + 1)
      .catch(unlessDisk);
    if (profile && life === this.#life) await this.#begin(profile, null, this.#tokens.offlineUntil);
    return 'reopened';
  }

  #out(reason: OutReason): void {
    this.who = { kind: 'out', reason, branding: this.#branding, offline: false };
    this.#changed();
    void this.#tellBranding(1);
  }

  /**
   * Retries until the server responds, so that the sign-in page can show whether it is reachable.
   */
  async #tellBranding(attempt: number): Promise<void> {
    const { clock, chance } = this.contextd;
    const life = this.#life;
    const answer = await this.#wire.ask('getBranding', {});
    if (life !== this.#life || this.who.kind !== 'out') return;
    if (answer.ok) this.#branding = answer.value;
    this.who = {
      ...this.who,
      branding: this.#branding,
      offline: !answer.ok && answer.failure.kind === 'no-answer',
    };
    this.#changed();
    if (answer.ok) return;
    clock.after(
      backOffMs(Math.min(attempt, MAX_ATTEMPTS) + UNLOCK_SLOWLY, 0, chance.fraction()),
      () => {
        if (life === this.#life) void this.#tellBranding(attempt + 1);
      },
    );
  }

  async #askBranding(): Promise<Branding | null> {
    const answer = await this.#wire.ask('getBranding', {});
    return answer.ok ? (this.#branding = answer.value) : null;
  }

  #stop(close = true): void {
    this.#life += 1;
    this.#expiry?.stop();
    this.#expiry = null;
    this.loop?.stop();
    if (close) this.#disk?.close();
    this.loop = null;
    this.#disk = null;
    this.#profile = null;
    this.#owner = null;
    this.#tokens.forget();
  }
}

// An impersonation has its own data and outbox, so that changes of one user are never sent as
// another (A10).
const getOwner = (me: Pick<Me, 'id' | 'serviceProviderId' | 'impersonator'>): DataOwner => ({
  tenant: me.serviceProviderId,
  user: me.id,
  actor: me.impersonator?.id ?? me.id,
});
const isSameUser = (one: Me, other: Me): boolean => JSON.stringify(one) === JSON.stringify(other);
const OWN: ReadonlySet<CallName> = new Set([
  ...SIGN_IN_CALLS,
  'refresh',
  'logout',
  'loginAs',
  'exitLoginAs',
  'loginToken',
  'bootstrap',
  'events',
  'stream',
  'getDayRuns',
]);
const ENDED: ReadonlySet<Failure['kind']> = new Set(['signed-out', 'expired']);
/** A user's own call that must not be sent twice. */
const ONCE: CallKind = { isOwn: true, isRepeatable: false };
const UNLOCK_SLOWLY = 5;
const MAX_ATTEMPTS = 3;
