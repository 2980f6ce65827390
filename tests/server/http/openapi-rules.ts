/**
 * The rules of OpenAPI 3.1.0 and of JSON Schema 2020-12 that a description of ours can break.
 * Answers what is broken, and where.
 */
type Json = Readonly<Record<string, unknown>>;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const OPERATION = new Set([
  'tags',
  'summary',
  'description',
  'externalDocs',
  'operationId',
  'parameters',
  'requestBody',
  'responses',
  'callbacks',
  'deprecated',
  'security',
  'servers',
]);
const PARAMETER = new Set([
  'name',
  'in',
  'description',
  'required',
  'deprecated',
  'schema',
  'content',
  'example',
  'examples',
  'style',
  'explode',
]);
const RESPONSE = new Set(['description', 'headers', 'content', 'links']);
const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);
const NUMBERS = new Set([
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'multipleOf',
]);
const ONE = new Set([
  'items',
  'additionalProperties',
  'not',
  'propertyNames',
  'contains',
  'if',
  'then',
  'else',
]);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const WORDS = new Set([
  'type',
  'enum',
  'const',
  'required',
  'properties',
  'pattern',
  'format',
  '$ref',
  'description',
  'title',
  'default',
  'examples',
  'uniqueItems',
  ...NUMBERS,
  ...ONE,
  ...LISTS,
]);

