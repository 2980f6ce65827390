import { translateTag } from '#contract/api-tags.ts';
import { apiMessages as t } from './messages.en.ts';
/**
 * The part of the server's OpenAPI description that the page shows. The server validates requests
 * against the same description.
 */
/** `name` is in English, `title` in the language of the page. */
export interface CallGroup {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly calls: readonly ApiCall[];
}

export interface ApiCall {
  readonly id: string;
  readonly method: string;
  /** Full path with its prefix: `/api/v1/sync/events`. */
  readonly path: string;
  readonly description: string;
  readonly note: string | null;
  readonly who: CallAudience;
  readonly parameters: readonly ApiField[];
  /** Null: no body. `raw`: any body. */
  readonly body: Shape | 'raw' | null;
  /** The schema of `data`, or the media type of the answer. */
  readonly answer: Shape | string;
  readonly failures: readonly {
    readonly status: string;
    readonly kinds: readonly string[];
    readonly description: string;
  }[];
  /** Schemas of body and parameters, for the example. */
  readonly samples: {
    readonly body: unknown;
    readonly query: readonly (readonly [name: string, value: string])[];
  };
}

/**
 * `key`: API keys with these abilities, or any key if there are none. `person`: signed-in users
 * only. `address`: the key is part of the address.
 */
export type CallAudience =
  | { readonly kind: 'key'; readonly abilities: readonly string[] }
  | { readonly kind: 'person' | 'ingest-key' | 'everybody' | 'address' };
export interface ApiField {
  readonly name: string;
  readonly depth: number;
  readonly place: string | null;
  readonly type: string;
  readonly required: boolean;
  readonly rules: string;
}
/** `more`: some fields are omitted because they are nested too deeply or too many. */
export interface Shape {
  readonly type: string;
  readonly fields: readonly ApiField[];
  readonly more: boolean;
}

const DEEPEST = 3;
const MAX_FIELDS = 60;
type Json = Readonly<Record<string, unknown>>;

export function describe(page: unknown): readonly CallGroup[] {
  const calls = Object.entries(objectAt(page, 'paths')).flatMap(([path, item]) =>
    Object.entries(asObject(item))
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => {
        const root =
          getText(toArray(asObject(item)['servers'])[0], 'url') ??
          getText(toArray(asObject(page)['servers'])[0], 'url') ??
          '';
        return {
          tag: wordAt(toArray(asObject(operation)['tags'])[0]),
          call: getCall(page, root.replace(/\/$/, '') + path, method, asObject(operation)),
        };
      }),
  );
  return toArray(asObject(page)['tags'])
    .map((tag) => {
      const name = getText(tag, 'name') ?? '';
      return {
        name,
        title: name,
        description: getText(tag, 'description') ?? '',
        ...translateTag(name),
        calls: calls.filter((one) => one.tag === name).map(({ call }) => call),
      };
    })
    .filter((group) => group.calls.length > 0);
}

/** Returns the calls that contain every word. `all`: includes calls that API keys do not make. */
export function found(
  groups: readonly CallGroup[],
  words: string,
  all: boolean,
): readonly CallGroup[] {
  const request = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return groups
    .map((group) => ({
      ...group,
      calls: group.calls.filter(({ id, method, path, description, who }) => {
        if (!all && (who.kind === 'person' || who.kind === 'everybody')) return false;
        const text =
          `${group.title} ${id} ${method} ${path} ${description} ${who.kind === 'key' ? who.abilities.join(' ') : ''}`.toLowerCase();
        return request.every((word) => text.includes(word));
      }),
    }))
    .filter(({ calls }) => calls.length > 0);
}

/** Returns a curl command for the portal's own address. */
export function getCurl(
  { method, path, who, body, answer, samples }: ApiCall,
  origin: string,
): string {
  const query = samples.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${origin}${path}${query === '' ? '' : `?${query}`}'`,
  ];
  if (who.kind === 'key') lines.push(`-H "Authorization: Bearer $DAYBOOK_KEY"`);
  if (who.kind === 'ingest-key') lines.push(`-H "Authorization: Bearer $DAYBOOK_INGEST_KEY"`);
  if (body === 'raw') lines.push('--data-binary @FILE');
  else if (body !== null)
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d '${JSON.stringify(samples.body).replaceAll("'", String.raw`'\''`)}'`,
    );
  if (typeof answer === 'string' && answer !== 'text/plain' && answer !== 'text/event-stream')
    lines.push('-o FILE');
  return lines.join(' \\\n  ');
}

