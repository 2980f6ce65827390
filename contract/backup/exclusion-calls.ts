import * as v from 'valibot';
import { call } from '../call.ts';
import { anyExclusionId, anyOrganizationId } from '../paging.ts';
import { directoryId, holdReason } from './legal-holds.ts';
import { idOut } from './suite-schema.ts';

const gate = 'o365.organizations';
const organizationId = anyOrganizationId;

/** How far the removal from a repository is. `locked`: hidden, and its Object Lock has not ended. */
export const REMOVAL_STATES = ['removing', 'locked', 'removed'] as const;

/**
 * Exclusions of people on request: nothing of theirs is backed up, and what backups have of them is
 * removed from all restore points. `objectId`: the person's id in the directory of the tenant.
 */
export const exclusionCalls = {
  listExclusions: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/exclusions',
    summary:
      'Lists the excluded people of an organization by name, with how far the removal is in each repository. `until`: when its locks end, in milliseconds.',
    input: v.strictObject({ organizationId }),
    output: v.array(
      v.object({
        _id: v.string(),
        objectId: v.string(),
        name: v.string(),
        reason: v.string(),
        excludedBy: v.nullable(v.string()),
        excludedAt: v.number(),
        endedAt: v.nullable(v.number()),
        repositories: v.array(
          v.object({
            repositoryId: v.string(),
            name: v.string(),
            state: v.picklist(REMOVAL_STATES),
            until: v.nullable(v.number()),
          }),
        ),
      }),
    ),
    gate,
    failures: ['not-found'],
  }),
  listPeopleToExclude: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/exclusions/people',
    summary:
      'Finds up to 50 people of an organization by name or address, also those who left and still have backups.',
    input: v.strictObject({
      organizationId,
      search: v.optional(v.pipe(v.string(), v.trim(), v.maxLength(200)), ''),
    }),
    output: v.array(v.object({ id: v.string(), name: v.string(), address: v.string() })),
    gate,
    failures: ['not-found'],
  }),
  excludePerson: call({
    method: 'POST',
    path: 'o365/organizations/{organizationId}/exclusions',
    summary:
      'Excludes a person: no job backs up their mailbox, archive and OneDrive, and all restore points lose them. It cannot be undone.',
    input: v.strictObject({ organizationId, objectId: directoryId, reason: holdReason }),
    output: idOut,
    gate,
    failures: ['bad-input', 'not-found', 'conflict', 'key-reused', 'out-of-order'],
  }),
  endExclusion: call({
    method: 'POST',
    path: 'o365/organizations/{organizationId}/exclusions/{exclusionId}/end',
    summary:
      'Ends an exclusion: the person is backed up again. What was removed does not come back.',
    input: v.strictObject({ organizationId, exclusionId: anyExclusionId, reason: holdReason }),
    output: v.object({}),
    gate,
    failures: ['bad-input', 'not-found', 'key-reused', 'out-of-order'],
  }),
} as const;
