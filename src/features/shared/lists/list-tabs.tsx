import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import type { Ms } from '#contract/ids.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Tabs } from '#src/ui/tabs.tsx';
import type { ListKey } from './address.ts';
import { useComputersNow } from './computers-now.ts';
import { throughTab } from './tab-state.ts';
import { computersCount, disabledCount } from './rows.ts';
import { listMessages as t } from './messages.en.ts';

export interface ListsFrameProps {
  readonly me: Me;
  readonly now: Ms;
  readonly chosen: ListKey;
  /** Query of its address without `?`; its tab links back to it. */
  readonly query: string;
  /** Number of results in the list, if known. */
  readonly results: number | undefined;
  /** Text at the end of the tabs. Changes there do not move any row. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/**
 * The lists of the daily checks in tabs: results, disabled jobs, computers without a backup. It
 * fills the remaining height.
 */
export function ListsFrame({ me, now, chosen, query, results, aside, children }: ListsFrameProps) {
  const { history } = useRouter();
  const disabled = useWatch('disabled', EMPTY);
  const status = useWatch('status', EMPTY);
  const computers = useComputersNow(status?.kind === 'live');
  return (
    <div className="relative grid h-full grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]">
      <Tabs
        label={t.lists}
        className="bg-paper px-4 tablet:px-5"
        panelClassName="min-h-0 min-w-0"
        chosen={chosen}
        onChoose={(key) => history.push(throughTab(me.id, chosen, query, key))}
        tabs={[
          { key: 'results', label: t.results, count: results ?? null },
          {
            key: 'disabled',
            label: t.disabledJobs,
            count: disabled ? disabledCount(disabled, now) : null,
          },
          {
            key: 'computers',
            label: t.computersWithoutAJob,
            count: computers.rows ? computersCount(computers.rows, now) : null,
          },
        ]}
      >
        {children}
      </Tabs>
      {aside !== undefined && (
        <div className="absolute top-0 right-5 flex h-10 items-center gap-4 max-tablet:hidden pointer-coarse:h-11">
          {aside}
        </div>
      )}
    </div>
  );
}

const EMPTY = {};
