type Json = Readonly<Record<string, unknown>>;

/** The addresses of `/ping` stand at the server's root, outside the table of calls: any client of the healthchecks kind knows them. */
const FORMS: readonly (readonly [path: string, says: string])[] = [
  ['/ping/{key}/{slug}', 'The job ended well.'],
  ['/ping/{key}/{slug}/start', 'The job has started.'],
  ['/ping/{key}/{slug}/fail', 'The job has failed.'],
  ['/ping/{key}/{slug}/log', 'A line for the log: changes no state.'],
  ['/ping/{key}/{slug}/{exit}', 'The job ended with this exit code, 0 to 255.'],
];

export function pingPaths(): Json {
  return Object.fromEntries(FORMS.map(([path, says]) => [path, { servers: [{ url: '/' }], ...Object.fromEntries(['get', 'post'].map((method) => [method, operation(path, method, says)])) }]));
}

function operation(path: string, method: string, says: string): Json {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const suffix = /\{slug\}\/\{?(\w+)\}?$/.exec(path)?.[1] ?? '';
  return {
    operationId: `ping${suffix.charAt(0).toUpperCase()}${suffix.slice(1)}${method === 'get' ? 'Get' : 'Post'}`, summary: says, tags: ['ping'], security: [],
    parameters: params.map((name) => ({ name, in: 'path', required: true, schema: name === 'exit' ? { type: 'integer', minimum: 0, maximum: 255 } : { type: 'string' } })),
    ...(method === 'post' ? { requestBody: { required: false, content: { '*/*': {} } } } : {}),
    responses: {
      '200': { description: 'Noted.', content: { 'text/plain': { schema: { type: 'string' } } } },
      '404': { description: 'No such key.' }, '429': { description: 'Too many requests of this key; Retry-After says when.' },
    },
  };
}
