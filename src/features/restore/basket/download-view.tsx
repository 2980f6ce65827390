import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Select } from '#src/ui/select.tsx';
import { restoreDownloadMessages as downloadWords } from '../download/messages.en.ts';
import { requestDownload } from '../download/use-download.ts';
import type { DownloadOptions, StartedDownload } from '../download/use-download.ts';
import { getObject } from '../labels.ts';
import type { ChosenNodes } from '../task/draft.ts';
import { TEXTS } from '../texts.ts';
import { getDownload } from './basket.ts';
import type { BasketGroup } from './basket.ts';
import { getEntryName } from './entries.tsx';
import { basketMessages as t } from './messages.en.ts';
import type { BasketSessions } from './sessions.ts';
import type { GroupContent } from './use-contents.ts';

const FORMATS = ['zip', 'pst', 'mbox', 'msg'] as const;

interface BasketDownload {
  readonly key: string;
  readonly group: BasketGroup;
  readonly chosen: ChosenNodes;
}
type DownloadState =
  | { readonly state: 'starting' }
  | { readonly state: 'started'; readonly download: StartedDownload }
  | { readonly state: 'failed'; readonly failure: Failure };

export interface BasketDownloads {
  readonly downloads: readonly BasketDownload[];
  /** Objects of which nothing can be downloaded. */
  readonly left: number;
  readonly states: ReadonlyMap<string, DownloadState>;
  readonly isBusy: boolean;
  /** Those that aren't started yet, or failed. */
  readonly waiting: readonly BasketDownload[];
  readonly start: (format: DownloadOptions['format']) => void;
}

/** Starts a background download for each object of the basket, one after another. */
export function useBasketDownloads(
  contents: readonly GroupContent[],
  sessions: BasketSessions,
): BasketDownloads {
  const [states, setStates] = useState<ReadonlyMap<string, DownloadState>>(new Map());
  const downloads = contents.flatMap(({ group, named }) => {
    const chosen = getDownload(group, named ?? []);
    // What is added later is another download.
    return chosen === null ? [] : [{ key: JSON.stringify(group), group, chosen }];
  });
  const put = (key: string, state: DownloadState): void =>
    setStates((before) => new Map(before).set(key, state));
  const isWaiting = ({ key }: BasketDownload): boolean => {
    const state = states.get(key)?.state;
    return state === undefined || state === 'failed';
  };
  const waiting = downloads.filter(isWaiting);
  return {
    downloads,
    left: contents.length - downloads.length,
    states,
    isBusy: [...states.values()].some(({ state }) => state === 'starting'),
    waiting,
    start: (format) => {
      void (async () => {
        for (const { key, group, chosen } of waiting) {
          put(key, { state: 'starting' });
          const options = {
            format: group.workload === 'outlook' ? format : 'zip',
            inBackground: true,
          } as const;
          const answer = await sessions.use(group, (session) =>
            withReauth(() => requestDownload(group.workload, session, chosen, options)),
          );
          put(
            key,
            answer.ok
              ? { state: 'started', download: answer.value }
              : { state: 'failed', failure: answer.failure },
          );
        }
      })();
    },
  };
}

/** What is downloaded of the basket, in which format, and what became of it. */
export function DownloadView({
  downloads: { downloads, left, states },
  format,
  onFormat,
}: {
  readonly downloads: BasketDownloads;
  readonly format: DownloadOptions['format'];
  readonly onFormat: (format: DownloadOptions['format']) => void;
}) {
  const hasMailboxes = downloads.some(({ group }) => group.workload === 'outlook');
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-5 py-3">
      <p className="m-0 text-ink-2">{t.downloadHint}</p>
      {hasMailboxes && (
        <Select
          block
          label={t.format}
          value={format}
          options={FORMATS.map((value) => ({ value, label: downloadWords[value] }))}
          onChange={onFormat}
        />
      )}
      <ul className="m-0 list-none p-0">
        {downloads.map(({ key, group, chosen }) => (
          <li key={key} className="border-b border-hair py-2">
            <span className="flex items-center gap-2">
              <Icon
                name={TEXTS[group.workload].icon}
                label={TEXTS[group.workload].page}
                className="text-ink-3"
              />
              <span className="min-w-0 font-semibold break-words">
                {getEntryName(getObject(chosen.chain))}
              </span>
            </span>
            <DownloadLine state={states.get(key)} />
          </li>
        ))}
      </ul>
      {left > 0 && <p className="m-0 text-ink-2">{t.downloadLeft({ count: left })}</p>}
    </div>
  );
}

const DownloadLine = ({ state }: { readonly state: DownloadState | undefined }) => (
  <output className="flex flex-wrap items-center gap-x-2">
    {state?.state === 'starting' && t.starting}
    {state?.state === 'started' && (
      <>
        <Icon name="running" className="text-running" />
        {t.preparing}
        <Link to="/o365/restore/downloads/$fileId" params={{ fileId: state.download.id }}>
          {downloadWords.openDownloads}
        </Link>
        {state.download.missing > 0 && (
          <span>{downloadWords.missing({ count: state.download.missing })}</span>
        )}
      </>
    )}
    {state?.state === 'failed' && (
      <>
        <Icon name="failed" className="text-failed" />
        <span role="alert" className="text-failed">
          {getFailureText(state.failure)}
        </span>
      </>
    )}
  </output>
);
