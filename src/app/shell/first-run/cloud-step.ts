/** The next thing to set up, and where. */
export interface CloudStep {
  readonly kind: 'organization' | 'job';
  readonly address: string;
}

/**
 * Returns the first step that a user of Microsoft 365 has not taken: an organization, filled in up to
 * the sign-in, then a job of the first organization. Null if there are both.
 */
export function getCloudStep(
  organizations: readonly { readonly id: string }[],
  jobs: readonly unknown[],
): CloudStep | null {
  const [first] = organizations;
  if (first === undefined)
    return { kind: 'organization', address: '/o365/organizations/new/5/modern?start' };
  return jobs.length === 0
    ? { kind: 'job', address: `/o365/jobs/1?organization=${first.id}` }
    : null;
}
