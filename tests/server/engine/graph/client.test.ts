import { array, assert, asyncProperty, constantFrom, nat } from 'fast-check';
import * as v from 'valibot';
import { expect, test, vi } from 'vitest';
import { readBatch } from '#server/engine/embedded/graph/batch.ts';
import { userAgent } from '#server/engine/embedded/graph/client.ts';
import type { GraphClient, GraphPage } from '#server/engine/embedded/graph/client.ts';
import { CLOUDS, contentUrl, graphUrl, isCloudHost } from '#server/engine/embedded/graph/clouds.ts';
import {
  broken,
  cutBody,
  graphError,
  hasPlanted,
  json,
  seeded,
  silence,
  testGraph,
  getTokens,
  getValue,
} from './fixtures.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const Row = v.object({ id: v.string() });
const Anything = v.looseObject({});

/** A list of 50 in pages of seven, as Graph answers. */
function pageAt(url: URL): Response {
  const from = Number(url.searchParams.get('$skiptoken') ?? 0);
  const rows = Array.from({ length: Math.min(7, 50 - from) }, (_, n) => ({
    id: `row-${from + n}`,
  }));
  const next = `https://graph.microsoft.com/v1.0/users?$skiptoken=${from + 7}`;
  return json({ value: rows, ...(from + 7 < 50 ? { '@odata.nextLink': next } : {}) });
}

async function readAll(client: GraphClient): Promise<string[]> {
  const ids: string[] = [];
  let link: string | null = '/users';
  while (link !== null) {
    const page: GraphPage<{ id: string }> = getValue(await client.page(link, Row));
    ids.push(...page.rows.map(({ id }) => id));
    link = page.next;
  }
  return ids;
}

test('ENG-20: a large mail or page on a slow line is read as long as its bytes arrive, and one that stalls is an error', async () => {
  const MINUTE = 60_000;
  const text = JSON.stringify({ value: [{ id: 'one' }, { id: 'two' }] });
  /** A byte or two each minute; from a piece on, none. */
  const slow = (stallsAt: number) => {
    const graph = testGraph(() => {
      let piece = 0;
      return new Response(
        new ReadableStream<Uint8Array>({
          async pull(controller) {
            if (piece === stallsAt) return new Promise(() => undefined);
            await graph.clock.sleep(MINUTE, graph.stop.signal);
            controller.enqueue(Buffer.from(text.slice(piece * 2, piece * 2 + 2)));
            piece += 1;
            if (piece * 2 >= text.length) controller.close();
          },
        }),
        { headers: { 'content-length': String(text.length) } },
      );
    });
    return graph;
  };
  const good = slow(-1);
  const start = good.clock.now();
  expect(Buffer.from(getValue(await good.client.bytes('/mail', 1_000))).toString()).toBe(text);
  expect(good.clock.now() - start).toBeGreaterThan(15 * MINUTE);
  expect(getValue(await good.client.page('/users', Row)).rows).toHaveLength(2);
  expect(good.requests).toHaveLength(2);
  const bad = slow(3);
  expect(await bad.client.bytes('/mail', 1_000)).toMatchObject({
    ok: false,
    error: { kind: 'unreachable' },
  });
  expect(bad.requests).toHaveLength(5);
});

const FAILURES = [
  '429',
  '429 seconds',
  '429 date',
  '503',
  '500',
  '504',
  'silence',
  'broken',
  'cut',
  '401',
] as const;

test('ENG-20: any order of throttling, errors, timeouts and cut responses ends in the same list as without', async () => {
  await assert(
    asyncProperty(
      array(array(constantFrom(...FAILURES), { maxLength: 4 }), { maxLength: 9 }),
      nat(),
      async (plan, seed) => {
        const left = plan.map((failures) => {
          // A second 401 in a row is final, as the test below says.
          const once = failures.indexOf('401');
          return failures.filter((failure, n) => failure !== '401' || n === once);
        });
        const graph = testGraph(
          (request) => {
            const url = new URL(request.url);
            const at = Number(url.searchParams.get('$skiptoken') ?? 0) / 7;
            const now = graph.clock.now();
            switch (left[at]?.shift()) {
              case '429':
                return graphError(429, 'TooManyRequests');
              case '429 seconds':
                return graphError(429, 'activityLimitReached', { 'retry-after': '17' });
              case '429 date':
                return graphError(429, 'TooManyRequests', {
                  'retry-after': new Date(now + 90_000).toUTCString(),
                });
              case '503':
                return graphError(503, 'serviceNotAvailable', { 'retry-after': '3' });
              case '500':
                return graphError(500, 'generalException');
              case '504':
                return new Response('<html>planted</html>', { status: 504 });
              case 'silence':
                return silence();
              case 'broken':
                return broken();
              case 'cut':
                return new Response(cutBody(new TextEncoder().encode('{"value":['), 5));
              case '401':
                return graphError(401, 'InvalidAuthenticationToken');
              default:
                return pageAt(url);
            }
          },
          {
            random: seeded(seed),
            tokens: getTokens(Array.from({ length: 20 }, (_, n) => `token ${n}`)),
          },
        );
        expect(await readAll(graph.client)).toEqual(
          Array.from({ length: 50 }, (_, n) => `row-${n}`),
        );
        expect(graph.waits.at(-1) ?? null).toBeNull();
      },
    ),
    { numRuns: 60 * PROOF },
  );
});

