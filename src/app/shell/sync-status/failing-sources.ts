import { formatList } from '#contract/i18n/list.ts';
import type { Ms } from '#contract/ids.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import { formatCount } from '../../../ui/format.ts';
import { syncMessages as t } from '../sync.messages.en.ts';

type Failure = LastSync['failed'][number];

/**
 * An API key or a connection whose last sync failed. `parts`: which of its parts failed, if it is
 * read in parts.
 */
export interface FailingSource extends Pick<Failure, 'kind' | 'id'> {
  readonly key: string;
  /**
   * For example `Proxmox at Harbor Dental`; without a company if it belongs to the whole provider.
   */
  readonly name: string;
  /** Time of the last failure. */
  readonly at: Ms;
  readonly parts: readonly { readonly name: string | null; readonly message: string }[];
}

/** Returns one entry per source, the most recent failure first. */
export function failingSources(failed: LastSync['failed']): readonly FailingSource[] {
  const sources = new Map<string, FailingSource>();
  for (const { kind, id, name, company, entity, at, message } of failed) {
    const key = JSON.stringify([kind, id, name, company]);
    const before = sources.get(key);
    const part = { name: entity === name ? null : entity.replace(`${name}: `, ''), message };
    sources.set(key, {
      key,
      kind,
      id,
      name: company === null ? name : t.sourceAt({ source: name, company }),
      at: Math.max(before?.at ?? 0, at),
      parts: [...(before?.parts ?? []), part],
    });
  }
  return [...sources.values()].toSorted((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1));
}

export const failureCount = (sources: readonly FailingSource[]): string =>
  t.sourcesFailed({ count: sources.length });

/**
 * Returns a sentence with as many names as fit: `2 sources failed to sync: Proxmox at Harbor
 * Dental, restic`.
 */
export function failureSentence(sources: readonly FailingSource[]): string {
  const named = sources.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = sources.length - named.length;
  const names = formatList(named, 'plain');
  return t.sourcesFailedNames({
    failed: failureCount(sources),
    names: more > 0 ? t.andMore({ names, count: formatCount(more) }) : names,
  });
}

/** Returns the address where the source can be fixed. */
export const mendAddress = ({ kind, id }: Pick<FailingSource, 'kind' | 'id'>): string =>
  `${kind === 'key' ? '/monitoring/sources' : '/monitoring/connections'}${id === null ? '' : `#${kind === 'key' ? 'source' : 'connection'}-${id}`}`;

const MAX_NAMES = 3;
