import { useSyncExternalStore } from 'react';
import * as v from 'valibot';
import { uploadProgress } from '#contract/backup/import-calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { client, getUser } from '#src/app/worker/worker-client.ts';
import { showFailure } from '#src/ui/toasts.ts';

/** An archive that this page is sending. It continues while the user works on other pages. */
export interface Upload {
  /** Id of the import. */
  readonly id: string;
  readonly sentBytes: Bytes;
  /** The server can't be reached now. */
  readonly isWaiting: boolean;
}
interface Archive {
  readonly organizationId: string;
  readonly id: string;
  readonly file: File;
}

const FIRST_WAIT_MS: Ms = 1_000;
const LONGEST_WAIT_MS: Ms = 30_000;

let uploads: readonly Upload[] = [];
const listeners = new Set<() => void>();

export const useUploads = (): readonly Upload[] => useSyncExternalStore(subscribe, () => uploads);

/**
 * Sends an archive from where the server has it, until the import begins or is stopped, or another
 * user signs in.
 */
export async function sendArchive(archive: Archive): Promise<void> {
  const { id } = archive;
  if (uploads.some((upload) => upload.id === id)) return;
  put({ id, sentBytes: 0, isWaiting: false });
  const failure = await sendParts(archive);
  uploads = uploads.filter((upload) => upload.id !== id);
  notify();
  if (failure !== null) showFailure(getFailureText(failure));
}

/** Returns why it can't continue; null: the archive is on the server, or the import was stopped. */
async function sendParts({ organizationId, id, file }: Archive): Promise<Failure | null> {
  const user = getUser();
  for (let waitMs = FIRST_WAIT_MS; ;) {
    // After a session that has ended, it continues when its user is back.
    if (![user, undefined].includes(getUser())) return null;
    const started = await client().ask('startImportUpload', { organizationId, id });
    if (started.ok) {
      const { url, ticket, partBytes, receivedBytes } = started.value;
      for (let at: Bytes | null = receivedBytes; at !== null && at < file.size;) {
        put({ id, sentBytes: at, isWaiting: false });
        const sent = await sendPart(`${url}?from=${at}`, ticket, file.slice(at, at + partBytes));
        if (sent === file.size) return null;
        // Without progress, such as while the import is being stopped, it waits like after a failure.
        at = sent === at ? null : sent;
        if (at !== null) waitMs = FIRST_WAIT_MS;
      }
    } else {
      const { kind } = started.failure;
      // The last part arrived although its answer was lost, or the import was stopped.
      if (kind === 'conflict' || kind === 'not-found') return null;
      if (kind === 'forbidden' || kind === 'bad-input') return started.failure;
    }
    put({ id, sentBytes: find(id)?.sentBytes ?? 0, isWaiting: true });
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  }
}

/** Returns how much the server has by now; null: the part can't be sent now, or not with this ticket. */
async function sendPart(url: string, ticket: string, part: Blob): Promise<Bytes | null> {
  try {
    const answer = await fetch(url, {
      method: 'PUT',
      headers: { 'daybook-upload': ticket },
      body: part,
    });
    if (!answer.ok) return null;
    return v.parse(uploadProgress, await answer.json()).receivedBytes;
  } catch {
    return null;
  }
}

const find = (id: string): Upload | undefined => uploads.find((upload) => upload.id === id);

function put(upload: Upload): void {
  uploads = [...uploads.filter(({ id }) => id !== upload.id), upload];
  notify();
}

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
