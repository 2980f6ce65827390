import { Link } from '@tanstack/react-router';
import { useId, useRef, useState } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatBytes, formatWhen } from '#src/ui/format.ts';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { DeleteDialog } from '../../shared/delete-dialog.tsx';
import { FactList } from '../../shared/suite-list/suite-list.tsx';
import { ArchiveInput } from './archive-field.tsx';
import { FolderButton } from './files-field.tsx';
import { importMessages as t } from './messages.en.ts';
import {
  getProgress,
  getImportStateLabel,
  type ImportOutput,
  ImportStateLine,
  isEnded,
  ProgressRule,
} from './state-line.tsx';
import { sendArchive, type Upload } from './uploads.ts';

interface Props {
  readonly row: ImportOutput;
  readonly upload: Upload | undefined;
  readonly zone: string;
  readonly onChanged: () => void;
  /** Imports the mailbox on the server again. */
  readonly onAgain: () => void;
}

/** An import: how far it is, what became of each folder, and what was left out. */
export function ImportDetails({ row, upload, zone, onChanged, onAgain }: Props) {
  const { mailbox, message, pointAt, createdAt, endedAt, account } = row;
  const progress = getProgress(row, upload);
  return (
    <div className="grid min-h-0 content-start gap-4 overflow-auto px-4 pb-6 tablet:px-5">
      <output>
        <ImportStateLine row={row} upload={upload} />
      </output>
      {progress !== null && (
        <ProgressRule label={getImportStateLabel(row, upload).label} {...progress} />
      )}
      {upload?.isWaiting === true && <Callout tone="warning">{t.uploadTrouble}</Callout>}
      {row.state === 'uploading' && upload === undefined && (
        <ContinueUpload row={row} onChanged={onChanged} />
      )}
      {message !== null && <Callout tone={TONES[row.result ?? 'warning']}>{message}</Callout>}
      <FactList
        facts={[
          [row.content === 'files' ? t.drive : t.mailbox, mailbox],
          ...(account === null
            ? []
            : [
                account.kind === 'imap'
                  ? ([t.host, account.host] as const)
                  : ([t.address, account.url] as const),
                [t.username, account.username] as const,
              ]),
          [t.size, formatBytes(account === null ? row.bytes : row.readBytes)],
          [t.created, formatWhen(createdAt, zone)],
          ...(endedAt === null ? [] : [[t.ended, formatWhen(endedAt, zone)] as const]),
          ...(isEnded(row)
            ? [[t.restorePoint, pointAt === null ? t.noPoint : formatWhen(pointAt, zone)] as const]
            : []),
        ]}
      />
      <span className="flex flex-wrap gap-2">
        {pointAt !== null && (
          <Link
            to={row.content === 'files' ? '/o365/restore/onedrive' : '/o365/restore/outlook'}
            className="inline-flex min-h-8 items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
          >
            {t.open}
          </Link>
        )}
        {isEnded(row) && account !== null && (
          <CallButton
            call={account.kind === 'imap' ? 'createImapImport' : 'createWebdavImport'}
            size="sm"
            onClick={onAgain}
          >
            {account.kind === 'imap' ? t.again : t.againFiles}
          </CallButton>
        )}
        {!isEnded(row) && <StopButton row={row} onChanged={onChanged} />}
      </span>
      {row.folders.length > 0 && <Folders row={row} />}
      {countLeft(row.counts) > 0 && <Left row={row} />}
    </div>
  );
}

const TONES = {
  success: 'success',
  warning: 'warning',
  failed: 'failed',
  cancelled: 'warning',
} as const;

