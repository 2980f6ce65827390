import * as v from 'valibot';
import type { Call } from '#contract/call.ts';
import type { Issue } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { storable } from '#contract/stored-text.ts';
import type { Clock } from '../app-context.ts';
import { toInputFailure, readBodyJson } from './body.ts';
import { getExpectedWords } from './expected-words.ts';
import { requestMessages as t } from './request.messages.en.ts';

const MAX_ISSUES = 20;

/** The input as sent, and as parsed by the call's schema. */
export interface RequestInput {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly taken: unknown;
}

/**
 * Reads path parameters with the query (GET, DELETE) or the JSON body, and checks them by the
 * call's schema. Failures name fields, never values.
 */
export async function readInput(
  call: Call,
  request: Request,
  params: Readonly<Record<string, string>>,
  clock: Clock,
): Promise<Result<RequestInput>> {
  const query = readQuery(new URL(request.url).searchParams);
  if (!query.ok) return query;
  const inQuery = call.method === 'GET' || call.method === 'DELETE';
  if (!inQuery && Object.keys(query.value).length > 0) return failed(toInputFailure('', t.noQuery));
  const sent = inQuery ? query : await readBody(call, request, clock);
  if (!sent.ok) return sent;
  const other = otherId(sent.value, params);
  if (other !== undefined) return failed(toInputFailure(other, t.notThePath));
  const rest = Object.entries(sent.value).filter(
    ([name]) => name !== '_id' || params['id'] === undefined,
  );
  const raw = { ...Object.fromEntries(rest), ...params };
  const parsed = v.safeParse(call.input, raw);
  if (parsed.success) return ok({ raw, taken: parsed.output });
  return failed({
    kind: 'bad-input',
    message: MESSAGES.badInput,
    issues: parsed.issues.slice(0, MAX_ISSUES).map(toIssue),
  });
}

/**
 * Returns the field that names another row than the path (HTTP-24). A client may send back a
 * fetched row with its own `id` or `_id`.
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

/** Unknown callers get smaller limits on size and time. */
const readBody = (
  { gate, bodyBytes }: Call,
  request: Request,
  clock: Clock,
): ReturnType<typeof readBodyJson> =>
  gate === 'public'
    ? readBodyJson(request, LIMITS.publicBodyBytes, { clock, ms: LIMITS.publicBodyMs })
    : readBodyJson(request, bodyBytes ?? LIMITS.bodyBytes);

function readQuery(query: URLSearchParams): Result<Record<string, unknown>> {
  const seen = new Map<string, string>();
  for (const [rawName, rawValue] of query) {
    const name = storable(rawName);
    const value = storable(rawValue);
    if (seen.has(name)) return failed(toInputFailure(nameable(name), t.twice));
    if (name === '__proto__' || name === 'constructor' || name === 'prototype')
      return failed(toInputFailure('', t.fieldName));
    seen.set(name, value);
  }
  return ok(Object.fromEntries(seen));
}

/** Says what was expected at a field. A schema's own message may be a whole sentence. */
function toIssue(issue: v.BaseIssue<unknown>): Issue {
  const path = (issue.path ?? []).map(({ key }) => nameable(String(key))).join('.');
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return { path, message: t.unknownField };
  if (issue.received === 'undefined') return { path, message: t.missing };
  const what = getExpectedWords(issue);
  if (what === null) return { path, message: t.notValid };
  return { path, message: what.endsWith('.') ? what : t.expected({ what }) };
}

const nameable = (key: string): string => (/^[\w-]{1,64}$/.test(key) ? key : '?');
