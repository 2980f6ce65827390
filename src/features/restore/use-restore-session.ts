import { useActorRef, useSelector } from '@xstate/react';
import { useCallback, useEffect, useState } from 'react';
import { fromPromise } from 'xstate';
import type { OutputOf } from '#contract/calls.ts';
import type { RestorePoint } from '#contract/engine/engine.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { IDLE_MS, restoreSessionMachine } from '#machines/restore-session.ts';
import type { SessionChoice } from '#machines/restore-session.ts';
import { now } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import type { RestorePlace } from './address.ts';
import type { WorkloadPage } from './workload.ts';

/** Restore points are loaded in pages of this size; the newest pages make the first list. */
const PAGE_ROWS = 1_000;
const MAX_PAGES = 3;

export type SessionState = 'none' | 'listing' | 'opening' | 'open' | 'stopping' | 'ended';

/** The restore session of a page, which follows the page's address. */
export interface RestoreSession {
  readonly state: SessionState;
  /** Newest first. Null: not loaded. */
  readonly points: readonly RestorePoint[] | null;
  /** There are no older points than `points`. */
  readonly hasAllPoints: boolean;
  readonly id: string | null;
  /** The moment that the session was opened for. */
  readonly chosenAt: Ms | null;
  /** The point that the session shows. */
  readonly point: RestorePoint | null;
  readonly openedAt: Ms | null;
  /** When it ends without further use. */
  readonly endsAt: Ms | null;
  readonly failure: Failure | null;
  /** The user stopped the session; the address still has the place. */
  readonly isStopped: boolean;
  readonly stop: () => void;
  /** Opens the session again, or repeats what failed. */
  readonly reopen: () => void;
  /** Something was read in the session, or the server says that it has ended. */
  readonly onRead: (result: Result<unknown>) => void;
}

interface Opened {
  readonly id: string;
  readonly point: RestorePoint;
  readonly at: Ms;
}
interface Listed {
  readonly organization: string;
  readonly isComplete: boolean;
}

