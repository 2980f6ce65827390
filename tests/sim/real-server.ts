import type { NewEvent, Logged } from '#contract/events.ts';
import { fold, memoryRows } from '#contract/fold.ts';
import type { UserId } from '#contract/ids.ts';
import { makeAppContext } from '#server/make-app-context.ts';
import { defaultBranding } from '#server/features/branding/default-branding.ts';
import { systemChance } from '#server/platform/random.ts';
import { systemClock } from '#server/platform/clock.ts';
import { allHandlers } from '#server/handlers.ts';
import { makeApp } from '#server/platform/http/app.ts';
import { makeLog } from '#server/platform/log.ts';
import { makeUser } from '#server/features/users/create-user.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeTenant } from '#server/platform/db/tenants.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TestClock } from './clock.ts';
import { HERE } from '../server/outbound/listen.ts';

export const PASSWORD = 'correct horse battery';

/**
 * The real server: the whole application over its real store, on the clock of the test. One
 * provider a story; a second one `beside` the first is served by the same application.
 */
export class RealServer {
  /** What the story has written, folded: for choosing what happens next. */
  readonly rows = memoryRows();
  readonly tenant: string;
  readonly host: string;
  readonly context: AppContext;
  readonly app: ReturnType<typeof makeApp>;
  /** Errors that the application has logged. */
  readonly errors: string[];
  readonly #jars = new Map<string, string>();
  #busy = 0;
  #line: Promise<unknown> = Promise.resolve();

  constructor(store: Store, clock: TestClock, beside: RealServer | null = null) {
    this.tenant = systemChance.uuid();
    this.host = `${this.tenant}.example`;
    if (beside !== null) {
      this.context = beside.context;
      this.app = beside.app;
      this.errors = beside.errors;
      return;
    }
    const errors: string[] = [];
    this.errors = errors;
    const counted: Store = {
      ...store,
      tenant: (tenant, work, how) => this.#counted(() => store.tenant(tenant, work, how)),
      system: (work) => this.#counted(() => store.system(work)),
    };
    const timer = {
      now: () => clock.now(),
      after: (ms: number, work: () => void) => ({ cancel: clock.after(ms, work) }),
    };
    this.context = makeAppContext({
      store: counted,
      clock: timer,
      chance: systemChance,
      log: makeLog(systemClock, (level, line) => {
        if (level === 'error') errors.push(line);
      }),
      config: {
        port: 0,
        dataDir: '',
        databaseUrl: null,
        pageDir: null,
        trustedProxies: [],
        secretKey: HERE.secretKey,
      },
    });
    this.app = makeApp(this.context, allHandlers(this.context));
  }

  async begin(users: readonly string[]): Promise<UserId[]> {
    await makeTenant(this.context.store, {
      tenant: this.tenant,
      host: this.host,
      branding: defaultBranding(this.tenant, 'Provider', this.host),
      isDefault: false,
    });
    const ids: UserId[] = [];
    for (const username of users) {
      ids.push(
        await makeUser(this.context, this.tenant, {
          username,
          name: username,
          email: `${username}@example.test`,
          password: PASSWORD,
          roles: ['operator', 'admin'],
          companies: null,
        }),
      );
    }
    return ids;
  }

  /** Written to the log in the order of the calls. */
  append(drafts: readonly Omit<NewEvent, 'entity'>[]): void {
    const at = this.context.clock.now();
    for (const draft of drafts)
      fold(this.rows, {
        ...draft,
        entity: '',
        seq: 0,
        at,
        actor: { kind: 'clock' },
        subject: null,
        commandId: null,
      });
    const whole = drafts.map((draft) => ({ ...draft, entity: draft.event.type }));
    this.#line = this.#line.then(() =>
      this.context.store.tenant(this.tenant, (tx) =>
        tx.append(whole, { actor: { kind: 'clock' }, subject: null, commandId: null, at }),
      ),
    );
  }

  /** One request with the cookies of a browser. */
  async handle(request: Request, jar: string): Promise<Response> {
    return this.#counted(async () => {
      const headers = new Headers(request.headers);
      headers.set('host', this.host);
      const stored = this.#jars.get(jar);
      if (stored !== undefined) headers.set('cookie', stored);
      const { pathname, search } = new URL(request.url);
      const body = request.method === 'GET' ? null : await request.text();
      const answer = await this.app.request(
        `http://${this.host}${pathname}${search}`,
        { method: request.method, headers, body },
        { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
      );
      for (const cookie of answer.headers.getSetCookie())
        this.#jars.set(jar, cookie.split(';')[0] ?? '');
      return answer;
    });
  }

  get isIdle(): boolean {
    return this.#busy === 0;
  }

  /** Until the server has nothing in hand. */
  async idle(): Promise<void> {
    await this.#line;
    for (let quiet = 0; quiet < 6;) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      quiet = this.#busy === 0 ? quiet + 1 : 0;
    }
  }

  log(): Promise<Logged[]> {
    return this.context.store.tenant(this.tenant, (tx) => tx.eventsAfter(0, 100_000), {
      readOnly: true,
    });
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
    }
  }
}
