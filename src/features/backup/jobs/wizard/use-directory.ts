import { useEffect, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { client } from '#src/app/worker/worker-client.ts';
import type { ItemKind } from './definition.ts';

export type DirectoryItem = OutputOf<'listOrganizationUsers'>['rows'][number];

/** The objects of a tenant that are loaded so far. They are never stored on this device. */
export interface Directory {
  readonly rows: readonly DirectoryItem[];
  readonly isComplete: boolean;
  readonly failure: Failure | null;
}

const CALL_OF = {
  User: 'listOrganizationUsers',
  Group: 'listOrganizationGroups',
  Team: 'listOrganizationTeams',
  Site: 'listOrganizationSites',
} as const satisfies Record<ItemKind, string>;
/** Rows of a page. */
const LIMIT = '1000';
const NONE: Directory = { rows: [], isComplete: false, failure: null };

/** Loads all objects of a kind, page by page, so that a search covers them all. */
export function useDirectory(organizationId: string | null, kind: ItemKind): Directory {
  const key = `${organizationId} ${kind}`;
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly directory: Directory }>({
    key: '',
    directory: NONE,
  });
  useEffect(() => {
    if (organizationId === null) return;
    let isOver = false;
    void (async () => {
      let rows: readonly DirectoryItem[] = [];
      let cursor: string | null = null;
      do {
        const answer: Awaited<ReturnType<typeof readPage>> = await readPage(
          organizationId,
          kind,
          cursor,
        );
        if (isOver) return;
        if (!answer.ok) {
          setLoaded({ key, directory: { rows, isComplete: false, failure: answer.failure } });
          return;
        }
        rows = [...rows, ...answer.value.rows];
        cursor = answer.value.next;
        setLoaded({ key, directory: { rows, isComplete: cursor === null, failure: null } });
      } while (cursor !== null);
    })();
    return () => {
      isOver = true;
    };
  }, [organizationId, kind, key]);
  return loaded.key === key ? loaded.directory : NONE;
}

const readPage = (organizationId: string, kind: ItemKind, cursor: string | null) =>
  client().ask(CALL_OF[kind], {
    organizationId,
    limit: LIMIT,
    ...(cursor !== null && { cursor }),
  });