/** An upload that another page, or an earlier visit, did not end. */
function ContinueUpload({ row, onChanged }: Pick<Props, 'row' | 'onChanged'>) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { organizationId, name, bytes, receivedBytes } = row;
  const [isOther, setOther] = useState(false);
  const [isReading, setReading] = useState(false);
  const take = (file: File): void => {
    const isSame = file.size === bytes && file.name.endsWith(name);
    setOther(!isSame);
    if (!isSame) return;
    void sendArchive({ organizationId, id: row.id, file }).then(onChanged);
    onChanged();
  };
  return (
    <div className="grid justify-items-start gap-2">
      <p className="m-0 text-ink-2">
        {t.pausedHint({ done: formatBytes(receivedBytes), total: formatBytes(bytes) })}
      </p>
      <ArchiveInput label={id} input={input} onChoose={take} />
      <span className="flex flex-wrap gap-2">
        <Button id={id} variant="primary" onClick={() => input.current?.click()}>
          {t.continueUpload}
        </Button>
        {row.content === 'files' && (
          <FolderButton
            busy={isReading}
            onStart={() => setReading(true)}
            onChoose={(file) => {
              setReading(false);
              if (file === null) setOther(true);
              else take(file);
            }}
          />
        )}
      </span>
      {isOther && (
        <p role="alert" className="m-0 text-failed">
          {t.otherFile({ name, size: formatBytes(bytes) })}
        </p>
      )}
    </div>
  );
}

function StopButton({ row, onChanged }: Pick<Props, 'row' | 'onChanged'>) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const [isAsking, setAsking] = useState(false);
  const { organizationId, id, name } = row;
  const stop = async (): Promise<void> => {
    const answer = await client().ask('stopImport', { organizationId, id });
    setAsking(false);
    if (answer.ok) showSuccess(t.stopped);
    else showFailure(getFailureText(answer.failure));
    onChanged();
  };
  return (
    <>
      <CallButton
        call="stopImport"
        size="sm"
        icon="stop"
        disabled={offline || row.state === 'stopping'}
        {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
        onClick={() => setAsking(true)}
      >
        {t.stop}
      </CallButton>
      {isAsking && (
        <DeleteDialog
          title={t.stopTitle}
          confirmLabel={t.stop}
          name={name}
          consequence={t.stopConsequence}
          onDelete={stop}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function Folders({ row }: Pick<Props, 'row'>) {
  return (
    <section aria-label={t.folders} className="grid gap-1">
      <h3 className="m-0 border-b border-head-rule pt-2 pb-1 text-[length:inherit]">{t.folders}</h3>
      <ul className="m-0 list-none p-0">
        {row.folders.map(({ path, ...counts }) => (
          <li key={path} className="border-b border-hair py-2 last:border-0">
            <span className="block break-words">{path === OTHERS ? t.otherFolders : path}</span>
            <span className="block text-agate text-ink-3">{countsText(counts)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
const OTHERS = '…';

const countLeft = ({ partial, skipped, failed }: ImportOutput['counts']): number =>
  partial + skipped + failed;

function countsText({ imported, partial, known, skipped, failed }: ImportOutput['counts']): string {
  const parts = [
    ...(imported > 0 || known + skipped + failed === 0
      ? [t.countImported({ count: imported })]
      : []),
    ...(partial > 0 ? [t.countPartial({ count: partial })] : []),
    ...(known > 0 ? [t.countKnown({ count: known })] : []),
    ...(skipped > 0 ? [t.countSkipped({ count: skipped })] : []),
    ...(failed > 0 ? [t.countFailed({ count: failed })] : []),
  ];
  return parts.join(' · ');
}

function Left({ row: { organizationId, id, counts } }: Pick<Props, 'row'>) {
  const [limit, setLimit] = useState(STEP);
  const title = counts.partial > 0 ? t.leftInPart : t.left;
  const { value, failure, again } = useQuery(
    'listImportResults',
    { organizationId, id, limit: String(limit) },
    true,
    { round: `${countLeft(counts)}` },
  );
  return (
    <section aria-label={title} className="grid gap-1">
      <h3 className="m-0 border-b border-head-rule pt-2 pb-1 text-[length:inherit]">{title}</h3>
      {failure !== null && (
        <Callout tone="failed">
          {getFailureText(failure)} <Button onClick={again}>{t.more}</Button>
        </Callout>
      )}
      <ul className="m-0 list-none p-0">
        {value?.rows.map(({ n, path, name, message }) => (
          <li key={n} className="border-b border-hair py-2 last:border-0">
            <span className="block break-words">
              {path}/{name}
            </span>
            <span className="block text-agate text-ink-3">{message}</span>
          </li>
        ))}
      </ul>
      {value?.next != null && limit < MAX && (
        <Button className="justify-self-start" onClick={() => setLimit(limit + STEP)}>
          {t.more}
        </Button>
      )}
    </section>
  );
}
const STEP = 50;
const MAX = 1_000;

const EMPTY = {};
