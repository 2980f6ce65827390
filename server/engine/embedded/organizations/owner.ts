import * as v from 'valibot';
import type { ConnectedTenant } from '#contract/engine/connection.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { GraphPorts } from '../graph/request.ts';
import { failed, ok } from '../../result.ts';
import { directoryClient } from '../sources/directory.ts';
import { accessMessages as t } from './messages.en.ts';

const CALL_MS = 25_000;

export interface TenantOwner extends Pick<
  ConnectedTenant,
  'directoryId' | 'domain' | 'displayName'
> {
  readonly domains: readonly string[];
}

/** Reads whose tenant the access is to. */
export async function readOwner(ports: GraphPorts): Promise<EngineResult<TenantOwner>> {
  const client = directoryClient(ports, {
    signal: AbortSignal.timeout(CALL_MS),
    onWaiting: () => undefined,
  });
  const page = await client.page('/organization', OWNER);
  if (!page.ok) return { ok: false, error: page.error };
  const [owner] = page.value.rows;
  if (owner === undefined) return failed('missing', t.notConnected);
  const domains = owner.verifiedDomains;
  const initial = domains.find(({ isInitial }) => isInitial === true) ?? domains[0];
  return ok({
    directoryId: owner.id,
    domain: initial?.name ?? '',
    displayName: owner.displayName ?? '',
    domains: domains.map(({ name }) => name.toLowerCase()),
  });
}

const OWNER = v.object({
  id: v.string(),
  displayName: v.nullish(v.string()),
  verifiedDomains: v.optional(
    v.array(v.object({ name: v.string(), isInitial: v.nullish(v.boolean()) })),
    [],
  ),
});
