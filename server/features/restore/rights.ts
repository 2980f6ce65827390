import type { OutputOf } from '#contract/calls.ts';
import type { EngineScope, Workload } from '#contract/engine/engine.ts';
import { ok, type Result } from '#contract/result.ts';
import { GRANTED_TOGETHER } from '#server/engine/public/restore.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import {
  badField,
  FORBIDDEN_RESULT,
  isFresh,
  NOT_FOUND_RESULT,
  REAUTH,
} from '#server/platform/auth/guards.ts';
import type { Handlers, Principal, SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import { findOrganization } from '../backup/lookup.ts';
import { restoreCallMessages as t } from './messages.en.ts';
import {
  type EngineAt,
  getSessionType,
  mayRestore,
  withOrganization,
  SESSION_WORKLOADS,
} from './scope.ts';
import type { TaskId } from '#contract/ids.ts';

type Names = 'getRestoreRights' | 'requestRestoreDeviceCode' | 'requestRestoreToken';

/** RES-24: rights to write, which an administrator of the tenant grants for a restore session. */
export function restoreRightsHandlers(context: AppContext): Pick<Handlers, Names> {
  return {
    getRestoreRights: ({ sessionType, taskId, ...of }, ctx) =>
      withOrganization(context, ctx, of, async ({ engine, scope }) => {
        if (taskId !== undefined) return getRightsForTask(context, ctx, engine, scope, taskId);
        if (sessionType === undefined) return badField('sessionType', t.sessionTypeNeeded);
        const workload = SESSION_WORKLOADS[sessionType];
        if (!mayRestore(ctx.session, workload)) return FORBIDDEN_RESULT;
        const rights = getAnswer(await engine.restoreRights.get(scope, { workload }));
        return rights.ok
          ? ok({
              organizationId: scope.organization,
              sessionType,
              missing: [...rights.value.missing],
              requested: [...rights.value.requested],
              expiresAt: rights.value.expiresAt,
            })
          : rights;
      }),

    requestRestoreDeviceCode: ({ sessionType, ...of }, ctx) =>
      withOrganization(context, ctx, of, async ({ engine, scope }) => {
        const workload = sessionType === undefined ? null : SESSION_WORKLOADS[sessionType];
        if (!mayRestoreAll(ctx.session, workload)) return FORBIDDEN_RESULT;
        const code = getAnswer(await engine.restoreRights.requestCode(scope, { workload }));
        if (!code.ok) return code;
        const { permissions, ...shown } = code.value;
        const expiresInMs = shown.expiresAt - ctx.now;
        return ok({ ...shown, expiresInMs, permissions: [...permissions] });
      }),

    /** Waiting for the sign-in needs no factor; rights are granted only with a recent one (G44). */
    requestRestoreToken: (of, ctx) =>
      withOrganization<OutputOf<'requestRestoreToken'>>(
        context,
        ctx,
        of,
        async ({ engine, scope }) => {
          const state = getAnswer(await engine.restoreRights.checkCode(scope));
          if (!state.ok) return state;
          if (state.value !== 'granted') return ok({ state: state.value, expiresAt: null });
          if (!isFresh(ctx)) return REAUTH;
          const granted = getAnswer(await engine.restoreRights.grant(scope));
          return granted.ok
            ? ok({ state: 'granted', expiresAt: granted.value.expiresAt })
            : granted;
        },
      ),
  };
}

/** The rights that a restore after its dry run needs, or an undo: in the organization that is written to. */
async function getRightsForTask(
  context: AppContext,
  ctx: SessionContext,
  engine: EngineAt['engine'],
  scope: EngineScope,
  task: TaskId,
): Promise<Result<OutputOf<'getRestoreRights'>>> {
  const seen = getAnswer(await engine.getTask(scope, { task }));
  if (!seen.ok) return seen;
  const rights = getAnswer(await engine.restoreRights.getForTask(scope, { task }));
  if (!rights.ok) return rights;
  const { organization, workload, missing, requested, expiresAt } = rights.value;
  if (!mayRestore(ctx.session, workload)) return FORBIDDEN_RESULT;
  const isSeen = await context.store.tenant(
    ctx.tenant,
    async (tx) => (await findOrganization(tx, ctx.session, organization)) !== null,
    { readOnly: true },
  );
  if (!isSeen) return NOT_FOUND_RESULT;
  return ok({
    organizationId: organization,
    sessionType: getSessionType(workload),
    missing: [...missing],
    requested: [...requested],
    expiresAt,
  });
}

const mayRestoreAll = (session: Principal, workload: Workload | null): boolean =>
  (workload === null ? GRANTED_TOGETHER : [workload]).every((one) => mayRestore(session, one));
