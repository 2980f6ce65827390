import * as v from 'valibot';
import { COLLECTOR_NAMES, type CollectorKind } from '#contract/connections/connection.ts';
import type { ConnectionTested } from '#contract/connections/calls.ts';
import { makeVb365Client } from '#server/engine/public/veeam-client.ts';
import {
  getHttpsPlace,
  loadShownCertificate,
} from '#server/platform/outbound/shown-certificate.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Endpoint } from '#server/platform/systems/client.ts';
import { clientFor, PROBES } from './clients.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { outcomeMessages } from './outcome.messages.en.ts';

const TIMEOUT_MS = 15_000;
const Counted = v.object({
  meta: v.optional(
    v.nullable(
      v.object({
        pagingInfo: v.optional(v.nullable(v.object({ total: v.optional(v.nullable(v.number())) }))),
      }),
    ),
  ),
  data: v.array(v.unknown()),
  pagination: v.optional(v.nullable(v.object({ total: v.optional(v.nullable(v.number())) }))),
});
/** Signs in and sends one request. Stores nothing. */
export async function tryConnection(
  context: AppContext,
  kind: CollectorKind,
  reach: Endpoint,
): Promise<ConnectionTested> {
  try {
    const count = await countFirst(context, kind, reach);
    return {
      ok: true,
      message: outcomeMessages[kind]({ system: COLLECTOR_NAMES[kind], count }),
      seen: null,
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return {
      ok: false,
      message: error.message,
      seen:
        error.reason === 'certificate'
          ? await loadShownCertificate(context, getHttpsPlace(new URL(reach.address)))
          : null,
    };
  }
}

/** Returns how many things of the most important kind there are. */
async function countFirst(
  context: AppContext,
  kind: CollectorKind,
  reach: Endpoint,
): Promise<number> {
  if (kind === 'vb365') {
    let count = 0;
    const client = makeVb365Client(context, reach, TIMEOUT_MS);
    for await (const rows of client.readPages('Organizations', v.unknown())) count += rows.length;
    return count;
  }
  const answer = await clientFor(context, kind, reach, TIMEOUT_MS).read(
    PROBES[kind],
    kind === 'zerto'
      ? v.pipe(
          v.array(v.unknown()),
          v.transform((data) => ({ data })),
        )
      : Counted,
  );
  const { data, meta, pagination } = answer as v.InferOutput<typeof Counted>;
  return meta?.pagingInfo?.total ?? pagination?.total ?? data.length;
}