test('ENG-20: a request that creates something is sent again after a 429, never when its fate is unknown', async () => {
  for (const [failure, sent] of [
    [() => graphError(429, 'TooManyRequests'), 2],
    [() => graphError(503, 'serviceNotAvailable'), 2],
    [() => graphError(500, 'generalException'), 1],
    [silence, 1],
    [broken, 1],
  ] as const) {
    const graph = testGraph((_, n) => (n === 1 ? failure() : json({ id: 'new' }, { status: 201 })));
    const result = await graph.client.post('/users/ada/messages', { subject: 'a' }, Row);
    expect([result.ok, graph.requests.length]).toEqual([sent === 2, sent]);
  }
});

test('ENG-20: an expired token is renewed once; a second refusal asks to renew the access', async () => {
  const tokens = getTokens(['planted-old', 'planted-new']);
  const good = testGraph(
    (request) =>
      request.headers.get('authorization') === 'Bearer planted-new'
        ? json({ id: 'ada' })
        : graphError(401, 'InvalidAuthenticationToken'),
    { tokens },
  );
  expect(getValue(await good.client.get('/users/ada', Row))).toEqual({ id: 'ada' });
  expect(tokens.forgotten).toEqual(['planted-old']);
  const bad = testGraph(() => graphError(401, 'InvalidAuthenticationToken'));
  const result = await bad.client.get('/users/ada', Row);
  expect(result).toMatchObject({
    ok: false,
    error: {
      kind: 'refused',
      message: 'Microsoft 365 did not accept the sign-in. Renew the access of the organization.',
    },
  });
  expect(bad.requests.length).toBe(2);
});

