import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { refusal, runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { getAnswer, getEngineFor, scopeFor } from './engine-calls.ts';
import { findRepository, findRepositoryWithOwner } from './lookup.ts';
import type { BackupRepositoryId } from '#contract/ids.ts';

/** Clean-up and verification of a repository at once, besides the daily ones. */
export function upkeepHandlers(
  context: AppContext,
): Pick<Handlers, 'cleanUpRepository' | 'verifyRepository'> {
  const request = (
    ctx: SessionContext,
    id: BackupRepositoryId,
    work: 'cleanUp' | 'verify',
  ): Promise<Result<Record<string, never>>> =>
    runAlone(context, ctx, async () => {
      const row = await context.store.tenant(
        ctx.tenant,
        (tx) => findRepositoryWithOwner(tx, ctx.session, id),
        {
          readOnly: true,
        },
      );
      if (!row) return failed(NOT_FOUND);
      const { repositories } = getEngineFor(context, row.organization);
      const scope = scopeFor(ctx, row.organization.id);
      const requested = getAnswer(
        await repositories[work](scope, { repository: row.repository.id }),
      );
      if (!requested.ok) return requested;
      return runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        if (!(await findRepository(tx, ctx.session, id))) return refusal(NOT_FOUND);
        await audit(tx, context, ctx, {
          what: work === 'cleanUp' ? 'backuprepository.cleaning' : 'backuprepository.verifying',
          user: null,
          detail: { repository: id },
        });
        return { drafts: [], answer: () => ok({}) };
      });
    });

  return {
    cleanUpRepository: ({ id }, ctx) => request(ctx, id, 'cleanUp'),
    verifyRepository: ({ id }, ctx) => request(ctx, id, 'verify'),
  };
}
