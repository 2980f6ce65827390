import { useEffect, useEffectEvent, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import type { RestorePlace } from '../address.ts';
import type { WorkloadKind } from '../workload.ts';

type Place = OutputOf<'locateBackupItem'>;

/** Finds the place of the item that an address names, and opens it there. */
export function useLocate({
  kind,
  session,
  item,
  onFound,
  onRead,
}: {
  readonly kind: WorkloadKind;
  /** Null: the session of the address isn't open yet. */
  readonly session: string | null;
  /** Null: nothing to find. */
  readonly item: string | null;
  readonly onFound: (place: Pick<RestorePlace, 'path' | 'item'>) => void;
  readonly onRead: (result: Result<unknown>) => void;
}): Failure | null {
  const [failed, setFailed] = useState<{
    readonly item: string;
    readonly failure: Failure;
  } | null>(null);
  const onAnswer = useEffectEvent((wanted: string, answer: Result<Place>): void => {
    onRead(answer);
    if (answer.ok)
      onFound({
        path: getNodePath(kind, answer.value),
        item: { id: wanted, index: answer.value.index },
      });
    else setFailed({ item: wanted, failure: answer.failure });
  });
  useEffect(() => {
    if (session === null || item === null) return;
    let isOver = false;
    void (async () => {
      const answer = await client().ask('locateBackupItem', {
        restoreSessionId: session,
        itemId: item,
      });
      if (!isOver) onAnswer(item, answer);
    })();
    return () => {
      isOver = true;
    };
  }, [session, item]);
  return failed !== null && failed.item === item ? failed.failure : null;
}

/** The nodes of the tree down to a folder: below a site are its subsites and its content. */
export function getNodePath(
  kind: WorkloadKind,
  { objects, folders }: Pick<Place, 'objects' | 'folders'>,
): readonly string[] {
  if (kind !== 'sharepoint') return [...objects, ...folders];
  return [
    ...objects.flatMap((id, index) => [
      id,
      `${id}.${index === objects.length - 1 ? 'content' : 'subsites'}`,
    ]),
    ...folders,
  ];
}
