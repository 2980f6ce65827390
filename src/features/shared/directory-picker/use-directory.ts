import { useEffect, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { ALL_SITES } from './items.ts';
import type { PickerKind } from './items.ts';
import { directoryPickerMessages as t } from './messages.en.ts';

export type DirectoryItem = OutputOf<'listOrganizationUsers'>['rows'][number];

/** The objects of a tenant that are loaded so far. They are never stored on this device. */
export interface LoadedDirectory {
  readonly rows: readonly DirectoryItem[];
  readonly isComplete: boolean;
  readonly failure: Failure | null;
}

const CALL_OF = {
  User: 'listOrganizationUsers',
  Group: 'listOrganizationGroups',
  Team: 'listOrganizationTeams',
  Site: 'listOrganizationSites',
} as const satisfies Record<PickerKind, string>;
/** Rows of a page. */
const LIMIT = '1000';
const NONE: LoadedDirectory = { rows: [], isComplete: false, failure: null };

/**
 * Loads all objects of a kind, page by page, so that a search covers them all. `hasAllSites`: the
 * sites begin with one that stands for all of them.
 */
export function useDirectory(
  organizationId: string | null,
  kind: PickerKind,
  hasAllSites: boolean,
): LoadedDirectory {
  const key = `${organizationId} ${kind}`;
  const [loaded, setLoaded] = useState<{
    readonly key: string;
    readonly directory: LoadedDirectory;
  }>({
    key: '',
    directory: NONE,
  });
  useEffect(() => {
    if (organizationId === null) return;
    let isOver = false;
    void (async () => {
      let rows: readonly DirectoryItem[] =
        kind === 'Site' && hasAllSites
          ? [{ id: ALL_SITES, name: t.allSites, address: '', children: null }]
          : [];
      // Sites are listed level by level: what has others below it is read next.
      const levels: { parent: string | null; cursor: string | null }[] = [
        { parent: null, cursor: null },
      ];
      for (let level = levels.shift(); level; level = levels.shift()) {
        const answer: Awaited<ReturnType<typeof readPage>> = await readPage(
          organizationId,
          kind,
          level,
        );
        if (isOver) return;
        if (!answer.ok) {
          setLoaded({ key, directory: { rows, isComplete: false, failure: answer.failure } });
          return;
        }
        rows = [...rows, ...answer.value.rows];
        if (answer.value.next !== null) levels.unshift({ ...level, cursor: answer.value.next });
        for (const { id, children } of answer.value.rows)
          if ((children ?? 0) > 0) levels.push({ parent: id, cursor: null });
        setLoaded({ key, directory: { rows, isComplete: levels.length === 0, failure: null } });
      }
    })();
    return () => {
      isOver = true;
    };
  }, [organizationId, kind, key, hasAllSites]);
  return loaded.key === key ? loaded.directory : NONE;
}

function readPage(
  organizationId: string,
  kind: PickerKind,
  { parent, cursor }: { readonly parent: string | null; readonly cursor: string | null },
) {
  const page = { organizationId, limit: LIMIT, ...(cursor !== null && { cursor }) };
  return parent === null
    ? client().ask(CALL_OF[kind], page)
    : client().ask('listSiteChildren', { ...page, siteId: parent });
}
