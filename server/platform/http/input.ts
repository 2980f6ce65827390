import * as v from 'valibot';
import type { Call } from '#contract/call.ts';
import type { Issue } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { storable } from '#contract/stored-text.ts';
import type { Clock } from '../app-context.ts';
import { bad, readJson } from './body.ts';

const MOST_ISSUES = 20;

/** What was sent, and what it is by the call's schema. */
export interface Input {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly taken: unknown;
}

/**
 * Path parameters with the query (GET, DELETE) or the JSON body, checked by the call's schema.
 * Failures name places, never values.
 */
export async function readInput(
  call: Call,
  request: Request,
  params: Readonly<Record<string, string>>,
  clock: Clock,
): Promise<Result<Input>> {
  const query = readQuery(new URL(request.url).searchParams);
  if (!query.ok) return query;
  const inQuery = call.method === 'GET' || call.method === 'DELETE';
  if (!inQuery && Object.keys(query.value).length > 0)
    return failed(bad('', 'This call takes no query.'));
  const sent = inQuery ? query : await readBody(call, request, clock);
  if (!sent.ok) return sent;
  const other = otherId(sent.value, params);
  if (other !== undefined)
    return failed(bad(other, 'Must equal the value in the address, or be left out.'));
  const rest = Object.entries(sent.value).filter(
    ([name]) => name !== '_id' || params['id'] === undefined,
  );
  const raw = { ...Object.fromEntries(rest), ...params };
  const parsed = v.safeParse(call.input, raw);
  if (parsed.success) return ok({ raw, taken: parsed.output });
  return failed({
    kind: 'bad-input',
    message: MESSAGES.badInput,
    issues: parsed.issues.slice(0, MOST_ISSUES).map(issueOf),
  });
}

/**
 * The field that names another row than the address (HTTP-24): a row that was fetched may be sent
 * back with its own `id` or `_id`.
 */
function otherId(
  sent: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, string>>,
): string | undefined {
  const repeatable = { ...params, ...(params['id'] !== undefined && { _id: params['id'] }) };
  return Object.entries(repeatable).find(([name, value]) => {
    const again = Object.hasOwn(sent, name) ? sent[name] : value;
    return (typeof again !== 'string' && typeof again !== 'number') || String(again) !== value;
  })?.[0];
}

/** Of a stranger less is read, and not for long. */
const readBody = ({ gate }: Call, request: Request, clock: Clock): ReturnType<typeof readJson> =>
  gate === 'public'
    ? readJson(request, LIMITS.publicBodyBytes, { clock, ms: LIMITS.publicBodyMs })
    : readJson(request, LIMITS.bodyBytes);

function readQuery(query: URLSearchParams): Result<Record<string, unknown>> {
  const seen = new Map<string, string>();
  for (const [rawName, rawValue] of query) {
    const name = storable(rawName);
    const value = storable(rawValue);
    if (seen.has(name)) return failed(bad(nameable(name), 'Given more than once.'));
    if (name === '__proto__' || name === 'constructor' || name === 'prototype')
      return failed(bad('', 'A field has a name that is not allowed.'));
    seen.set(name, value);
  }
  return ok(Object.fromEntries(seen));
}

/** valibot's own sentences repeat the value that was sent; these say what was expected. */
function issueOf(issue: v.BaseIssue<unknown>): Issue {
  const path = (issue.path ?? []).map(({ key }) => nameable(String(key))).join('.');
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return { path, message: 'Unknown field.' };
  if (issue.received === 'undefined') return { path, message: 'Missing.' };
  return {
    path,
    message: issue.expected === null ? 'Not valid.' : `Expected ${issue.expected.slice(0, 200)}.`,
  };
}

const nameable = (key: string): string => (/^[\w-]{1,64}$/.test(key) ? key : '?');
