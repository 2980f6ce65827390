import {
  Combobox,
  ComboboxInput,
  ComboboxOption,
  ComboboxOptions,
  Dialog,
  DialogBackdrop,
  DialogPanel,
  DialogTitle,
} from '@headlessui/react';
import { useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { can } from '#contract/abilities.ts';
import { LIMITS } from '#contract/limits.ts';
import { soughtIn } from '#contract/search/search.ts';
import { useNow } from '../../app/clock.ts';
import { client, useWatch } from '../../app/worker/worker-client.ts';
import { useBranding, useMe } from '../../app/session/session.ts';
import { addDays, dayAt } from '../shared/date-range/dates.ts';
import { setTheme } from '../../app/theme.ts';
import { Icon } from '../../ui/icon.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { STATES } from '../../ui/states.ts';
import { useReturnFocus } from '../../ui/use-return-focus.ts';
import { hasMore, lineOfResults, linesHere, linesThere } from './result-items.ts';
import { fixedLines, matching } from './palette-items.ts';
import type { PaletteLine } from './palette-items.ts';
import { useServerSearch } from './use-server-search.ts';
import type { ServerSearch } from './use-server-search.ts';
import { searchMessages as t } from './messages.en.ts';

const SHOWN = 6;
const MAX_CHARS = 200;

/**
 * ⌘K: pages, saved views, actions, and search by name. Items of this device appear at once, those
 * of the server below them.
 */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  useReturnFocus();
  const router = useRouter();
  const me = useMe();
  const branding = useBranding();
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const roles = me?.roles ?? [];
  const text = typed.trim().slice(0, MAX_CHARS);
  const sought = soughtIn(text);
  const lists = can(roles, 'monitoring.daily-checks');
  const views = useWatch('views', EMPTY);
  const [ask, setAsk] = useState({ text: '', limit: SHOWN });
  const found = useWatch('find', ask);
  const request = useServerSearch(text);
  const now = useNow(60_000);
  const rule = { zone: branding?.timeZone ?? 'UTC', hour: branding?.dayBeginsHour ?? 0 };
  const named: readonly PaletteLine[] = (views ?? []).map((view) => ({
    key: `view-${view.id}`,
    group: t.views,
    label: view.name,
    ...(view.shared && { detail: t.shared }),
    icon: 'daily-checks',
    does: { kind: 'open', to: `/monitoring/daily-checks?${view.query}` },
  }));
  const fixed = matching(
    [...fixedLines(roles, branding?.features ?? null), ...(lists ? named : [])],
    text,
  );
  const here = lists && text !== '' && found ? linesHere(found) : [];
  const known = new Set(here.map(({ key }) => key));
  const there =
    request.kind === 'found'
      ? linesThere(request.found, roles, rule, now).filter(({ key }) => !known.has(key))
      : [];
  const results =
    lists && request.kind !== 'none' && request.kind !== 'short'
      ? lineOfResults(sought, text, addDays(dayAt(now, rule), 1 - LIMITS.windowDays))
      : null;
  const lines = [...fixed, ...here, ...(results ? [results] : []), ...there];
  const hits = fixed.length + here.length + there.length;
  const more =
    here.length === 0 || !found
      ? 0
      : found.jobs.count + found.companies.count + found.computers.count - here.length;

  const run = (line: PaletteLine | null): void => {
    if (line === null) return;
    onClose();
    switch (line.does.kind) {
      case 'open':
        router.history.push(line.does.to);
        return;
      case 'theme':
        setTheme(line.does.theme);
        return;
      case 'sync':
        void client().syncNow();
    }
  };
  return (
    <Dialog open onClose={onClose} initialFocus={field} className="relative z-40">
      <DialogBackdrop className="fixed inset-0 bg-(--backdrop)" />
      <div className="fixed inset-0 flex items-start justify-center p-3 phone:pt-[12vh]">
        <DialogPanel className="flex max-h-[min(560px,100%)] w-[600px] max-w-full flex-col overflow-hidden rounded-part border border-rule bg-sheet text-ink shadow-toast">
          <DialogTitle className="sr-only">{t.title}</DialogTitle>
          <Combobox<PaletteLine | null> value={null} onChange={run} immediate>
            <span className="flex h-12 shrink-0 items-center gap-3 border-b border-rule px-4">
              <Icon name="search" className="text-ink-3" />
              <ComboboxInput
                ref={field}
                aria-label={t.label}
                placeholder={t.placeholder}
                autoComplete="off"
                spellCheck={false}
                maxLength={MAX_CHARS}
                className="h-full min-w-0 grow bg-transparent outline-none placeholder:text-ink-3 placeholder:opacity-100"
                onKeyDown={(event) => {
                  if (event.key === 'Escape') onClose();
                }} // otherwise the combobox would handle Escape and only close its options
                onChange={(event) => {
                  setTyped(event.target.value);
                  setAsk({ text: event.target.value.trim(), limit: SHOWN });
                }}
              />
              <Kbd>Esc</Kbd>
            </span>
            <ComboboxOptions
              static
              modal={false}
              className="m-0 min-h-0 grow list-none overflow-auto overscroll-contain p-0 py-1 outline-none"
            >
              {lines.map((line, i) => (
                <ComboboxOption key={line.key} value={line} className="block">
                  {line.group !== lines[i - 1]?.group && (
                    <span aria-hidden className="block px-4 pt-2.5 pb-1 text-agate text-ink-3">
                      {line.group}
                    </span>
                  )}
                  <span className="flex h-8 cursor-pointer items-center gap-2.5 px-4 in-data-focus:bg-accent-wash pointer-coarse:h-11">
                    {line.state ? (
                      <span
                        className={`inline-flex shrink-0 items-center gap-1.5 ${STATES[line.state].text}`}
                      >
                        <Icon name={line.icon} />
                        {STATES[line.state].label}
                      </span>
                    ) : (
                      <Icon name={line.icon} className="text-ink-3" />
                    )}
                    <span className="min-w-0 truncate" data-tip={line.label}>
                      {line.label}
                    </span>
                    <span className="sr-only">{line.group}</span>
                    {line.detail !== undefined && (
                      <span
                        className="min-w-0 shrink truncate text-agate text-ink-3"
                        data-tip={line.detail}
                      >
                        {line.detail}
                      </span>
                    )}
                    {line.keys && (
                      <span className="ml-auto flex gap-1">
                        {line.keys.map((key) => (
                          <Kbd key={key}>{key}</Kbd>
                        ))}
                      </span>
                    )}
                  </span>
                </ComboboxOption>
              ))}
            </ComboboxOptions>
            <Foot query={request} text={text} hits={hits} there={there.length} more={more} />
          </Combobox>
        </DialogPanel>
      </div>
    </Dialog>
  );
}

