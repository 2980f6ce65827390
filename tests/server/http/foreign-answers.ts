import { isDeepStrictEqual } from 'node:util';
import { type CallName, getCall } from '#contract/calls.ts';
import type { collectStatements } from '../db/statements.ts';
import type { Office } from '../sync/fixtures.ts';
import { getAddress, getMissingId } from './foreign-fixtures.ts';

export type Address = ReturnType<typeof getAddress>;
type Asker = Awaited<ReturnType<Office['as']>>;

/**
 * Returns what differs between the refusals of two requests: the answers, or the statements that ran
 * for them. An answer's time would tell them apart, too, but depends on the machine. Each is asked
 * once before, because rows that were just written are cached.
 */
export async function compareAnswers(
  statements: ReturnType<typeof collectStatements>,
  asker: Asker,
  name: string,
  foreign: Address,
  absent: Address,
): Promise<string[]> {
  const ask = async ({ method, path, body }: Address) => {
    statements.takeRecent();
    const { status, text } = await asker(method, path, body);
    return { status, text, ran: statements.takeRecent() };
  };
  await ask(foreign);
  await ask(absent);
  const [one, other] = [await ask(foreign), await ask(absent)];
  return isDeepStrictEqual(one, other) ? [] : [`${name}: ${JSON.stringify([one, other], null, 1)}`];
}

/** The same ID in every place of a path that takes one. */
export const getPathIds = (id: string): object => ({
  id,
  jobInstanceUid: id,
  veeamId: id,
  organizationId: id,
  siteId: id,
  jobId: id,
  sessionId: id,
  restoreSessionId: id,
  mailboxId: 'o1',
  onedriveId: 'o1',
  itemId: 'i1.1',
  taskId: id,
  opRoleId: id,
  day: id,
});

export interface Readable {
  readonly name: CallName;
  readonly id: string;
}

/** Each call that reads one thing, with those of the IDs under which `owner` finds it. */
export async function listReadable(
  owner: Asker,
  names: readonly CallName[],
  ids: readonly string[],
): Promise<Readable[]> {
  const found: Readable[] = [];
  for (const name of names) {
    const { method, path } = getCall(name);
    if (method !== 'GET' || !path.includes('{')) continue;
    for (const id of new Set(ids)) {
      const { status } = await owner('GET', getAddress(name, getPathIds(id)).path);
      if (status === 200) found.push({ name, id });
    }
  }
  return found;
}

/** As `compareAnswers`, for those of these that the asker may not read, and IDs that don't exist. */
export async function compareReads(
  statements: ReturnType<typeof collectStatements>,
  asker: Asker,
  readable: readonly Readable[],
): Promise<string[]> {
  const differing: string[] = [];
  for (const { name, id } of readable) {
    const foreign = getAddress(name, getPathIds(id));
    const absent = getAddress(name, getPathIds(getMissingId(id)));
    const { status } = await asker('GET', foreign.path);
    if (status === 403 || status === 404)
      differing.push(
        ...(await compareAnswers(statements, asker, `${name} ${id}`, foreign, absent)),
      );
  }
  return differing;
}
