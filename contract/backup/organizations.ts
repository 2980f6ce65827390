import * as v from 'valibot';
import type { AuthType, EngineKind, Region } from '../engine/engine.ts';
import { storedIdSchema, uuidSchema } from '../id-schema.ts';
import type { OrganizationId } from '../ids.ts';
import type { RowOf } from '../row.ts';
import { nameText } from '../text-schema.ts';
import { ExclusionSchema } from './exclusions.ts';
import { LegalHoldSchema } from './legal-holds.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

/** The clouds that Microsoft runs separately. */
export const REGIONS = [
  'Worldwide',
  'USGovernmentGCCHigh',
  'USGovernmentDoD',
  'China',
] as const satisfies readonly Region[];
export const AUTH_TYPES = [
  'basic',
  'modernLegacy',
  'modern',
] as const satisfies readonly AuthType[];
const ENGINE_KINDS = ['embedded', 'vb365'] as const satisfies readonly EngineKind[];

const id = uuidSchema<OrganizationId>();
const uuid = v.pipe(v.string(), v.uuid());
const companyN = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const ms = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Which workloads of the tenant are backed up. Teams chats are the posts of channels. */
export const SERVICES = {
  isExchangeOnline: v.boolean(),
  isSharePointOnline: v.boolean(),
  isTeamsOnline: v.boolean(),
  isTeamsChatsOnline: v.boolean(),
};

/** SHA-1 of the certificate in hexadecimal, and when it expires. */
const certificate = v.strictObject({
  thumbprint: v.pipe(
    v.string(),
    v.regex(/^[\da-f]{40}$/i, () => schemaMessages.thumbprint),
  ),
  expiresAt: ms,
});

/**
 * A Microsoft 365 tenant, without its credentials. `officeName`: its domain at Microsoft.
 * `directoryId`: its id there. `certificate`: of the application that reads it, if it signs in with
 * one. `missingPermissions`: that the services need and the application lacks.
 * `isCertificateMissing`: an administrator of the tenant has to add the certificate to it. Both absent:
 * nothing is missing.
 */
const FIELDS = {
  name: nameText(),
  officeName: nameText(),
  directoryId: v.nullable(uuid),
  region: v.picklist(REGIONS),
  authType: v.picklist(AUTH_TYPES),
  ...SERVICES,
  applicationId: v.nullable(uuid),
  certificate: v.nullable(certificate),
  sharePointSaveAllWebParts: v.boolean(),
  missingPermissions: v.exactOptional(v.pipe(v.array(nameText()), v.maxLength(100))),
  isCertificateMissing: v.exactOptional(v.boolean()),
};

export const organizationCreated = v.strictObject({
  type: v.literal('organization.created@1'),
  data: v.strictObject({
    id,
    company: companyN,
    engine: v.picklist(ENGINE_KINDS),
    type: v.literal('Office365'),
    ...FIELDS,
  }),
});

/** All settings of an organization, valid from this event on. */
export const organizationUpdated = v.strictObject({
  type: v.literal('organization.updated@1'),
  data: v.strictObject({ id, ...FIELDS }),
});

/** The application has a new certificate; the former one no longer signs in. */
export const organizationRenewed = v.strictObject({
  type: v.literal('organization.renewed@1'),
  data: v.strictObject({ id, certificate }),
});

/** Whether large restores, and those to other places, wait for a second person. */
export const organizationApprovalSet = v.strictObject({
  type: v.literal('organization.approvalset@1'),
  data: v.strictObject({ id, needsApproval: v.boolean() }),
});

/** Its credentials were deleted. What was backed up is deleted at `dataUntil`. */
export const organizationDeleted = v.strictObject({
  type: v.literal('organization.deleted@1'),
  data: v.strictObject({ id, dataUntil: ms }),
});

export const OrganizationRowSchema = v.object({
  id: storedIdSchema<OrganizationId>(),
  company: v.number(),
  engine: v.picklist(ENGINE_KINDS),
  type: v.literal('Office365'),
  name: v.string(),
  officeName: v.string(),
  directoryId: v.nullable(v.string()),
  region: v.picklist(REGIONS),
  authType: v.picklist(AUTH_TYPES),
  ...SERVICES,
  applicationId: v.nullable(v.string()),
  certificate: v.nullable(v.object({ thumbprint: v.string(), expiresAt: v.number() })),
  sharePointSaveAllWebParts: v.boolean(),
  missingPermissions: v.exactOptional(v.pipe(v.array(v.string()), v.readonly())),
  isCertificateMissing: v.exactOptional(v.boolean()),
  /** Absent: off. */
  needsApproval: v.exactOptional(v.boolean()),
  /** Absent: none. */
  holds: v.exactOptional(v.pipe(v.array(LegalHoldSchema), v.readonly())),
  /** Of people, with those that ended. Absent: none. */
  exclusions: v.exactOptional(v.pipe(v.array(ExclusionSchema), v.readonly())),
  createdAt: v.number(),
  updatedAt: v.number(),
  removedAt: v.nullable(v.number()),
  /** When the backups of a deleted organization are deleted. */
  dataUntil: v.nullable(v.number()),
});
export type OrganizationRow = RowOf<typeof OrganizationRowSchema>;

/** The portal makes its backups and restores them; otherwise a server that it was imported from. */
export const isBackedUpHere = ({ engine }: Pick<OrganizationRow, 'engine'>): boolean =>
  engine === 'embedded';
