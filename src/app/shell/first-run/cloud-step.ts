import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';

/** The next thing to set up, and where. */
export interface CloudStep {
  readonly kind: 'organization' | 'job';
  readonly address: string;
}

/**
 * Returns the first step that a user of Microsoft 365 has not taken: an organization, filled in up to
 * the sign-in, then a job of the first organization that has no server of its own. Null if there are both.
 */
export function getCloudStep(
  organizations: readonly Pick<OrganizationRow, 'id' | 'engine'>[],
  jobs: readonly unknown[],
): CloudStep | null {
  const [first] = organizations;
  if (first === undefined)
    return { kind: 'organization', address: '/o365/organizations/new/5/modern?start' };
  const own = organizations.find(isBackedUpHere);
  return own !== undefined && jobs.length === 0
    ? { kind: 'job', address: `/o365/jobs/1?organization=${own.id}` }
    : null;
}
