import { formatList } from '#contract/i18n/list.ts';
import type { Ms } from '#contract/ids.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatAge, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { OpenName, SortHead } from '../shared/lists/list-parts.tsx';
import { getId } from '../shared/ids.ts';
import type { UserSort } from './address.ts';
import { companiesWords, FACTOR_WORDS, rolesWords, getUserState } from './labels.ts';
import { userMessages as t } from './messages.en.ts';

export interface UserListProps {
  readonly rows: readonly UserListed[];
  readonly open: string | null;
  readonly sort: UserSort;
  readonly zone: string;
  readonly now: Ms;
  readonly busy: boolean;
  /** The side panel is open, so only the first columns fit. */
  readonly narrow: boolean;
  readonly onSort: (sort: UserSort) => void;
  readonly onOpen: (id: string) => void;
}

/** A row per user on wide screens, a card on a phone. */
export function UserList({
  rows,
  open,
  sort,
  zone,
  now,
  busy,
  narrow,
  onSort,
  onOpen,
}: UserListProps) {
  const wide = narrow ? 'hidden' : 'hidden desk:table-cell';
  return (
    <EntryTable
      busy={busy}
      heads={
        <>
          <SortHead label={t.user} by="username" sort={sort} onSort={onSort} className="pl-5" />
          <SortHead
            label={t.email}
            by="email"
            sort={sort}
            onSort={onSort}
            className={`w-[20%] ${wide}`}
          />
          <TableHead className={narrow ? 'w-[18%]' : 'w-[18%] desk:w-[15%]'}>{t.roles}</TableHead>
          <TableHead className={`w-[11%] ${wide}`}>{t.companies}</TableHead>
          <TableHead className={`w-[72px] ${wide}`}>{t.accounts}</TableHead>
          <TableHead className={`w-26 ${wide}`}>{t.twoFactorColumn}</TableHead>
          <SortHead
            label={t.lastSignIn}
            by="lastSignIn"
            sort={sort}
            onSort={onSort}
            className="w-26 pr-3"
          />
          <TableHead className="w-[140px] pr-5">{t.status}</TableHead>
        </>
      }
    >
      {rows.map((user) => {
        const state = getUserState(user);
        const companies = companiesWords(user.companies);
        const roles = rolesWords(user.acl);
        return (
          <tr
            key={getId(user)}
            className={`grid cursor-pointer grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-12 tablet:p-0 ${open === getId(user) ? 'bg-accent-wash' : 'hover:bg-wash'} ${user.deleted ? 'text-ink-3' : ''}`}
            onClick={(event) => {
              if (!(event.target instanceof Element && event.target.closest('button')))
                onOpen(getId(user));
            }}
          >
            <td className="col-start-1 row-span-2 row-start-1 min-w-0 tablet:pr-3 tablet:pl-5">
              <OpenName
                id={getId(user)}
                name={user.name}
                below={user.username}
                open={open === getId(user)}
                onOpen={() => onOpen(getId(user))}
              />
            </td>
            <td className={`${wide} min-w-0 py-1 pr-3 break-words text-ink-2`}>
              {user.email ?? '–'}
              {user.email !== null && !user.emailVerified && (
                <span className="block text-agate text-warning">{t.notConfirmed}</span>
              )}
            </td>
            <td className="col-start-1 min-w-0 text-ink-2 tablet:py-1 tablet:pr-3">
              <span className="line-clamp-2 break-words" data-tip={roles}>
                {roles}
              </span>
            </td>
            <td className={`${wide} min-w-0 truncate pr-3 text-ink-2`} data-tip={companies}>
              {companies}
            </td>
            <td
              className={`${wide} text-ink-2`}
              data-tip={formatList(
                user.accounts.map(({ accountId }) => accountId),
                'plain',
              )}
            >
              {user.accounts.length === 0 ? '–' : user.accounts.length}
            </td>
            <td className={`${wide} pr-3 text-ink-2`}>{FACTOR_WORDS[user.secondFactor]}</td>
            <td className="col-start-2 row-start-1 text-right whitespace-nowrap text-ink-2 tablet:text-left">
              {user.lastSignIn === null ? (
                <span className="text-ink-3">{t.never}</span>
              ) : (
                <time
                  data-tip={`${formatWhen(user.lastSignIn, zone)}, ${formatUtc(user.lastSignIn)}`}
                >
                  {formatAge(user.lastSignIn, now)}
                </time>
              )}
            </td>
            <td
              className={`col-start-2 row-start-2 justify-self-end whitespace-nowrap tablet:pr-5 tablet:whitespace-normal ${state.text}`}
            >
              <span className="inline-flex items-center gap-1.5 align-middle">
                <Icon name={state.icon} />
                {state.label}
              </span>
            </td>
          </tr>
        );
      })}
    </EntryTable>
  );
}
