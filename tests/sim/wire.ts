import type { makeChance } from './random.ts';
import type { TestClock } from './clock.ts';

/** How often of a thousand requests what goes wrong. */
export interface FormErrors {
  drop: number;
  lose: number;
  silence: number;
  double: number;
  delay: number;
  garbage: number;
}
export const NO_ERRORS: FormErrors = {
  drop: 0,
  lose: 0,
  silence: 0,
  double: 0,
  delay: 0,
  garbage: 0,
};

/** Who answers: `jar` names the browser whose cookies go along. */
export interface Server {
  handle(request: Request, jar: string): Promise<Response>;
}

/**
 * One device's way to the server: it drops, doubles, delays and so reorders, and may lose the
 * answer to what was done.
 */
export class SimWire {
  errors: FormErrors = NO_ERRORS;
  up = true;
  readonly asked: { readonly at: number; readonly path: string }[] = [];
  readonly #server: Server;
  readonly #clock: TestClock;
  readonly #chance: ReturnType<typeof makeChance>;
  /** What the browser's jar holds: the server may change it. */
  cookie: string;

  constructor(
    server: Server,
    clock: TestClock,
    chance: ReturnType<typeof makeChance>,
    cookie: string,
  ) {
    this.#server = server;
    this.#clock = clock;
    this.#chance = chance;
    this.cookie = cookie;
  }

  readonly fetch = (async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request ? input : new Request(input, init);
    const path = new URL(request.url).pathname;
    this.asked.push({ at: this.#clock.now(), path });
    const happens = (perMille: number): boolean => this.#chance.below(1000) < perMille;
    const { drop, lose, silence, double, delay, garbage } = this.errors;
    if (!this.up || happens(drop)) throw new TypeError('network down');
    if (happens(silence)) return new Promise(() => {});
    if (happens(delay)) await this.#wait(this.#chance.below(8_000));
    const copy = request.clone();
    const twin = request.clone();
    if (happens(double))
      this.#clock.after(this.#chance.below(5_000), () => {
        void this.#server.handle(twin, this.cookie);
      });
    if (happens(garbage)) return this.#garbage();
    const answer = await this.#server.handle(copy, this.cookie);
    this.cookie = answer.headers.get('sim-cookie') ?? this.cookie;
    if (happens(lose)) throw new TypeError('connection reset');
    if (happens(delay)) await this.#wait(this.#chance.below(8_000));
    return answer;
  }) as typeof fetch;

  #garbage(): Response {
    return this.#chance.pick([
      () =>
        new Response('<html>Bad gateway</html>', {
          status: 502,
          headers: { 'content-type': 'text/html' },
        }),
      () => new Response('{"success":tr', { headers: { 'content-type': 'application/json' } }),
      () => new Response(null, { status: 503, headers: { 'retry-after': '2' } }),
      () =>
        new Response('<html>Sign in to the hotel</html>', {
          status: 200,
          headers: { 'content-type': 'text/html' },
        }),
      () =>
        Response.json(
          { success: false, message: 'slow', error: { kind: 'too-many', retryAfterMs: 500 } },
          { status: 429 },
        ),
      () =>
        new Response('<html>401</html>', { status: 401, headers: { 'content-type': 'text/html' } }),
      () => Response.json({ success: true, data: { cursor: -1, events: 7 } }),
    ])();
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, resolve);
    });
  }
}
