import { EqualityFilter } from 'ldapts';
import type { Client, Entry } from 'ldapts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '../../../platform/app-context.ts';
import { getCode, buildLdapFilter, isName } from './active-directory.ts';
import { talk } from './connection.ts';
import type { DirectoryAt } from './get-directory.ts';

/**
 * An account's status in the directory, read without its password. `disabled` includes expired
 * accounts. `gone` means that there is no account of that name.
 */
export type AccountStatus = 'stands' | 'disabled' | 'gone';
/** Returns the status of accounts by user name; null if the directory could not be read. */
export type StatusLookup = (
  usernames: readonly string[],
) => Promise<ReadonlyMap<string, AccountStatus> | null>;

/** Accounts that are looked up over one connection, with one query each. */
const BATCH_SIZE = 25;
/** Partitions of every domain that contain no users. Any other referral leads to another domain. */
const NO_ACCOUNTS = /\/(?:CN=Configuration|DC=(?:Domain|Forest)DnsZones),[^/]*$/i;
const DISABLED = 2;
const SIZE_LIMIT = 4;
/**
 * Windows file time counts from 1601. Dates after `NEVER` mean that the account does not expire.
 */
const SINCE_1601: Ms = 11_644_473_600_000;
const NEVER: Ms = 253_402_300_800_000;

/**
 * Returns a lookup that uses the service account. If no account at all is visible, the base DN or
 * the read permission has changed, so the lookup returns null rather than reporting accounts as
 * gone. Attributes that the service account cannot read do not disable an account.
 */
export const readAccountStatuses =
  (context: AppContext, at: DirectoryAt, servicePassword: string): StatusLookup =>
  async (usernames) => {
    const found = new Map<string, AccountStatus>();
    const names = usernames.filter(isName);
    try {
      for (let from = 0; from < names.length; from += BATCH_SIZE) {
        await talk(context, at, async (client) => {
          await client.bind(at.serviceDn, servicePassword);
          for (const name of names.slice(from, from + BATCH_SIZE))
            found.set(name, await readAccountStatus(client, at, name, context.clock.now()));
          if ([...found.values()].every((one) => one === 'gone') && !(await seesAny(client, at)))
            throw new Error('no account is seen');
        });
      }
      return found;
    } catch (error) {
      context.log.warn('the directory could not be looked at', {
        error: error instanceof Error ? error.name : typeof error,
        code: getCode(error),
      });
      return null;
    }
  };

async function readAccountStatus(
  client: Client,
  at: DirectoryAt,
  username: string,
  now: Ms,
): Promise<AccountStatus> {
  const { searchEntries, searchReferences } = await client.search(at.baseDn, {
    scope: 'sub',
    filter: buildLdapFilter(at, username),
    attributes: ['userAccountControl', 'accountExpires'],
    sizeLimit: 2,
  });
  const [entry, ...more] = searchEntries;
  // A referral or an ambiguous match can still be the account, so it counts as active.
  if (!entry) return searchReferences.every((one) => NO_ACCOUNTS.test(one)) ? 'gone' : 'stands';
  return more.length === 0 && isOver(entry, now) ? 'disabled' : 'stands';
}

function isOver(entry: Entry, now: Ms): boolean {
  const flags = numberIn(entry, 'userAccountControl') ?? 0;
  const expires = (numberIn(entry, 'accountExpires') ?? 0) / 10_000 - SINCE_1601;
  return (
    Math.floor(flags / DISABLED) % 2 === 1 ||
    (expires + SINCE_1601 > 0 && expires < NEVER && expires <= now)
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
        if (getCode(error) === SIZE_LIMIT) return true;
        throw error;
      },
    );
