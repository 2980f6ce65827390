import { withLanguage } from '#contract/i18n/messages.ts';
import { csvLine } from '#contract/runs/csv.ts';
import { type DownloadGap, listGaps } from '#server/engine/public/downloads.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';
import { backgroundMessages as t } from './messages.en.ts';
import type { PartFiles } from './part-files.ts';
import { type DownloadRow, GAP_PART, listParts } from './rows.ts';

const PAGE_ROWS = 1_000;

/** Writes a file that names what a finished download lacks, if it lacks something. */
export async function writeGapFile(
  { store }: AppContext,
  files: PartFiles,
  row: DownloadRow,
): Promise<void> {
  const { tenant_id: tenant, id } = row;
  const read = (after: DownloadGap | null): Promise<readonly DownloadGap[]> =>
    store.tenant(tenant, (tx) => listGaps(tx, id, { after, limit: PAGE_ROWS }), { readOnly: true });
  let page = await read(null);
  if (page.length === 0) return;
  const language = await store.tenant(tenant, (tx) => loadUserLanguage(tx, row.user_id), {
    readOnly: true,
  });
  const { head, reasons, name } = withLanguage(language, () => ({
    head: [t.gapItem, t.gapReason],
    reasons: { missing: t.gapMissing, failed: t.gapFailed },
    name: t.gapFile,
  }));
  const file = await files.create(id, GAP_PART);
  try {
    let at = 0;
    const write = async (text: string): Promise<void> => {
      const bytes = Buffer.from(text);
      await file.write(bytes, at);
      at += bytes.length;
    };
    await write(`\uFEFF${csvLine(head)}`);
    while (page.length > 0) {
      await write(page.map(({ path, outcome }) => csvLine([path, reasons[outcome]])).join(''));
      page = page.length < PAGE_ROWS ? [] : await read(page.at(-1) ?? null);
    }
    const stored = await file.finish();
    await store.tenant(tenant, async (tx) => {
      const last = (await listParts(tx, [id])).filter(({ n }) => n !== GAP_PART).at(-1);
      await tx.sql
        .insertInto('background_part')
        .values({
          tenant_id: tenant,
          download_id: id,
          n: GAP_PART,
          name,
          next_item: last?.next_item ?? 0,
          bytes_read: last?.bytes_read ?? 0,
          failed: last?.failed ?? 0,
          ...stored,
        })
        .onConflict((on) => on.columns(['tenant_id', 'download_id', 'n']).doUpdateSet(stored))
        .execute();
    });
  } finally {
    // Closed already if it was finished.
    await file.close().catch(() => undefined);
  }
}