/** Opens, changes and stops the session of an organization at the point of the address. */
export function useRestoreSession(
  workload: WorkloadPage,
  { organization, at, showDeleted }: Pick<RestorePlace, 'organization' | 'at' | 'showDeleted'>,
  address: string,
): RestoreSession {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [usedAt, setUsedAt] = useState<Ms>(0);
  const [listed, setListed] = useState<Listed | null>(null);
  /** The organization whose session the user has stopped; null: none. */
  const [stoppedIn, setStoppedIn] = useState<string | null>(null);
  const isStopped = stoppedIn !== null && (organization ?? stoppedIn) === stoppedIn;
  const actor = useActorRef(
    restoreSessionMachine.provide({
      actors: {
        listPoints: fromPromise<Result<readonly RestorePoint[]>, string | null>(
          async ({ input }) => {
            setStoppedIn(null);
            const points = await listPoints(workload, input ?? '');
            if (!points.ok) return points;
            setListed({ organization: input ?? '', isComplete: points.value.isComplete });
            return ok(points.value.points);
          },
        ),
        open: fromPromise<Result<string>, SessionChoice | null>(async ({ input }) => {
          setStoppedIn(null);
          const answer = await openSession(workload, input);
          if (!answer.ok) return answer;
          const { id, point } = answer.value;
          setOpened({ id, point: toPoint(point), at: now() });
          setUsedAt(now());
          return ok(id);
        }),
        change: fromPromise<Result<unknown>, string | null>(({ input }) =>
          client().ask('stopRestoreSession', { restoreSessionId: input ?? '', keepRights: true }),
        ),
        stop: fromPromise<Result<unknown>, string | null>(({ input }) =>
          client().ask('stopRestoreSession', { restoreSessionId: input ?? '' }),
        ),
      },
    }),
  );
  const state = useSelector(actor, ({ value }) => STATES[value]);
  const context = useSelector(actor, (snapshot) => snapshot.context);
  const { organizationId, choice, failure, points, sessionId } = context;
  const hasPoints = listed !== null && listed.organization === organizationId;

  const newest = points[0]?.at ?? null;
  const wantedAt = at ?? newest;
  useEffect(() => {
    if (organization === null || (isStopped && state === 'none')) return;
    const isRest = state === 'none' || state === 'open' || state === 'ended';
    if (!isRest) return;
    if (organizationId !== organization) {
      actor.send({ type: 'CHOOSE', organizationId: organization });
      return;
    }
    if (wantedAt === null || newest === null) return;
    if (choice !== null && choice.at === wantedAt && choice.showDeleted === showDeleted) return;
    actor.send({
      type: 'OPEN',
      choice: {
        organizationId: organization,
        workload: workload.kind,
        job: null,
        at: wantedAt,
        showDeleted,
      },
    });
  }, [
    actor,
    organization,
    organizationId,
    wantedAt,
    newest,
    showDeleted,
    choice,
    state,
    isStopped,
    workload,
  ]);

  const isOpen = state === 'open';
  useEffect(() => {
    if (isOpen) actor.send({ type: 'VISIT', place: address });
  }, [actor, address, isOpen]);

  const onRead = useCallback(
    (result: Result<unknown>): void => {
      if (result.ok) {
        setUsedAt(now());
        actor.send({ type: 'VISIT', place: address });
      } else if (result.failure.kind === 'conflict') actor.send({ type: 'ENDED' });
    },
    [actor, address],
  );
  const current = opened !== null && opened.id === sessionId ? opened : null;
  return {
    state,
    points: hasPoints ? points : null,
    hasAllPoints: hasPoints && listed.isComplete,
    id: isOpen ? sessionId : null,
    chosenAt: choice?.at ?? null,
    point: current?.point ?? null,
    openedAt: current?.at ?? null,
    endsAt: current === null ? null : usedAt + IDLE_MS,
    failure,
    // A stop that failed leaves the session open.
    isStopped: isStopped && state === 'none',
    stop: () => {
      setStoppedIn(organizationId);
      actor.send({ type: 'STOP' });
    },
    reopen: () => {
      setStoppedIn(null);
      if (state === 'ended') actor.send({ type: 'REOPEN' });
      else if (organization !== null && (choice === null || state !== 'none'))
        actor.send({ type: 'CHOOSE', organizationId: organization });
      else if (choice !== null) actor.send({ type: 'OPEN', choice });
    },
    onRead,
  };
}

const STATES = {
  none: 'none',
  listing: 'listing',
  opening: 'opening',
  open: 'open',
  changing: 'opening',
  leaving: 'listing',
  idle: 'ended',
  ended: 'ended',
  stopping: 'stopping',
} as const satisfies Record<string, SessionState>;

const openSession = (workload: WorkloadPage, choice: SessionChoice | null) =>
  client().ask('openRestoreSession', {
    organizationId: choice?.organizationId ?? '',
    datetime: choice?.at ?? 0,
    sessionType: workload.sessionType,
    showDeleted: choice?.showDeleted ?? false,
  });

/** Returns the points of a period, newest first; `isComplete`: there are no more. */
export async function listPoints(
  { sessionType }: WorkloadPage,
  organizationId: string,
  period: { readonly from?: string; readonly to?: string } = {},
): Promise<Result<{ readonly points: readonly RestorePoint[]; readonly isComplete: boolean }>> {
  const points: RestorePoint[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: Result<OutputOf<'listRestorePoints'>> = await client().ask('listRestorePoints', {
      organizationId,
      sessionType,
      limit: String(PAGE_ROWS),
      ...period,
      ...(cursor !== null && { cursor }),
    });
    if (!answer.ok) return answer;
    points.push(...answer.value.rows.map(toPoint));
    cursor = answer.value.next;
    if (cursor === null) break;
  }
  return ok({ points, isComplete: cursor === null });
}

const toPoint = ({
  id,
  jobId,
  backupTime,
  changes,
  result,
  lacks,
}: OutputOf<'listRestorePoints'>['rows'][number]): RestorePoint => ({
  id,
  job: jobId,
  at: backupTime,
  changes,
  result,
  lacks,
});