function getCall(page: unknown, path: string, method: string, operation: Json): ApiCall {
  const parameters = toArray(operation['parameters']).map(asObject);
  const content = asObject(asObject(operation['requestBody'])['content']);
  const sent = asObject(content['application/json'])['schema'];
  const good = Object.entries(
    asObject(asObject(asObject(operation['responses'])['200'])['content']),
  );
  const [media, first] = good[0] ?? ['', null];
  const data = asObject(asObject(asObject(asObject(first)['schema'])['properties']))['data'];
  const hasBody =
    sent !== undefined &&
    Object.keys(asObject(asObject(sent)['properties'])).length +
      toArray(asObject(sent)['anyOf']).length +
      toArray(asObject(sent)['oneOf']).length >
      0;
  return {
    id: getText(operation, 'operationId') ?? '',
    method: method.toUpperCase(),
    path,
    description: getText(operation, 'summary') ?? '',
    note: getText(operation, 'description'),
    who: getAudience(path, toArray(operation['security'])),
    parameters: parameters.map((one) => ({
      ...getField(getText(one, 'name') ?? '', one['schema'], one['required'] === true, 0),
      place: PLACES[getText(one, 'in') ?? ''] ?? '',
    })),
    body: '*/*' in content ? 'raw' : hasBody ? parseShape(sent) : null,
    answer: media === 'application/json' && data !== undefined ? parseShape(data) : media,
    failures: Object.entries(asObject(operation['responses']))
      .filter(([status]) => status !== '200')
      .map(([status, input]) => {
        const response = resolved(page, input);
        const words = getText(response, 'description') ?? '';
        return {
          status,
          kinds: [...words.matchAll(/`([\w-]+)`: /g)].map((match) => match[1] ?? ''),
          description: words.replaceAll(/`[\w-]+`: /g, ''),
        };
      }),
    samples: {
      body: hasBody ? getSample(sent) : null,
      query: parameters
        .filter((one) => one['in'] === 'query' && one['required'] === true)
        .map((one) => [
          getText(one, 'name') ?? '',
          String(getSample(one['schema'], (getText(one, 'name') ?? '').toUpperCase())),
        ]),
    },
  };
}

function getAudience(path: string, security: readonly unknown[]): CallAudience {
  const key = security.map(asObject).find((need) => 'apiKey' in need);
  if (key) return { kind: 'key', abilities: toArray(key['apiKey']).map(String) };
  if (security.some((need) => 'ingestKey' in asObject(need))) return { kind: 'ingest-key' };
  if (security.length > 0) return { kind: 'person' };
  return { kind: path.startsWith('/ping/') ? 'address' : 'everybody' };
}

function parseShape(schema: unknown): Shape {
  const fields: ApiField[] = [];
  let more = false;
  const walk = (value: unknown, depth: number): void => {
    const inner = withFields(value);
    if (inner === null) return;
    const required = toArray(inner['required']);
    for (const [name, property] of Object.entries(asObject(inner['properties']))) {
      if (fields.length >= MAX_FIELDS) {
        more = true;
        return;
      }
      fields.push(getField(name, property, required.includes(name), depth));
      if (withFields(property) === null) continue;
      if (depth + 1 < DEEPEST) walk(property, depth + 1);
      else more = true;
    }
  };
  walk(schema, 0);
  return { type: getType(schema), fields, more };
}

const getField = (name: string, schema: unknown, required: boolean, depth: number): ApiField => ({
  name,
  depth,
  place: null,
  type: getType(schema),
  required,
  rules: getRules(asObject(schema)),
});

/**
 * Returns the object schema whose fields are shown: the schema itself, its array items, or its
 * non-null option.
 */
