import { badRequest } from './graph-error.ts';

type Token = { readonly kind: 'word' | 'text' | 'sign'; readonly text: string };
type Test = (entity: Readonly<Record<string, unknown>>) => boolean;

/**
 * Returns whether an entity matches a `$filter` of eq, ne, gt, ge, lt, le, startswith, contains, in,
 * any, and, or, not.
 * @throws GraphError a filter that can't be read
 */
export function matchesFilter(entity: Readonly<Record<string, unknown>>, filter: string): boolean {
  const tokens = [...filter.matchAll(/'((?:[^']|'')*)'|([(),])|([^\s(),']+)/g)].map(
    (match): Token =>
      match[1] !== undefined
        ? { kind: 'text', text: match[1].replaceAll("''", "'") }
        : match[2] !== undefined
          ? { kind: 'sign', text: match[2] }
          : { kind: 'word', text: match[3] ?? '' },
  );
  const test = new Parser(tokens).whole();
  return test(entity);
}

const COMPARE: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  eq: (left, right) => left === right,
  ne: (left, right) => left !== right,
  gt: (left, right) => compare(left, right) > 0,
  ge: (left, right) => compare(left, right) >= 0,
  lt: (left, right) => compare(left, right) < 0,
  le: (left, right) => compare(left, right) <= 0,
};

const compare = (left: unknown, right: unknown): number => {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [a, b] = [toText(left), toText(right)];
  return a < b ? -1 : a > b ? 1 : 0;
};

export const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

const lower = (value: unknown): unknown =>
  typeof value === 'string' ? value.toLowerCase() : (value ?? null);

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Test {
    const test = this.#or();
    if (this.#at < this.#tokens.length) throw invalid();
    return test;
  }

  #or(): Test {
    let test = this.#and();
    while (this.#takes('or')) {
      const [left, right] = [test, this.#and()];
      test = (entity) => left(entity) || right(entity);
    }
    return test;
  }

  #and(): Test {
    let test = this.#term();
    while (this.#takes('and')) {
      const [left, right] = [test, this.#term()];
      test = (entity) => left(entity) && right(entity);
    }
    return test;
  }

  #term(): Test {
    if (this.#takes('not')) {
      const test = this.#term();
      return (entity) => !test(entity);
    }
    if (this.#takes('(')) {
      const test = this.#or();
      this.#need(')');
      return test;
    }
    const name = this.#next().text;
    if (/^(startswith|contains|endswith)$/i.test(name))
      return this.#textFunction(name.toLowerCase());
    const list = /^(.+)\/any$/i.exec(name)?.[1];
    if (list !== undefined) return this.#any(list);
    const operator = this.#next().text.toLowerCase();
    if (operator === 'in') return this.#in(name);
    const test = COMPARE[operator];
    if (!test) throw invalid();
    const right = lower(this.#literal());
    return (entity) => test(lower(valueAt(entity, name)), right);
  }

  #textFunction(name: string): Test {
    this.#need('(');
    const property = this.#next().text;
    this.#need(',');
    const text = String(this.#literal()).toLowerCase();
    this.#need(')');
    return (entity) => {
      const value = toText(valueAt(entity, property)).toLowerCase();
      if (name === 'startswith') return value.startsWith(text);
      return name === 'contains' ? value.includes(text) : value.endsWith(text);
    };
  }

  /** `list/any(x:x eq 'text')` */
  #any(list: string): Test {
    this.#need('(');
    const [variable = '', rest = ''] = this.#next().text.split(':');
    if (rest !== variable && rest !== '') throw invalid();
    if (rest === '') this.#next();
    this.#need('eq');
    const wanted = lower(this.#literal());
    this.#need(')');
    return (entity) => {
      const values = valueAt(entity, list);
      return Array.isArray(values) && values.some((value) => lower(value) === wanted);
    };
  }

  #in(name: string): Test {
    this.#need('(');
    const values = [lower(this.#literal())];
    while (this.#takes(',')) values.push(lower(this.#literal()));
    this.#need(')');
    return (entity) => values.includes(lower(valueAt(entity, name)));
  }

  #literal(): unknown {
    const token = this.#next();
    if (token.kind === 'text') return token.text;
    if (token.text === 'true') return true;
    if (token.text === 'false') return false;
    if (token.text === 'null') return null;
    return /^-?\d+(\.\d+)?$/.test(token.text) ? Number(token.text) : token.text;
  }

  #next(): Token {
    const token = this.#tokens[this.#at];
    if (!token) throw invalid();
    this.#at += 1;
    return token;
  }

  #takes(text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'text' || token?.text.toLowerCase() !== text) return false;
    this.#at += 1;
    return true;
  }

  #need(text: string): void {
    if (!this.#takes(text)) throw invalid();
  }
}

/** Returns a property by its path; `list/$count` is the length of a list. */
function valueAt(entity: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = entity;
  for (const name of path.split('/')) {
    if (name === '$count') return Array.isArray(value) ? value.length : 0;
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }
  return value;
}

const invalid = () => badRequest('Invalid filter clause.');
