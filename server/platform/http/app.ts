import { Hono } from 'hono';
import type { CallName } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import type { AppContext } from '../app-context.ts';
import { loggedPath } from './access.ts';
import type { Assets } from './assets.ts';
import { serveAsset } from './assets.ts';
import type { BodyBudget } from './body-budget.ts';
import { makeBodyBudget } from './body-budget.ts';
import { callerReader } from './client-address.ts';
import { compressedOnce } from './compress.ts';
import {
  busyFor,
  JSON_TYPE,
  NO_SUCH_CALL,
  refuse,
  SERVER_ERROR,
  storeFailure,
} from './envelope.ts';
import type { Handlers } from './handler.ts';
import { API, mountCalls } from './mount.ts';
import { openApi } from './openapi.ts';
import { makeQueue } from './concurrency.ts';
import { CALL_LIMITS, callServer, describeError } from './serve-call.ts';
import type { Limits } from './serve-call.ts';
import { setSecurityHeaders } from './security-headers.ts';

/**
 * Extras besides the calls: routes at the server's root (`/ping`), the built page, and custom
 * limits.
 */
export interface AppOptions {
  readonly routes?: (app: Hono) => void;
  readonly assets?: Assets | null;
  readonly limits?: Limits;
  readonly bodies?: BodyBudget;
}

/** What the access log adds to the path of a request. The served call fills it in. */
interface Trace {
  call: string | null;
  tenant: string | null;
  user: string | null;
}

/**
 * Builds the server as one function from request to response. Calls without a handler are not
 * mounted; `main.ts` passes all of them. Every response goes through the first middleware, which
 * adds security headers and writes one log line.
 */
export function makeApp(
  context: AppContext,
  handlers: Partial<Handlers>,
  beside: AppOptions = {},
): Hono {
  const app = new Hono();
  const getCaller = callerReader(context.config.trustedProxies);
  const serve = callServer(context, handlers, beside.limits);
  const bodies = beside.bodies ?? makeBodyBudget();
  const traces = new WeakMap<Request, Trace>();

  app.use('*', async (hono, next) => {
    const began = context.clock.now();
    const request = hono.req.raw;
    const caller = getCaller(request, hono.env);
    const id = context.chance.uuid();
    const trace: Trace = { call: null, tenant: null, user: null };
    traces.set(request, trace);
    const release = bodies.open(request, caller.ip);
    await next().finally(release);
    const answer = new Response(hono.res.body, hono.res);
    const path = new URL(request.url).pathname;
    setSecurityHeaders(answer.headers, caller.tls);
    answer.headers.set('daybook-request', id);
    if (path === '/api' || path.startsWith('/api/'))
      answer.headers.set('cache-control', 'no-store');
    hono.res = undefined;
    hono.res = answer;
    context.log.info('request', {
      id,
      method: request.method,
      path: trace.call ?? loggedPath(path),
      status: answer.status,
      ms: context.clock.now() - began,
      ip: caller.ip,
      ...(trace.tenant === null ? {} : { tenant: trace.tenant }),
      ...(trace.user === null ? {} : { user: trace.user }),
    });
  });

  mountCalls(
    app,
    (name: CallName) => handlers[name] !== undefined,
    async ({ name }, params, hono) => {
      const request = hono.req.raw;
      const { response, tenant, user } = await serve(
        name,
        request,
        params,
        getCaller(request, hono.env),
      );
      Object.assign(traces.get(request) ?? {}, {
        call: `${API}/${getCall(name).path}`,
        tenant,
        user,
      });
      return response;
    },
  );
  const description = compressedOnce(() => new TextEncoder().encode(JSON.stringify(openApi())));
  app.get(`${API}/openapi.json`, async ({ req }) => {
    const headers = new Headers({ 'content-type': JSON_TYPE });
    return new Response(await description(req.header('accept-encoding') ?? null, headers), {
      headers,
    });
  });
  const { ingestAtOnce, ingestWaiting, retryAfterMs } = beside.limits ?? CALL_LIMITS;
  const pings = makeQueue(ingestAtOnce, ingestWaiting, true);
  app.use('/ping/*', async (_, next) => {
    const turn = pings.run(next);
    return turn === null ? refuse(busyFor(retryAfterMs)) : await turn;
  });
  beside.routes?.(app);
  app.all('/api', () => refuse(NO_SUCH_CALL));
  app.all('/api/*', () => refuse(NO_SUCH_CALL));
  const { assets } = beside;
  if (assets) app.get('*', ({ req }) => serveAsset(assets, req.raw));
  app.notFound(
    () =>
      new Response('Not found\n', {
        status: 404,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      }),
  );
  app.onError((error) => {
    context.log.error('a request failed', describeError(error));
    return refuse(storeFailure(error, retryAfterMs) ?? SERVER_ERROR);
  });
  return app;
}
