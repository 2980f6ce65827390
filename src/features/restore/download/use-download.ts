import { useRef, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import type { ChosenNodes } from '../task/draft.ts';
import { getObject } from '../labels.ts';
import type { WorkloadKind } from '../workload.ts';

export type StartedDownload = OutputOf<'downloadMailbox'>;

export interface DownloadOptions {
  /** Of mails. Files are always downloaded as they are, or in a ZIP file. */
  readonly format: 'zip' | 'pst' | 'mbox' | 'msg';
  readonly inBackground: boolean;
}

export interface SessionDownload {
  readonly isBusy: boolean;
  /** The last one that the browser was given. */
  readonly started: StartedDownload | null;
  readonly failure: Failure | null;
  readonly start: (chosen: ChosenNodes, options: DownloadOptions) => void;
  readonly retry: () => void;
}

/** Downloads what is chosen. The browser reads the file itself, in ranges if it is cut off. */
export function useDownload(kind: WorkloadKind, session: string): SessionDownload {
  const [state, setState] = useState<Pick<SessionDownload, 'isBusy' | 'started' | 'failure'>>(IDLE);
  const last = useRef<readonly [ChosenNodes, DownloadOptions] | null>(null);
  const request = async (chosen: ChosenNodes, options: DownloadOptions): Promise<void> => {
    const answer = await withReauth(() => requestDownload(kind, session, chosen, options));
    if (answer.ok && answer.value.url !== null)
      openFile({ url: answer.value.url, name: answer.value.name });
    setState({
      isBusy: false,
      started: answer.ok ? answer.value : null,
      failure: answer.ok ? null : answer.failure,
    });
  };
  const start = (chosen: ChosenNodes, options: DownloadOptions): void => {
    if (state.isBusy) return;
    last.current = [chosen, options];
    setState({ ...IDLE, isBusy: true });
    void request(chosen, options);
  };
  return {
    ...state,
    start,
    retry: () => {
      if (last.current !== null) start(...last.current);
    },
  };
}

const IDLE = { isBusy: false, started: null, failure: null };

/** Asks for a download with the call of its level. */
export function requestDownload(
  kind: WorkloadKind,
  restoreSessionId: string,
  { level, chain, nodes }: ChosenNodes,
  { format, inBackground }: DownloadOptions,
): Promise<Result<StartedDownload>> {
  const object = getObject(chain);
  const ids = [...nodes];
  const folderId = ids[0] ?? '';
  const how = { restoreSessionId, downloadInBackground: inBackground };
  const mail = { ...how, mailboxId: object.id, format };
  const files = { ...how, onedriveId: object.id };
  const server = client();
  if (kind === 'sharepoint') {
    const site = { ...how, siteId: object.id };
    return level === 'items'
      ? server.ask('downloadSiteDocuments', { ...site, documents: ids })
      : chain.at(-1)?.kind === 'library'
        ? server.ask('downloadLibrary', { ...site, libraryId: folderId })
        : server.ask('downloadSiteFolder', { ...site, folderId });
  }
  if (kind === 'teams')
    return server.ask('downloadTeamFiles', { ...how, teamId: object.id, files: ids });
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
export function openFile({ url, name }: { readonly url: string; readonly name: string }): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
