import * as v from 'valibot';
import type {
  DeviceCode,
  DeviceCodeState,
  EngineResult,
  EngineScope,
  Region,
  Workload,
} from '#contract/engine/engine.ts';
import type { DeviceCodeId, Ms, OrganizationId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ADMINISTRATOR_CLIENT } from '../entra/application.ts';
import type { ApplicationCertificate } from '../graph/certificate.ts';
import * as login from '../graph/device-code.ts';
import { failed, ok, type Failed } from '../../result.ts';
import type { GraphConnections } from './access.ts';
import { accessMessages as t } from './messages.en.ts';

/** Longer than a sign-in may take. */
const CLAIM_MS: Ms = 180_000;

/** What is sealed of a code. Secret as a whole. */
const SEALED = v.object({
  deviceCode: v.string(),
  /** Null until somebody has signed in. */
  accessToken: v.nullable(v.string()),
  /** The certificate that a sign-in adds to the application: the same one after a crash. */
  certificate: v.nullable(
    v.object({
      certificate: v.string(),
      privateKey: v.string(),
      der: v.string(),
      thumbprint: v.string(),
      startsAt: v.number(),
      expiresAt: v.number(),
    }),
  ),
  /** Thumbprint of the certificate that a renewal replaces. */
  replaces: v.nullable(v.string()),
  /** Until then, one sign-in uses the code. */
  claimedUntil: v.number(),
});
type Sealed = v.InferOutput<typeof SEALED>;

interface Row {
  /** Whose restores it is for; null: it sets up an organization. */
  readonly organization: OrganizationId | null;
  readonly region: Region;
  readonly expiresAt: Ms;
  readonly sealed: Sealed;
}

/** A code for the rights of a restore is for one organization. `workload` null: for all of them. */
interface RestorePurpose {
  readonly organization: OrganizationId;
  readonly workload: Workload | null;
}

export async function startDeviceCode(
  context: AppContext,
  connections: GraphConnections,
  { tenant, user }: EngineScope,
  region: Region,
  purpose: RestorePurpose | null = null,
): Promise<EngineResult<DeviceCode>> {
  const requested = await login.requestDeviceCode(connections.login(region), ADMINISTRATOR_CLIENT);
  if (!requested.ok) return requested;
  const { deviceCode, ...shown } = requested.value;
  const id = context.chance.uuid() as DeviceCodeId;
  await context.store.tenant(tenant, async (tx) => {
    await tx.sql
      .deleteFrom('device_code')
      .where('tenant_id', '=', tenant)
      .where('expires_at', '<=', context.clock.now())
      .execute();
    if (purpose !== null)
      await tx.sql
        .deleteFrom('device_code')
        .where('tenant_id', '=', tenant)
        .where('user_id', '=', user)
        .where('organization_id', '=', purpose.organization)
        .execute();
    const sealed = await sealCode(tx, context, id, {
      deviceCode,
      accessToken: null,
      certificate: null,
      replaces: null,
      claimedUntil: 0,
    });
    await tx.sql
      .insertInto('device_code')
      .values({
        tenant_id: tenant,
        id,
        user_id: user,
        region,
        sealed,
        expires_at: shown.expiresAt,
        organization_id: purpose?.organization ?? null,
        workload: purpose?.workload ?? null,
      })
      .execute();
  });
  return ok({ id, ...shown });
}

export async function checkStoredDeviceCode(
  context: AppContext,
  connections: GraphConnections,
  scope: EngineScope,
  code: DeviceCodeId,
): Promise<EngineResult<DeviceCodeState>> {
  const { store, clock } = context;
  const read = (): Promise<Row | null> =>
    store.tenant(scope.tenant, (tx) => readCode(tx, context, scope, code), { readOnly: true });
  const row = await read();
  if (row === null) return NO_CODE;
  if (row.expiresAt <= clock.now()) return ok('expired');
  if (row.sealed.accessToken !== null) return ok('granted');
  const checked = await login.checkDeviceCode(
    connections.login(row.region),
    ADMINISTRATOR_CLIENT,
    row.sealed.deviceCode,
  );
  if (!checked.ok) return checked;
  if (checked.value.state !== 'granted') {
    // Another check may have received the token, which is given once.
    const now = checked.value.state === 'expired' ? await read() : null;
    return ok(now?.sealed.accessToken ? 'granted' : checked.value.state);
  }
  const { accessToken, expiresAt } = checked.value;
  await store.tenant(scope.tenant, (tx) =>
    saveCode(tx, context, code, { ...row.sealed, accessToken }, expiresAt),
  );
  return ok('granted');
}

