import { AndFilter, Attribute, Change, EqualityFilter, OrFilter, ResultCodeError } from 'ldapts';
import { lineOfText } from '#contract/stored-text.ts';
import type { Client } from 'ldapts';
import type { AppContext } from '../../../platform/app-context.ts';
import { talk } from './connection.ts';
import type { Bound, Changed, UserDirectory } from './directory.ts';
import type { DirectoryAt } from './get-directory.ts';
import { authMessages as t } from '../messages.en.ts';

/** Characters that account names cannot contain, so no query contains them. */
const NEVER_IN_NAMES = /["/\\[\]:;|=,+*?<>\p{Cc}]/u;
/** The hexadecimal `data …` code of a refused bind. Any other code counts as a wrong password. */
const REFUSED: Readonly<Record<string, Exclude<Bound['kind'], 'right' | 'unreachable'>>> = {
  775: 'locked',
  533: 'disabled',
  701: 'disabled',
  530: 'not-now',
  531: 'not-now',
  773: 'must-change',
  532: 'expired',
};
const INVALID_DN = 34;
const INVALID_CREDENTIALS = 49;
const CONSTRAINT = 19;
const WILL_NOT_PERFORM = 53;
const RIGHTS = 50;
const ZERO = Buffer.from('0');

interface Account {
  readonly dn: string;
  readonly name: string | null;
  readonly email: string | null;
}

/**
 * Active Directory, and Samba acting as one. User names and passwords are sent as typed. Search
 * filters are built from values, never from text. `expired` is about the password; an expired
 * account is `disabled`. `not-now` means outside the logon hours or from another computer.
 */
export function activeDirectory(
  context: AppContext,
  at: DirectoryAt,
  servicePassword: string,
): UserDirectory {
  const asService = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    talk(context, at, async (client) => {
      await client.bind(at.serviceDn, servicePassword);
      return work(client);
    });
  const failed = (error: unknown): 'unreachable' => {
    context.log.warn('the directory could not be asked', {
      error: error instanceof Error ? error.name : typeof error,
      code: getCode(error),
    });
    return 'unreachable';
  };

  /**
   * For directories that accept only distinguished names (OpenLDAP): the service account finds the
   * account's DN first.
   */
  async function byDn(client: Client, username: string, password: string): Promise<Bound> {
    await client.bind(at.serviceDn, servicePassword);
    const account = await loadAccount(client, at, username);
    if (!account) return { kind: 'wrong' };
    const refused = await loadRefusal(client, account.dn, password);
    return refused === null
      ? { kind: 'right', ...account }
      : { kind: refused === 'no-name' ? 'wrong' : refused };
  }

  /** Looks up the account as the service account, and modifies it. */
  async function alter(
    username: string,
    changes: readonly Change[],
    refusal: (error: unknown) => Changed | null,
  ): Promise<Changed> {
    if (!isName(username)) return { kind: 'unknown' };
    try {
      return await asService(async (client) => {
        const account = await loadAccount(client, at, username);
        if (!account) return { kind: 'unknown' };
        try {
          await client.modify(account.dn, [...changes]);
          return { kind: 'done' };
        } catch (error) {
          return refusal(error) ?? Promise.reject(error);
        }
      });
    } catch (error) {
      return { kind: failed(error) };
    }
  }

  return {
    async bind(username, password) {
      // A bind with an empty password is unauthenticated, and the directory would accept it.
      if (password === '' || !isName(username)) return { kind: 'wrong' };
      try {
        return await talk(context, at, async (client): Promise<Bound> => {
          const refused = await loadRefusal(client, getPrincipal(username, at), password);
          if (refused === 'no-name') return byDn(client, username, password);
          if (refused !== null) return { kind: refused };
          const account = await loadAccount(client, at, username);
          return account ? { kind: 'right', ...account } : { kind: 'wrong' };
        });
      } catch (error) {
        return { kind: failed(error) };
      }
    },

    // Deleting the old password and adding the new one is a password change by the user, which the
    // directory verifies on any connection. A user whose password has expired or must be changed
    // could not bind to do it.
    change: (username, current, next) =>
      alter(
        username,
        [
          change('delete', 'unicodePwd', quoted(current)),
          change('add', 'unicodePwd', quoted(next)),
        ],
        (error) => {
          const data = getError(error);
          if (data === 0x56) return { kind: 'wrong' };
          if (data === 0x775) return { kind: 'refused', message: t.directoryLocked };
          return [CONSTRAINT, WILL_NOT_PERFORM, RIGHTS].includes(getCode(error) ?? -1)
            ? { kind: 'refused', message: getWords(error) }
            : null;
        },
      ),

    reset: (username, next, mustChange) =>
      alter(
        username,
        [
          change('replace', 'unicodePwd', quoted(next)),
          ...(mustChange ? [change('replace', 'pwdLastSet', ZERO)] : []),
        ],
        (error) =>
          [CONSTRAINT, WILL_NOT_PERFORM].includes(getCode(error) ?? -1)
            ? { kind: 'refused', message: getWords(error) }
            : null,
      ),

    unlock: (username) => alter(username, [change('replace', 'lockoutTime', ZERO)], () => null),
  };
}

/**
 * Signs in as the service account and returns how many accounts are visible, at most a few. Throws
 * the error of a failed connection, bind or search.
 */
export const tryDirectory = (
  context: AppContext,
  at: DirectoryAt,
  servicePassword: string,
): Promise<number> =>
  talk(context, at, async (client) => {
    await client.bind(at.serviceDn, servicePassword);
    const { searchEntries } = await client
      .search(at.baseDn, {
        scope: 'sub',
        filter: new EqualityFilter({ attribute: 'objectClass', value: 'user' }),
        attributes: ['cn'],
        sizeLimit: 5,
      })
      .catch((error: unknown) => {
        if (getCode(error) === 4) return { searchEntries: ['more'] };
        throw error;
      });
    return searchEntries.length;
  });

/** Returns the account of this name below the base DN; null if there is none or more than one. */
async function loadAccount(
  client: Client,
  at: DirectoryAt,
  username: string,
): Promise<Account | null> {
  const { searchEntries } = await client.search(at.baseDn, {
    scope: 'sub',
    filter: buildLdapFilter(at, username),
    attributes: ['displayName', 'cn', 'mail'],
    sizeLimit: 2,
  });
  const [entry, ...more] = searchEntries;
  return entry && more.length === 0
    ? {
        dn: entry.dn,
        name: getText(entry['displayName']) ?? getText(entry['cn']),
        email: getText(entry['mail']),
      }
    : null;
}

/** Returns the search filter for a user name. */
export function buildLdapFilter(at: DirectoryAt, username: string): AndFilter {
  const principal = getPrincipal(username, at);
  const own = `@${at.domain}`.toLowerCase();
  const byName = principal.toLowerCase().endsWith(own)
    ? [new EqualityFilter({ attribute: 'sAMAccountName', value: principal.slice(0, -own.length) })]
    : [];
  return new AndFilter({
    filters: [
      new EqualityFilter({ attribute: 'objectClass', value: 'user' }),
      new OrFilter({
        filters: [
          new EqualityFilter({ attribute: 'userPrincipalName', value: principal }),
          ...byName,
        ],
      }),
    ],
  });
}

/**
 * Returns why the name and password were refused; null if they are correct. `no-name`: the
 * directory accepts only distinguished names.
 */
async function loadRefusal(
  client: Client,
  name: string,
  password: string,
): Promise<Exclude<Bound['kind'], 'right' | 'unreachable'> | 'no-name' | null> {
  try {
    await client.bind(name, password);
    return null;
  } catch (error) {
    if (getCode(error) === INVALID_DN) return 'no-name';
    if (getCode(error) !== INVALID_CREDENTIALS) throw error;
    return REFUSED[getData(error) ?? ''] ?? 'wrong';
  }
}

export const isName = (username: string): boolean =>
  username !== '' && !NEVER_IN_NAMES.test(username);
const getPrincipal = (username: string, { domain }: DirectoryAt): string =>
  username.includes('@') ? username : `${username}@${domain}`;
const change = (operation: 'add' | 'delete' | 'replace', type: string, value: Buffer): Change =>
  new Change({ operation, modification: new Attribute({ type, values: [value] }) });
/** Encodes a password as Active Directory expects it: quoted, in UTF-16. */
const quoted = (password: string): Buffer => Buffer.from(`"${password}"`, 'utf16le');

function getText(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? lineOfText(first) : null;
}

export const getCode = (error: unknown): number | null =>
  error instanceof ResultCodeError ? error.code : null;
const saidBy = (error: unknown): string => (error instanceof Error ? error.message : '');
const getData = (error: unknown): string | null =>
  /\bdata ([\da-f]{2,8})\b/i.exec(saidBy(error))?.[1]?.toLowerCase() ?? null;
/** Returns the number at the start of the directory's message: `0000052D: …`. */
const getError = (error: unknown): number =>
  Number.parseInt(/^\s*([\da-f]{8}):/i.exec(saidBy(error))?.[1] ?? '0', 16);
/**
 * Returns the directory's message without the leading number and the suffix that the library adds.
 */
const getWords = (error: unknown): string =>
  saidBy(error)
    .replace(/ ?Code: 0x[\da-f]+$/i, '')
    .replace(/^\s*[\da-f]{8}: */i, '')
    .trim()
    .slice(0, 300) || t.directoryRefused;
