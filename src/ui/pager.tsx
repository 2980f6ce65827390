import { formatCount } from './format.ts';
import { IconButton } from './button.tsx';
import { ChipSelect } from './chip-select.tsx';
import { uiMessages as t } from './messages.en.ts';

export interface PagerProps {
  /** Starts at 1. */
  readonly page: number;
  readonly size: number;
  /** Number of all rows. */
  readonly count: number;
  /** The count as text: `340 users`. */
  readonly total: string;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: number) => void;
}

export const PAGE_SIZES = [10, 25, 50, 100, 200] as const;
const LINKS = 5;

/** Returns up to five page numbers to link, with the current one in the middle if possible. */
export function pageLinks(page: number, pages: number): readonly number[] {
  const first = Math.max(1, Math.min(page - Math.floor(LINKS / 2), pages - LINKS + 1));
  return Array.from({ length: Math.min(LINKS, pages) }, (_, i) => first + i);
}

export const getPages = (count: number, size: number): number =>
  Math.max(1, Math.ceil(count / size));

/** `11 to 20 of 340 users`, five page links, and the page size. */
export function Pager({ page, size, count, total, onPage, onSize }: PagerProps) {
  const pages = getPages(count, size);
  const first = (page - 1) * size + 1;
  if (count === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 tablet:px-5">
      <span className="text-agate text-ink-3">
        {count <= size
          ? total
          : t.pageRange({
              first: formatCount(first),
              last: formatCount(Math.min(count, first + size - 1)),
              total,
            })}
      </span>
      {pages > 1 && (
        <nav aria-label={t.pages} className="flex flex-wrap items-center gap-0.5">
          <IconButton
            icon="chevron-left"
            label={t.previousPage}
            aria-disabled={page <= 1}
            onClick={() => {
              if (page > 1) onPage(page - 1);
            }}
          />
          {pageLinks(page, pages).map((n) => (
            <button
              key={n}
              type="button"
              aria-label={t.page({ page: formatCount(n) })}
              {...(n === page && { 'aria-current': 'page' })}
              onClick={() => onPage(n)}
              className="inline-flex h-7 min-w-7 items-center justify-center rounded-part border border-transparent px-1.5 text-ink-2 hover:bg-wash hover:text-ink
                aria-[current]:border-accent-line aria-[current]:bg-accent-wash aria-[current]:font-semibold aria-[current]:text-accent pointer-coarse:h-11 pointer-coarse:min-w-11"
            >
              {formatCount(n)}
            </button>
          ))}
          <IconButton
            icon="chevron-right"
            label={t.nextPage}
            aria-disabled={page >= pages}
            onClick={() => {
              if (page < pages) onPage(page + 1);
            }}
          />
        </nav>
      )}
      {count > PAGE_SIZES[0] && (
        <span className="ml-auto">
          <ChipSelect
            name={t.rowsPerPage}
            value={String(size)}
            options={PAGE_SIZES.map((n) => [String(n), t.perPage({ count: n })] as const)}
            onChoose={(value) => onSize(Number(value))}
          />
        </span>
      )}
    </div>
  );
}
