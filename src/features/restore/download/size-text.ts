import type { OutputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { formatBytes } from '#src/ui/format.ts';
import type { ChosenNodes } from '../task/draft.ts';
import { restoreDownloadMessages as t } from './messages.en.ts';

/**
 * How much a download holds. Sizes are of the items as Microsoft 365 has them: only that of a single
 * file is the size of what is downloaded. `countsAll`: a server counts no further than it has to.
 */
export function getSizeText(
  { items: count, bytes, isExact }: OutputOf<'getMailDownloadSize'>,
  { level, nodes }: Pick<ChosenNodes, 'level' | 'nodes'>,
  { countsAll }: { readonly countsAll: boolean },
): string {
  const size = formatBytes(bytes);
  if (isExact && level === 'items' && nodes.length === 1) return t.size({ count, size });
  if (!countsAll && !isExact && count > LIMITS.restorePlainItems)
    return t.many({ count: LIMITS.restorePlainItems });
  return bytes === 0 ? t.count({ count }) : t.about({ count, size });
}
