import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  integer,
  oneof,
  record,
} from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import { EVERYTHING } from '#contract/runs/query.ts';
import { getLoop, scene } from '#tests/workers/scene.ts';

/** What a server, a proxy or a captive portal may say to anything. */
const answers = oneof(
  record({
    type: constant('status' as const),
    status: constantFrom(
      200,
      204,
      301,
      400,
      401,
      403,
      404,
      409,
      413,
      418,
      422,
      426,
      429,
      500,
      502,
      503,
      504,
    ),
    body: constantFrom(
      '',
      '<html>',
      '{',
      '{}',
      '[]',
      'null',
      '{"success":true}',
      '{"success":true,"data":{}}',
      '{"success":false}',
    ),
    retryAfter: constantFrom(null, '0', '3', '-5', 'soon', 'Mon, 15 Jun 2026 06:00:20 GMT'),
  }),
  record({
    type: constant('kind' as const),
    kind: constantFrom(
      'bad-input',
      'conflict',
      'forbidden',
      'not-found',
      'too-many',
      'busy',
      'server-error',
      'out-of-order',
      'no-such-call',
      'toString',
    ),
  }),
  record({
    type: constant('lie' as const),
    data: constantFrom(
      { epoch: 'e1', cursor: 1e300, head: 1, more: true, events: [] },
      { epoch: 'e1', cursor: 0, head: 0, more: true, events: [] },
      { epoch: 'e9', cursor: 3, head: 3, more: false, events: [] },
      { seq: -1, accepted: 1, refused: [] },
      { token: 7 },
    ),
  }),
  constantFrom(
    { type: 'silence' as const },
    { type: 'throw' as const },
    { type: 'twice' as const },
    { type: 'true' as const },
  ),
);
type Said = typeof answers extends Arbitrary<infer A> ? A : never;

const CALLS_A_STEP = 12;

test(
  'G12, SYNC-8: whatever the server answers, the loop stays alive, waits and keeps the outbox; it recovers with the server',
  { timeout: 60_000 },
  async () => {
    await assert(
      asyncProperty(
        integer({ min: 1, max: 1000 }),
        array(answers, { minLength: 1, maxLength: 30 }),
        async (seed, said) => {
          const { clock, server, annDevice, bad, problemOf: getProblem } = scene(seed);
          const api = annDevice.open();
          await clock.pass(1_500);
          const [run = 0] = bad();
          const handle = server.handle.bind(server);
          let next = 0;
          // Refreshes are let through: a session that its own server ends is another story.
          server.handle = (request, cookie) =>
            request.url.endsWith('auth/refresh')
              ? handle(request, cookie)
              : say(said[next++ % said.length] as Said, () => handle(request.clone(), cookie));
          server.cutStreams();
          await api.send('changeExecution', {
            id: String(run),
            change: { kind: 'note', content: 'kept' },
          });
          const before = annDevice.wire.asked.length;
          await clock.pass(30_000);
          const query = annDevice.wire.asked.slice(before);
          const { outbox } = getLoop(api);
          // It waits longer and longer: 30 ms doubled reaches half a minute in ten steps, for the
          // loop, the outbox and the stream each.
          const honest = said.some(({ type }) => type === 'true' || type === 'twice');
          expect(honest ? 0 : query.length).toBeLessThan(3 * 10 * CALLS_A_STEP);
          const waits = outbox.view().entries.length === 1;
          const there = getProblem(run)?.note?.content === 'kept';
          expect(waits || there).toBe(true);
          server.handle = handle;
          await api.syncNow();
          await clock.pass(200_000);
          const loop = getLoop(api);
          // it says so and keeps everything: that is its end
          if (loop.status().kind === 'update-needed') return;
          expect(loop.status()).toMatchObject({ kind: 'live', left: 0, waiting: 0 });
          expect(loop.replica.cursor).toBe(server.log.length);
          expect(loop.replica.engine.select(EVERYTHING, 0).total).toBe(server.rows.run.size);
          expect(
            server.log.filter(({ event }) => event.type === 'problem.noted@1').length +
              outbox.refused,
          ).toBe(1);
        },
      ),
      { numRuns: 20 * Number(process.env['PROOF'] ?? 1) },
    );
  },
);

async function say(said: Said, truly: () => Promise<Response>): Promise<Response> {
  switch (said.type) {
    case 'status': {
      const headers = {
        'content-type': said.body.startsWith('{') ? 'application/json' : 'text/html',
        ...(said.retryAfter === null ? {} : { 'retry-after': said.retryAfter }),
      };
      return new Response(said.status === 204 ? null : said.body, {
        status: said.status === 301 ? 200 : said.status,
        headers,
      });
    }
    case 'kind':
      return Response.json(
        {
          success: false,
          message: 'no',
          error: { kind: said.kind, expected: 4, retryAfterMs: 70 },
        },
        { status: 409 },
      );
    case 'lie':
      return Response.json({ success: true, data: said.data });
    case 'silence':
      return new Promise(() => {});
    case 'throw':
      throw new TypeError('reset');
    case 'twice':
      await truly();
      return truly();
    case 'true':
      return truly();
  }
}
