import { useEffect, useState, useSyncExternalStore } from 'react';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { Select } from '#src/ui/select.tsx';
import { CallEntry } from './call.tsx';
import { found } from './parse-openapi.ts';
import type { CallGroup } from './parse-openapi.ts';
import { useDescription } from './use-openapi.ts';
import { Guide } from './guide.tsx';
import { apiMessages as t } from './messages.en.ts';

const SHOWN = [
  { value: 'programs', label: t.forApiKeys },
  { value: 'all', label: t.all },
] as const;

/** `/monitoring/api`: the reference of all API calls, for developers. */
export function Api() {
  const { groups, failed, offline, again } = useDescription();
  const [words, setWords] = useState('');
  return (
    <Page
      title={t.title}
      search={<SearchField label={t.search} value={words} onChange={setWords} focusKey="/" />}
    >
      <div className="grid min-h-full grid-cols-[minmax(0,1fr)] content-start gap-6 bg-sheet px-4 py-5 tablet:px-5">
        {words === '' && <Guide />}
        {groups !== null ? (
          <Calls groups={groups} search={words} onClear={() => setWords('')} />
        ) : offline ? (
          <div className="max-w-[740px]">
            <Callout tone="warning">{t.needsNetwork}</Callout>
          </div>
        ) : failed ? (
          <div className="max-w-[740px]">
            <RetryCallout failure={null} onRetry={again}>
              {t.loadFailed}
            </RetryCallout>
          </div>
        ) : (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        )}
      </div>
    </Page>
  );
}

function Calls({
  groups,
  search,
  onClear,
}: {
  readonly groups: readonly CallGroup[];
  readonly search: string;
  readonly onClear: () => void;
}) {
  const request = useHash();
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [chosen, setChosen] = useState<'programs' | 'all' | null>(null);
  // A link to a call shows it even if API keys do not make it.
  const programs = found(groups, '', false);
  const linked = groups.flatMap(({ calls }) => calls).find(({ id }) => id === request);
  const shown =
    chosen ??
    (linked !== undefined && !programs.some(({ calls }) => calls.includes(linked))
      ? 'all'
      : 'programs');
  const some = found(groups, search, shown === 'all');
  const count = some.reduce((sum, { calls }) => sum + calls.length, 0);
  const isOpen = (id: string): boolean => opened.get(id) ?? id === request;
  useEffect(() => {
    if (linked === undefined) return;
    const line = document.getElementById(linked.id);
    line?.scrollIntoView({ block: 'start' });
    line?.querySelector('button')?.focus({ preventScroll: true });
  }, [linked]);

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 border-t-2 border-head-rule pt-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="m-0 text-head">{t.calls}</h2>
        <Select label={t.show} value={shown} options={SHOWN} onChange={setChosen} />
        <output className="grow text-ink-3">
          {search === '' ? t.callCount({ count }) : t.matchCount({ count, search })}
        </output>
      </div>
      {some.length === 0 && (
        <div className="grid justify-items-start gap-3 py-6">
          <p className="m-0">
            {(shown === 'all' ? t.noMatches : t.noMatchesForApiKeys)({ search })}
          </p>
          <div className="flex flex-wrap gap-2">
            <Button onClick={onClear}>{ui.clearSearch}</Button>
            {shown !== 'all' && <Button onClick={() => setChosen('all')}>{t.searchAll}</Button>}
          </div>
        </div>
      )}
      {search === '' && (
        <nav aria-label={t.groups} className="flex flex-wrap gap-x-4 gap-y-1">
          {some.map(({ name, title }) => (
            <a
              key={name}
              href={`#${getAnchor(name)}`}
              className="inline-flex min-h-6 items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
            >
              {title}
            </a>
          ))}
        </nav>
      )}
      {some.map(({ name, title, description, calls }) => (
        <section
          key={name}
          id={getAnchor(name)}
          aria-label={title}
          className="grid scroll-mt-2 grid-cols-[minmax(0,1fr)] gap-1 pt-3"
        >
          <h2 className="m-0 text-body font-semibold">{title}</h2>
          <p className="m-0 pb-1 text-ink-2">{description}</p>
          <ul className="m-0 list-none border-t border-rule p-0">
            {calls.map((call) => (
              <CallEntry
                key={call.id}
                call={call}
                open={isOpen(call.id)}
                onToggle={() => setOpened(new Map([...opened, [call.id, !isOpen(call.id)]]))}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const getAnchor = (name: string): string => `group-${name.toLowerCase().replaceAll(' ', '-')}`;
const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash.slice(1));
const subscribe = (listener: () => void): (() => void) => {
  addEventListener('hashchange', listener);
  return () => {
    removeEventListener('hashchange', listener);
  };
};
