import type { ReactNode } from 'react';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Tabs } from '#src/ui/tabs.tsx';
import { useListPlace } from '../../shared/suite-list/suite-list.tsx';
import { getPools } from './pools.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

export const REPOSITORIES_PATH = '/o365/repositories';

/** The tabs of the page: repositories, and the proxies and pools that work for them. */
export function RepositoryTabs({
  chosen,
  children,
}: {
  readonly chosen: 'repositories' | 'imports' | 'proxies' | 'pools';
  readonly children: ReactNode;
}) {
  const { go } = useListPlace(REPOSITORIES_PATH);
  const repositories = useWatch('backupRepositories', EMPTY);
  const proxies = useWatch('backupProxies', EMPTY);
  return (
    <Tabs
      label={t.lists}
      className="bg-paper px-4 tablet:px-5"
      panelClassName="flex min-w-0 grow flex-col"
      chosen={chosen}
      onChoose={(tab) => go({ tab: tab === 'repositories' ? null : tab, text: '', open: null })}
      tabs={[
        { key: 'repositories', label: t.repositories, count: repositories?.length ?? null },
        { key: 'imports', label: t.imports },
        { key: 'proxies', label: t.proxies, count: proxies?.length ?? null },
        { key: 'pools', label: t.pools, count: proxies ? getPools(proxies).length : null },
      ]}
    >
      {children}
    </Tabs>
  );
}

const EMPTY = {};