const EMPTY = {};

interface FootProps {
  readonly query: ServerSearch;
  readonly text: string;
  readonly hits: number;
  readonly there: number;
  readonly more: number;
}

/** SEEK-5: status of the search. Screen readers hear the result when typing pauses. */
function Foot({ query, text, hits, there, more }: FootProps) {
  const rest =
    more > 0
      ? t.moreOnDevice({ count: more })
      : query.kind === 'found' && hasMore(query.found)
        ? t.moreOnServer
        : '';
  const isEmpty = hits === 0;
  const counted =
    there > 0 ? t.foundWithServer({ count: hits, server: there }) : t.found({ count: hits });
  const words = ((): { readonly seen: string; readonly description: string } => {
    switch (query.kind) {
      case 'none':
        return { seen: '', description: '' };
      case 'short':
        return said(t.typeMore, counted);
      case 'waiting':
      case 'asking':
        return { seen: t.searching, description: '' };
      case 'offline':
        return said(isEmpty ? t.noMatchesOffline({ text }) : t.offline, counted);
      case 'failed':
        return said(isEmpty ? t.noMatchesServerFailed({ text }) : t.serverFailed, counted);
      case 'found':
        if (isEmpty) {
          const none = t.noMatches({ text });
          return { seen: none, description: none };
        }
        return rest === '' ? { seen: '', description: counted } : said(rest, counted);
    }
  })();
  return (
    <>
      {words.seen !== '' && (
        <p
          aria-hidden
          className="m-0 flex shrink-0 items-center gap-2 border-t border-hair px-4 py-2 text-agate text-ink-2"
        >
          {(query.kind === 'offline' || query.kind === 'failed') && (
            <Icon name={query.kind === 'offline' ? 'offline' : 'warning'} className="text-ink-3" />
          )}
          {words.seen}
        </p>
      )}
      <output aria-label={t.search} className="sr-only">
        {words.description}
      </output>
    </>
  );
}

const said = (
  seen: string,
  counted: string,
): { readonly seen: string; readonly description: string } => ({
  seen,
  description: t.spoken({ found: counted, note: seen }),
});
