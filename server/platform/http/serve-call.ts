import { getCall } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { withEssentialWrites } from '../db/space.ts';
import type { AppContext } from '../app-context.ts';
import { withSum } from './answer-sum.ts';
import { loadAnswer } from './response.ts';
import { claimBody } from './body-budget.ts';
import type { Caller } from './client-address.ts';
import { readCommand } from './command.ts';
import { busyFor, FORBIDDEN, NOT_FOUND, refuse } from './envelope.ts';
import { makeIngestKeys } from '../auth/ingest-key-auth.ts';
import { authorize } from './authorize.ts';
import type { Proof } from './authorize.ts';
import type {
  CommandKey,
  Handlers,
  IngestContext,
  RequestContext,
  SessionContext,
} from './handler.ts';
import { readInput } from './input.ts';
import { makeKeyRateLimit } from './key-rate-limit.ts';
import { forged } from './origin.ts';
import { makeQueues, makeQueue } from './concurrency.ts';
import type { Queue } from './concurrency.ts';
import { tenantReader } from './tenant.ts';

/**
 * `userAtOnce`, `providerAtOnce`: how many of the `atOnce` slots one user, and the users of one
 * provider, may hold.
 */
export const CALL_LIMITS = {
  atOnce: 64,
  waiting: 512,
  userAtOnce: 16,
  providerAtOnce: 48,
  ingestAtOnce: 16,
  ingestWaiting: 256,
  timeoutMs: 30_000,
  retryAfterMs: 1_000,
} as const;

type Answered = Response | Result<unknown>;
type AnyHandler = (input: unknown, ctx: RequestContext) => Promise<Answered>;

export interface Served {
  readonly response: Response;
  readonly tenant: string | null;
  readonly user: string | null;
}

/**
 * Serves one call: provider → forged? → gate (401, 403) → input (400, 413) → handler → check of the
 * answer. The gate runs before the body is read, so that an unknown caller learns nothing from its
 * input. Every step that works waits in a bounded queue.
 */
