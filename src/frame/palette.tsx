import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions, Dialog, DialogBackdrop, DialogPanel, DialogTitle } from '@headlessui/react';
import { useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { can } from '#contract/abilities.ts';
import { door, useWatch } from '../door.ts';
import { useBranding, useMe } from '../session.ts';
import { setTheme } from '../theme.ts';
import { formatCount, plural } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { companyAddress, fixedLines, jobAddress, matching } from './palette-lines.ts';
import type { Line } from './palette-lines.ts';

const SHOWN = 6;

/** ⌘K: pages, named lists, actions, and every company, job and computer of this device, by a few letters of their names. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const router = useRouter();
  const me = useMe(), features = useBranding()?.features ?? null;
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const roles = me?.roles ?? [];
  const lists = can(roles, 'monitoring.daily-checks');
  const views = useWatch('views', NOTHING);
  const [ask, setAsk] = useState({ text: '', limit: SHOWN });
  const found = useWatch('find', ask);
  const named: readonly Line[] = (views ?? []).map((view) => ({
    key: `view ${view.id}`, group: 'Views', word: view.name, ...(view.shared && { detail: 'shared' }), icon: 'daily-checks',
    does: { is: 'open', to: `/monitoring/daily-checks?${view.query}` },
  }));
  const fixed = matching([...fixedLines(roles, features), ...(lists ? named : [])], typed);
  const here = lists && typed.trim() !== '' && found ? linesOf(found) : [];
  const lines = [...fixed, ...here];
  const more = here.length === 0 || !found ? 0 : found.jobs.count + found.companies.count + found.computers.count - here.length;

  const run = (line: Line | null): void => {
    if (line === null) return;
    onClose();
    switch (line.does.is) {
      case 'open': router.history.push(line.does.to); return;
      case 'theme': setTheme(line.does.theme); return;
      case 'sync': void door().syncNow();
    }
  };
  return (
    <Dialog open onClose={onClose} initialFocus={field} className="relative z-40">
      <DialogBackdrop className="fixed inset-0 bg-[#1f1d18]/40" />
      <div className="fixed inset-0 flex items-start justify-center p-3 phone:pt-[12vh]">
        <DialogPanel className="flex max-h-[min(560px,100%)] w-[600px] max-w-full flex-col overflow-hidden rounded-part border border-rule bg-sheet text-ink shadow-toast">
          <DialogTitle className="sr-only">Go to a page, a company or a job</DialogTitle>
          <Combobox<Line | null> value={null} onChange={run} immediate>
            <span className="flex h-12 shrink-0 items-center gap-3 border-b border-rule px-4">
              <Icon name="search" className="text-ink-3" />
              <ComboboxInput
                ref={field} aria-label="Pages, companies, jobs and actions" placeholder="Pages, companies, jobs and actions" autoComplete="off" spellCheck={false}
                className="h-full min-w-0 grow bg-transparent outline-none placeholder:text-ink-3 placeholder:opacity-100"
                onKeyDown={(event) => { if (event.key === 'Escape') onClose(); }} // the box alone would close its options first
                onChange={(event) => { setTyped(event.target.value); setAsk({ text: event.target.value.trim(), limit: SHOWN }); }}
              />
              <Kbd>Esc</Kbd>
            </span>
            <ComboboxOptions static className="m-0 min-h-0 grow list-none overflow-auto overscroll-contain p-0 py-1 outline-none">
              {lines.map((line, i) => (
                <ComboboxOption key={line.key} value={line} className="block">
                  {line.group !== lines[i - 1]?.group && <span aria-hidden className="block px-4 pt-2.5 pb-1 text-agate text-ink-3">{line.group}</span>}
                  <span className="flex h-8 cursor-pointer items-center gap-2.5 px-4 in-data-focus:bg-accent-wash pointer-coarse:h-11">
                    <Icon name={line.icon} className="text-ink-3" />
                    <span className="min-w-0 truncate" title={line.word}>{line.word}</span>
                    {line.detail !== undefined && <span className="min-w-0 shrink truncate text-agate text-ink-3">{line.detail}</span>}
                    {line.keys && <span className="ml-auto flex gap-1">{line.keys.map((key) => <Kbd key={key}>{key}</Kbd>)}</span>}
                  </span>
                </ComboboxOption>
              ))}
              {lines.length === 0 && <li className="px-4 py-3 text-ink-2">Nothing here is called “{typed.trim()}”.</li>}
              {more > 0 && <li className="px-4 py-1.5 text-agate text-ink-3">{formatCount(more)} more: type on</li>}
            </ComboboxOptions>
          </Combobox>
        </DialogPanel>
      </div>
    </Dialog>
  );
}

const NOTHING = {};

type Found = NonNullable<ReturnType<typeof useWatch<'find'>>>;
function linesOf({ companies, jobs, computers }: Found): Line[] {
  return [
    ...companies.rows.map(({ company, name, jobs: count }): Line => ({
      key: `company ${company}`, group: 'Companies', word: name, detail: plural(count, 'job'), icon: 'companies', does: { is: 'open', to: companyAddress(company) },
    })),
    ...jobs.rows.map(({ job, name, computer, companyName }): Line => ({
      key: `job ${job}`, group: 'Jobs', word: name, detail: [companyName, computer].filter((word) => word !== '').join(', '), icon: 'daily-checks',
      does: { is: 'open', to: jobAddress(job) },
    })),
    ...computers.rows.map(({ name, company, companyName }): Line => ({
      key: `computer ${company} ${name}`, group: 'Computers', word: name, detail: companyName, icon: 'computer',
      does: { is: 'open', to: `${companyAddress(company)}&q=${encodeURIComponent(name)}` },
    })),
  ];
}
