import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Call } from '#contract/call.ts';
import {
  forbidsImpersonation,
  mayRequireRecentFactor,
  requiresRecentFactor,
} from '#contract/call-classes.ts';
import { getCall, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import type { FailureKind } from '#contract/errors.ts';
import { STATUS_OF } from '#contract/errors.ts';
import { keyAccess } from '#contract/key-access.ts';
import { APP_VERSION } from '#contract/app-version.ts';
import { COMMAND_HEADERS } from '#contract/sync/calls.ts';
import { pingPaths } from './openapi-ping.ts';
import { TAG_LIST, getPathTag } from './openapi-tags.ts';
import { DESCRIPTION, KIND_SAYS } from './openapi-texts.ts';
import { CLIENT_HEADER } from './origin.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the calls as OpenAPI 3.1, from the same schemas that the server checks. */
export function openApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const responses: Record<string, Json> = {};
  for (const name of Object.keys(CALLS) as CallName[]) {
    const call = getCall(name);
    (paths[`/${call.path}`] ??= {})[call.method.toLowerCase()] = getOperation(
      name,
      call,
      responses,
    );
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Portal API', version: APP_VERSION, description: DESCRIPTION },
    servers: [{ url: '/api/v1', description: "The portal's own address." }],
    tags: TAG_LIST,
    paths: { ...paths, ...pingPaths() },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'dbu_…',
          description:
            'An API key of a user. Each call names the abilities that the key and its user need.',
        },
        session: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The access token of a session. The portal itself uses it; it expires after ten minutes.',
        },
        ingestKey: { type: 'http', scheme: 'bearer', description: 'An ingest key.' },
        ingestKeyHeader: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: "An ingest key, for tools that can't send a bearer token.",
        },
      },
      schemas: { Failure: FAILURE },
      headers: HEADERS,
      responses,
    },
  };
}

const FAILURE: Json = {
  type: 'object',
  required: ['success', 'message', 'error'],
  properties: {
    success: { const: false },
    message: { type: 'string', description: 'A sentence for a person.' },
    error: {
      type: 'object',
      required: ['kind'],
      properties: {
        kind: {
          oneOf: Object.entries(KIND_SAYS).map(([kind, description]) => ({
            const: kind,
            description,
          })),
        },
        issues: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: { path: { type: 'string' }, message: { type: 'string' } },
          },
        },
        expected: { type: 'number' },
        retryAfterMs: { type: 'number' },
      },
    },
  },
};

