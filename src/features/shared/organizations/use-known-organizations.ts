import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';

/**
 * Returns the organizations of this device. Null until they are known: before the first load, an
 * empty list doesn't mean that there are none.
 */
export function useKnownOrganizations(): readonly OrganizationRow[] | null {
  const organizations = useWatch('organizations', EMPTY) ?? null;
  const status = useWatch('status', EMPTY);
  const isLoading = status === undefined || status.kind === 'catching-up';
  return organizations?.length === 0 && isLoading ? null : organizations;
}

const EMPTY = {};
