import type { Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { sourcesMark } from './last-sync.ts';

/** A provider's sources are checked once in this interval, however many streams are open. */
const LOOK_MS: Ms = 1_000;

export function watchSources({
  store,
  clock,
}: Pick<AppContext, 'store' | 'clock'>): (tenant: TenantId) => Promise<string> {
  const looks = new Map<TenantId, { readonly at: Ms; readonly mark: Promise<string> }>();
  return (tenant) => {
    const now = clock.now();
    const before = looks.get(tenant);
    if (before !== undefined && now >= before.at && now < before.at + LOOK_MS) return before.mark;
    const mark = store.tenant(tenant, sourcesMark, { readOnly: true });
    looks.set(tenant, { at: now, mark });
    mark.catch(() => {
      looks.delete(tenant);
    });
    return mark;
  };
}