const HEADERS: Json = {
  'RateLimit-Policy': {
    description:
      'The limits of a key and of an address: `q` calls in `w` seconds. Only for calls with an API key.',
    schema: { type: 'string' },
    example: '"address";q=1200;w=60, "key";q=300;w=60',
  },
  'RateLimit': {
    description:
      'What remains: `r` calls, and `t` seconds until the limit resets. Only for calls with an API key.',
    schema: { type: 'string' },
    example: '"address";r=1187;t=42, "key";r=287;t=42',
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
};
const headersNamed = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const PACED = ['RateLimit-Policy', 'RateLimit'] as const;

/** `shared`: collects failures that calls have in common, so that each is described once. */
function getOperation(name: CallName, call: Call, shared: Record<string, Json>): Json {
  const input = getSchema(call.input, 'input');
  const inQuery = call.method === 'GET' || call.method === 'DELETE';
  const inPath = [...call.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const properties = Object.entries((input['properties'] ?? {}) as Record<string, Json>);
  const required = (input['required'] ?? []) as readonly string[];
  const parameters = properties
    .filter(([field]) => inQuery || inPath.includes(field))
    .map(([field, schema]): Json =>
      inPath.includes(field)
        ? { name: field, in: 'path', required: true, schema }
        : { name: field, in: 'query', required: required.includes(field), schema },
    );
  const rest = properties.filter(([field]) => !inPath.includes(field));
  const examples = ((input['examples'] ?? []) as readonly Json[]).map((one) =>
    Object.fromEntries(Object.entries(one).filter(([field]) => !inPath.includes(field))),
  );
  const body = {
    ...input,
    properties: Object.fromEntries(rest),
    required: required.filter((field) => !inPath.includes(field)),
    ...(examples.length > 0 && { examples }),
  };
  const notes = [
    ...(keyAccess(name) === null && call.gate !== 'public' && call.gate !== 'ingest-key'
      ? ['Needs a signed-in person. API keys are refused.']
      : []),
    ...(requiresRecentFactor(name)
      ? ['Needs a factor verified within the last five minutes.']
      : mayRequireRecentFactor(name)
        ? ['Some changes need a factor verified within the last five minutes.']
        : []),
    ...(forbidsImpersonation(name) ? ['Refused while signed in as another user.'] : []),
    ...(call.offline === undefined ? [] : [`A device may queue this call. ${call.offline}`]),
  ];
  const content = call.raw === true ? { '*/*': {} } : { 'application/json': { schema: body } };
  return {
    operationId: name,
    summary: call.summary,
    tags: [getPathTag(call.path)],
    security: getSecurity(name, call),
    ...(notes.length > 0 && { description: notes.join(' ') }),
    parameters: [...parameters, ...getHeaders(name, call)],
    ...(inQuery
      ? {}
      : { requestBody: { required: call.raw === true || body.required.length > 0, content } }),
    responses: {
      '200': {
        description: 'Done.',
        ...(keyAccess(name) !== null && { headers: headersNamed(PACED) }),
        content: describeOutput(call),
      },
      ...getFailures(name, call, shared),
    },
  };
}

function describeOutput({ output, media = 'text/event-stream' }: Call): Json {
  if (output === 'bytes') return { 'application/octet-stream': {} };
  if (output === 'stream') return { [media]: { schema: { type: 'string' } } };
  const data = getSchema(output, 'output');
  return {
    'application/json': {
      schema: {
        type: 'object',
        required: ['success', 'data'],
        properties: { success: { const: true }, data },
      },
    },
  };
}

/** Returns failure kinds by status: the call's own, and those common to all calls of its gate. */
function getFailures(name: CallName, call: Call, shared: Record<string, Json>): Json {
  const kinds = new Set<FailureKind>([...call.failures, 'busy', 'out-of-space', 'server-error']);
  if (call.raw !== true) kinds.add('bad-input');
  if (call.raw !== true && call.method !== 'GET' && call.method !== 'DELETE')
    kinds.add('too-large');
  if (call.gate === 'public') kinds.add('not-found');
  else kinds.add('signed-out');
  if (call.gate !== 'public' && call.gate !== 'ingest-key') kinds.add('expired').add('forbidden');
  if (mayRequireRecentFactor(name)) kinds.add('reauth_required');
  const key = keyAccess(name) !== null;
  if (key) kinds.add('too-many');
  if (!key && call.gate !== 'public' && call.gate !== 'ingest-key') kinds.add('not-by-key');
  const byStatus: Record<string, string[]> = {};
  for (const [kind, status] of Object.entries(STATUS_OF))
    if (kinds.has(kind as FailureKind)) (byStatus[status] ??= []).push(kind);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, list]) => {
      const shape = `${list.join('.')}${key ? '.by-key' : ''}`;
      const waits = list.some((kind) => WAITS.has(kind));
      shared[shape] ??= {
        description: list
          .map((kind) => `\`${kind}\`: ${KIND_SAYS[kind as keyof typeof KIND_SAYS]}`)
          .join(' '),
        ...((key || waits) && {
          headers: headersNamed([...(key ? PACED : []), ...(waits ? ['Retry-After'] : [])]),
        }),
        content: {
          'application/json': {
            schema: {
              allOf: [
                FAILURE_REF,
                {
                  type: 'object',
                  properties: { error: { type: 'object', properties: { kind: { enum: list } } } },
                },
              ],
            },
          },
        },
      };
      return [status, { $ref: `#/components/responses/${shape}` }];
    }),
  );
}
const WAITS: ReadonlySet<string> = new Set<FailureKind>(['too-many', 'busy', 'out-of-space']);
const FAILURE_REF = { $ref: '#/components/schemas/Failure' };

/**
 * Any one of them is enough. In OpenAPI 3.1, the strings of a bearer scheme are the required
 * abilities.
 */
function getSecurity(name: CallName, { gate }: Call): readonly Json[] {
  const needs = keyAccess(name);
  if (gate === 'public') return [];
  if (gate === 'ingest-key') return [{ ingestKey: [] }, { ingestKeyHeader: [] }];
  return [
    ...(needs === null ? [] : [{ apiKey: needs === 'any' ? [] : [needs] }]),
    { session: gate === 'signed-in' ? [] : [gate] },
  ];
}

function getHeaders(name: CallName, call: Call): readonly Json[] {
  const header = (field: string, schema: Json, required: boolean): Json => ({
    name: field,
    in: 'header',
    required,
    schema,
  });
  if (name === 'refresh') return [header(CLIENT_HEADER, { const: '1' }, true)];
  if (call.offline === undefined) return [];
  return [
    header(COMMAND_HEADERS.key, { type: 'string', format: 'uuid' }, false),
    header(COMMAND_HEADERS.device, { type: 'string', format: 'uuid' }, false),
    header(COMMAND_HEADERS.order, { type: 'integer', minimum: 1 }, false),
  ];
}

function getSchema(schema: GenericSchema, typeMode: 'input' | 'output'): Json {
  const made = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'safe_integer' ? { ...jsonSchema, type: 'integer' } : null,
    // Rows are sent as the fold made them, so the schema only promises an array.
    overrideSchema: ({ valibotSchema }) =>
      valibotSchema.type === 'custom' ? { type: 'array' } : null,
  });
  const { $schema: _dialect, ...rest } = made as Record<string, unknown>;
  return rest;
}
