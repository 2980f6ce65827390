import { useRef, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import type { ChosenNodes } from '../task/draft.ts';
import type { WorkloadKind } from '../workload.ts';

type StartedDownload = OutputOf<'downloadMailbox'>;

export interface Download {
  readonly isBusy: boolean;
  /** The last one that the browser was given. */
  readonly started: StartedDownload | null;
  readonly failure: Failure | null;
  readonly start: (chosen: ChosenNodes) => void;
  readonly retry: () => void;
}

/** Downloads what is chosen. The browser reads the file itself, in ranges if it is cut off. */
export function useDownload(kind: WorkloadKind, session: string): Download {
  const [state, setState] = useState<Pick<Download, 'isBusy' | 'started' | 'failure'>>(IDLE);
  const last = useRef<ChosenNodes | null>(null);
  const request = async (chosen: ChosenNodes): Promise<void> => {
    const answer = await withReauth(() => requestDownload(kind, session, chosen));
    if (answer.ok) openFile(answer.value);
    setState({
      isBusy: false,
      started: answer.ok ? answer.value : null,
      failure: answer.ok ? null : answer.failure,
    });
  };
  const start = (chosen: ChosenNodes): void => {
    if (state.isBusy) return;
    last.current = chosen;
    setState({ ...IDLE, isBusy: true });
    void request(chosen);
  };
  return {
    ...state,
    start,
    retry: () => {
      if (last.current !== null) start(last.current);
    },
  };
}

const IDLE = { isBusy: false, started: null, failure: null };

/** Asks for a download with the call of its level. */
function requestDownload(
  kind: WorkloadKind,
  restoreSessionId: string,
  { level, chain: [object], nodes }: ChosenNodes,
): Promise<Result<StartedDownload>> {
  const ids = [...nodes];
  const folderId = ids[0] ?? '';
  const mail = { restoreSessionId, mailboxId: object.id };
  const files = { restoreSessionId, onedriveId: object.id };
  const server = client();
  if (kind === 'outlook')
    return level === 'object'
      ? server.ask('downloadMailbox', mail)
      : level === 'folder'
        ? server.ask('downloadMailFolder', { ...mail, folderId })
        : server.ask('downloadMailItems', { ...mail, items: ids });
  return level === 'object'
    ? server.ask('downloadDrive', files)
    : level === 'folder'
      ? server.ask('downloadDriveFolder', { ...files, folderId })
      : server.ask('downloadDocuments', { ...files, documents: ids });
}

/** The server's answer is an attachment, so the page stays where it is. */
function openFile({ url, name }: StartedDownload): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
