import { ENUMS, TYPES } from './graph-types.ts';

interface Property {
  readonly type: string;
  readonly isList: boolean;
  readonly isNullable: boolean;
}
interface EntityType {
  readonly base: string | null;
  readonly isOpen: boolean;
  readonly properties: ReadonlyMap<string, Property>;
}

const types = readTypes();
const enums = new Map(
  ENUMS.trim()
    .split('\n')
    .map((line) => line.split(': '))
    .map(([name = '', words = '']) => [name, words.split(' ')]),
);

function readTypes(): ReadonlyMap<string, EntityType> {
  const result = new Map<string, EntityType>();
  for (const block of TYPES.trim().split(/\n(?! )/)) {
    const [head = '', ...rest] = block.split('\n');
    const [name = '', derived] = head.split(' < ');
    const [base, open] = derived?.split(' ') ?? [];
    const properties = rest
      .join(' ')
      .split(/\s+/)
      .filter(Boolean)
      .map((text): [string, Property] => {
        const [, property = '', type = '', nullable = ''] =
          /^(\w+):(\[?\w+\]?)(!?)$/.exec(text) ?? [];
        const isList = type.startsWith('[');
        return [
          property,
          { type: type.replace(/[[\]]/g, ''), isList, isNullable: nullable === '' },
        ];
      });
    result.set(name, { base: base ?? null, isOpen: open === '*', properties: new Map(properties) });
  }
  return result;
}

const PRIMITIVES: Readonly<Record<string, (value: unknown) => boolean>> = {
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  Int16: Number.isInteger,
  Int32: Number.isInteger,
  Int64: Number.isInteger,
  Double: (value) => typeof value === 'number',
  Guid: (value) =>
    typeof value === 'string' && /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(value),
  DateTimeOffset: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value),
  Date: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
  Binary: isBase64,
  Stream: isBase64,
};

function isBase64(value: unknown): boolean {
  return (
    typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0
  );
}

function findProperty(type: string, name: string): Property | null {
  for (let at = types.get(type); at; at = at.base === null ? undefined : types.get(at.base)) {
    const property = at.properties.get(name);
    if (property) return property;
  }
  return null;
}

/** Returns what is wrong with an entity of a type; nothing if it has the published form. */
export function checkEntity(type: string, value: unknown, path = type): string[] {
  if (!types.has(type)) return [`${path}: the table has no type ${type}`];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path}: not an object`];
  return Object.entries(value).flatMap(([name, part]) => {
    if (name.includes('@odata.') || name.startsWith('@microsoft.graph.')) return [];
    if (name === '@removed') return checkRemoved(part, `${path}.${name}`);
    const property = findProperty(type, name);
    if (!property) return types.get(type)?.isOpen ? [] : [`${path}.${name}: no such property`];
    return checkValue(property, part, `${path}.${name}`);
  });
}

function checkRemoved(value: unknown, path: string): string[] {
  const reason: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'reason') : null;
  return reason === 'changed' || reason === 'deleted' ? [] : [`${path}: no reason`];
}

function checkValue(property: Property, value: unknown, path: string): string[] {
  if (value === null) return property.isNullable ? [] : [`${path}: null`];
  if (property.isList)
    return Array.isArray(value)
      ? value.flatMap((part, at) =>
          checkValue({ ...property, isList: false }, part, `${path}[${at}]`),
        )
      : [`${path}: not a list`];
  const primitive = PRIMITIVES[property.type];
  if (primitive)
    return primitive(value) ? [] : [`${path}: not ${property.type}: ${JSON.stringify(value)}`];
  const words = enums.get(property.type);
  if (words)
    return typeof value === 'string' && words.includes(value)
      ? []
      : [`${path}: not one of ${words.join(', ')}`];
  return checkEntity(derivedType(property.type, value), value, path);
}

/** `@odata.type` names the type of a value that has a more precise one. */
function derivedType(type: string, value: unknown): string {
  const named: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, '@odata.type') : null;
  return typeof named === 'string' ? named.replace('#microsoft.graph.', '') : type;
}

/** Returns what is wrong with a collection's page. */
export function checkPage(type: string, body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return ['page: not an object'];
  const value: unknown = Reflect.get(body, 'value');
  const extra = Object.keys(body).filter(
    (name) =>
      !['@odata.context', '@odata.count', '@odata.nextLink', '@odata.deltaLink', 'value'].includes(
        name,
      ),
  );
  if (!Array.isArray(value)) return ['page: no value'];
  return [
    ...extra.map((name) => `page.${name}: no such property`),
    ...value.flatMap((entity, at) =>
      checkEntity(derivedType(type, entity), entity, `${type}[${at}]`),
    ),
  ];
}

/** Returns what is wrong with an answer to a refused request. */
export function checkError(body: unknown): string[] {
  const error: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : null;
  if (typeof error !== 'object' || error === null) return ['error: missing'];
  return ['code', 'message'].flatMap((name) =>
    typeof Reflect.get(error, name) === 'string' ? [] : [`error.${name}: not a text`],
  );
}
