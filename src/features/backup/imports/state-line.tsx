/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a rule that fills, as everywhere on these pages, can't be drawn with <progress> */
import type { OutputOf } from '#contract/calls.ts';
import { formatBytes } from '#src/ui/format.ts';
import { StateText } from '../state-text.tsx';
import type { StateLabel } from '../state-label.ts';
import { importMessages as t } from './messages.en.ts';
import type { Upload } from './uploads.ts';

export type ImportOutput = OutputOf<'getImport'>;

export const isEnded = ({ state }: Pick<ImportOutput, 'state'>): boolean => state === 'done';

/** `upload`: this page is sending the archive. */
export function getImportStateLabel(
  { state, result }: ImportOutput,
  upload: Upload | undefined,
): StateLabel {
  switch (state) {
    case 'uploading':
      return upload === undefined
        ? { label: t.paused, icon: 'warning', text: 'text-warning' }
        : { label: t.uploading, icon: 'running', text: 'text-running' };
    case 'queued':
      return { label: t.queued, icon: 'clock', text: 'text-ink-2' };
    case 'running':
      return { label: t.running, icon: 'running', text: 'text-running' };
    case 'stopping':
      return { label: t.stopping, icon: 'stop', text: 'text-ink-2' };
    case 'done':
      return RESULTS[result ?? 'failed']();
    default:
      return state satisfies never;
  }
}
const RESULTS: Readonly<Record<NonNullable<ImportOutput['result']>, () => StateLabel>> = {
  success: () => ({ label: t.success, icon: 'success', text: 'text-success' }),
  warning: () => ({ label: t.warning, icon: 'warning', text: 'text-warning' }),
  failed: () => ({ label: t.failed, icon: 'failed', text: 'font-semibold text-failed' }),
  cancelled: () => ({ label: t.cancelled, icon: 'stop', text: 'text-ink-2' }),
};

interface Progress {
  readonly done: number;
  readonly total: number;
  readonly unit: 'bytes' | 'mails';
}

/**
 * How much of the archive is on the server, or is imported. Null: it waits, has ended, or nobody knows
 * yet how much there is.
 */
export function getProgress(
  { source, state, bytes, receivedBytes, readBytes, entries, readEntries }: ImportOutput,
  upload: Upload | undefined,
): Progress | null {
  if (state === 'uploading')
    return { done: Math.max(receivedBytes, upload?.sentBytes ?? 0), total: bytes, unit: 'bytes' };
  if (state !== 'running' && state !== 'stopping') return null;
  if (source === 'archive') return { done: readBytes, total: bytes, unit: 'bytes' };
  return entries === null || entries === 0
    ? null
    : { done: Math.min(readEntries, entries), total: entries, unit: 'mails' };
}

export function ImportStateLine({
  row,
  upload,
}: {
  readonly row: ImportOutput;
  readonly upload: Upload | undefined;
}) {
  const progress = getProgress(row, upload);
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <StateText label={getImportStateLabel(row, upload)} />
      {progress !== null && (
        <span className="text-agate text-ink-3">
          {Math.floor((100 * progress.done) / progress.total)} %
        </span>
      )}
    </span>
  );
}

/** A rule that fills. */
export function ProgressRule({ label, done, total, unit }: Progress & { readonly label: string }) {
  return (
    <div className="grid gap-1">
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={done}
        aria-valuemin={0}
        aria-valuemax={total}
        className="h-0.5 bg-rule"
      >
        <div
          className="h-full bg-accent transition-[width] duration-300"
          style={{ width: `${(100 * done) / total}%` }}
        />
      </div>
      <p className="m-0 text-ink-2">
        {unit === 'bytes'
          ? t.progress({ done: formatBytes(done), total: formatBytes(total) })
          : t.progressMails({ done, total })}
      </p>
    </div>
  );
}
