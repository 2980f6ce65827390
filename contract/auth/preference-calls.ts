import * as v from 'valibot';
import { uuidSchema } from '../id-schema.ts';
import type { UserId } from '../ids.ts';
import { call } from '../call.ts';
import { preferenceFields } from './preferences.ts';

export const preferenceCalls = {
  prefer: call({
    method: 'PUT',
    path: 'profile/{id}/preferences/{name}',
    summary: 'Saves a preference of the user, which applies on every device.',
    input: v.strictObject({ id: uuidSchema<UserId>(), ...preferenceFields }),
    output: v.object({ seq: v.number() }),
    gate: 'signed-in',
    failures: ['forbidden', 'key-reused', 'out-of-order'],
    offline: 'The last change to arrive wins.',
  }),
} as const;
