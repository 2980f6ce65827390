import { MESSAGES } from '#contract/messages.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { stepEntries } from '#src/ui/step-entries.ts';
import type { SearchQuery } from '../queries/use-search-query.ts';
import { listMessages as t } from './messages.en.ts';

export interface SortHeadProps<S extends string> {
  readonly label: string;
  readonly by: S;
  readonly sort: S | `-${S}`;
  readonly className?: string;
  readonly onSort: (sort: S | `-${S}`) => void;
}

/** A sortable column header; pressing it again reverses the order. */
export function SortHead<S extends string>({
  label,
  by,
  sort,
  className = '',
  onSort,
}: SortHeadProps<S>) {
  const up = sort === by;
  const down = sort === `-${by}`;
  return (
    <th
      scope="col"
      aria-sort={up ? 'ascending' : down ? 'descending' : 'none'}
      className={`font-normal ${className}`}
    >
      <button
        type="button"
        className={`inline-flex h-9 items-center gap-1 hover:text-ink ${up || down ? 'font-semibold text-ink' : ''}`}
        onClick={() => onSort(up ? `-${by}` : by)}
      >
        {label}
        {(up || down) && <Icon name={up ? 'chevron-down' : 'chevron-up'} size={12} />}
      </button>
    </th>
  );
}

/** The name of an entry; it opens the entry. Up and Down, J and K move between entries. */
export function OpenName({
  id,
  name,
  below,
  open,
  onOpen,
}: {
  readonly id: string;
  readonly name: string;
  readonly below: string;
  readonly open: boolean;
  readonly onOpen: () => void;
}) {
  return (
    <button
      type="button"
      data-entry={id}
      aria-expanded={open}
      className="flex w-full min-w-0 flex-col justify-center rounded-part py-1 text-left pointer-coarse:min-h-11"
      onClick={onOpen}
      onKeyDown={stepEntries}
    >
      <span className="block max-w-full break-words font-semibold">{name}</span>
      {below !== '' && (
        <span className="block max-w-full break-words text-agate font-normal text-ink-3">
          {below}
        </span>
      )}
    </button>
  );
}

/** Moves the focus to the entry that was open, or to the page header. */
export const focusEntry = (id: string | null): void => {
  requestAnimationFrame(() =>
    (
      document.querySelector<HTMLElement>(
        id === null ? '#content' : `[data-entry="${CSS.escape(id)}"]`,
      ) ?? document.querySelector<HTMLElement>('#content')
    )?.focus(),
  );
};

export interface ListStateProps {
  readonly query: SearchQuery<unknown>;
  readonly offline: boolean;
  readonly zone: string;
  /** Message while offline if the device stores nothing of the list. */
  readonly unavailableText: string;
  /** Message for parts that require a connection if the device stores the list. */
  readonly needs: string;
}

/** Status above a list: offline, failed, or loading for the first time. */
export function ListState({
  query: { value, at, failure, isLoading, again },
  offline,
  zone,
  unavailableText,
  needs,
}: ListStateProps) {
  const failureText = failure === null ? null : getFailureText(failure);
  return (
    <>
      {offline && (
        <div className="px-4 py-3 tablet:px-5">
          <Callout tone="warning">
            {value === null
              ? `${unavailableText} ${MESSAGES.needsNetwork}`
              : `${at === null ? '' : `${t.listFrom({ time: formatWhen(at, zone) })} `}${needs}`}
          </Callout>
        </div>
      )}
      {!offline && failureText !== null && (
        <div className="px-4 py-3 tablet:px-5">
          <RetryCallout failure={failure} onRetry={again}>
            {failureText}
          </RetryCallout>
        </div>
      )}
      {value === null && failure === null && isLoading && !offline && (
        <DelayedFallback>
          <PageLoading />
        </DelayedFallback>
      )}
    </>
  );
}
