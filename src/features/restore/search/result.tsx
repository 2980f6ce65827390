import { formatList } from '#contract/i18n/list.ts';
import type { KeyboardEvent } from 'react';
import { IconButton } from '#src/ui/button.tsx';
import { formatBytes, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { stepEntries } from '#src/ui/step-entries.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { basketMessages } from '../basket/messages.en.ts';
import { splitPeople } from '../items/people.ts';
import { itemMessages } from '../items/messages.en.ts';
import { containerName, itemIcon } from '../labels.ts';
import type { FoundInSearch } from './view.tsx';
import { restoreSearchMessages as t } from './messages.en.ts';

/** A found item: what it is, where it was, and when it was seen. Opens it there; B puts it into the basket. */
export function SearchResult({
  item,
  href,
  zone,
  isInBasket,
  onBasket,
}: {
  readonly item: FoundInSearch;
  readonly href: string;
  readonly zone: string;
  readonly isInBasket: boolean;
  /** Adds it to the basket, or removes it; null: there is no basket. */
  readonly onBasket: (() => void) | null;
}) {
  const when = formatWhen(item.seen.last, zone);
  const title = item.name === '' ? itemMessages.noSubject : item.name;
  const people = formatList(
    splitPeople(item.people)
      .map(({ name }) => name)
      .slice(0, MAX_PEOPLE),
    'plain',
  );
  return (
    <li className="flex items-center border-b border-hair">
      <SectionLink
        href={href}
        data-entry={item.id}
        onKeyDown={(event) => {
          if (onBasket !== null && isBasketKey(event)) onBasket();
          else stepEntries(event);
        }}
        className="grid min-w-0 grow grid-cols-[16px_minmax(0,1fr)] gap-x-3 px-4 py-2 text-ink no-underline hover:bg-wash focus-visible:-outline-offset-2 desk:grid-cols-[16px_minmax(0,1fr)_auto] tablet:px-5"
      >
        <Icon name={itemIcon(item)} className="mt-0.5 text-ink-3" />
        <span className="grid min-w-0 gap-0.5">
          <span className="block min-w-0 truncate font-semibold">{title}</span>
          <span className="block min-w-0 truncate text-ink-2">
            {[people, item.at === null ? '' : formatWhen(item.at, zone)]
              .filter((part) => part !== '')
              .join(' · ')}
          </span>
          <span className="block min-w-0 truncate text-agate text-ink-3">
            {[containerName(item.object), ...item.path].join(' / ')}
          </span>
        </span>
        <span className="flex flex-wrap items-baseline gap-x-3 text-agate text-ink-2 max-desk:col-start-2 desk:grid desk:justify-items-end desk:gap-0.5">
          <span
            data-tip={formatUtc(item.seen.last)}
            className={`inline-flex items-center gap-1.5 ${item.deleted ? 'text-warning' : ''}`}
          >
            {item.deleted && <Icon name="trash" size={12} />}
            {item.deleted ? t.deletedSeen({ when }) : t.lastSeen({ when })}
          </span>
          <span data-tip={formatUtc(item.seen.first)} className="text-ink-3">
            {t.firstSeen({ when: formatWhen(item.seen.first, zone) })}
          </span>
          <span className="text-ink-3">
            {[
              item.isInText ? t.inText : '',
              item.sizeBytes === null ? '' : formatBytes(item.sizeBytes),
              item.versions > 1 ? t.versions({ count: item.versions }) : '',
            ]
              .filter((part) => part !== '')
              .join(' · ')}
          </span>
        </span>
      </SectionLink>
      {onBasket !== null && (
        <IconButton
          icon="basket"
          label={
            isInBasket
              ? basketMessages.removeFound({ name: title })
              : basketMessages.addFound({ name: title })
          }
          aria-pressed={isInBasket}
          className="mr-3 aria-pressed:bg-accent-wash aria-pressed:text-accent tablet:mr-4"
          onClick={onBasket}
        />
      )}
    </li>
  );
}

const isBasketKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'b' && !ctrlKey && !metaKey && !altKey;

const MAX_PEOPLE = 4;
