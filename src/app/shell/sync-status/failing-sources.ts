import type { Ms } from '#contract/ids.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import { formatCount, plural } from '../../../ui/format.ts';

type Failure = LastSync['failed'][number];

/**
 * A key or a connection of which the last sync failed. `parts`: what of it failed, where it is read
 * part by part.
 */
export interface FailingSource extends Pick<Failure, 'kind' | 'id'> {
  readonly key: string;
  /** `Proxmox at Harbor Dental`; without a company where it is the whole provider's. */
  readonly name: string;
  /** When it failed last. */
  readonly at: Ms;
  readonly parts: readonly { readonly name: string | null; readonly message: string }[];
}

/** One for each source, the one that failed last first. */
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
      name: company === null ? name : `${name} at ${company}`,
      at: Math.max(before?.at ?? 0, at),
      parts: [...(before?.parts ?? []), part],
    });
  }
  return [...sources.values()].toSorted((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1));
}

export const failureCount = (sources: readonly FailingSource[]): string =>
  `${plural(sources.length, 'source')} failed to sync`;

/**
 * With the names, as far as a sentence bears them: `2 sources failed to sync: Proxmox at Harbor
 * Dental, restic`.
 */
export function failureSentence(sources: readonly FailingSource[]): string {
  const named = sources.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = sources.length - named.length;
  return `${failureCount(sources)}: ${named.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
}

/** Where a source is mended: its place on the page of its kind. */
export const mendAddress = ({ kind, id }: Pick<FailingSource, 'kind' | 'id'>): string =>
  `${kind === 'key' ? '/monitoring/sources' : '/monitoring/connections'}${id === null ? '' : `#${kind === 'key' ? 'source' : 'connection'}-${id}`}`;

const MOST_NAMES = 3;
