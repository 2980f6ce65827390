import * as v from 'valibot';
import { call } from '../call.ts';
import { anyOrganizationId, anyLegalHoldId } from '../paging.ts';
import { directoryId, HOLD_KINDS, holdReason } from './legal-holds.ts';
import { idOut } from './suite-schema.ts';

const gate = 'o365.organizations';
const organizationId = anyOrganizationId;

/**
 * Legal holds: while one is on a person, a site or a team, none of its backups is removed. `objectId`:
 * its id in the directory of the tenant. `until`: milliseconds; null: until it is released.
 */
export const legalHoldCalls = {
  listLegalHolds: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/legal-holds',
    summary:
      'Lists the legal holds of an organization that were not released, by name. `isActive` false: its end has passed.',
    input: v.strictObject({ organizationId }),
    output: v.array(
      v.object({
        _id: v.string(),
        kind: v.picklist(HOLD_KINDS),
        objectId: v.string(),
        name: v.string(),
        reason: v.string(),
        placedBy: v.nullable(v.string()),
        placedAt: v.number(),
        until: v.nullable(v.number()),
        isActive: v.boolean(),
      }),
    ),
    gate,
    failures: ['not-found'],
  }),
  placeLegalHold: call({
    method: 'POST',
    path: 'o365/organizations/{organizationId}/legal-holds',
    summary:
      'Places a legal hold: no retention, clean-up or deletion removes backups of the person, site or team.',
    input: v.strictObject({
      organizationId,
      kind: v.picklist(HOLD_KINDS),
      objectId: directoryId,
      reason: holdReason,
      until: v.optional(v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), null),
    }),
    output: idOut,
    gate,
    failures: ['bad-input', 'not-found', 'conflict', 'key-reused', 'out-of-order'],
  }),
  releaseLegalHold: call({
    method: 'POST',
    path: 'o365/organizations/{organizationId}/legal-holds/{holdId}/release',
    summary: 'Releases a legal hold: the next clean-up removes what is older than the retention.',
    input: v.strictObject({ organizationId, holdId: anyLegalHoldId, reason: holdReason }),
    output: v.object({}),
    gate,
    failures: ['bad-input', 'not-found', 'key-reused', 'out-of-order'],
  }),
} as const;
