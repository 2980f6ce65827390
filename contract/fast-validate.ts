import type * as v from 'valibot';
import { lineOfText } from './stored-text.ts';

/**
 * Returns true only if the schema accepts the value unchanged. After false, the schema decides.
 */
export type FastValidator = (value: unknown) => boolean;

/**
 * Compiles a schema to plain closures. It knows the kinds of schemas that the contract uses; for
 * any other, the validator returns false. It accepts only objects as JSON and literals create them:
 * own fields, no custom prototype.
 */
export function makeFastValidator(schema: v.GenericSchema): FastValidator {
  return made(schema) ?? never;
}

interface Part {
  readonly kind: string;
  readonly type: string;
  readonly pipe?: readonly Part[];
  readonly requirement?: unknown;
  readonly literal?: unknown;
  readonly options?: readonly unknown[];
  readonly entries?: Readonly<Record<string, Part>>;
  readonly item?: Part;
  readonly key?: Part;
  readonly value?: Part;
  readonly wrapped?: Part;
  readonly default?: unknown;
}
type Record_ = Readonly<Record<string, unknown>>;
const never: FastValidator = () => false;

function made(part: Part): FastValidator | null {
  if (part.pipe !== undefined)
    return all(
      part.pipe.map((step, index) =>
        index === 0 ? made(step) : step.kind === 'schema' ? null : action(step),
      ),
    );
  switch (part.type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'number':
      return (value) => typeof value === 'number' && !Number.isNaN(value);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'null':
      return (value) => value === null;
    case 'literal': {
      const { literal } = part;
      return (value) => value === literal;
    }
    case 'picklist': {
      const options = new Set(part.options);
      return (value) => options.has(value) && value === value;
    }
    case 'nullable': {
      const inner = wrapped(part);
      return inner && ((value) => value === null || inner(value));
    }
    case 'optional': {
      const inner = wrapped(part);
      return inner && ((value) => value === undefined || inner(value));
    }
    case 'array':
      return array(part);
    // The first option that accepts decides. Since each returns its input unchanged, the order
    // doesn't matter.
    case 'union':
    case 'variant':
      return some((part.options as readonly Part[]).map(made));
    case 'record':
      return record(part);
    // An unknown field of an object is dropped, so such a value is not accepted unchanged.
    case 'strict_object':
    case 'object':
      return object(part);
    default:
      return null;
  }
}

function action({ type, requirement }: Part): FastValidator | null {
  switch (type) {
    case 'integer':
      return (value) => Number.isInteger(value);
    case 'safe_integer':
      return (value) => Number.isSafeInteger(value);
    case 'min_value':
      return (value) => (value as number) >= (requirement as number);
    case 'min_length':
      return (value) => (value as string).length >= (requirement as number);
    case 'max_length':
      return (value) => (value as string).length <= (requirement as number);
    case 'length':
      return (value) => (value as string).length === requirement;
    case 'uuid':
    case 'iso_timestamp':
      return requirement instanceof RegExp && !requirement.global && !requirement.sticky
        ? (value) => requirement.test(value as string)
        : null;
    // Actions that leave the value unchanged.
    case 'one_line':
      return (value) => lineOfText(value as string) === value;
    case 'trim':
      return (value) => (value as string).trim() === value;
    default:
      return null;
  }
}

const wrapped = (part: Part): FastValidator | null =>
  part.wrapped === undefined || part.default !== undefined ? null : made(part.wrapped);
const all = (list: readonly (FastValidator | null)[]): FastValidator | null => {
  if (!whole(list)) return null;
  const [first = never, second, third, ...more] = list;
  if (second === undefined) return first;
  if (third === undefined) return (value) => first(value) && second(value);
  return more.length === 0
    ? (value) => first(value) && second(value) && third(value)
    : (value) => list.every((one) => one(value));
};
const some = (list: readonly (FastValidator | null)[]): FastValidator | null =>
  whole(list)
    ? (value) => {
        for (const one of list) if (one(value)) return true;
        return false;
      }
    : null;
const whole = (list: readonly (FastValidator | null)[]): list is readonly FastValidator[] =>
  !list.includes(null);

const isPlain = (value: unknown): value is Record_ =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Keys that valibot drops from a record. */
const UNSAFE = new Set(['__proto__', 'prototype', 'constructor']);

function array({ item }: Part): FastValidator | null {
  const check = item ? made(item) : null;
  return (
    check &&
    ((value) => {
      if (!Array.isArray(value)) return false;
      for (let index = 0; index < value.length; index += 1) if (!check(value[index])) return false;
      return true;
    })
  );
}

function record({ key, value: inner }: Part): FastValidator | null {
  const [checkKey, checkValue] = [key ? made(key) : null, inner ? made(inner) : null];
  if (checkKey === null || checkValue === null) return null;
  return (value) => {
    if (!isPlain(value)) return false;
    for (const name in value)
      if (UNSAFE.has(name) || !checkKey(name) || !checkValue(value[name])) return false;
    return true;
  };
}

function object({ entries = {} }: Part): FastValidator | null {
  const names = Object.keys(entries);
  const known = new Set(names);
  const checks = names.map((name) => field(entries[name] as Part));
  if (!whole(checks) || names.some((name) => UNSAFE.has(name))) return null;
  /** Fields that may be missing, and may not be undefined. */
  const absent = new Set(names.filter((name) => entries[name]?.type === 'exact_optional'));
  return (value) => {
    if (!isPlain(value)) return false;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] as string;
      // A missing field is undefined, which only an optional schema accepts.
      if (checks[index]?.(value[name]) !== true && (!absent.has(name) || name in value))
        return false;
    }
    for (const name in value) if (!known.has(name)) return false;
    return true;
  };
}

const field = (part: Part): FastValidator | null =>
  part.type === 'exact_optional' && part.pipe === undefined ? wrapped(part) : made(part);
