import { tagOf } from './openapi-tags.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The addresses of `/ping` stand at the server's root, outside the table of calls: any client of
 * the healthchecks kind knows them.
 */
const BASES = ['/ping/{key}', '/ping/{key}/{slug}'] as const;
const WORDS: readonly (readonly [word: string, says: string])[] = [
  ['', 'The job ended well.'],
  ['/start', 'The job has started.'],
  ['/fail', 'The job has failed.'],
  ['/log', 'Words for the log of the job: they change no state.'],
  ['/{exit}', 'The job ended with this exit code, 0 to 255.'],
];
// Below a bare key a number would be the same address as a job's name.
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
    tags: [tagOf('ping')],
    security: [],
    parameters: params.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: name === 'exit' ? { type: 'integer', minimum: 0, maximum: 255 } : { type: 'string' },
    })),
    ...(method === 'post' ? { requestBody: { required: false, content: { '*/*': {} } } } : {}),
    responses: {
      '200': { description: 'Noted.', content: { 'text/plain': { schema: { type: 'string' } } } },
      '400': { description: 'The address cannot be read.' },
      '404': { description: 'No such key.' },
      '429': { description: 'Too many requests of this key; Retry-After says when.' },
      '507': {
        description: 'The server is out of disk space; Retry-After says when to come back.',
      },
      '503': { description: 'The server is busy; Retry-After says when to come back.' },
    },
  };
}
