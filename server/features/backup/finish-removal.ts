import type { FinishRemoval } from '#server/engine/public/repositories.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import { warnAdministrators } from './warn-administrators.ts';

/** VB365-63: what a request that removes a repository from its server does at its end. */
export const finishRemoval: FinishRemoval = async (
  tx,
  context,
  { repository, company, name, removal: { at, origin } },
) => {
  await warnAdministrators(tx, context, origin ?? { actor: null }, 'removeRepository', {
    company,
    name,
    when: at,
  });
  if (origin !== null)
    await auditOrigin(tx, context, {
      what: 'backuprepository.deleted',
      user: null,
      detail: { repository },
      at: context.clock.now(),
      origin,
    });
};
