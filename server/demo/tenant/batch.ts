import * as v from 'valibot';
import { badRequest } from './graph-error.ts';
import { GRAPH, readJson } from './odata.ts';

const MAX_REQUESTS = 20;

const batchInput = v.object({
  requests: v.pipe(
    v.array(
      v.object({
        id: v.pipe(v.string(), v.minLength(1)),
        method: v.pipe(v.string(), v.toUpperCase()),
        url: v.string(),
        headers: v.optional(v.record(v.string(), v.string()), {}),
        body: v.optional(v.unknown()),
        dependsOn: v.optional(v.array(v.string()), []),
      }),
    ),
    v.maxLength(MAX_REQUESTS),
  ),
});
type Part = v.InferOutput<typeof batchInput>['requests'][number];

interface PartResponse {
  readonly id: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Answers a JSON batch: each part as if it were alone, after those that it depends on. Responses
 * come in another order than the requests, as published.
 * @throws GraphError 400
 */
export async function runBatch(
  request: Request,
  fetch: (request: Request) => Promise<Response>,
): Promise<{ readonly responses: readonly PartResponse[] }> {
  const parsed = v.safeParse(batchInput, await readJson(request));
  if (!parsed.success)
    throw badRequest(`Invalid batch payload format: ${parsed.issues[0].message}`);
  const { requests } = parsed.output;
  const ids = new Set(requests.map(({ id }) => id.toLowerCase()));
  if (ids.size < requests.length) throw badRequest('Request ids must be unique.');
  const done = new Map<string, PartResponse>();
  for (const part of requests) {
    const missing = part.dependsOn.find((id) => !done.has(id.toLowerCase()));
    if (missing !== undefined)
      throw badRequest(`Request '${part.id}' depends on '${missing}', which is not before it.`);
    const hasFailed = part.dependsOn.some((id) => (done.get(id.toLowerCase())?.status ?? 0) >= 400);
    done.set(
      part.id.toLowerCase(),
      hasFailed ? failedDependency(part.id) : await runPart(part, request, fetch),
    );
  }
  return { responses: [...done.values()].toReversed() };
}

const failedDependency = (id: string): PartResponse => ({
  id,
  status: 424,
  headers: { 'content-type': 'application/json' },
  body: {
    error: { code: 'FailedDependency', message: 'A request that this one depends on has failed.' },
  },
});

async function runPart(
  part: Part,
  batch: Request,
  fetch: (request: Request) => Promise<Response>,
): Promise<PartResponse> {
  const headers = new Headers(part.headers);
  headers.set('authorization', batch.headers.get('authorization') ?? '');
  const url = `https://${GRAPH}/v1.0/${part.url.replace(/^\//, '')}`;
  const response = await fetch(
    new Request(url, { method: part.method, headers, ...getBody(part) }),
  );
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  const bytes = Buffer.from(await response.arrayBuffer());
  const body: unknown = isJson ? JSON.parse(bytes.toString()) : bytes.toString('base64');
  return {
    id: part.id,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    ...(bytes.length > 0 ? { body } : {}),
  };
}

/** JSON bodies are objects, others base64. */
function getBody({ body, headers }: Part): { body?: BodyInit } {
  if (body === undefined) return {};
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (type === undefined) throw badRequest('A body needs the header Content-Type.');
  if (typeof body !== 'string') return { body: JSON.stringify(body) };
  return { body: new Uint8Array(Buffer.from(body, 'base64')) };
}
