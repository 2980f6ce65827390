import type { BackupProxyRow } from '#contract/backup/repositories.ts';

/** Proxies that share work. Its name is its id. */
export interface Pool {
  readonly id: string;
  readonly name: string;
  readonly proxies: readonly BackupProxyRow[];
}

/** Returns the pools of these proxies, by name. */
export function getPools(proxies: readonly BackupProxyRow[]): readonly Pool[] {
  const pools = new Map<string, BackupProxyRow[]>();
  for (const proxy of proxies)
    if (proxy.pool !== null) pools.set(proxy.pool, [...(pools.get(proxy.pool) ?? []), proxy]);
  return [...pools]
    .map(([name, members]) => ({ id: name, name, proxies: members }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}