export function getErrors(page: Json): string[] {
  const errors: string[] = [];
  const say = (where: string, what: string): void => {
    errors.push(`${where}: ${what}`);
  };
  const only = (where: string, value: Json, known: ReadonlySet<string>): void => {
    for (const key of Object.keys(value))
      if (!known.has(key) && !key.startsWith('x-')) say(where, `unknown field ${key}`);
  };
  const text = (where: string, value: unknown): void => {
    if (typeof value !== 'string' || value.trim() === '') say(where, 'no text');
  };
  const resolved = (where: string, value: unknown): Json => {
    if (!isObject(value)) {
      say(where, 'no object');
      return {};
    }
    const ref = value['$ref'];
    if (typeof ref !== 'string') return value;
    const target = ref.startsWith('#/')
      ? ref
          .slice(2)
          .split('/')
          .reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), page)
      : undefined;
    if (!isObject(target)) {
      say(where, `${ref} leads nowhere`);
      return {};
    }
    return target;
  };
  const schema = (where: string, value: unknown): void => {
    if (typeof value === 'boolean') return;
    if (!isObject(value)) {
      say(where, 'a schema is an object or a boolean');
      return;
    }
    only(where, value, WORDS);
    if (value['$ref'] !== undefined) resolved(where, value);
    for (const type of [value['type'] ?? []].flat())
      if (typeof type !== 'string' || !TYPES.has(type)) say(where, `type ${said(type)}`);
    if (
      value['enum'] !== undefined &&
      !(
        Array.isArray(value['enum']) &&
        value['enum'].length > 0 &&
        new Set(value['enum'].map((one) => JSON.stringify(one))).size === value['enum'].length
      )
    )
      say(where, 'enum is empty or tells something twice');
    const required = value['required'] ?? [];
    if (
      !Array.isArray(required) ||
      required.some((name) => typeof name !== 'string') ||
      new Set(required).size !== required.length
    )
      say(where, 'required');
    else if (isObject(value['properties']))
      for (const name of required)
        if (!Object.hasOwn(value['properties'], name as string))
          say(where, `${said(name)} is required and not described`);
    if (value['pattern'] !== undefined && !isPattern(said(value['pattern']))) say(where, 'pattern');
    for (const word of NUMBERS)
      if (value[word] !== undefined && !Number.isFinite(value[word])) say(where, word);
    if (value['properties'] !== undefined) {
      if (isObject(value['properties']))
        for (const [name, inner] of Object.entries(value['properties']))
          schema(`${where}.${name}`, inner);
      else say(where, 'properties');
    }
    for (const word of ONE) if (value[word] !== undefined) schema(`${where}/${word}`, value[word]);
    for (const word of LISTS) {
      const list = value[word];
      if (list !== undefined && (!Array.isArray(list) || list.length === 0)) say(where, word);
      else if (Array.isArray(list))
        list.forEach((inner, at) => {
          schema(`${where}/${word}[${at}]`, inner);
        });
    }
  };
  const content = (where: string, value: unknown): void => {
    if (!isObject(value) || Object.keys(value).length === 0) {
      say(where, 'no content');
      return;
    }
    for (const [type, media] of Object.entries(value)) {
      if (!/^[\w*.+-]+\/[\w*.+-]+$/.test(type)) say(where, `media type ${type}`);
      if (isObject(media) && media['schema'] !== undefined)
        schema(`${where} ${type}`, media['schema']);
    }
  };
  const response = (where: string, input: unknown): void => {
    const value = resolved(where, input);
    only(where, value, RESPONSE);
    text(`${where} description`, value['description']);
    if (value['content'] !== undefined) content(where, value['content']);
    for (const [name, header] of Object.entries(
      isObject(value['headers']) ? value['headers'] : {},
    )) {
      const found = resolved(`${where} ${name}`, header);
      if (found['schema'] === undefined) say(where, `header ${name} has no schema`);
      else schema(`${where} ${name}`, found['schema']);
    }
  };

  if (page['openapi'] !== '3.1.0') say('openapi', 'version');
  const info = resolved('info', page['info']);
  const components = resolved('components', page['components']);
  const schemes = resolved('securitySchemes', components['securitySchemes']);
  text('info.title', info['title']);
  text('info.version', info['version']);
  for (const [group, named] of Object.entries(components))
    for (const name of Object.keys(isObject(named) ? named : {}))
      if (!/^[\w.-]+$/.test(name)) say(`components.${group}`, `name ${name}`);
  for (const [name, scheme] of Object.entries(schemes)) {
    const type = isObject(scheme) ? scheme['type'] : undefined;
    if (
      !isObject(scheme) ||
      !(type === 'http'
        ? scheme['scheme'] === 'bearer'
        : type === 'apiKey' &&
          typeof scheme['name'] === 'string' &&
          ['query', 'header', 'cookie'].includes(said(scheme['in'])))
    )
      say('securitySchemes', name);
  }
  const tags = (page['tags'] as readonly Json[]).map(({ name }) => name);
  if (new Set(tags).size !== tags.length) say('tags', 'one stands twice');
  for (const [name, value] of Object.entries(resolved('components.schemas', components['schemas'])))
    schema(name, value);
  const seen = new Set<unknown>();
  const shapes = new Set<string>();
  for (const [path, item] of Object.entries(resolved('paths', page['paths']))) {
    if (!path.startsWith('/')) say(path, 'begins without a slash');
    const shape = path.replaceAll(/\{\w+\}/g, '{}');
    if (shapes.has(shape)) say(path, 'stands twice, but for the names of its parameters');
    shapes.add(shape);
    only(
      path,
      resolved(path, item),
      new Set([...METHODS, 'summary', 'description', 'servers', 'parameters']),
    );
    for (const [method, operation] of Object.entries(resolved(path, item))) {
      if (!METHODS.includes(method) || !isObject(operation)) continue;
      const where = `${method} ${path}`;
      only(where, operation, OPERATION);
      text(`${where} summary`, operation['summary']);
      if (seen.has(operation['operationId'])) say(where, 'operationId stands twice');
      seen.add(operation['operationId']);
      for (const tag of operation['tags'] as readonly unknown[])
        if (!tags.includes(tag)) say(where, `tag ${said(tag)}`);
      const parameters = (operation['parameters'] ?? []) as readonly Json[];
      const named = parameters.map(
        (one) => `${said(one['in'])} ${said(one['name']).toLowerCase()}`,
      );
      if (new Set(named).size !== named.length) say(where, 'a parameter stands twice');
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
      if (
        inPath.some((name) => !named.includes(`path ${name.toLowerCase()}`)) ||
        parameters.filter((one) => one['in'] === 'path').length !== inPath.length
      )
        say(where, 'parameters of the path');
      for (const one of parameters) {
        only(`${where} ${said(one['name'])}`, one, PARAMETER);
        if (!['path', 'query', 'header', 'cookie'].includes(said(one['in'])))
          say(where, 'place of a parameter');
        if (one['in'] === 'path' && one['required'] !== true)
          say(where, `${said(one['name'])} is of the path and not required`);
        if (
          one['in'] === 'header' &&
          ['accept', 'content-type', 'authorization'].includes(said(one['name']).toLowerCase())
        )
          say(where, 'a header that is no parameter');
        schema(`${where} ${said(one['name'])}`, one['schema']);
      }
      if (operation['requestBody'] !== undefined) {
        if (method === 'get' || method === 'delete') say(where, 'a body');
        content(`${where} body`, resolved(where, operation['requestBody'])['content']);
      }
      const responses = resolved(where, operation['responses']);
      if (!Object.keys(responses).some((status) => /^2\d\d$/.test(status)))
        say(where, 'no good answer');
      for (const [status, one] of Object.entries(responses)) {
        if (!/^([1-5]\d\d|default)$/.test(status)) say(where, `status ${status}`);
        response(`${where} ${status}`, one);
      }
      for (const need of operation['security'] as readonly Json[]) {
        for (const [name, roles] of Object.entries(need)) {
          if (!Object.hasOwn(schemes, name)) say(where, `security ${name}`);
          if (!Array.isArray(roles) || roles.some((role) => typeof role !== 'string'))
            say(where, `roles of ${name}`);
        }
      }
    }
  }
  return errors;
}

/** A value as a word of a message, or as a key to compare. */
const said = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u').flags === 'u';
  } catch {
    return false;
  }
}
