import { BOM, csvLine, csvName } from '#contract/runs/csv.ts';
import type { Cell } from '#contract/runs/csv.ts';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';

/** Returns the time zone for names and dates in a provider's files. */
export const loadZone = async ({ tenant, sql }: TenantTx): Promise<string> =>
  (
    await sql
      .selectFrom('provider')
      .select('branding')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow()
  ).branding.timeZone;

/** Returns a CSV download in which no cell starts a formula. */
export function csvAnswer(
  prefix: string,
  at: Ms,
  zone: string,
  lines: readonly (readonly Cell[])[],
): Response {
  const body = BOM + lines.map((line) => csvLine(line)).join('');
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${csvName(prefix, at, zone)}"`,
    },
  });
}
