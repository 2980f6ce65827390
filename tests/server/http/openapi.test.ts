import { expect, test } from 'vitest';
import { can, ROLES } from '#contract/abilities.ts';
import { getCall, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { STATUS_OF } from '#contract/errors.ts';
import { keyAccess } from '#contract/key-access.ts';
import { openApi } from '#server/platform/http/openapi.ts';
import { getApp, makeFixture } from './fixtures.ts';
import { getErrors } from './openapi-rules.ts';

interface Operation {
  operationId: string;
  tags: string[];
  security: Record<string, string[]>[];
  description?: string;
  responses: Record<string, { $ref?: string; description?: string; headers?: object }>;
}
interface Page {
  paths: Record<string, Record<string, Operation>>;
  components: {
    responses: Record<
      string,
      {
        headers?: object;
        content: Record<
          string,
          {
            schema: {
              allOf: { properties?: { error: { properties: { kind: { enum: string[] } } } } }[];
            };
          }
        >;
      }
    >;
  };
}
const page = openApi() as unknown as Page;
const names = Object.keys(CALLS) as CallName[];
const operation = (name: CallName): Operation => {
  const { method, path } = getCall(name);
  const found = page.paths[`/${path}`]?.[method.toLowerCase()];
  if (!found) throw new Error(name);
  return found;
};
const answer = (name: CallName, status: number) =>
  page.components.responses[
    (operation(name).responses[status]?.$ref ?? '').split('/').at(-1) ?? ''
  ];
const getKinds = (name: CallName, status: number): string[] =>
  answer(name, status)?.content['application/json']?.schema.allOf[1]?.properties?.error.properties
    .kind.enum ?? [];

/** The faults of a description that was changed so. */
function broken(change: (copy: Page & Record<string, unknown>) => void): string[] {
  const copy = structuredClone(openApi()) as unknown as Page & Record<string, unknown>;
  change(copy);
  return getErrors(copy);
}
const events = (copy: Page) =>
  copy.paths['/sync/events']?.['get'] as unknown as Record<string, unknown>;

test('KEY-8, HTTP-13: the description follows the rules of OpenAPI 3.1 and of JSON Schema', () => {
  expect(getErrors(openApi())).toEqual([]);
});

test('KEY-8: a violation of a rule is found', () => {
  const breaks: ((copy: Page & Record<string, unknown>) => void)[] = [
    (copy) => {
      copy['openapi'] = '3.0.0';
    },
    (copy) => {
      events(copy)['responses'] = {};
    },
    (copy) => {
      events(copy)['security'] = [{ nothing: [] }];
    },
    (copy) => {
      events(copy)['tags'] = ['nowhere'];
    },
    (copy) => {
      events(copy)['requestBody'] = { content: {} };
    },
    (copy) => {
      events(copy)['operationId'] = 'bootstrap';
    },
    (copy) => {
      events(copy)['parameters'] = [{ name: 'after', in: 'query', schema: { type: 'text' } }];
    },
    (copy) => {
      events(copy)['parameters'] = [{ name: 'after', in: 'query', schema: { pattern: '(' } }];
    },
    (copy) => {
      events(copy)['sumary'] = 'x';
    },
    (copy) => {
      copy.components.responses = {};
    },
    (copy) => {
      copy.paths['/sync/runs/{date}'] = {};
    },
  ];
  expect(breaks.map((change) => broken(change).length > 0)).toEqual(breaks.map(() => true));
});

test("KEY-8, KEY-3: each call says which permission a key needs, or that keys can't make it", () => {
  for (const name of names) {
    const { gate } = getCall(name);
    const needs = keyAccess(name);
    const { security, description = '' } = operation(name);
    const byKey = security.find((one) => 'apiKey' in one);
    expect([name, byKey?.['apiKey'] ?? null]).toEqual([
      name,
      needs === null ? null : needs === 'any' ? [] : [needs],
    ]);
    const forPerson = needs === null && gate !== 'public' && gate !== 'ingest-key';
    expect([
      name,
      description.includes('API keys are refused'),
      getKinds(name, 403).includes('not-by-key'),
    ]).toEqual([name, forPerson, forPerson]);
    if (needs !== null && needs !== 'any')
      expect([name, ROLES.some((role) => can([role], needs))]).toEqual([name, true]);
    if (needs !== null)
      expect([name, getKinds(name, 429), Object.keys(answer(name, 429)?.headers ?? {})]).toEqual([
        name,
        ['too-many'],
        ['RateLimit-Policy', 'RateLimit', 'Retry-After'],
      ]);
    if (gate === 'public') expect([name, security]).toEqual([name, []]);
  }
});

test('KEY-8: failures are listed with their kinds by status, and every call has a topic', () => {
  for (const name of names) {
    const { failures } = getCall(name);
    for (const kind of failures) {
      const status = (STATUS_OF as Partial<Record<string, number>>)[kind];
      expect([name, kind, status === undefined || getKinds(name, status).includes(kind)]).toEqual([
        name,
        kind,
        true,
      ]);
    }
  }
  expect(names.filter((name) => operation(name).tags.length !== 1)).toEqual([]);
});

test('KEY-8: it is sent compressed, to everybody', async () => {
  const fixture = await makeFixture();
  const app = getApp(fixture.context);
  const plain = await app.request('/api/v1/openapi.json');
  const packed = await app.request('/api/v1/openapi.json', {
    headers: { 'accept-encoding': 'gzip' },
  });
  const [size, less] = [
    (await plain.arrayBuffer()).byteLength,
    (await packed.arrayBuffer()).byteLength,
  ];
  expect([
    plain.status,
    plain.headers.get('content-encoding'),
    packed.headers.get('content-encoding'),
    less < size / 5,
  ]).toEqual([200, null, 'gzip', true]);
});
