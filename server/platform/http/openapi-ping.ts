import { getPathTag } from './openapi-tags.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The paths of `/ping` are at the server's root, outside the table of calls, because clients of
 * healthchecks expect them there.
 */
const BASES = ['/ping/{key}', '/ping/{key}/{slug}'] as const;
const WORDS: readonly (readonly [word: string, says: string])[] = [
  ['', 'Reports that the job succeeded.'],
  ['/start', 'Reports that the job started.'],
  ['/fail', 'Reports that the job failed.'],
  ['/log', 'Adds text to the log of the job without changing its state.'],
  ['/{exit}', 'Reports that the job ended with this exit code, 0 to 255.'],
];
// Below a bare key, a number could also be a job's name.
const FORMS = BASES.flatMap((base) =>
  WORDS.map(([word, says]) => [base + word, says] as const),
).filter(([path]) => path !== '/ping/{key}/{exit}');

export function pingPaths(): Json {
  return Object.fromEntries(
    FORMS.map(([path, says]) => [
      path,
      {
        servers: [{ url: '/' }],
        ...Object.fromEntries(
          ['get', 'post'].map((method) => [method, operation(path, method, says)]),
        ),
      },
    ]),
  );
}

function operation(path: string, method: string, says: string): Json {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const words = path
    .split('/')
    .slice(2)
    .map((part) => (part === '{slug}' ? 'Job' : part.replace(/[{}]/g, '')))
    .filter((part) => part !== 'key');
  const name = ['ping', ...words, method]
    .map((part, at) => (at === 0 ? part : part.charAt(0).toUpperCase() + part.slice(1)))
    .join('');
  return {
    operationId: name,
    summary: says,
    tags: [getPathTag('ping')],
    security: [],
    parameters: params.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: name === 'exit' ? { type: 'integer', minimum: 0, maximum: 255 } : { type: 'string' },
    })),
    ...(method === 'post' ? { requestBody: { required: false, content: { '*/*': {} } } } : {}),
    responses: {
      '200': { description: 'Stored.', content: { 'text/plain': { schema: { type: 'string' } } } },
      '400': { description: 'The path is invalid.' },
      '404': { description: "The key doesn't exist." },
      '429': {
        description: 'Too many requests with this key; Retry-After says when to try again.',
      },
      '507': {
        description: 'The server is out of disk space; Retry-After says when to try again.',
      },
      '503': { description: 'The server is busy; Retry-After says when to try again.' },
    },
  };
}