export function callServer(
  context: AppContext,
  handlers: Partial<Handlers>,
  limits: Limits = CALL_LIMITS,
) {
  const loadTenant = tenantReader(context);
  const people = makeQueue(limits.atOnce, limits.waiting, true);
  const own = makeQueues(limits.waiting);
  const sources = makeQueue(limits.ingestAtOnce, limits.ingestWaiting, true);
  const rateLimit = makeKeyRateLimit(LIMITS, undefined, context.sharedLimits.perMinute);
  const ingestKeys = makeIngestKeys(context);

  return async (
    name: CallName,
    request: Request,
    params: Readonly<Record<string, string>>,
    caller: Caller,
  ): Promise<Served> => {
    const call = getCall(name);
    const handler = handlers[name] as AnyHandler;
    const isSignIn = call.path.startsWith('auth/');
    const queue = call.gate === 'ingest-key' ? sources : people;
    const seen: { tenant: TenantId | null; user: UserId | null } = { tenant: null, user: null };
    const responseHeaders = new Headers();
    const work = async (): Promise<Response> => {
      if (call.method !== 'GET' && call.gate === 'public' && forged(name, request.headers, caller))
        return refuse(FORBIDDEN);
      const gate = await inLine(
        queue,
        async () => {
          seen.tenant = await loadTenant(caller.host);
          return authorize(context, name, seen.tenant, request, {
            ip: caller.ip,
            rateLimit,
            responseHeaders,
            ingestKeys,
          });
        },
        limits,
      );
      if (gate instanceof Response) return gate;
      if (!gate.ok) return refuse(gate.failure);
      const proof = gate.value;
      const session = proof.kind === 'session' ? proof.session : null;
      seen.user = session?.userId ?? null;
      const { tenant } = seen;
      if (tenant === null) return refuse(NOT_FOUND);
      if (session) claimBody(request, tenant, `user ${session.userId}`);
      if (proof.kind === 'ingest-key') {
        const { holder } = proof.key;
        claimBody(request, holder.tenant, `key ${holder.key.id}`);
      }
      let input: unknown = {};
      let command: CommandKey | null = null;
      if (call.raw !== true) {
        const read = await readInput(call, request, params, context.clock);
        if (!read.ok) return refuse(read.failure);
        const key = readCommand(request.headers, name, read.value.raw);
        if (!key.ok) return refuse(key.failure);
        ({ taken: input } = read.value);
        command = key.value;
      }
      const answer = new Headers();
      const ctx: RequestContext = {
        tenant,
        command,
        now: context.clock.now(),
        ip: caller.ip,
        host: caller.host,
        request,
        signal: call.method === 'GET' ? request.signal : null,
        answer,
        ...proven(proof),
      };
      const handled = (): Promise<Response> =>
        inLine(
          queue,
          async () =>
            loadAnswer(
              call,
              await confirmed(
                proof,
                await (isSignIn
                  ? withEssentialWrites(() => handler(input, ctx))
                  : handler(input, ctx)),
              ),
              answer,
              request,
              context.log,
            ),
          limits,
        );
      // HTTP-18: a caller with many requests waits behind its own.
      const inTurn =
        session === null
          ? handled
          : async (): Promise<Response> =>
              (await own.run(`user ${session.userId}`, limits.userAtOnce, async () =>
                own.run(`provider ${tenant}`, limits.providerAtOnce, handled),
              )) ?? refuse(busyFor(limits.retryAfterMs));
      if (session?.key === undefined) return inTurn();
      const leave = rateLimit.enter(session.key.id);
      if (leave === null)
        return refuse({
          kind: 'too-many',
          message: MESSAGES.keyPace,
          retryAfterMs: limits.retryAfterMs,
        });
      try {
        return await inTurn();
      } finally {
        leave();
      }
    };
    const response = await withSum(request, await within(context, limits.timeoutMs, work()));
    for (const [field, value] of responseHeaders) response.headers.set(field, value);
    return { response, ...seen };
  };
}

export type Limits = { readonly [K in keyof typeof CALL_LIMITS]: number };

async function inLine<T>(
  queue: Queue,
  work: () => Promise<T>,
  limits: Limits,
): Promise<T | Response> {
  return await (queue.run(work) ?? refuse(busyFor(limits.retryAfterMs)));
}

/** The fields that only the gate adds to a context (`ContextOf`). */
function proven(
  proof: Proof,
): Pick<SessionContext, 'session'> | Pick<IngestContext, 'holder'> | {} {
  if (proof.kind === 'session') return { session: proof.session };
  return proof.kind === 'ingest-key' ? { holder: proof.key.holder } : {};
}

/** A source whose key has just been revoked learns that, instead of what its request lacked. */
async function confirmed(proof: Proof, answer: Answered): Promise<Answered> {
  if (proof.kind !== 'ingest-key' || answer instanceof Response || answer.ok) return answer;
  const now = await proof.key.confirm();
  return now.ok ? answer : now;
}

/** The work keeps its slot until it really ends, so that work after a timeout still counts. */
async function within(context: AppContext, ms: Ms, work: Promise<Response>): Promise<Response> {
  let timer: { cancel(): void } | undefined;
  const late = new Promise<null>((resolve) => {
    timer = context.clock.after(ms, () => {
      resolve(null);
    });
  });
  try {
    const first = await Promise.race([work, late]);
    if (first) return first;
  } finally {
    timer?.cancel();
  }
  work.catch((error: unknown) => {
    context.log.error('a call failed after its time was up', describeError(error));
  });
  return refuse(busyFor(1_000));
}

/** Returns what the log keeps of a bug: never the values of a statement. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = (error as { readonly code?: unknown }).code;
  return {
    error: error.name,
    message: error.message.slice(0, 500),
    stack: error.stack
      ?.split('\n')
      .slice(1, 8)
      .map((line) => line.trim()),
    ...(typeof code === 'string' ? { code } : {}),
  };
}
