import type { BackupProxyRow, ProxyChoice } from '#contract/backup/repositories.ts';
import { getPools } from './pools.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

export const ANY_PROXY = 'any';

/** The choice as the value of an option, and back. */
export const writeChoice = (choice: ProxyChoice): string =>
  choice === null ? ANY_PROXY : `${choice.kind} ${choice.id}`;

export function readChoice(value: string): ProxyChoice {
  if (value === ANY_PROXY) return null;
  const [kind = '', ...id] = value.split(' ');
  return { kind: kind === 'pool' ? 'pool' : 'proxy', id: id.join(' ') };
}

/** `chosen` is offered even if it is gone. */
export function listProxyOptions(
  proxies: readonly BackupProxyRow[],
  chosen: string,
): readonly { readonly value: string; readonly label: string }[] {
  const choices: readonly ProxyChoice[] = [
    null,
    ...getPools(proxies).map(({ id }) => ({ kind: 'pool', id }) as const),
    ...proxies.map(({ id }) => ({ kind: 'proxy', id }) as const),
  ];
  const known = new Set(choices.map(writeChoice));
  return [...choices, ...(known.has(chosen) ? [] : [readChoice(chosen)])].map((choice) => ({
    value: writeChoice(choice),
    label: describeChoice(choice, proxies),
  }));
}

/** Which proxies work for a repository, in words. */
export function describeChoice(choice: ProxyChoice, proxies: readonly BackupProxyRow[]): string {
  if (choice === null) return t.anyProxy;
  if (choice.kind === 'pool') return t.onePool({ name: choice.id });
  const proxy = proxies.find(({ id }) => id === choice.id);
  return proxy === undefined ? t.goneProxy : t.oneProxy({ name: proxy.name });
}
