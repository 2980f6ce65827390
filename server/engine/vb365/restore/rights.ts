import type {
  DeviceCodeState,
  EngineResult,
  EngineScope,
  EngineId,
  Workload,
} from '#contract/engine/engine.ts';
import type { RestoreRights, RestoreRightsCalls } from '#contract/engine/restore-rights.ts';
import type { DeviceCodeId, ExplorerId, Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { columnAhead, isAhead } from '#server/platform/clock-bounds.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getTask } from '../../shared/task-rows.ts';
import { failed, ok } from '../../result.ts';
import { getServerRegion } from '../organizations.ts';
import type { OpenedServer } from '../servers.ts';
import { inSession } from './pages.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { CodeCheckShape, DeviceCodeShape } from './shapes.ts';

/** How often it makes sense to ask whether somebody has signed in. */
const INTERVAL_MS: Ms = 5_000;
/** Codes live a quarter of an hour; what says more is wrong (G13). */
const LONGEST_CODE_MS: Ms = 60 * 60_000;

/** A session of the user with its latest code. */
interface Coded {
  readonly id: ExplorerId;
  readonly key: string;
  readonly code: string | null;
  readonly until: Ms | null;
  readonly granted: boolean;
}

const place = (id: EngineId) => ({ table: 'vb365_explorer', column: 'code', row: id });

type Ask = <T>(
  scope: EngineScope,
  work: (server: OpenedServer) => Promise<EngineResult<T>>,
) => Promise<EngineResult<T>>;

/**
 * A restore session writes to the tenant once an administrator has signed in with its code. Codes are
 * the server's, and end with it.
 */
export function makeRights(context: () => AppContext, ask: Ask): RestoreRightsCalls {
  const inTx = <T>(scope: EngineScope, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context().store.tenant(scope.tenant, work);
  const get = async (scope: EngineScope, workload: Workload): Promise<RestoreRights> => {
    const session = await inTx(scope, (tx) => findCoded(tx, scope, workload));
    const until = session?.granted === true ? session.until : null;
    return until !== null && isAhead(until, context().clock.now(), LONGEST_CODE_MS)
      ? { missing: [], requested: REQUESTED, expiresAt: until }
      : { missing: REQUESTED, requested: REQUESTED, expiresAt: null };
  };

  return {
    get: async (scope, { workload }) => ok(await get(scope, workload)),

    async getForTask(scope, { task }) {
      const found = await inTx(scope, (tx) => getTask(tx, scope, task));
      if (!found.ok) return found;
      const { workload } = found.value;
      if (workload === null) return failed('unsupported', t.notOffered);
      return ok({
        ...(await get(scope, workload)),
        organization: scope.organization,
        workload,
      });
    },

    requestCode: (scope, { workload }) =>
      ask(scope, async ({ client }) => {
        const found = await inTx(scope, async (tx) => ({
          session: await findCoded(tx, scope, workload),
          row: (await tx.rows('organization', [scope.organization])).get(scope.organization),
        }));
        const { session, row } = found;
        if (session === null || row === undefined) return failed('ended', t.endedThere);
        const code = await client.command(
          {
            method: 'POST',
            path: inSession(session, 'organization/restoreDeviceCode'),
            body: {
              ...(row.applicationId !== null && { targetApplicationId: row.applicationId }),
              targetRegion: getServerRegion(row.region),
              targetOrganizationName: row.officeName,
            },
          },
          DeviceCodeShape,
        );
        if (code === null) return failed('conflict', t.noCode);
        const expiresAt = context().clock.now() + Math.min(code.expiresIn * 1_000, LONGEST_CODE_MS);
        await inTx(scope, async (tx) => {
          await setCode(tx, session.id, {
            code: await seal(tx, context(), place(session.id), code.userCode),
            code_until: expiresAt,
            code_granted: false,
          });
        });
        return ok({
          // One code of a session is open at a time.
          id: session.id as string as DeviceCodeId,
          userCode: code.userCode,
          verificationUrl: code.verificationUrl,
          expiresAt,
          intervalMs: INTERVAL_MS,
          permissions: REQUESTED,
        });
      }),

    checkCode: (scope) =>
      ask(scope, async ({ client }) => {
        const session = await inTx(scope, (tx) => findNewestCode(tx, scope));
        if (session?.code == null || session.until === null) return failed('ended', t.noCode);
        if (!isAhead(session.until, context().clock.now(), LONGEST_CODE_MS))
          return ok<DeviceCodeState>('expired');
        const { code, id } = session;
        const userCode = await inTx(scope, (tx) => unseal(tx, context(), place(id), code));
        const checked = await client.command(
          { method: 'POST', path: 'DeviceCode/check', body: { userCode } },
          CodeCheckShape,
        );
        return ok<DeviceCodeState>(checked?.authenticated === true ? 'granted' : 'pending');
      }),

    async grant(scope) {
      return inTx(scope, async (tx) => {
        const session = await findNewestCode(tx, scope);
        if (session?.code == null || session.until === null) return failed('ended', t.noCode);
        if (!isAhead(session.until, context().clock.now(), LONGEST_CODE_MS))
          return failed('ended', t.codeEnded);
        await setCode(tx, session.id, { code_granted: true });
        return ok({ expiresAt: session.until });
      });
    },
  };
}

const REQUESTED = [t.signIn];

/** Returns the code of a session, if somebody has signed in with it; null: it may not write. */
export async function loadGrantedCode(
  tx: TenantTx,
  context: AppContext,
  explorer: ExplorerId,
): Promise<string | null> {
  const row = await tx.sql
    .selectFrom('vb365_explorer')
    .select(['code', 'code_until'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', explorer)
    .where('code_granted', '=', true)
    .where(columnAhead('code_until', context.clock.now(), LONGEST_CODE_MS))
    .executeTakeFirst();
  return row?.code == null ? null : unseal(tx, context, place(explorer), row.code);
}

/** The user's newest session of a workload. */
const findCoded = async (
  tx: TenantTx,
  scope: EngineScope,
  workload: Workload | null,
): Promise<Coded | null> => {
  const sessions = selectSessions(tx, scope);
  return (
    (await (workload === null ? sessions : sessions.where('workload', '=', workload))
      .orderBy('opened_at', 'desc')
      .limit(1)
      .executeTakeFirst()) ?? null
  );
};

const findNewestCode = async (tx: TenantTx, scope: EngineScope): Promise<Coded | null> =>
  (await selectSessions(tx, scope)
    .where('code', 'is not', null)
    .orderBy('code_until', 'desc')
    .orderBy('opened_at', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? null;

const selectSessions = ({ sql: db, tenant }: TenantTx, { organization, user }: EngineScope) =>
  db
    .selectFrom('vb365_explorer')
    .select(['id', 'session_key as key', 'code', 'code_until as until', 'code_granted as granted'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('user_id', '=', user)
    .where('stopped_at', 'is', null);

const setCode = ({ sql: db, tenant }: TenantTx, id: ExplorerId, values: object) =>
  db
    .updateTable('vb365_explorer')
    .set(values)
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
