import { PLAIN, signedInAs } from '#tests/me.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { Event, Logged } from '#contract/events.ts';
import { fold, memoryRows } from '#contract/fold.ts';
import { LIMITS, PROTOCOL } from '#contract/limits.ts';
import { decideChange } from '#contract/runs/change.ts';
import type { Change, Target } from '#contract/runs/change.ts';
import { encodeColumns, toLeanRun, newestFirst } from '#contract/runs/columns.ts';
import { COMMAND_HEADERS } from '#contract/sync/calls.ts';
import type { LastSync, ReplicatedRows, SyncedSources } from '#contract/sync/calls.ts';
import { answer, bad, BRANDING, good, refusal, TENANT, withCookie } from './answers.ts';

interface Done {
  readonly body: string;
  readonly status: number;
  readonly answer: unknown;
}
export interface User {
  readonly me: Me;
  companies: readonly number[] | null;
}

/**
 * A server in memory that follows the contract: the log, its folds, commands by key and order,
 * snapshots and pages of events. It stands in for the real one where a test must decide what time
 * it is and what goes wrong.
 */
export class SimServer {
  readonly log: Logged[] = [];
  readonly rows = memoryRows();
  readonly users = new Map<string, User>();
  readonly sessions = new Map<string, string>();
  readonly #commands = new Map<string, Done>();
  readonly #orders = new Map<string, number>();
  readonly #streams = new Set<{
    readonly user: string;
    readonly send: (text: string) => void;
    readonly end: () => void;
  }>();
  readonly #changed = new Map<string, number>();
  #kinds = 0;
  epoch = 'e1';
  /** How sources synced last: told to who reads results here. */
  #lastSync: LastSync = { status: 'SUCCEEDED', at: null, failed: [], sources: [] };
  #sourcesTag = 0;
  pageSize: number = LIMITS.eventsPage;
  tokenMs = LIMITS.accessMs;
  offlineMs = 7 * 86_400_000;
  ended = false;
  readonly #now: () => number;
  #tokens = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  addUser(name: string): User {
    const id = `00000000-0000-4000-8000-${String(this.users.size + 1).padStart(12, '0')}`;
    const user: User = {
      companies: null,
      me: {
        id,
        username: name,
        name,
        email: `${name}@example.test`,
        roles: ['operator', 'admin'],
        companies: null,
        serviceProviderId: TENANT,
        ...PLAIN,
      },
    };
    this.users.set(id, user);
    return user;
  }

  append(
    drafts: readonly { readonly event: Event; readonly company: number | null }[],
    by: Pick<Logged, 'actor' | 'commandId'> = SOURCE,
  ): void {
    for (const { event, company } of drafts) {
      const logged: Logged = {
        seq: this.log.length + 1,
        at: this.#now(),
        subject: null,
        company,
        entity: event.type,
        event,
        ...by,
      };
      this.log.push(logged);
      this.#noteTags(logged);
      fold(this.rows, logged);
    }
    this.poke({ kind: 'head', head: this.log.length, epoch: this.epoch });
  }

  /** As the real server: by the last event that changed a run of the day, or what kind a job is. */
  #noteTags({ seq, event }: Logged): void {
    if (
      event.type === 'run.started@1' ||
      event.type === 'run.finished@1' ||
      event.type === 'run.missed@1'
    )
      this.#changed.set(getDay(event.data.startedAt), seq);
    if (
      event.type === 'job.updated@1' &&
      this.rows.job.get(event.data.n)?.managed !== event.data.managed
    )
      this.#kinds = seq;
  }

  /** Sources synced, or failed to: no event says so. */
  sync(lastSync: LastSync): void {
    this.#lastSync = lastSync;
    this.#sourcesTag += 1;
    this.poke({ kind: 'sources' });
  }

  #sourcesOf(user: User): SyncedSources | null {
    return this.#reads(user)
      ? { ...this.#lastSync, tag: `s${this.#sourcesTag}`, asOf: this.#now() }
      : null;
  }

  poke(poke: unknown): void {
    for (const { send } of this.#streams) send(`data: ${JSON.stringify(poke)}\n\n`);
  }
  cutStreams(): void {
    for (const { end } of this.#streams) end();
    this.#streams.clear();
  }
  get streams(): number {
    return this.#streams.size;
  }

  /** One request, to its end. Commands are atomic, as a transaction makes them. */
  async handle(request: Request, cookie: string): Promise<Response> {
    const url = new URL(request.url);
    const path = url.pathname.replace('/api/v1/', '');
    const body = request.method === 'GET' ? '' : await request.text();
    if (path === 'service-providers/branding') return good(BRANDING);
    if (path === 'auth/login/db') {
      const user = [...this.users.values()].find(
        ({ me }) => me.username === (JSON.parse(body) as { username: string }).username,
      );
      return user ? good(this.#grant(user)) : bad({ kind: 'wrong-credentials', message: 'no' });
    }
    if (path === 'auth/refresh') {
      const user = this.users.get(cookie);
      return user && !this.ended
        ? good(this.#grant(user, cookie))
        : bad({ kind: 'expired', message: 'over' });
    }
    const user = this.users.get(
      this.sessions.get(request.headers.get('authorization')?.slice(7) ?? '') ?? '',
    );
    if (!user || this.ended) return bad({ kind: 'expired', message: 'over' });
    if (path === 'sync/bootstrap') return good(this.#bootstrap(user));
    if (path === 'sync/events')
      return this.#events(
        user,
        Number(url.searchParams.get('after')),
        url.searchParams.get('epoch') ?? '',
        url.searchParams.get('sources'),
      );
    if (path === 'sync/last-sync') return good({ ...this.#lastSync, at: this.#now() });
    if (path === 'sync/stream') return this.#stream(user);
    if (path.startsWith('sync/runs/')) return this.#page(user, path.slice(-10));
    if (path.startsWith('monitoring/backoffice/jobExecutions/'))
      return this.#command(user, request, path, body);
    if (
      path.startsWith('monitoring/views/') ||
      path === 'monitoring/hand-overs' ||
      path.startsWith('profile/')
    )
      return this.#own(user, request, path, body);
    if (path === 'auth/login-as')
      return this.#act(user, (JSON.parse(body) as { userId: string }).userId);
    if (path === 'auth/login-as/exit') return this.#stopImpersonation(user);
    if (path === 'auth/logout') {
      this.sessions.clear();
      return good({});
    }
    return bad({ kind: 'no-such-call', message: 'no such call' });
  }

  /**
   * Whoever acts as another is a user of its own to this server: `<user> by <actor>` is its cookie.
   */
  #act(actor: User, id: string): Response {
    const target = this.users.get(id);
    if (!target) return bad({ kind: 'not-found', message: 'no' });
    const name = `${id} by ${actor.me.id}`;
    const impersonator = {
      id: actor.me.id,
      username: actor.me.username,
      name: actor.me.name,
      impersonation: 'i1',
      until: this.#now() + 3_600_000,
    };
    const user = { companies: target.companies, me: { ...target.me, impersonator } };
    this.users.set(name, user);
    return withCookie(good(this.#grant(user, name)), name);
  }

  #stopImpersonation({ me: { impersonator } }: User): Response {
    const actor = impersonator && this.users.get(impersonator.id);
    return actor
      ? withCookie(good(this.#grant(actor)), actor.me.id)
      : bad({ kind: 'conflict', message: 'no' });
  }

  #grant(user: User, name = user.me.id): unknown {
    const token = `token-${++this.#tokens}`;
    this.sessions.set(token, name);
    return {
      token,
      tokenExpiresAt: this.#now() + this.tokenMs,
      userId: user.me.id,
      user: signedInAs(user.me),
      offlineUntil: this.#now() + this.offlineMs,
    };
  }

  #sees(user: User, company: number | null): boolean {
    return (
      company === null ||
      (!this.isDeleted(company) && (user.companies === null || user.companies.includes(company)))
    );
  }

  /**
   * As the real server: these roles read no result, and what one may read is part of the epoch that
   * one is told.
   */
  #reads({ me }: User): boolean {
    return me.roles.some((role) => role !== 'sub-sp' && role !== 'o365_admin');
  }
  #epochOf(user: User): string {
    return this.#reads(user) ? this.epoch : `${this.epoch}.nothing`;
  }

  isDeleted(company: number): boolean {
    return this.rows.company.get(company)?.deletedAt !== undefined;
  }

  #bootstrap(user: User): unknown {
    const { company, job, cause, problem, key, view, shift, preference, pin } = this.rows;
    const { organization, backupRepository, backupProxy, backupJob, restoreSession } = this.rows;
    const replicated: ReplicatedRows = {
      companies: [...company.values()].filter(({ n }) => this.#sees(user, n)),
      jobs: [...job.values()].filter((row) => this.#sees(user, row.company)),
      causes: [...cause.values()],
      problems: [...problem.values()].filter((row) => this.#sees(user, row.company)),
      keys: [...key.values()],
      views: [...view.values()],
      shifts: [...shift.values()],
      preferences: [...preference.values()].filter((row) => row.user === user.me.id),
      pins: [...pin.values()].filter((row) => row.user === user.me.id),
      organizations: [...organization.values()],
      backupRepositories: [...backupRepository.values()],
      backupProxies: [...backupProxy.values()],
      backupJobs: [...backupJob.values()],
      restoreSessions: [...restoreSession.values()].filter((row) => row.user === user.me.id),
    };
    const days = new Map<string, number>();
    for (const run of this.rows.run.values())
      if (this.#sees(user, run.company))
        days.set(getDay(run.startedAt), (days.get(getDay(run.startedAt)) ?? 0) + 1);
    const start = {
      protocol: PROTOCOL,
      epoch: this.#epochOf(user),
      cursor: this.log.length,
      serverNow: this.#now(),
      me: { ...user.me, companies: user.companies },
      branding: BRANDING,
      windowFrom: '2026-05-17',
      days: [...days]
        .sort(([a], [b]) => b.localeCompare(a))
        .map(([day, rows]) => ({ day, rows, tag: this.#tag(user, day) })),
      people: [...this.users.values()].map(({ me }) => ({ id: me.id, name: me.name })),
      ...replicated,
      sources: this.#sourcesOf(user),
    };
    if (this.#reads(user)) return start;
    return {
      ...start,
      days: [],
      people: start.people.filter(({ id }) => id === user.me.id),
      companies: [],
      jobs: [],
      causes: [],
      problems: [],
      keys: [],
      views: [],
      shifts: [],
    };
  }

  #events(user: User, after: number, epoch: string, tag: string | null): Response {
    const head = this.log.length;
    const details = this.#epochOf(user);
    if (epoch !== details || after > head)
      return good({ epoch: details, cursor: head, head, more: false, events: [] });
    const page = this.log.slice(after, after + this.pageSize);
    const cursor = page.at(-1)?.seq ?? after;
    const sources = cursor < head || tag === null ? null : this.#sourcesOf(user);
    return good({
      epoch,
      cursor,
      head,
      more: cursor < head,
      events: page.filter((one) => this.#tells(user, one)),
      ...(sources !== null && sources.tag !== tag && { sources }),
    });
  }

  #tells(user: User, { event, company }: Logged): boolean {
    if (!this.#reads(user)) return 'id' in event.data && event.data.id === user.me.id;
    return event.type === 'company.deleted@1' || this.#sees(user, company);
  }

  #stream(user: User): Response {
    const encoder = new TextEncoder();
    let one: { user: string; send: (text: string) => void; end: () => void } | null = null;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        one = {
          user: user.me.id,
          send: (text) => controller.enqueue(encoder.encode(text)),
          end: () => controller.close(),
        };
        this.#streams.add(one);
        one.send(
          `data: ${JSON.stringify({ kind: 'head', head: this.log.length, epoch: this.#epochOf(user) })}\n\n`,
        );
      },
      cancel: () => {
        if (one) this.#streams.delete(one);
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  #page(user: User, day: string): Response {
    if (!this.#reads(user)) return bad({ kind: 'forbidden', message: 'no' });
    const bytes = this.#day(user, day);
    return new Response(bytes, {
      headers: { 'content-type': 'application/octet-stream', 'etag': this.#tag(user, day) },
    });
  }

  /**
   * Another one where a run of the day was told of, where a job became of another kind, for who
   * sees others, and where a company of it was deleted.
   */
  #tag({ companies }: User, day: string): string {
    const gone = new Set(
      [...this.rows.run.values()].flatMap(({ startedAt, company }) =>
        getDay(startedAt) === day && this.isDeleted(company) ? [company] : [],
      ),
    );
    return `"${this.epoch}-${day}-${Math.max(this.#kinds, this.#changed.get(day) ?? 0)}-${companies?.join('.') ?? ''}-${[...gone].sort((a, b) => a - b).join('.')}"`;
  }

  #day(user: User, day: string): Uint8Array<ArrayBuffer> {
    const runs = [...this.rows.run.values()]
      .filter((run) => getDay(run.startedAt) === day && this.#sees(user, run.company))
      .map((run) =>
        toLeanRun(
          run,
          this.rows.job.get(run.job) ?? { managed: null, source: 'api', type: 'Other' },
        ),
      )
      .sort(newestFirst);
    const pages: Uint8Array[] = [];
    for (let at = 0; at < runs.length; at += 40) pages.push(encodeColumns(runs.slice(at, at + 40)));
    const whole = new Uint8Array(pages.reduce((sum, page) => sum + 4 + page.length, 0));
    let at = 0;
    for (const page of pages) {
      new DataView(whole.buffer).setUint32(at, page.length, true);
      whole.set(page, at + 4);
      at += 4 + page.length;
    }
    return whole;
  }

  /** What people keep beside the results: kept as it comes. */
  #own(user: User, request: Request, path: string, body: string): Response {
    return this.#once(request, body, () => {
      const input = JSON.parse(body === '' ? '{}' : body) as never;
      const owner = user.me.id;
      const id = path.split('/').at(-1) ?? '';
      const event: Event =
        request.method === 'DELETE'
          ? { type: 'view.deleted@1', data: { id, owner, shared: false } }
          : path.startsWith('monitoring/views/')
            ? { type: 'view.saved@1', data: { ...(input as object), id, owner } as never }
            : path.includes('/pinned-companies/')
              ? {
                  type: 'company.pinned@1',
                  data: { ...(input as object), id: owner, company: Number(id) } as never,
                }
              : path.startsWith('profile/')
                ? {
                    type: 'user.preferenceSaved@1',
                    data: { ...(input as object), id: owner, name: id } as never,
                  }
                : { type: 'shift.handedOver@1', data: input };
      this.append([{ event, company: null }], {
        actor: { kind: 'user', id: owner },
        commandId: request.headers.get(COMMAND_HEADERS.key),
      });
      return { status: 200, answer: { success: true, data: { seq: this.log.length } } };
    });
  }

  #command(user: User, request: Request, path: string, body: string): Response {
    return this.#once(request, body, (id) => this.#change(user, path, body, id));
  }

  #once(
    request: Request,
    body: string,
    decide: (id: string) => { readonly status: number; readonly answer: unknown },
  ): Response {
    const id = request.headers.get(COMMAND_HEADERS.key) ?? '';
    const device = request.headers.get(COMMAND_HEADERS.device) ?? '';
    const order = Number(request.headers.get(COMMAND_HEADERS.order));
    const done = this.#commands.get(id);
    if (done)
      return done.body === body
        ? answer(done.status, done.answer)
        : bad({ kind: 'key-reused', message: 'other body' });
    const expected = (this.#orders.get(device) ?? 0) + 1;
    if (order !== expected) return bad({ kind: 'out-of-order', message: 'missing', expected });
    const { status, answer: said } = decide(id);
    this.#commands.set(id, { body, status, answer: said });
    this.#orders.set(device, expected);
    return answer(status, said);
  }

  #change(
    user: User,
    path: string,
    body: string,
    id: string,
  ): { readonly status: number; readonly answer: unknown } {
    const input = JSON.parse(body) as { change: Change; ids?: number[] };
    const single = path.endsWith('/bulk') ? null : Number(path.split('/').at(-1));
    const request = single === null ? (input.ids ?? []) : [single];
    const targets = new Map<number, Target>();
    for (const n of request) {
      const run = this.rows.run.get(n);
      if (run && this.#sees(user, run.company))
        targets.set(n, {
          run,
          problem: run.problem === null ? null : (this.rows.problem.get(run.problem) ?? null),
        });
    }
    const { drafts, refused } = decideChange(
      input.change,
      request,
      targets,
      user.me.id,
      this.#now(),
      (who) => this.users.get(who)?.me.name ?? '',
    );
    const failure = single === null ? undefined : refused[0]?.failure;
    if (!failure) this.append(drafts, { actor: { kind: 'user', id: user.me.id }, commandId: id });
    return failure
      ? refusal(failure)
      : {
          status: 200,
          answer: {
            success: true,
            data: {
              seq: this.log.length,
              accepted: request.length - refused.length,
              refused: refused.map(({ run, failure: { kind, message } }) => ({
                run,
                kind,
                message,
              })),
            },
          },
        };
  }
}

const SOURCE: Pick<Logged, 'actor' | 'commandId'> = {
  actor: { kind: 'source', id: 'key' },
  commandId: null,
};
const getDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
