import * as v from 'valibot';
import type { ObjectKind } from '../engine/engine.ts';
import { uuidSchema } from '../id-schema.ts';
import type { LegalHoldId, Ms, OrganizationId, UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { nameText } from '../text-schema.ts';

/** What a legal hold is on: a person, a site or a team of an organization. */
export const HOLD_KINDS = ['user', 'site', 'team'] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

const id = uuidSchema<OrganizationId>();
const holdId = uuidSchema<LegalHoldId>();
const user = uuidSchema<UserId>();
export const holdReason = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(LIMITS.noteChars),
);
export const directoryId = v.pipe(v.string(), v.minLength(1), v.maxLength(500));

/** `object`: its id in the directory of the tenant. `user`: who placed it. `until` null: no end. */
const FIELDS = {
  id: holdId,
  kind: v.picklist(HOLD_KINDS),
  object: directoryId,
  name: nameText(),
  reason: holdReason,
  user,
  until: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
};

/** From now on, no backups of the object are removed. */
export const organizationHoldPlaced = v.strictObject({
  type: v.literal('organization.holdplaced@1'),
  data: v.strictObject({ id, hold: v.strictObject(FIELDS) }),
});

/** A legal hold no longer applies: its backups are removed as those of others. */
export const organizationHoldReleased = v.strictObject({
  type: v.literal('organization.holdreleased@1'),
  data: v.strictObject({ id, hold: holdId, user, reason: holdReason }),
});

/** A legal hold that was not released. `at`: when it was placed. */
export const LegalHoldSchema = v.object({ ...FIELDS, at: v.number() });
export type LegalHold = v.InferOutput<typeof LegalHoldSchema>;

/** An organization as far as its legal holds are concerned. */
interface Holding {
  readonly holds?: readonly LegalHold[];
}

/** Returns whether a hold applies: it has no end, or its end is later. */
export const isActiveHold = ({ until }: Pick<LegalHold, 'until'>, now: Ms): boolean =>
  until === null || until > now;

/** Returns the holds of an organization that apply at a time. */
export const getActiveHolds = ({ holds = [] }: Holding, now: Ms): readonly LegalHold[] =>
  holds.filter((hold) => isActiveHold(hold, now));

/** A person has a mailbox, an archive and a drive. */
const OBJECT_KINDS: Readonly<Record<HoldKind, readonly ObjectKind[]>> = {
  user: ['mailbox', 'archive', 'drive'],
  site: ['site'],
  team: ['team'],
};

/** An object of a backup by its id in the directory. `above`: the sites above a site. */
export interface CoveredObject {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly above?: ReadonlySet<string>;
  /** The teams whose site it is, or is below. */
  readonly teams?: ReadonlySet<string>;
}

/**
 * Returns the holds that are on an object of a backup. One on a site is on the sites below it, too, and
 * one on a team also on its site.
 */
export const listHoldsOn = <T extends Pick<LegalHold, 'kind' | 'object'>>(
  holds: readonly T[],
  { kind, id: object, above, teams }: CoveredObject,
): readonly T[] =>
  holds.filter(
    (hold) =>
      (OBJECT_KINDS[hold.kind].includes(kind) && hold.object === object) ||
      (kind === 'site' &&
        ((hold.kind === 'site' && above?.has(hold.object) === true) ||
          (hold.kind === 'team' && teams?.has(hold.object) === true))),
  );
