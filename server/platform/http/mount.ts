import type { Hono } from 'hono';
import { getCall, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { storable } from '#contract/stored-text.ts';

/** The base path of the API. */
export const API = '/api/v1';

export interface Mounted {
  readonly name: CallName;
  readonly method: string;
  readonly path: string;
  readonly params: readonly string[];
}

/**
 * Returns the routes of the calls, fixed segments before parameters. Throws if two calls share a
 * route.
 */
export function getAddresses(names: readonly CallName[]): readonly Mounted[] {
  const taken = new Map<string, CallName>();
  const all = names.map((name): Mounted => {
    const { method, path } = getCall(name);
    const address = `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
    const other = taken.get(address);
    if (other !== undefined)
      throw new Error(`Two calls at one address: ${other} and ${name} at ${method} ${path}.`);
    taken.set(address, name);
    return {
      name,
      method,
      path: `${API}/${path.replace(/\{(\w+)\}/g, ':$1')}`,
      params: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
    };
  });
  return all.toSorted((a, b) => (rank(a.path) < rank(b.path) ? -1 : 1));
}

/** Mounts the calls that have a handler, each also with a trailing slash. */
export function mountCalls(
  app: Hono,
  has: (name: CallName) => boolean,
  serve: (
    one: Mounted,
    params: Readonly<Record<string, string>>,
    context: Parameters<Parameters<Hono['on']>[2]>[0],
  ) => Promise<Response>,
): void {
  const names = (Object.keys(CALLS) as CallName[]).filter(has);
  for (const one of getAddresses(names)) {
    app.on(one.method, [one.path, `${one.path}/`], async (context) => {
      const params = Object.fromEntries(
        one.params.map((param) => [param, storable(context.req.param(param) ?? '')]),
      );
      return serve(one, params, context);
    });
  }
}

const rank = (path: string): string =>
  path
    .split('/')
    .map((part) => (part.startsWith(':') ? '~' : part))
    .join('/');
