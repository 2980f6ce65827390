import { useEffect, useEffectEvent } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
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
  const { value, failure } = useQuery(
    'locateBackupItem',
    { restoreSessionId: session ?? '', itemId: item ?? '' },
    session !== null && item !== null,
  );
  const onAnswer = useEffectEvent((value: Place | null, failure: Failure | null): void => {
    if (item === null) return;
    if (failure !== null) onRead(failed(failure));
    else if (value !== null) {
      onRead(ok(value));
      onFound({ path: getNodePath(kind, value), item: { id: item, index: value.index } });
    }
  });
  useEffect(() => onAnswer(value, failure), [value, failure]);
  return item === null ? null : failure;
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
