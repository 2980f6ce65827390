import { useZone } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { formatDate } from '#src/ui/format.ts';
import { Cell, Facts, SuiteList } from '../../shared/suite-list/suite-list.tsx';
import { StateText } from '../state-text.tsx';
import { getPools } from './pools.ts';
import { REPOSITORIES_PATH, RepositoryTabs } from './tabs.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** The processes that do the backups. */
export function ProxyList() {
  const rows = useWatch('backupProxies', EMPTY) ?? null;
  const zone = useZone();
  return (
    <SuiteList
      path={REPOSITORIES_PATH}
      title={t.title}
      searchLabel={t.searchProxies}
      rows={rows}
      renderFrame={(list) => <RepositoryTabs chosen="proxies">{list}</RepositoryTabs>}
      getSearchWords={({ hostName, pool }) => [hostName, pool ?? '']}
      getDescription={({ hostName }) => hostName}
      heads={[
        { label: t.proxy, className: 'pl-5' },
        { label: t.state, className: 'w-[22%]' },
        { label: t.pool, className: 'w-[22%]' },
        { label: t.version, className: 'w-[16%] pr-5 max-desk:hidden' },
      ]}
      renderCells={({ maintenance, pool, version }) => (
        <>
          <Cell>
            <StateText label={maintenance ? MAINTENANCE : AVAILABLE} />
          </Cell>
          <Cell label={t.pool}>{pool ?? t.noPool}</Cell>
          <Cell className="max-desk:hidden tablet:pr-5">{version}</Cell>
        </>
      )}
      empty={{ icon: 'computer', title: t.noProxies, hint: t.noProxiesHint }}
      getPanelDetail={({ hostName }) => hostName}
      renderPanel={({ maintenance, pool, version, hostName, joinedAt }) => (
        <div className="min-h-0 overflow-auto px-4 pb-6 tablet:px-5">
          <Facts
            facts={[
              [t.state, <StateText key="state" label={maintenance ? MAINTENANCE : AVAILABLE} />],
              [t.pool, pool ?? t.noPool],
              [t.host, hostName],
              [t.version, version],
              [t.joined, formatDate(joinedAt, zone)],
            ]}
          />
        </div>
      )}
    />
  );
}

/** Proxies that share the work of a repository. */
export function PoolList() {
  const proxies = useWatch('backupProxies', EMPTY) ?? null;
  return (
    <SuiteList
      path={REPOSITORIES_PATH}
      title={t.title}
      searchLabel={t.searchPools}
      rows={proxies && getPools(proxies)}
      renderFrame={(list) => <RepositoryTabs chosen="pools">{list}</RepositoryTabs>}
      getSearchWords={(pool) => pool.proxies.map(({ name }) => name)}
      getDescription={(pool) => pool.proxies.map(({ name }) => name).join(', ')}
      heads={[
        { label: t.pool, className: 'pl-5' },
        { label: t.proxies, className: 'w-[30%] pr-5' },
      ]}
      renderCells={(pool) => <Cell>{t.proxyCount({ count: pool.proxies.length })}</Cell>}
      empty={{ icon: 'computer', title: t.noPools, hint: t.noPoolsHint }}
      getPanelDetail={(pool) => t.proxyCount({ count: pool.proxies.length })}
      renderPanel={(pool) => (
        <ul className="m-0 min-h-0 list-none overflow-auto px-4 py-2 tablet:px-5">
          {pool.proxies.map(({ id, name, hostName, maintenance }) => (
            <li key={id} className="flex justify-between gap-3 border-b border-hair py-2">
              <span className="min-w-0 break-words">
                {name} <span className="text-ink-3">{hostName}</span>
              </span>
              <StateText label={maintenance ? MAINTENANCE : AVAILABLE} />
            </li>
          ))}
        </ul>
      )}
    />
  );
}

const AVAILABLE = {
  get label() {
    return t.available;
  },
  icon: 'success',
  text: 'text-success',
} as const;
const MAINTENANCE = {
  get label() {
    return t.maintenance;
  },
  icon: 'warning',
  text: 'text-warning',
} as const;
const EMPTY = {};
