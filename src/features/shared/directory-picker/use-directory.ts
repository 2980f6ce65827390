import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { usePages } from '../queries/use-pages.ts';
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

/** What is read next. Sites are listed level by level: what has others below it is read later. */
interface Level {
  readonly parent: string | null;
  readonly cursor: string | null;
}
const TOP: readonly [Level] = [{ parent: null, cursor: null }];

/**
 * Loads all objects of a kind, page by page, so that a search covers them all. `hasAllSites`: the
 * sites begin with one that stands for all of them.
 */
export function useDirectory(
  organizationId: string | null,
  kind: PickerKind,
  hasAllSites: boolean,
): LoadedDirectory {
  const { pages, failure, hasMore } = usePages(
    'useDirectory',
    { organizationId, kind },
    {
      first: TOP,
      getNext: getNextLevels,
      request: ([level]) => readPage(organizationId ?? '', kind, level ?? TOP[0]),
      wanted: organizationId !== null,
      isWhole: true,
    },
  );
  const isBegun = pages.length > 0 || failure !== null;
  return {
    rows: [
      ...(isBegun && kind === 'Site' && hasAllSites
        ? [{ id: ALL_SITES, name: t.allSites, address: '', children: null }]
        : []),
      ...pages.flatMap(({ rows }) => rows),
    ],
    isComplete: pages.length > 0 && !hasMore,
    failure,
  };
}

function getNextLevels(
  { rows, next }: OutputOf<'listOrganizationUsers'>,
  [level, ...later]: readonly Level[],
): readonly Level[] | null {
  const levels = [
    ...(next === null ? [] : [{ parent: level?.parent ?? null, cursor: next }]),
    ...later,
    ...rows
      .filter(({ children }) => (children ?? 0) > 0)
      .map(({ id }) => ({ parent: id, cursor: null })),
  ];
  return levels.length === 0 ? null : levels;
}

function readPage(organizationId: string, kind: PickerKind, { parent, cursor }: Level) {
  const page = { organizationId, limit: LIMIT, ...(cursor !== null && { cursor }) };
  return parent === null
    ? client().ask(CALL_OF[kind], page)
    : client().ask('listSiteChildren', { ...page, siteId: parent });
}
