import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Call, Gate } from '#contract/call.ts';
import { callOf, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import type { FailureKind } from '#contract/errors.ts';
import { STATUS_OF } from '#contract/errors.ts';
import { APP_VERSION } from '#contract/limits.ts';
import { COMMAND_HEADERS } from '#contract/sync/calls.ts';
import { pingPaths } from './openapi-ping.ts';
import { CLIENT_HEADER } from './origin.ts';

type Json = Readonly<Record<string, unknown>>;

/** The table of calls as OpenAPI 3.1: whoever reads it knows what this very server checks. */
export function openApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const name of Object.keys(CALLS) as CallName[]) {
    const call = callOf(name);
    (paths[`/${call.path}`] ??= {})[call.method.toLowerCase()] = operationOf(name, call);
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Daybook', version: APP_VERSION, description: 'The API of the portal. Every answer stands in an envelope.' },
    servers: [{ url: '/api/v1' }],
    paths: { ...paths, ...pingPaths() },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The access token of a session.' },
        ingestKey: { type: 'http', scheme: 'bearer', description: 'An ingest key.' },
        ingestKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An ingest key, for what cannot send a bearer token.' },
      },
      schemas: { Failure: FAILURE },
    },
  };
}

const FAILURE: Json = {
  type: 'object', required: ['success', 'message', 'error'],
  properties: {
    success: { const: false },
    message: { type: 'string', description: 'A sentence for a person.' },
    error: {
      type: 'object', required: ['kind'],
      properties: {
        kind: { enum: Object.keys(STATUS_OF) },
        issues: { type: 'array', items: { type: 'object', required: ['path', 'message'], properties: { path: { type: 'string' }, message: { type: 'string' } } } },
        expected: { type: 'number' },
        retryAfterMs: { type: 'number' },
      },
    },
  },
};

function operationOf(name: CallName, call: Call): Json {
  const takes = schemaOf(call.takes, 'input');
  const inQuery = call.method === 'GET' || call.method === 'DELETE';
  const inPath = [...call.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const properties = Object.entries((takes['properties'] ?? {}) as Record<string, Json>);
  const required = (takes['required'] ?? []) as readonly string[];
  const parameters = properties.filter(([field]) => inQuery || inPath.includes(field)).map(([field, schema]): Json => (
    inPath.includes(field) ? { name: field, in: 'path', required: true, schema } : { name: field, in: 'query', required: required.includes(field), schema }));
  const rest = properties.filter(([field]) => !inPath.includes(field));
  const body = { ...takes, properties: Object.fromEntries(rest), required: required.filter((field) => !inPath.includes(field)) };
  const content = call.raw === true ? { '*/*': {} } : { 'application/json': { schema: body } };
  return {
    operationId: name, summary: call.says, tags: [call.path.split('/')[0]],
    security: securityOf(call.gate),
    ...(call.offline === undefined ? {} : { description: `A device may queue this call. ${call.offline}` }),
    parameters: [...parameters, ...headersOf(name, call)],
    ...(inQuery ? {} : { requestBody: { required: call.raw === true || body.required.length > 0, content } }),
    responses: { '200': { description: 'Done.', content: givesOf(call) }, ...failuresOf(call) },
  };
}

function givesOf({ gives, media = 'text/event-stream' }: Call): Json {
  if (gives === 'bytes') return { 'application/octet-stream': {} };
  if (gives === 'stream') return { [media]: { schema: { type: 'string' } } };
  const data = schemaOf(gives, 'output');
  return { 'application/json': { schema: { type: 'object', required: ['success', 'data'], properties: { success: { const: true }, data } } } };
}

/** Kinds by their status: those of the call itself, and those that any call of its gate may give. */
function failuresOf(call: Call): Json {
  const kinds = new Set<FailureKind>([...call.failures, 'busy', 'server-fault']);
  if (call.raw !== true) kinds.add('bad-input');
  if (call.raw !== true && call.method !== 'GET' && call.method !== 'DELETE') kinds.add('too-large');
  if (call.gate === 'public') kinds.add('not-found');
  else kinds.add('signed-out');
  if (call.gate !== 'public' && call.gate !== 'ingest-key') kinds.add('expired').add('forbidden');
  const byStatus: Record<string, string[]> = {};
  for (const [kind, status] of Object.entries(STATUS_OF)) if (kinds.has(kind as FailureKind)) (byStatus[status] ??= []).push(kind);
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } };
  return Object.fromEntries(Object.entries(byStatus).map(([status, list]) => [status, { description: list.join(', '), content }]));
}

function securityOf(gate: Gate): readonly Json[] {
  if (gate === 'public') return [];
  return gate === 'ingest-key' ? [{ ingestKey: [] }, { ingestKeyHeader: [] }] : [{ bearer: [] }];
}

function headersOf(name: CallName, call: Call): readonly Json[] {
  const header = (field: string, schema: Json, required: boolean): Json => ({ name: field, in: 'header', required, schema });
  if (name === 'refresh') return [header(CLIENT_HEADER, { const: '1' }, true)];
  if (call.offline === undefined) return [];
  return [
    header(COMMAND_HEADERS.key, { type: 'string', format: 'uuid' }, false), header(COMMAND_HEADERS.device, { type: 'string', format: 'uuid' }, false),
    header(COMMAND_HEADERS.order, { type: 'integer', minimum: 1 }, false),
  ];
}

function schemaOf(schema: GenericSchema, typeMode: 'input' | 'output'): Json {
  const made = toJsonSchema(schema, {
    target: 'draft-2020-12', typeMode, errorMode: 'ignore',
    // Rows go out as the fold made them: an array is all that is promised here.
    overrideSchema: ({ valibotSchema }) => (valibotSchema.type === 'custom' ? { type: 'array' } : null),
  });
  const { $schema: _dialect, ...rest } = made as Record<string, unknown>;
  return rest;
}
