import * as v from 'valibot';
import { storedIdSchema, uuidSchema } from '../id-schema.ts';
import { call } from '../call.ts';
import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import type { CompanyN, UserId } from '../ids.ts';
import type { RowOf } from '../row.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';

/** A company that a user pinned, or no longer pins. */
export const PinRowSchema = v.object({
  id: v.string(),
  user: storedIdSchema<UserId>(),
  company: v.number(),
  pinned: v.boolean(),
  at: v.number(),
});
export type PinRow = RowOf<typeof PinRowSchema>;

export const pinId = (user: UserId, company: CompanyN): string => `${user}/${company}`;

/** `id`: the user. */
export const companyPinned = v.strictObject({
  type: v.literal('company.pinned@1'),
  data: v.strictObject({
    id: uuidSchema<UserId>(),
    company: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    pinned: v.boolean(),
  }),
});

export function foldPins(rows: Rows, { event, at }: LoggedAbout<'pin'>): void {
  const { id: user, company, pinned } = event.data;
  const id = pinId(user, company);
  rows.pin?.set(id, { id, user, company, pinned, at });
}

export const touchesPins = ({ data }: EventOf<EventsAbout<'pin'>>): Touch[] => [
  ['pin', pinId(data.id, data.company)],
];

export const pinCalls = {
  pinCompany: call({
    method: 'PUT',
    path: 'profile/{id}/pinned-companies/{company}',
    summary: 'Pins a company for the user, on every device, or no longer pins it.',
    input: v.strictObject({
      id: uuidSchema<UserId>(),
      company: v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/), v.transform(Number)),
      pinned: v.boolean(),
    }),
    output: v.object({ seq: v.number() }),
    gate: 'signed-in',
    failures: ['forbidden', 'not-found', 'key-reused', 'out-of-order'],
    offline: 'The last change to arrive wins.',
  }),
} as const;