test('ENG-20: requests carry the user agent that Microsoft asks for', async () => {
  const graph = testGraph(() => json({ id: 'ada' }));
  await graph.client.get('/users/ada', Row, { headers: { Prefer: 'IdType="ImmutableId"' } });
  expect(Object.fromEntries(graph.requests[0]?.headers ?? [])).toEqual({
    'accept': 'application/json',
    'authorization': 'Bearer planted-token',
    'prefer': 'IdType="ImmutableId"',
    'user-agent': 'ISV|Harbour|Daybook/1',
  });
  expect(userAgent('Harbour | Sons\r\nX-Injected: 1')).toMatch(
    /^ISV\|Harbour  SonsX-Injected 1\|Daybook\/\d+\.\d+\.\d+$/,
  );
  expect(userAgent('港')).toMatch(/^ISV\|Daybook\|Daybook\//);
});

test('ENG-20: work that is stopped ends at once, and sends nothing more', async () => {
  const graph = testGraph(() => silence());
  const pending = graph.client.get('/users/ada', Row);
  await graph.clock.busy(async () => {
    await vi.waitFor(() => {
      expect(graph.requests.length).toBe(1);
    });
    graph.stop.abort();
    expect(await pending).toMatchObject({ ok: false, error: { kind: 'ended' } });
  });
  expect(await graph.client.get('/users/ada', Row)).toMatchObject({ error: { kind: 'ended' } });
  expect(graph.requests.length).toBe(1);
});

/** What Graph and Exchange publish, and what a person is told: by hand. */
const ERRORS = [
  [404, 'MailboxNotEnabledForRESTAPI', 'missing', 'has no mailbox in Exchange Online'],
  [403, 'MailboxInactive', 'missing', 'inactive'],
  [403, 'ErrorAccessDenied', 'forbidden', 'grant admin consent'],
  [403, 'Authorization_RequestDenied', 'forbidden', 'grant admin consent'],
  [404, 'ErrorItemNotFound', 'missing', 'no longer has this item'],
  [404, 'ResourceNotFound', 'missing', 'no longer has this item'],
  [404, 'itemNotFound', 'missing', 'no longer has this item'],
  [507, 'quotaLimitReached', 'full', 'is full'],
  [403, 'ErrorQuotaExceeded', 'full', 'is full'],
  [401, 'InvalidAuthenticationToken', 'refused', 'Renew the access'],
  [410, 'syncStateNotFound', 'ended', 'All items are listed again'],
  [410, 'resyncRequired', 'ended', 'All items are listed again'],
  [410, 'resyncChangesApplyDifferences', 'ended', 'All items are listed again'],
  [409, 'nameAlreadyExists', 'conflict', 'name already exists'],
  [412, 'resourceModified', 'conflict', 'changed in Microsoft 365'],
  [412, 'ErrorIrresolvableConflict', 'conflict', 'changed in Microsoft 365'],
  [423, 'resourceLocked', 'conflict', 'locked'],
  [413, 'ErrorMessageSizeExceeded', 'invalid', 'larger than'],
  [422, 'malwareDetected', 'forbidden', 'malware'],
  [500, 'ErrorItemCorrupt', 'damaged', 'damaged'],
  [400, 'invalidRequest', 'invalid', 'rejected the request (invalidRequest)'],
  [400, '<script>planted</script>', 'invalid', 'rejected the request (400)'],
  [418, '', 'invalid', 'rejected the request (418)'],
] as const;

test("ENG-22: each of Graph's errors is a kind and a sentence that says what to do, without anything of the response", async () => {
  for (const [status, code, kind, part] of ERRORS) {
    const graph = testGraph(() => graphError(status, code));
    const result = await graph.client.get('/users/ada', Row);
    expect(result, `of ${code}`).toMatchObject({ ok: false, error: { kind } });
    if (!result.ok) expect(result.error.message, `of ${code}`).toContain(part);
    expect(hasPlanted(result.ok ? null : result.error), `of ${code}`).toBe(false);
  }
});

test('ENG-22: the most detailed code that is known decides', async () => {
  const graph = testGraph(() =>
    json(
      {
        error: {
          code: 'accessDenied',
          innerError: { code: 'malwareDetected', innererror: { code: 'somethingNew' } },
        },
      },
      { status: 403 },
    ),
  );
  expect(await graph.client.get('/x', Row)).toMatchObject({
    error: { message: expect.stringContaining('malware') },
  });
});

test('ENG-22: a response of another form, a huge one and an endless list of errors are one sentence each', async () => {
  const wrong = testGraph(() => json({ id: 7, planted: 'planted' }));
  expect(await wrong.client.get('/users/ada', Row)).toMatchObject({ error: { kind: 'internal' } });
  const large = testGraph(() => new Response(new Uint8Array(3_000)));
  expect(await large.client.bytes('/users/ada/messages/1/$value', 2_999)).toMatchObject({
    error: { kind: 'invalid' },
  });
  let nested: unknown = {};
  for (let depth = 0; depth < 3_000; depth += 1) nested = { code: 'a', innerError: nested };
  const deep = testGraph(() => json({ error: nested }, { status: 400 }));
  expect(await deep.client.get('/users/ada', Row)).toMatchObject({ error: { kind: 'invalid' } });
});

test('G70: links lead to Graph alone, so that the token reaches nobody else', async () => {
  const foreign = [
    'http://graph.microsoft.com/v1.0/users',
    'https://graph.microsoft.com.example.com/v1.0/users',
    'https://graph.microsoft.com@example.com/v1.0/users',
    'https://planted:planted@graph.microsoft.com/v1.0/users',
    'https://graph.microsoft.com:8443/v1.0/users',
    'https://graph.microsoft.com/beta/users',
    'https://graph.microsoft.com/v1.0/../beta/users',
    'https://graph.microsoft.us/v1.0/users',
    'https://contoso.sharepoint.com/v1.0/users',
    'https://169.254.169.254/v1.0/users',
    'file:///v1.0/users',
    '//example.com/v1.0/users',
    '',
  ];
  for (const link of foreign) {
    const graph = testGraph((request) =>
      new URL(request.url).searchParams.has('more')
        ? json({ value: [] })
        : json({ 'value': [], '@odata.nextLink': link }),
    );
    const page = getValue(await graph.client.page('/users', Row));
    const next = await graph.client.page(page.next ?? 'x', Row);
    const isPath = link.startsWith('/');
    expect([next.ok, graph.requests.length], `of ${link}`).toEqual(isPath ? [true, 2] : [false, 1]);
    for (const request of graph.requests)
      expect(new URL(request.url).origin).toBe('https://graph.microsoft.com');
  }
});

test('G70: each cloud has hosts of its own', () => {
  const own = [
    ['Worldwide', 'https://graph.microsoft.com', 'https://login.microsoftonline.com'],
    ['USGovernmentGCCHigh', 'https://graph.microsoft.us', 'https://login.microsoftonline.us'],
    ['USGovernmentDoD', 'https://dod-graph.microsoft.us', 'https://login.microsoftonline.us'],
    ['China', 'https://microsoftgraph.chinacloudapi.cn', 'https://login.chinacloudapi.cn'],
  ] as const;
  for (const [region, graph, login] of own) {
    expect(CLOUDS[region]).toMatchObject({ graph, login });
    for (const host of [graph, login])
      expect(isCloudHost(CLOUDS[region], new URL(host).hostname)).toBe(true);
    expect(isCloudHost(CLOUDS[region], 'graph.example.com')).toBe(false);
    for (const [other, host] of own)
      expect(graphUrl(CLOUDS[region], `${host}/v1.0/users`) !== null).toBe(region === other);
  }
  const content = [
    'https://harbour-my.sharepoint.com/personal/a',
    'https://outlook.office365.com/api/importItem?authtoken=a',
    'https://sharepoint.com.example.com/a',
    'https://evilsharepoint.com/a',
    'http://harbour.sharepoint.com/a',
    'https://harbour.sharepoint.com:8443/a',
    'https://harbour.sharepoint.cn/a',
    'https://graph.microsoft.com/v1.0/a',
  ];
  expect(content.map((link) => contentUrl(CLOUDS.Worldwide, link) !== null)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('ENG-20: a batch reads twenty in a request, and asks again only for the parts that were throttled', async () => {
  const random = seeded(7);
  const sent: string[][] = [];
  const graph = testGraph(async (request) => {
    const { requests } = (await request.json()) as {
      requests: { id: string; url: string; method: string }[];
    };
    expect(requests.every(({ method }) => method === 'GET')).toBe(true);
    sent.push(requests.map(({ url }) => url));
    const responses = requests.map(({ id, url }) => {
      if (url === '/users/gone')
        return { id, status: 404, body: { error: { code: 'ResourceNotFound' } } };
      return random() < 0.3
        ? {
            id,
            status: 429,
            headers: { 'Retry-After': '2' },
            body: { error: { code: 'TooManyRequests' } },
          }
        : { id, status: 200, body: { id: url } };
    });
    return json({ responses: responses.toReversed() });
  });
  const paths = Array.from({ length: 53 }, (_, n) => (n === 31 ? '/users/gone' : `/users/${n}`));
  const results = await readBatch(graph.client, [
    ...paths.map((path) => ({ path })),
    { path: 'https://example.com/v1.0/x' },
  ]);
  expect(
    results.slice(0, 53).map((result) => (result.ok ? result.value : result.error.kind)),
  ).toEqual(paths.map((id) => (id === '/users/gone' ? 'missing' : { id })));
  expect(results[53]).toMatchObject({ ok: false, error: { kind: 'refused' } });
  expect(Math.max(...sent.map((urls) => urls.length))).toBe(20);
  expect(sent.filter((urls) => urls.includes('/users/gone')).length).toBe(1);
});

test('ENG-20: parts of a batch whose token has expired are requested again with a new one, once', async () => {
  const sent: (readonly string[])[] = [];
  const tokens = getTokens(['planted-old', 'planted-new', 'planted-other']);
  const graph = testGraph(
    async (request) => {
      const { requests } = (await request.json()) as {
        requests: readonly { id: string; url: string }[];
      };
      sent.push(requests.map(({ url }) => url));
      const isOld = request.headers.get('authorization') === 'Bearer planted-old';
      return json({
        responses: requests.map(({ id, url }) =>
          url === '/users/never' || (isOld && url === '/users/old')
            ? { id, status: 401, body: { error: { code: 'InvalidAuthenticationToken' } } }
            : sent.length === 1 && url === '/users/busy'
              ? { id, status: 429, headers: { 'Retry-After': '1' } }
              : { id, status: 200, body: { id: url } },
        ),
      });
    },
    { tokens },
  );
  const read = async (names: readonly string[]) => {
    const paths = names.map((name) => ({ path: `/users/${name}` }));
    const results = await readBatch(graph.client, paths);
    return results.map((result) => (result.ok ? result.value : result.error.kind));
  };
  const found = ['new', 'busy', 'old'].map((name) => ({ id: `/users/${name}` }));
  expect(await read(['new', 'busy', 'old', 'never'])).toEqual([...found, 'refused']);
  expect(sent.map((urls) => urls.length)).toEqual([4, 3]);
  expect(tokens.forgotten).toEqual(['planted-old']);
  sent.length = 0;
  // Nothing else has to be waited for.
  expect(await read(['never'])).toEqual(['refused']);
  expect([sent.length, tokens.forgotten]).toEqual([2, ['planted-old', 'planted-new']]);
});

test('ENG-20: what was deleted before counts as deleted', async () => {
  const graph = testGraph((_, n) =>
    n === 1 ? graphError(404, 'itemNotFound') : graphError(412, 'resourceModified'),
  );
  expect((await graph.client.delete('/drives/d/items/1')).ok).toBe(true);
  expect(await graph.client.delete('/drives/d/items/1')).toMatchObject({
    error: { kind: 'conflict' },
  });
  expect(
    getValue(
      await testGraph(() => new Response(null, { status: 204 })).client.patch(
        '/x',
        {},
        v.nullable(Anything),
      ),
    ),
  ).toBeNull();
});
