import { AndFilter, Attribute, Change, EqualityFilter, OrFilter, ResultCodeError } from 'ldapts';
import { lineOfText } from '#contract/stored-text.ts';
import type { Client } from 'ldapts';
import type { AppContext } from '../../../platform/app-context.ts';
import { talk } from './connection.ts';
import type { Bound, Changed, Directory } from './directory.ts';
import type { DirectoryAt } from './get-directory.ts';

/** Never in the name of an account, so never in a question to the directory either. */
const NEVER_IN_NAMES = /["/\\[\]:;|=,+*?<>\p{Cc}]/u;
/** `data …` of a bind that was refused, in hexadecimal. Whatever else there is counts as wrong. */
const REFUSED: Readonly<Record<string, Exclude<Bound['is'], 'right' | 'unreachable'>>> = {
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
 * Active Directory, and Samba as one. Names and passwords go to it as they are typed; what it looks
 * for is built as a filter of values, never as text. `expired`: the password; an account that ran
 * out is `disabled`. `not-now`: at other hours, or from another computer.
 */
export function activeDirectory(
  world: AppContext,
  at: DirectoryAt,
  servicePassword: string,
): Directory {
  const asService = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    talk(world, at, async (client) => {
      await client.bind(at.serviceDn, servicePassword);
      return work(client);
    });
  const failed = (error: unknown): 'unreachable' => {
    world.log.warn('the directory could not be asked', {
      fault: error instanceof Error ? error.name : typeof error,
      code: codeOf(error),
    });
    return 'unreachable';
  };

  /**
   * Where names are none to a directory, but only its own long ones (OpenLDAP): the service account
   * finds the one of this account.
   */
  async function byDn(client: Client, username: string, password: string): Promise<Bound> {
    await client.bind(at.serviceDn, servicePassword);
    const account = await accountOf(client, at, username);
    if (!account) return { is: 'wrong' };
    const refused = await refusalOf(client, account.dn, password);
    return refused === null
      ? { is: 'right', ...account }
      : { is: refused === 'no-name' ? 'wrong' : refused };
  }

  /** Looks the account up as the service account, and changes it. */
  async function alter(
    username: string,
    changes: readonly Change[],
    refusal: (error: unknown) => Changed | null,
  ): Promise<Changed> {
    if (!isName(username)) return { is: 'unknown' };
    try {
      return await asService(async (client) => {
        const account = await accountOf(client, at, username);
        if (!account) return { is: 'unknown' };
        try {
          await client.modify(account.dn, [...changes]);
          return { is: 'done' };
        } catch (error) {
          return refusal(error) ?? Promise.reject(error);
        }
      });
    } catch (error) {
      return { is: failed(error) };
    }
  }

  return {
    async bind(username, password) {
      // An empty password asks for no proof at all: the directory would say yes.
      if (password === '' || !isName(username)) return { is: 'wrong' };
      try {
        return await talk(world, at, async (client): Promise<Bound> => {
          const refused = await refusalOf(client, principalOf(username, at), password);
          if (refused === 'no-name') return byDn(client, username, password);
          if (refused !== null) return { is: refused };
          const account = await accountOf(client, at, username);
          return account ? { is: 'right', ...account } : { is: 'wrong' };
        });
      } catch (error) {
        return { is: failed(error) };
      }
    },

    // Taking the old one away and adding the new one is the user's own change, which the directory
    // checks, whoever holds the connection: one whose password ran out or has to be changed could
    // not sign in for it.
    change: (username, current, next) =>
      alter(
        username,
        [
          change('delete', 'unicodePwd', quoted(current)),
          change('add', 'unicodePwd', quoted(next)),
        ],
        (error) => {
          const data = errorOf(error);
          if (data === 0x56) return { is: 'wrong' };
          if (data === 0x775) return { is: 'refused', says: 'The account is locked.' };
          return [CONSTRAINT, WILL_NOT_PERFORM, RIGHTS].includes(codeOf(error) ?? -1)
            ? { is: 'refused', says: wordsOf(error) }
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
          [CONSTRAINT, WILL_NOT_PERFORM].includes(codeOf(error) ?? -1)
            ? { is: 'refused', says: wordsOf(error) }
            : null,
      ),

    unlock: (username) => alter(username, [change('replace', 'lockoutTime', ZERO)], () => null),
  };
}

/**
 * Tries the service account; throws what is wrong. Answers how many accounts can be seen, up to a
 * few.
 */
export const tryDirectory = (
  world: AppContext,
  at: DirectoryAt,
  servicePassword: string,
): Promise<number> =>
  talk(world, at, async (client) => {
    await client.bind(at.serviceDn, servicePassword);
    const { searchEntries } = await client
      .search(at.baseDn, {
        scope: 'sub',
        filter: new EqualityFilter({ attribute: 'objectClass', value: 'user' }),
        attributes: ['cn'],
        sizeLimit: 5,
      })
      .catch((error: unknown) => {
        if (codeOf(error) === 4) return { searchEntries: ['more'] };
        throw error;
      });
    return searchEntries.length;
  });

/** The account of this name below the base; null where there is none, or more than one. */
async function accountOf(
  client: Client,
  at: DirectoryAt,
  username: string,
): Promise<Account | null> {
  const { searchEntries } = await client.search(at.baseDn, {
    scope: 'sub',
    filter: filterOf(at, username),
    attributes: ['displayName', 'cn', 'mail'],
    sizeLimit: 2,
  });
  const [entry, ...more] = searchEntries;
  return entry && more.length === 0
    ? {
        dn: entry.dn,
        name: textOf(entry['displayName']) ?? textOf(entry['cn']),
        email: textOf(entry['mail']),
      }
    : null;
}

/** What finds the account of a name. */
export function filterOf(at: DirectoryAt, username: string): AndFilter {
  const principal = principalOf(username, at);
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
 * Why a name and a password were refused; null where they are right. `no-name`: it takes no names
 * but its own.
 */
async function refusalOf(
  client: Client,
  name: string,
  password: string,
): Promise<Exclude<Bound['is'], 'right' | 'unreachable'> | 'no-name' | null> {
  try {
    await client.bind(name, password);
    return null;
  } catch (error) {
    if (codeOf(error) === INVALID_DN) return 'no-name';
    if (codeOf(error) !== INVALID_CREDENTIALS) throw error;
    return REFUSED[dataOf(error) ?? ''] ?? 'wrong';
  }
}

export const isName = (username: string): boolean =>
  username !== '' && !NEVER_IN_NAMES.test(username);
const principalOf = (username: string, { domain }: DirectoryAt): string =>
  username.includes('@') ? username : `${username}@${domain}`;
const change = (operation: 'add' | 'delete' | 'replace', type: string, value: Buffer): Change =>
  new Change({ operation, modification: new Attribute({ type, values: [value] }) });
/** As the directory takes passwords: in quotes, UTF-16. */
const quoted = (password: string): Buffer => Buffer.from(`"${password}"`, 'utf16le');

function textOf(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? lineOfText(first) : null;
}

export const codeOf = (error: unknown): number | null =>
  error instanceof ResultCodeError ? error.code : null;
const saidBy = (error: unknown): string => (error instanceof Error ? error.message : '');
const dataOf = (error: unknown): string | null =>
  /\bdata ([\da-f]{2,8})\b/i.exec(saidBy(error))?.[1]?.toLowerCase() ?? null;
/** The number at the beginning of what the directory says: `0000052D: …`. */
const errorOf = (error: unknown): number =>
  Number.parseInt(/^\s*([\da-f]{8}):/i.exec(saidBy(error))?.[1] ?? '0', 16);
/** Its sentence, without the number before it and what the library put behind it. */
const wordsOf = (error: unknown): string =>
  saidBy(error)
    .replace(/ ?Code: 0x[\da-f]+$/i, '')
    .replace(/^\s*[\da-f]{8}: */i, '')
    .trim()
    .slice(0, 300) || 'The directory refused the password.';
