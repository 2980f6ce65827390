import * as v from 'valibot';
import { RoleSchema } from '../abilities.ts';

/** The signed-in user as the page knows it. `companies`: the ones it may see, null for all of the provider's. */
export const MeSchema = v.object({
  id: v.string(),
  username: v.string(),
  name: v.string(),
  email: v.string(),
  roles: v.array(RoleSchema),
  companies: v.nullable(v.array(v.number())),
  serviceProviderId: v.string(),
});
export type Me = v.InferOutput<typeof MeSchema>;

/** `token` is the access token: 10 minutes, kept in a worker's memory only. `offlineUntil`: ms, how long this device may open without a network. */
export const SessionSchema = v.object({
  token: v.string(),
  tokenExpiresAt: v.number(),
  userId: v.string(),
  user: MeSchema,
  offlineUntil: v.number(),
});
export type Session = v.InferOutput<typeof SessionSchema>;
