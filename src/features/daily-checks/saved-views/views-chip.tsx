import { Popover, PopoverButton, PopoverPanel } from '@headlessui/react';
import { useState } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Icon } from '#src/ui/icon.tsx';
import { splitViews, getViewState, getViewStateText } from './views.ts';
import { ViewsMenu } from './views-menu.tsx';
import { savedViewsMessages as t } from './messages.en.ts';

export interface ViewsChipProps {
  readonly me: Me;
  /** The current list: `viewQueryOf(list)`. */
  readonly query: string;
  /** Opens a view: `listOfView(query)`. `at`: the event's `timeStamp`. */
  readonly onOpen: (query: string, at: number) => void;
}

/**
 * Saved views: the user's own and shared ones. It depends on Headless UI: import it from lazy parts
 * only.
 */
export function ViewsChip({ me, query, onOpen }: ViewsChipProps) {
  const views = useWatch('views', EMPTY);
  const [opened, setOpened] = useState<string | null>(null);
  const status = getViewState(views ?? [], query, opened);
  return (
    <Popover className="inline-flex max-tablet:shrink-0 tablet:@max-[990px]/tools:shrink-0 tablet:@min-[990px]/tools:min-w-24 tablet:@min-[990px]/tools:shrink-[8]">
      <PopoverButton
        {...(query === '' && status.view === null && { 'data-rest': '' })}
        className="group/chip inline-flex h-7 min-w-0 items-center gap-1.5 rounded-part border border-rule bg-sheet px-2 whitespace-nowrap hover:bg-wash
          tablet:@max-[660px]/tools:px-1.5 pointer-coarse:h-11 pointer-coarse:px-3"
      >
        <span className="text-ink-3 max-tablet:sr-only tablet:@max-[990px]/tools:group-not-data-rest/chip:sr-only">
          {t.view}
        </span>
        <span
          className="max-w-44 truncate tablet:@max-[990px]/tools:max-w-28 tablet:@max-[990px]/tools:group-data-rest/chip:sr-only"
          data-tip={status.view?.name ?? getViewStateText(status, query)}
        >
          {getViewStateText(status, query)}
        </span>
        <Icon
          name="chevron-down"
          className="text-ink-3 tablet:@max-[560px]/tools:group-data-rest/chip:hidden"
        />
      </PopoverButton>
      <PopoverPanel
        {...OWN_KEYS}
        anchor={{ to: 'bottom start', gap: 4, padding: 8 }}
        focus
        className="z-30 flex max-h-[70vh] w-80 animate-menu max-w-[calc(100vw-16px)] flex-col overflow-auto rounded-part border border-rule bg-sheet text-ink shadow-toast outline-none"
      >
        {({ close }) => (
          <ViewsMenu
            me={me}
            groups={splitViews(views ?? [], me.id)}
            query={query}
            viewState={status}
            onOpen={(id, next, at) => {
              setOpened(id);
              onOpen(next, at);
              close();
            }}
            onSaved={(id) => {
              setOpened(id);
              close();
            }}
          />
        )}
      </PopoverPanel>
    </Popover>
  );
}

const EMPTY = {};
/** The list's one-letter shortcuts ignore dialogs. */
const OWN_KEYS = { 'role': 'dialog', 'aria-label': t.views } as const;
