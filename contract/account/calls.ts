import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { SessionSchema } from './me.ts';

export const accountCalls = {
  loginDb: call({
    method: 'POST', path: 'auth/login/db', says: 'Sign in with a name and password of the database. Sets the refresh cookie.',
    takes: v.strictObject({
      username: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.nameChars)),
      password: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.passwordChars)),
      rememberComputer: v.optional(v.boolean()),
    }),
    gives: SessionSchema, gate: 'public', failures: ['wrong-credentials', 'too-many'],
  }),
  refresh: call({
    method: 'POST', path: 'auth/refresh', says: 'A fresh access token for the refresh cookie, which is rotated.', takes: v.strictObject({}),
    gives: SessionSchema, gate: 'public', failures: ['signed-out', 'expired'],
  }),
  logout: call({
    method: 'POST', path: 'auth/logout', says: 'Ends this session for good.', takes: v.strictObject({}),
    gives: v.object({}), gate: 'signed-in', failures: [],
  }),
} as const;
