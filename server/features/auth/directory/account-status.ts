import { EqualityFilter } from 'ldapts';
import type { Client, Entry } from 'ldapts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '../../../platform/app-context.ts';
import { codeOf, filterOf, isName } from './active-directory.ts';
import { talk } from './connection.ts';
import type { DirectoryAt } from './get-directory.ts';

/**
 * What a directory says of an account without its password. `disabled`: or it ran out. `gone`:
 * there is none of that name.
 */
export type AccountStatus = 'stands' | 'disabled' | 'gone';
/** How accounts stand, by their names as they were given. Null: that could not be told. */
export type Look = (
  usernames: readonly string[],
) => Promise<ReadonlyMap<string, AccountStatus> | null>;

/** Accounts that are looked up in one conversation, each with a question of its own. */
const AT_ONCE = 25;
/**
 * Parts of their own that every domain has, and names below its root: no user is in them. What else
 * is named is another domain.
 */
const NO_ACCOUNTS = /\/(?:CN=Configuration|DC=(?:Domain|Forest)DnsZones),[^/]*$/i;
const DISABLED = 2;
const SIZE_LIMIT = 4;
/** From 1601 to 1970; what is later than this is never. */
const SINCE_1601: Ms = 11_644_473_600_000;
const NEVER: Ms = 253_402_300_800_000;

/**
 * Looks accounts up as the service account. A directory in which no account is seen at all has said
 * nothing of who is gone: the place that is looked in, or the right to look, is not what it was.
 * What the service account may not read of an account counts for it.
 */
export const standingIn =
  (world: AppContext, at: DirectoryAt, servicePassword: string): Look =>
  async (usernames) => {
    const found = new Map<string, AccountStatus>();
    const names = usernames.filter(isName);
    try {
      for (let from = 0; from < names.length; from += AT_ONCE) {
        await talk(world, at, async (client) => {
          await client.bind(at.serviceDn, servicePassword);
          for (const name of names.slice(from, from + AT_ONCE))
            found.set(name, await standingOf(client, at, name, world.clock.now()));
          if ([...found.values()].every((one) => one === 'gone') && !(await seesAny(client, at)))
            throw new Error('no account is seen');
        });
      }
      return found;
    } catch (error) {
      world.log.warn('the directory could not be looked at', {
        fault: error instanceof Error ? error.name : typeof error,
        code: codeOf(error),
      });
      return null;
    }
  };

async function standingOf(
  client: Client,
  at: DirectoryAt,
  username: string,
  now: Ms,
): Promise<AccountStatus> {
  const { searchEntries, searchReferences } = await client.search(at.baseDn, {
    scope: 'sub',
    filter: filterOf(at, username),
    attributes: ['userAccountControl', 'accountExpires'],
    sizeLimit: 2,
  });
  const [entry, ...more] = searchEntries;
  // Perhaps elsewhere, or one of several: it is there.
  if (!entry) return searchReferences.every((one) => NO_ACCOUNTS.test(one)) ? 'gone' : 'stands';
  return more.length === 0 && isOver(entry, now) ? 'disabled' : 'stands';
}

function isOver(entry: Entry, now: Ms): boolean {
  const flags = numberIn(entry, 'userAccountControl') ?? 0;
  const expires = (numberIn(entry, 'accountExpires') ?? 0) / 10_000 - SINCE_1601;
  return (
    Math.floor(flags / DISABLED) % 2 === 1 ||
    (expires > -SINCE_1601 && expires < NEVER && expires <= now)
  );
}

function numberIn(entry: Entry, name: string): number | null {
  const value: unknown = entry[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && /^\d+$/.test(first) ? Number(first) : null;
}

const seesAny = (client: Client, at: DirectoryAt): Promise<boolean> =>
  client
    .search(at.baseDn, {
      scope: 'sub',
      filter: new EqualityFilter({ attribute: 'objectClass', value: 'user' }),
      attributes: ['cn'],
      sizeLimit: 1,
    })
    .then(
      ({ searchEntries }) => searchEntries.length > 0,
      (error: unknown) => {
        if (codeOf(error) === SIZE_LIMIT) return true;
        throw error;
      },
    );
