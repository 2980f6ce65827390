import * as v from 'valibot';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { TenantId } from '#contract/ids.ts';
import { parseStorable } from '#contract/stored-text.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { fetchOutbound } from '#server/platform/outbound/fetch.ts';
import { readSecret } from '#server/platform/outbound/secret.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { monthInvoiceMessages as t } from './messages.en.ts';

type Volumes = OutputOf<'listBackupVolumes'>;

/** The SolarWinds Information Service, as published with the Orion SDK. */
const QUERY_PATH = '/SolarWinds/InformationService/v3/Json/Query';
const QUERY =
  'SELECT TOP 1000 VolumeID, Caption, VolumeSize, VolumeSpaceUsed, Node.Caption AS NodeCaption FROM Orion.Volumes ORDER BY Node.Caption, Caption';
const MAX_BYTES = 4 * 1_048_576;

const number = v.optional(v.nullable(v.number()), 0);
const text = v.optional(v.nullable(v.string()), '');
const Answer = v.object({
  results: v.array(
    v.object({
      VolumeID: v.union([v.number(), v.string()]),
      Caption: text,
      VolumeSize: number,
      VolumeSpaceUsed: number,
      NodeCaption: text,
    }),
  ),
});

/** Requests the volumes outside of any transaction. `reason`: why there are none. */
export async function loadVolumes(context: AppContext, tenant: TenantId): Promise<Volumes> {
  const { server, password } = await context.store.tenant(tenant, async (tx) => ({
    server: (await loadBillingSettings(tx)).solarWinds,
    password: await readSecret(tx, context, 'solarwinds'),
  }));
  if (server === null || password === null) return none(t.noServer);
  const url = new URL(QUERY_PATH, server.url);
  url.searchParams.set('query', QUERY);
  try {
    const answer = await fetchOutbound(context, url, {
      maxBytes: MAX_BYTES,
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${server.username}:${password}`).toString('base64')}`,
      },
    });
    if (answer.status !== 200) return none(t.serverRefused({ status: answer.status }));
    const read = v.safeParse(Answer, parse(await answer.text()));
    if (!read.success) return none(t.serverUnreadable);
    const rows = read.output.results.map((row) => ({
      id: String(row.VolumeID),
      node: row.NodeCaption ?? '',
      name: row.Caption ?? '',
      sizeBytes: row.VolumeSize ?? 0,
      usedBytes: row.VolumeSpaceUsed ?? 0,
    }));
    return { rows, count: rows.length, reason: null };
  } catch (error) {
    if (error instanceof OutboundError) return none(error.message);
    throw error;
  }
}

const none = (reason: string): Volumes => ({ rows: [], count: 0, reason });

function parse(body: string): unknown {
  try {
    return parseStorable(body);
  } catch {
    throw new OutboundError('refused', MESSAGES.badAnswer);
  }
}
