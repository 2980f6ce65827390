import { failed } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import type { WorkloadPage, WorkloadKind } from '../workload.ts';
import { ONEDRIVE, OUTLOOK, SHAREPOINT, TEAMS } from '../workload.ts';
import type { BasketPlace } from './basket.ts';
import { basketMessages as t } from './messages.en.ts';

export const WORKLOADS: Readonly<Record<WorkloadKind, WorkloadPage>> = {
  outlook: OUTLOOK,
  onedrive: ONEDRIVE,
  sharepoint: SHAREPOINT,
  teams: TEAMS,
};

/** The session that a page has open already. */
export interface PageSession {
  readonly id: string;
  readonly workload: WorkloadKind;
  readonly point: string;
  readonly showDeleted: boolean;
}
type SessionPlace = Pick<BasketPlace, 'workload' | 'point' | 'at' | 'showDeleted'>;

/** The restore sessions in which the objects of a basket are read and restored. */
export interface BasketSessions {
  /** Works in the session of a place, which is opened first, and again if it has ended. */
  readonly use: <T>(
    place: SessionPlace,
    work: (session: string) => Promise<Result<T>>,
  ) => Promise<Result<T>>;
  /** Stops the sessions, except for that of the page. Restores go on. */
  readonly close: () => void;
}

export function makeSessions(organizationId: string, page: PageSession | null): BasketSessions {
  const opened = new Map<string, Promise<Result<string>>>();
  if (page !== null) opened.set(getSessionKey(page), Promise.resolve({ ok: true, value: page.id }));
  const open = (place: SessionPlace): Promise<Result<string>> => {
    const key = getSessionKey(place);
    const known = opened.get(key);
    if (known !== undefined) return known;
    const session = openSession(organizationId, place);
    opened.set(key, session);
    return session;
  };
  const stop = async (session: Promise<Result<string>>, place: string): Promise<void> => {
    const answer = await session;
    if (!answer.ok || answer.value === page?.id) return;
    // Rights that the page's own session uses stay with it.
    const keepRights = page !== null && place.startsWith(`${page.workload} `);
    await client().ask('stopRestoreSession', { restoreSessionId: answer.value, keepRights });
  };
  return {
    async use(place, work) {
      for (let tries = 0; ; tries += 1) {
        const session = await open(place);
        if (!session.ok) {
          opened.delete(getSessionKey(place));
          return session;
        }
        const answer = await work(session.value);
        if (answer.ok || answer.failure.kind !== 'conflict' || tries > 0) return answer;
        opened.delete(getSessionKey(place));
      }
    },
    close: () => {
      for (const [place, session] of opened) void stop(session, place);
      opened.clear();
    },
  };
}

const getSessionKey = ({
  workload,
  point,
  showDeleted,
}: Pick<BasketPlace, 'workload' | 'point' | 'showDeleted'>): string =>
  [workload, point, showDeleted].join(' ');

async function openSession(
  organizationId: string,
  { workload, point, at, showDeleted }: SessionPlace,
): Promise<Result<string>> {
  const answer = await client().ask('openRestoreSession', {
    organizationId,
    datetime: at,
    sessionType: WORKLOADS[workload].sessionType,
    showDeleted,
  });
  if (!answer.ok) return answer;
  const { id } = answer.value;
  if (answer.value.point.id === point) return { ok: true, value: id };
  void client().ask('stopRestoreSession', { restoreSessionId: id, keepRights: true });
  return failed({ kind: 'not-found', message: t.pointGone });
}
