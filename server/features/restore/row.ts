import * as v from 'valibot';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { LIMITS } from '#contract/limits.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import { restoreCallMessages as t } from './messages.en.ts';
import { withSession } from './scope.ts';

type RowOut = OutputOf<'getSiteItem'>;

/** The values of a list's row as they were. The engine records the read (G63). */
export const readRow = (
  context: AppContext,
  ctx: SessionContext,
  { restoreSessionId, siteId, itemId }: ParsedInputOf<'getSiteItem'>,
): Promise<Result<RowOut>> =>
  withSession<RowOut>(
    context,
    ctx,
    { restoreSessionId },
    'sharepoint',
    async ({ engine, scope }) => {
      const explorer = restoreSessionId;
      const content = getAnswer(
        await engine.readContent(scope, { explorer, node: itemId, within: siteId, as: 'json' }),
      );
      if (!content.ok) return content;
      const { bytes, stream } = content.value;
      if (bytes > LIMITS.previewRowBytes)
        return failed({ kind: 'conflict', message: t.rowTooLarge });
      const parts: Uint8Array[] = [];
      for await (const part of stream) parts.push(part);
      const read = v.safeParse(StoredRow, parseJson(Buffer.concat(parts).toString()));
      return read.success ? ok(rowOut(read.output)) : NOT_FOUND_RESULT;
    },
  );

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** As the engine stores rows of lists. */
const StoredRow = v.object({
  fields: v.record(v.string(), v.unknown()),
  columns: v.array(v.object({ name: v.string(), displayName: v.nullish(v.string()) })),
});

function rowOut({ fields, columns }: v.InferOutput<typeof StoredRow>): RowOut {
  const values = columns.map(({ name, displayName }) => ({
    name,
    label: displayName ?? name,
    value: showValue(fields[name] ?? fields[`${name}LookupId`]),
  }));
  return {
    title: showValue(fields['Title']),
    fields: values.filter(({ value }) => value !== ''),
  };
}

function showValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
