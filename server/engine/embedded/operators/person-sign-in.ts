import type { EngineResult } from '#contract/engine/engine.ts';
import type { OperatorCalls, SignInApplication, TenantPerson } from '#contract/engine/operators.ts';
import {
  type CodeClient,
  getAuthorizationUrl,
  redeemAuthorizationCode,
} from '../graph/authorization-code.ts';
import { ok } from '../../result.ts';
import type { GraphConnections } from '../organizations/access.ts';
import { readPerson } from './person-code.ts';

const getClient = (
  { clientId, redirectUri }: SignInApplication,
  secret: string | null,
): CodeClient => ({
  applicationId: clientId,
  secret,
  redirectUri,
  permissions: ['User.Read'],
});

/** G69: the page on which a person of any tenant shows who it is, to an application. */
export const getPersonSignInUrl = (
  connections: GraphConnections,
  input: Parameters<OperatorCalls['getSignInUrl']>[0],
): EngineResult<string> =>
  ok(getAuthorizationUrl(connections.login(input.region), getClient(input, null), input));

export async function redeemPersonCode(
  connections: GraphConnections,
  input: Parameters<OperatorCalls['redeemCode']>[0],
): Promise<EngineResult<TenantPerson>> {
  const { region, secret } = input;
  const client = getClient(input, secret);
  const token = await redeemAuthorizationCode(connections.login(region), client, input);
  return token.ok ? readPerson(connections, region, token.value) : token;
}
