import * as v from 'valibot';
import type { ObjectKind } from '../engine/engine.ts';
import { uuidSchema } from '../id-schema.ts';
import type { ExclusionId, OrganizationId, UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { nameText } from '../text-schema.ts';
import { directoryId, holdReason } from './legal-holds.ts';

const id = uuidSchema<OrganizationId>();
const exclusionId = uuidSchema<ExclusionId>();
const user = uuidSchema<UserId>();

/** `object`: the person's id in the directory of the tenant. `user`: who excluded the person. */
const FIELDS = { id: exclusionId, object: directoryId, name: nameText(), reason: holdReason, user };

/** From now on, the person is not backed up, and what backups have of them is removed. */
export const organizationPersonExcluded = v.strictObject({
  type: v.literal('organization.personexcluded@1'),
  data: v.strictObject({ id, exclusion: v.strictObject(FIELDS) }),
});

/** The person is backed up again. What was removed doesn't come back. */
export const organizationExclusionEnded = v.strictObject({
  type: v.literal('organization.exclusionended@1'),
  data: v.strictObject({ id, exclusion: exclusionId, user, reason: holdReason }),
});

/** The last exclusion of a person. `at`: when it began. `endedAt` null: it applies. */
export const ExclusionSchema = v.object({
  ...FIELDS,
  at: v.number(),
  endedAt: v.nullable(v.number()),
});
export type Exclusion = v.InferOutput<typeof ExclusionSchema>;

/** An organization as far as exclusions are concerned. */
interface Excluding {
  readonly exclusions?: readonly Exclusion[];
}

/** Returns the exclusions of an organization that apply. */
export const getActiveExclusions = ({ exclusions = [] }: Excluding): readonly Exclusion[] =>
  exclusions.filter(({ endedAt }) => endedAt === null);

/** What belongs to a person alone: mail, calendar, contacts and tasks are parts of the mailbox. */
export const PERSON_KINDS = ['mailbox', 'archive', 'drive'] as const satisfies ObjectKind[];

/** Returns whether an object of a backup belongs to an excluded person. `id`: in the directory. */
export const isExcluded = (
  exclusions: readonly Pick<Exclusion, 'object'>[],
  { kind, id: object }: { readonly kind: ObjectKind; readonly id: string },
): boolean =>
  PERSON_KINDS.some((own) => own === kind) && exclusions.some((one) => one.object === object);

/** Adds an exclusion: the last one of a person counts, and of those that ended, the newest stay. */
export function addExclusion(
  { exclusions = [] }: Excluding,
  added: Exclusion,
): readonly Exclusion[] {
  const others = exclusions.filter(({ object }) => object !== added.object);
  const ended = others.filter(({ endedAt }) => endedAt !== null);
  const dropped = new Set(ended.slice(0, Math.max(0, ended.length - LIMITS.exclusions + 1)));
  return [...others.filter((one) => !dropped.has(one)), added];
}
