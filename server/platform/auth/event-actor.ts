import type { CommandId, Ms } from '#contract/ids.ts';
import type { Principal } from '../http/handler.ts';
import type { EventMeta } from '../db/store.ts';

/** Returns the actor of an event, and the impersonated user where there is one (G42). */
export const byUser = (session: Principal, commandId: CommandId | null, at: Ms): EventMeta => ({
  actor: {
    kind: 'user',
    id: session.actor,
    ...(session.impersonation !== null && { impersonation: session.impersonation }),
    ...(session.key !== undefined && { key: session.key.id }),
  },
  subject: session.impersonation === null ? null : session.userId,
  commandId,
  at,
});
