import * as v from 'valibot';
import { call } from '../call.ts';
import { preferenceFields } from './preferences.ts';

export const preferenceCalls = {
  prefer: call({
    method: 'PUT',
    path: 'profile/{id}/preferences/{name}',
    summary: 'How a user likes the portal, on every device.',
    input: v.strictObject({ id: v.pipe(v.string(), v.uuid()), ...preferenceFields }),
    output: v.object({ seq: v.number() }),
    gate: 'signed-in',
    failures: ['forbidden', 'key-reused', 'out-of-order'],
    offline: 'The later to arrive stands.',
  }),
} as const;
