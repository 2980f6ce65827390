import type { CommandId, Ms } from '#contract/ids.ts';
import type { Signed } from './http/handler.ts';
import type { By } from './store/store.ts';

/** Who did it, and in whose name where that is somebody else (G42). */
export const byUser = (signed: Signed, commandId: CommandId | null, at: Ms): By => ({
  actor: {
    is: 'user',
    id: signed.actor,
    ...(signed.impersonation !== null && { impersonation: signed.impersonation }),
    ...(signed.key !== undefined && { key: signed.key.id }),
  },
  subject: signed.impersonation === null ? null : signed.userId,
  commandId,
  at,
});
