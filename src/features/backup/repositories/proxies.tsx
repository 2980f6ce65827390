import { formatList } from '#contract/i18n/list.ts';
import type { BackupProxyRow } from '#contract/backup/repositories.ts';
import { useNow } from '#src/app/clock.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { ListCell, SuiteList } from '../../shared/suite-list/suite-list.tsx';
import { StateText } from '../state-text.tsx';
import { getPools } from './pools.ts';
import { ProxyPanel } from './proxy-panel.tsx';
import { getProxyState } from './proxy-state.ts';
import { REPOSITORIES_PATH, RepositoryTabs } from './tabs.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** The processes that do the backups. */
export function ProxyList() {
  const rows = useWatch('backupProxies', EMPTY) ?? null;
  const { isLoaded, getHealth, again } = useProxyHealth(rows);
  const now = useNow(5_000);
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
        { label: t.work, className: 'w-[12%]' },
        { label: t.version, className: 'w-[14%] pr-5 max-desk:hidden' },
      ]}
      renderCells={(row) => (
        <>
          <ListCell>
            <StateText label={getProxyState(row, getHealth(row.id))} />
          </ListCell>
          <ListCell label={t.pool}>{row.pool ?? t.noPool}</ListCell>
          <ListCell label={t.work}>
            {!isLoaded ? '–' : t.workCount({ count: getHealth(row.id)?.work.length ?? 0 })}
          </ListCell>
          <ListCell className="max-desk:hidden tablet:pr-5">
            {getHealth(row.id)?.version ?? row.version}
          </ListCell>
        </>
      )}
      empty={{ icon: 'computer', title: t.noProxies, hint: t.noProxiesHint }}
      getPanelDetail={({ hostName }) => hostName}
      renderPanel={(row) => (
        <ProxyPanel row={row} health={getHealth(row.id)} now={now} onChanged={again} />
      )}
    />
  );
}

/** Proxies that share the work of a repository. */
export function PoolList() {
  const proxies = useWatch('backupProxies', EMPTY) ?? null;
  const { getHealth } = useProxyHealth(proxies);
  return (
    <SuiteList
      path={REPOSITORIES_PATH}
      title={t.title}
      searchLabel={t.searchPools}
      rows={proxies && getPools(proxies)}
      renderFrame={(list) => <RepositoryTabs chosen="pools">{list}</RepositoryTabs>}
      getSearchWords={(pool) => pool.proxies.map(({ name }) => name)}
      getDescription={(pool) =>
        formatList(
          pool.proxies.map(({ name }) => name),
          'plain',
        )
      }
      heads={[
        { label: t.pool, className: 'pl-5' },
        { label: t.proxies, className: 'w-[30%] pr-5' },
      ]}
      renderCells={(pool) => <ListCell>{t.proxyCount({ count: pool.proxies.length })}</ListCell>}
      empty={{ icon: 'computer', title: t.noPools, hint: t.noPoolsHint }}
      getPanelDetail={(pool) => t.proxyCount({ count: pool.proxies.length })}
      renderPanel={(pool) => (
        <ul className="m-0 min-h-0 list-none overflow-auto px-4 py-2 tablet:px-5">
          {pool.proxies.map(({ id, name, hostName, maintenance }) => (
            <li key={id} className="flex justify-between gap-3 border-b border-hair py-2">
              <span className="min-w-0 break-words">
                {name} <span className="text-ink-3">{hostName}</span>
              </span>
              <StateText label={getProxyState({ maintenance }, getHealth(id))} />
            </li>
          ))}
        </ul>
      )}
    />
  );
}

/** How the proxies are, as the server sees it. Asks again when their number has changed. */
function useProxyHealth(rows: readonly BackupProxyRow[] | null) {
  const { value, again } = useCachedQuery('listProxies', EMPTY, {
    everyMs: 5_000,
    round: rows?.length ?? 0,
  });
  const byId = new Map(value?.rows.map((one) => [one.id, one]));
  return { isLoaded: value !== null, getHealth: (id: string) => byId.get(id) ?? null, again };
}

const EMPTY = {};
