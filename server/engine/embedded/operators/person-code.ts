import * as v from 'valibot';
import type { EngineResult, Region } from '#contract/engine/engine.ts';
import type { CheckedPerson, TenantPerson } from '#contract/engine/operators.ts';
import { ADMINISTRATOR_CLIENT } from '../entra/application.ts';
import type { DeviceCodeClient, RequestedCode } from '../graph/device-code.ts';
import * as login from '../graph/device-code.ts';
import { ok } from '../../result.ts';
import type { GraphConnections } from '../organizations/access.ts';
import { readOwner } from '../organizations/owner.ts';
import { directoryClient } from '../sources/directory.ts';

const READ_MS = 25_000;
/** The public client of Microsoft's own tools. It gets nothing but who signed in. */
const PERSON_CLIENT: DeviceCodeClient = { ...ADMINISTRATOR_CLIENT, permissions: ['User.Read'] };

/** G69: a code with which a person of any tenant shows who it is. */
export const requestPersonCode = (
  connections: GraphConnections,
  region: Region,
): Promise<EngineResult<RequestedCode>> =>
  login.requestDeviceCode(connections.login(region), PERSON_CLIENT);

/** Checks a code once. */
export async function checkPersonCode(
  connections: GraphConnections,
  { region, deviceCode }: { readonly region: Region; readonly deviceCode: string },
): Promise<EngineResult<CheckedPerson>> {
  const checked = await login.checkDeviceCode(connections.login(region), PERSON_CLIENT, deviceCode);
  if (!checked.ok) return checked;
  if (checked.value.state !== 'granted') return ok({ state: checked.value.state });
  const person = await readPerson(connections, region, checked.value.accessToken);
  return person.ok ? ok({ state: 'granted', person: person.value }) : person;
}

/** Returns the person and its tenant as Graph names them for an access token. */
export async function readPerson(
  connections: GraphConnections,
  region: Region,
  accessToken: string,
): Promise<EngineResult<TenantPerson>> {
  const ports = connections.person(region, accessToken);
  const owner = await readOwner(ports);
  if (!owner.ok) return owner;
  const client = directoryClient(ports, {
    signal: AbortSignal.timeout(READ_MS),
    onWaiting: () => undefined,
  });
  const me = await client.get('/me?$select=id,displayName,userPrincipalName', Me);
  if (!me.ok) return { ok: false, error: me.error };
  const { id, displayName, userPrincipalName } = me.value;
  return ok({
    directoryId: owner.value.directoryId,
    object: id,
    name: displayName ?? userPrincipalName,
    username: userPrincipalName,
  });
}

const Me = v.object({
  id: v.string(),
  displayName: v.nullish(v.string()),
  userPrincipalName: v.string(),
});
