import * as v from 'valibot';
import type { OutboundError } from '../../platform/outbound/address.ts';
import { parseStorable } from '#contract/stored-text.ts';

/**
 * Sends an outbound request. It is a parameter so that tests can replace it. Throws if the address
 * cannot be reached or is not allowed.
 */
export type Ask = (
  url: string,
  headers: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }>;

interface VacCompany {
  readonly id: string;
  readonly name: string;
}

const Page = v.object({
  meta: v.optional(
    v.object({ pagingInfo: v.optional(v.object({ total: v.optional(v.number()) })) }),
  ),
  data: v.array(
    v.object({
      instanceUid: v.pipe(v.string(), v.maxLength(200)),
      name: v.pipe(v.string(), v.maxLength(500)),
    }),
  ),
});
const PER_PAGE = 500;
const MAX_PAGES = 40;

/**
 * Returns the companies of Veeam Service Provider Console by its REST API v3. It reads all pages
 * and returns each company once, because rows can move between pages. Returns null if the request
 * fails or the response does not match. The key is never part of the URL.
 */
export async function vacCompanies(
  base: string,
  key: string,
  ask: Ask,
): Promise<readonly VacCompany[] | null> {
  const found = new Map<string, VacCompany>();
  const root = base.replace(/\/+$/, '').replace(/\/api\/v3$/, '');
  for (let page = 0, offset = 0; page < MAX_PAGES; page += 1) {
    const answer = await ask(
      `${root}/api/v3/organizations/companies?limit=${PER_PAGE}&offset=${offset}`,
      { authorization: `Bearer ${key}`, accept: 'application/json' },
    ).catch((error: unknown): null => {
      if (isOutside(error)) return null;
      throw error;
    });
    const read = answer?.status === 200 ? pageIn(answer.text) : null;
    if (read === null) return null;
    for (const { instanceUid, name } of read.data)
      found.set(instanceUid, { id: instanceUid, name });
    // A server can return fewer rows than requested, so the list ends only at its total or at an
    // empty page.
    offset += read.data.length;
    if (
      read.data.length === 0 ||
      offset >= (read.meta?.pagingInfo?.total ?? (read.data.length < PER_PAGE ? offset : Infinity))
    )
      break;
  }
  return [...found.values()];
}

/** A network error, not a bug. */
const isOutside = (error: unknown): error is OutboundError =>
  error instanceof Error && error.name === 'OutboundError';

function pageIn(text: string): v.InferOutput<typeof Page> | null {
  try {
    const read = v.safeParse(Page, parseStorable(text));
    return read.success ? read.output : null;
  } catch {
    return null;
  }
}
