import type { Hono } from 'hono';
import { LIMITS } from '#contract/limits.ts';
import type { Source } from '#contract/runs/vocabulary.ts';
import { claimBody } from '../../platform/http/body-budget.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { handshakeRoutes } from './webhook-handshake.ts';
import { findHolder, type AuthenticatedSource } from '../../platform/auth/ingest-key-auth.ts';
import { toSingleLine, cleanLog, type Normal } from './normalize.ts';
import { type PingAddress, readPingAddress } from './ping-address.ts';
import { readPingBody } from './ping-body.ts';
import { addToLog, knowsJob } from './ping-log.ts';
import { recordResults } from './pipeline.ts';
import { countUnread, hasWarning, unreadLines } from './tools/borg-lines.ts';
import { signalSentence, statusOfExit } from './tools/exit-code.ts';
import { plainLine, type ToolQuery, withoutMiddle } from './tools/tool-output.ts';
import { readToolQuery } from './tool-query.ts';

/**
 * Pings compatible with healthchecks: its clients work with `…/ping/{key}/{slug}` as the address.
 * An unknown job is created, unless the address has `create=0`. Responses are text, as in
 * healthchecks. The handshake of CloudEvents is registered here too, because it is also not a call
 * of the API.
 */
export function pingRoutes(
  context: AppContext,
  perKey: number = LIMITS.pingsPerMinute,
): (app: Hono) => void {
  const rate = context.sharedLimits.perMinute('pings of a job', LIMITS.ingestPerMinute);
  const rateOfKey = context.sharedLimits.perMinute('pings', perKey);
  return (app) => {
    handshakeRoutes(app);
    app.all('/ping/*', async ({ req }) => {
      const request = req.raw;
      if (!['GET', 'HEAD', 'POST'].includes(request.method))
        return text(405, 'method not allowed', { allow: 'GET, HEAD, POST' });
      const address = readPingAddress(new URL(request.url));
      if (address === null) return text(400, 'invalid url format');
      const query = readToolQuery(address.query);
      const rid = address.query.get('rid');
      if ('issues' in query) return text(400, `invalid ${query.issues[0]?.path ?? 'query'}`);
      if (rid !== null && !UUID.test(rid)) return text(400, 'invalid rid');
      const holder = await findHolder(context, address.secret);
      if (!holder.ok) return text(404, 'not found');
      claimBody(request, holder.value.tenant, `key ${holder.value.key.id}`);
      const slug = address.slug ?? holder.value.key.name;
      const now = context.clock.now();
      const retryAfterMs =
        rateOfKey.ask(holder.value.key.id, now) ?? rate.ask(`${holder.value.key.id} ${slug}`, now);
      if (retryAfterMs !== null) return text(429, 'rate limit exceeded', waits(retryAfterMs));
      if (address.query.get('create') === '0' && !(await knowsJob(context, holder.value, slug)))
        return text(404, 'not found');
      const read = await context.ingestBodies.read(holder.value, request, () =>
        readPingBody(request),
      );
      if (!read.ok || read.value === null) return text(503, 'busy', { 'retry-after': '1' });
      if (read.value === undefined) return text(400, 'incomplete body');
      const body = read.value;
      if (address.action === 'log')
        await addToLog(
          context,
          holder.value,
          slug,
          rid === null ? null : ridName(slug, rid),
          body,
          now,
        );
      else {
        const recorded = await recordResults(
          context,
          holder.value.tenant,
          holder.value.key,
          [normal(holder.value, slug, address, query, rid, body)],
          now,
        );
        if (!recorded.ok)
          return recorded.failure.kind === 'too-many'
            ? text(429, 'daily storage limit reached', waits(recorded.failure.retryAfterMs))
            : text(404, 'not found');
      }
      return text(200, 'OK');
    });
  };
}

/** A ping has no time except its arrival, so an end belongs to the open start. */
function normal(
  { key }: AuthenticatedSource,
  slug: string,
  { action, query: params }: PingAddress,
  query: ToolQuery,
  rid: string | null,
  body: string,
): Normal {
  const exit = typeof action === 'object' ? action.exit : query.exit;
  const lines =
    action !== 'start' && READS_BORG.has(key.tool)
      ? withoutMiddle(body, MAX_LINES).split('\n').map(plainLine)
      : [];
  // borgmatic reports borg's warnings as a success; only the log contains them.
  const good = key.tool === 'borgmatic' && hasWarning(lines) ? 'Warning' : 'Success';
  const status =
    action === 'start'
      ? 'Running'
      : action === 'fail'
        ? 'Failed'
        : exit === null || exit === 0
          ? good
          : statusOfExit(key.tool, exit);
  const unread = unreadLines(lines);
  const log = cleanLog(body);
  return {
    index: 0,
    job: {
      uid: slug,
      name: query.job ?? slug,
      source: getSource(key.tool),
      ...(query.host === null ? {} : { computer: query.host }),
      ...(query.schedule === null ? {} : { schedule: query.schedule }),
      ...(params.has('grace') ? { graceSec: query.graceSec } : {}),
    },
    externalId: rid === null ? null : ridName(slug, rid),
    status,
    startedAt: null,
    endedAt: null,
    byArrival: true,
    durationSec: null,
    bytes: null,
    bytesProcessed: null,
    files: null,
    filesFailed: unread.length === 0 ? null : countUnread(unread),
    message:
      status === 'Success' || status === 'Running'
        ? null
        : (signalSentence('the command', exit) ??
          (status === 'Warning' ? toSingleLine(unread[0]) : null) ??
          toSingleLine(body) ??
          (exit === null ? 'Reported as failed.' : `Ended with exit code ${exit}.`)),
    exitCode: action === 'start' ? null : exit,
    log,
    tasks: [],
    detail: {},
  };
}

/**
 * PING-10: more lines than a real log of 200,000 characters has. Reading 200,000 empty ones took 70
 * ms for each ping.
 */
const MAX_LINES = 10_000;
const READS_BORG: ReadonlySet<Source> = new Set(['borg', 'borgmatic']);
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;
/** A run id comes from the client and is unique only within its job. */
const ridName = (slug: string, rid: string): string => `${slug} ${rid.toLowerCase()}`;
const getSource = (tool: Source): Source => (tool === 'borgmatic' ? tool : 'ping');

const waits = (ms: number): Readonly<Record<string, string>> => ({
  'retry-after': String(Math.max(1, Math.ceil(ms / 1000))),
});

const text = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(body, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'ping-body-limit': String(LIMITS.logBytes),
      ...headers,
    },
  });