function withFields(value: unknown): Json | null {
  const schema = asObject(value);
  if (Object.keys(asObject(schema['properties'])).length > 0) return schema;
  if (schema['items'] !== undefined) return withFields(schema['items']);
  const [only, ...others] = getChoices(schema).filter((one) => asObject(one)['type'] !== 'null');
  return only !== undefined && others.length === 0 ? withFields(only) : null;
}

function getType(value: unknown): string {
  const schema = asObject(value);
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const choices = getChoices(schema);
  if (choices.length > 0)
    return [...new Set(choices.map((one) => tagged(one) ?? getType(one)))].join(' | ');
  if (Array.isArray(schema['enum']))
    return schema['enum'].length > 60
      ? t.manyValues
      : schema['enum'].map((one) => JSON.stringify(one)).join(' | ');
  if (schema['type'] === 'array')
    return schema['items'] === undefined ? t.list : t.listOf({ type: getType(schema['items']) });
  return getText(schema, 'type') ?? t.anyType;
}

/** Describes an object in a union by its discriminant: `is: "note"`. */
function tagged(value: unknown): string | null {
  const word = Object.entries(asObject(asObject(value)['properties'])).find(
    ([, inner]) => asObject(inner)['const'] !== undefined,
  );
  return word === undefined
    ? null
    : `{ ${word[0]}: ${JSON.stringify(asObject(word[1])['const'])}${Object.keys(
        asObject(asObject(value)['properties']),
      )
        .filter((name) => name !== word[0])
        .map((name) => `, ${name}`)
        .join('')} }`;
}

function getRules(schema: Json): string {
  const said = (name: string, words: (limit: number) => string): string[] =>
    typeof schema[name] === 'number' ? [words(schema[name])] : [];
  return [
    ...said('minLength', (min) => (min > 1 ? t.minLength({ min }) : t.notEmpty)),
    ...said('maxLength', (max) => t.maxLength({ max })),
    ...said('minItems', (min) => t.minItems({ min })),
    ...said('maxItems', (max) => t.maxItems({ max })),
    ...said('minimum', (min) => t.minimum({ min })),
    ...said('maximum', (max) => t.maximum({ max })),
    ...(typeof schema['format'] === 'string' ? [schema['format']] : []),
    ...(typeof schema['pattern'] === 'string' && schema['pattern'].length <= 60
      ? [schema['pattern']]
      : []),
  ].join(', ');
}

/** Returns a minimal valid example of a schema: required fields only. */
function getSample(value: unknown, name = ''): unknown {
  const schema = asObject(value);
  const [example] = toArray(schema['examples']);
  if (example !== undefined) return example;
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [choice] = getChoices(schema);
  if (choice !== undefined) return getSample(choice, name);
  switch (schema['type']) {
    case 'object':
      return Object.fromEntries(
        toArray(schema['required'])
          .map(String)
          .map((field) => [field, getSample(asObject(schema['properties'])[field], field)]),
      );
    case 'array':
      return typeof schema['minItems'] === 'number' && schema['minItems'] > 0
        ? [getSample(schema['items'], name)]
        : [];
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema['format'] === 'uuid'
        ? '00000000-0000-4000-8000-000000000000'
        : typeof schema['pattern'] === 'string' && /\\d/.test(schema['pattern'])
          ? '0'
          : name === ''
            ? 'text'
            : name;
  }
}

const getChoices = (schema: Json): readonly unknown[] => [
  ...toArray(schema['anyOf']),
  ...toArray(schema['oneOf']),
];
const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete']);
const PLACES: Readonly<Record<string, string>> = {
  path: t.inPath,
  query: t.inQuery,
  header: t.inHeader,
};
const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
const objectAt = (value: unknown, name: string): Json => asObject(asObject(value)[name]);
const wordAt = (value: unknown): string => (typeof value === 'string' ? value : '');
const toArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const getText = (value: unknown, name: string): string | null => {
  const text = asObject(value)[name];
  return typeof text === 'string' ? text : null;
};

function resolved(page: unknown, value: unknown): unknown {
  const ref = getText(value, '$ref');
  return ref === null
    ? value
    : ref
        .replace('#/', '')
        .split('/')
        .reduce<unknown>((at, part) => asObject(at)[part], page);
}