/** Finds the code for restores to an organization that this user requested last. */
export const findRestoreCode = (
  { store }: AppContext,
  { tenant, user, organization }: EngineScope,
): Promise<{ readonly id: DeviceCodeId; readonly workload: Workload | null } | undefined> =>
  store.tenant(
    tenant,
    ({ sql }) =>
      sql
        .selectFrom('device_code')
        .select(['id', 'workload'])
        .where('tenant_id', '=', tenant)
        .where('organization_id', '=', organization)
        .where('user_id', '=', user)
        .orderBy('expires_at', 'desc')
        .executeTakeFirst(),
    { readOnly: true },
  );

/** A granted code that one sign-in uses. */
export interface ClaimedCode {
  readonly region: Region;
  readonly accessToken: string;
  readonly tokenExpiresAt: Ms;
  readonly certificate: ApplicationCertificate;
  /** Thumbprint of the certificate that a renewal replaces; null: not a renewal. */
  readonly replaces: string | null;
}

/** What a code keeps from its first use on. `organization`: whose restores it must be for. */
interface FirstTry {
  readonly fresh: ApplicationCertificate;
  readonly replaces: string | null;
  readonly organization?: OrganizationId;
}

/**
 * Runs a sign-in with a granted code of this user. `fresh` and `replaces` are kept with the code at
 * the first try, so that another one after a crash continues with them. A sign-in that succeeds
 * deletes the code.
 */
export async function withDeviceCode<T>(
  context: AppContext,
  scope: EngineScope,
  code: DeviceCodeId,
  first: FirstTry,
  run: (claimed: ClaimedCode) => Promise<EngineResult<T>>,
): Promise<EngineResult<T>> {
  const { store } = context;
  const claimed = await store.tenant(scope.tenant, (tx) =>
    claimCode(tx, context, scope, code, first),
  );
  if (!claimed.ok) return claimed;
  const result = await run(claimed.value);
  if (!result.ok)
    await store.tenant(scope.tenant, async (tx) => {
      const row = await readCode(tx, context, scope, code, true);
      if (row) await saveCode(tx, context, code, { ...row.sealed, claimedUntil: 0 });
    });
  return result;
}

async function claimCode(
  tx: TenantTx,
  context: AppContext,
  scope: EngineScope,
  code: DeviceCodeId,
  { fresh, replaces, organization }: FirstTry,
): Promise<EngineResult<ClaimedCode>> {
  const now = context.clock.now();
  const row = await readCode(tx, context, scope, code, true);
  if (row === null || row.organization !== (organization ?? null)) return NO_CODE;
  const { region, sealed } = row;
  if (row.expiresAt <= now) return failed('ended', t.codeExpired, { field: 'userCode' });
  const { accessToken } = sealed;
  if (accessToken === null) return failed('conflict', t.codeNotGranted, { field: 'userCode' });
  if (sealed.claimedUntil > now) return failed('busy', t.codeInUse);
  const stored = sealed.certificate
    ? { certificate: sealed.certificate, replaces: sealed.replaces }
    : { certificate: fresh, replaces };
  await saveCode(tx, context, code, { ...sealed, ...stored, claimedUntil: now + CLAIM_MS });
  return ok({ region, accessToken, tokenExpiresAt: row.expiresAt, ...stored });
}

export async function deleteCode({ sql, tenant }: TenantTx, code: DeviceCodeId): Promise<void> {
  await sql
    .deleteFrom('device_code')
    .where('tenant_id', '=', tenant)
    .where('id', '=', code)
    .execute();
}

/** G69: reads a code of this user; null if there is none. */
async function readCode(
  tx: TenantTx,
  context: AppContext,
  { tenant, user }: EngineScope,
  code: DeviceCodeId,
  isChanged = false,
): Promise<Row | null> {
  if (user === null) return null;
  const query = tx.sql
    .selectFrom('device_code')
    .select(['region', 'sealed', 'expires_at', 'organization_id'])
    .where('tenant_id', '=', tenant)
    .where('id', '=', code)
    .where('user_id', '=', user);
  const row = await (isChanged ? query.forUpdate() : query).executeTakeFirst();
  if (row === undefined) return null;
  const sealed = v.parse(
    SEALED,
    JSON.parse(await unseal(tx, context, getSecretRef(code), row.sealed)),
  );
  return {
    region: row.region,
    organization: row.organization_id,
    expiresAt: row.expires_at,
    sealed,
  };
}

async function saveCode(
  tx: TenantTx,
  context: AppContext,
  code: DeviceCodeId,
  content: Sealed,
  expiresAt?: Ms,
): Promise<void> {
  const sealed = await sealCode(tx, context, code, content);
  await tx.sql
    .updateTable('device_code')
    .set({ sealed, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', code)
    .execute();
}

const sealCode = (
  tx: TenantTx,
  context: AppContext,
  code: DeviceCodeId,
  content: Sealed,
): Promise<string> => seal(tx, context, getSecretRef(code), JSON.stringify(content));
const getSecretRef = (code: DeviceCodeId) => ({
  table: 'device_code',
  column: 'sealed',
  row: code,
});
const NO_CODE: Failed = failed('missing', t.noCode);
